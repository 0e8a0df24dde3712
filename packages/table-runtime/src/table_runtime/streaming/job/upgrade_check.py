"""What a statement can use of the state of an earlier version of it, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from table_common.exceptions import TableException
from table_runtime.streaming.checkpoints.manifest import Manifest, OperatorFiles
from table_runtime.streaming.checkpoints.source_positions import same_scans
from table_runtime.streaming.checkpoints.state_compatibility import StateMapping, Upgrade, Verdict, compare, compare_watermarks, is_complete
from table_runtime.streaming.job.job_layout import JobLayout


def upgrade_of(manifest: Manifest, layout: JobLayout) -> Upgrade:
    """Returns what the operators of a job use of the state in a manifest."""
    old = {name: _completed(name, state, layout) for name, state in manifest.states.items() if state.signature is not None}
    operator_ids = {name: state.operator_id for name, state in manifest.states.items() if state.operator_id is not None}
    others = compare_watermarks(
        [name for name, state in manifest.states.items() if state.signature is None],
        [name for name in layout.operators if name not in layout.signatures],
        operator_ids,
        layout.operator_ids,
    )
    return replace(compare(old, layout.signatures, operator_ids, layout.operator_ids), others=others)


def _completed(name: str, state: OperatorFiles, layout: JobLayout) -> Mapping[str, Any]:
    """Returns the signature of an operator in a manifest; of an older one, which does not say all, that of the operator now if it and all below are unchanged."""
    assert state.signature is not None
    if is_complete(state.signature) or state.operator_id is None:
        return state.signature
    texts = {other: str(node.operator) for other, node in zip(layout.operators, layout.nodes, strict=True)}
    same = [
        other for other in layout.signatures if layout.operator_ids[other].below == state.operator_id.below and texts[other] == state.text
    ]
    return layout.signatures[name if name in same else same[0]] if same else state.signature


def positions_of(manifest: Manifest, layout: JobLayout) -> Mapping[str, str]:
    """Returns the name in the manifest of each source that continues from there."""
    if not manifest.scans:
        return {name: name for name in layout.sources if name in manifest.sources}
    return same_scans(manifest.scans, layout.scans)


def half_read(manifest: Manifest, layout: JobLayout) -> Sequence[str]:
    """Describes the sources that cannot resume: part of a range was read, counted in rows, but the statement now selects other rows of it."""
    result = []
    for name, other in positions_of(manifest, layout).items():
        position, before = manifest.sources.get(other, {}), manifest.scans.get(other)
        if position.get("rows") and not position.get("ended") and before is not None and before.rows != layout.scans[name].rows:
            result.append(
                f"! {name.rpartition('#')[0]}: {position['rows']} rows of a part of it were read that is not complete, with {before.rows or 'all rows'}; "
                f"with {layout.scans[name].rows or 'all rows'} these are not known again"
            )
    return result


def checked_upgrade(manifest: Manifest, layout: JobLayout, *, ignores_unclaimed: bool) -> Upgrade:
    """Returns what the operators use of the state.

    Raises:
        TableException: an operator cannot use it, or state would be lost, or a source cannot continue.
    """
    upgrade = upgrade_of(manifest, layout)
    problems = half_read(manifest, layout)
    if problems:
        raise TableException(
            f"The job '{manifest.job}' cannot resume after epoch {manifest.epoch}: the conditions on a source have changed.\n"
            + "\n".join(problems),
            hint="Run the former statement until it has read what is there, and stop it then; or set 'execution.state-recovery.mode' = FRESH to start over.",
        )
    if upgrade.is_possible or ignores_unclaimed:
        return upgrade
    raise TableException(
        f"The job '{manifest.job}' cannot resume after epoch {manifest.epoch}: the statement has changed, and state would be lost.\n"
        + describe_upgrade(manifest, layout, upgrade),
        hint="Undo the change; or set 'execution.state-recovery.ignore-unclaimed-state' to begin without this state, or 'execution.state-recovery.mode' = FRESH to start over.",
    )


def describe_upgrade(manifest: Manifest, layout: JobLayout, upgrade: Upgrade) -> str:
    """Returns a line per operator that keeps state: what it was, what it is, and what becomes of its state."""
    texts = {name: str(node.operator) for name, node in zip(layout.operators, layout.nodes, strict=True)}
    lines = [*half_read(manifest, layout), *(_line(claim, manifest, texts) for claim in upgrade.claims)]
    return "\n".join(lines) or "No operator keeps state."


def _line(claim: StateMapping, manifest: Manifest, texts: dict[str, str]) -> str:
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
