from table_api.plan.changelog.signatures import Signatures as Signatures
from table_api.plan.facts.record import facts_of as facts_of
from table_api.plan.join_columns import drop_join_columns as drop_join_columns
from table_api.plan.node_details import node_details as node_details
from table_api.plan.rank_bounds import rank_bounds as rank_bounds
from table_api.plan.shown_columns import shown_columns as shown_columns
from table_api.plan.shown_columns import shown_text as shown_text
