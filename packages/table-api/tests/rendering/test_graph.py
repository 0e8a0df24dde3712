from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

from table_api.rendering import GraphNode, PlanGraph

SVG = "{http://www.w3.org/2000/svg}"


def boxes(graph: PlanGraph) -> dict[str, tuple[float, float, float, float]]:
    """Returns left, top, right and bottom of each node by its title."""
    found = {}
    for group in ET.fromstring(graph.svg).iter(f"{SVG}g"):
        box = group.find(f"{SVG}rect")
        title = group.find(f"{SVG}text")
        assert box is not None
        assert title is not None
        left, top, width, height = (float(box.attrib[name]) for name in ("x", "y", "width", "height"))
        found[str(title.text)] = (left, top, left + width, top + height)
    return found


def test_inputs_are_below_their_consumers_and_boxes_do_not_overlap() -> None:
    graph = PlanGraph(
        [
            GraphNode("Scan a", ["table=[a]"]),
            GraphNode("Filter", ["where=[x > 1]"], inputs=[0]),
            GraphNode("Scan b"),
            GraphNode("Join", inputs=[1, 2]),
            GraphNode("Sink", inputs=[3]),
        ]
    )
    found = boxes(graph)
    for above, below in [("Sink", "Join"), ("Join", "Filter"), ("Join", "Scan b"), ("Filter", "Scan a")]:
        assert found[above][3] < found[below][1]
    assert found["Filter"][2] < found["Scan b"][0]


def test_shared_node_is_drawn_once_below_all_its_consumers() -> None:
    graph = PlanGraph([GraphNode("Scan"), GraphNode("Filter", inputs=[0]), GraphNode("Join", inputs=[1, 0])])
    assert graph.svg.count("<title>Scan") == 1
    found = boxes(graph)
    assert found["Scan"][1] > found["Filter"][3]


def test_texts_are_escaped_wrapped_and_cut() -> None:
    long = "where=[" + " AND ".join(f"(column_{number} <> 'a & b')" for number in range(100)) + "]"
    graph = PlanGraph([GraphNode("Filter", [long, "control=[\x1b[31m]"], "about 5 rows")])
    (group,) = ET.fromstring(graph.svg).iter(f"{SVG}g")
    texts = [text.text or "" for text in group.iter(f"{SVG}text")]
    assert len(texts) == 8  # the title, six lines, the rows
    assert texts[6] == "…"
    assert all(len(text) <= 46 for text in texts)
    title = group.find(f"{SVG}title")
    assert title is not None
    assert str(title.text).endswith("…")
    assert "\x1b" not in graph.svg


def test_deep_plan_is_drawn() -> None:
    nodes = [GraphNode("Project", inputs=[number - 1] if number else []) for number in range(3_000)]
    assert PlanGraph(nodes).svg.count("<g>") == 3_000


def test_drawing_is_shown_by_notebooks_and_saved(tmp_path: Path) -> None:
    graph = PlanGraph([GraphNode("Values")])
    assert graph._repr_svg_() == graph.svg
    graph.save(tmp_path / "plan.svg")
    assert (tmp_path / "plan.svg").read_text(encoding="utf-8") == graph.svg
    assert repr(graph) == "PlanGraph(1 nodes; save('plan.svg') writes the drawing)"
