"""What a statement can use of the state of an earlier version of it, in words."""

from __future__ import annotations

from table_common.exceptions import TableException
from table_runtime.checkpoints.manifest import Manifest
from table_runtime.checkpoints.upgrade import Claim, Upgrade, Verdict, compare
from table_runtime.planner.streaming.driver.job_names import JobNames

__all__ = ["checked_upgrade", "describe_upgrade", "upgrade_of"]


def upgrade_of(manifest: Manifest, names: JobNames) -> Upgrade:
    """Returns what the operators of a job use of the state in a manifest."""
    old = {name: state.signature for name, state in manifest.states.items() if state.signature is not None}
    return compare(old, names.signatures)


def checked_upgrade(manifest: Manifest, names: JobNames, *, ignores_unclaimed: bool) -> Upgrade:
    """Returns what the operators use of the state.

    Raises:
        TableException: an operator cannot use it, or state would be lost.
    """
    upgrade = upgrade_of(manifest, names)
    if upgrade.is_possible or ignores_unclaimed:
        return upgrade
    raise TableException(
        f"The job '{manifest.job}' cannot go on behind its epoch {manifest.epoch}: the statement has changed, and state would be lost.\n"
        + describe_upgrade(manifest, names, upgrade),
        hint="Undo the change; or set 'execution.state-recovery.ignore-unclaimed-state' to begin without this state, or 'execution.state-recovery.mode' = FRESH to begin anew.",
    )


def describe_upgrade(manifest: Manifest, names: JobNames, upgrade: Upgrade) -> str:
    """Returns a line per operator that keeps state: what it was, what it is, and what becomes of its state."""
    texts = {name: str(node.operator) for name, node in zip(names.operators, names.nodes, strict=True)}
    return "\n".join(_line(claim, manifest, texts) for claim in upgrade.claims) or "No operator keeps state."


def _line(claim: Claim, manifest: Manifest, texts: dict[str, str]) -> str:
    before = manifest.states[claim.old].text if claim.old is not None else "-"
    after = texts[claim.new] if claim.new is not None else "-"
    match claim.verdict:
        case Verdict.EQUAL:
            return f"= {after}: its state is used"
        case Verdict.COMPATIBLE:
            return f"~ {before} -> {after}: its state is used, converted: {claim.reason}"
        case Verdict.NEW:
            return f"+ {after}: it would begin without the rows before: {claim.reason}"
        case Verdict.LOST:
            rows = max((file.rows for file in manifest.states[claim.old or ""].files), default=0)
            return f"- {before}: its state of at least {rows} keys is lost: {claim.reason}"
