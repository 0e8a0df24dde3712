from table_api.rendering.graph import GraphNode as GraphNode
from table_api.rendering.graph import PlanGraph as PlanGraph
from table_api.rendering.style import TableauStyle as TableauStyle
from table_api.rendering.tableau import LEAST_WIDTH as LEAST_WIDTH
from table_api.rendering.tableau import cell_texts as cell_texts
from table_api.rendering.unbounded import UntilInterrupted as UntilInterrupted
from table_api.rendering.unbounded import flushing as flushing
from table_api.rendering.values import render_value as render_value
