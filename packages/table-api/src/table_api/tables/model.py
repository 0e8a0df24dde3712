"""``Model``: a model as an object, whose ``predict`` adds its columns to a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from table_api.expressions import Expression
from table_api.expressions.node_holder import to_unresolved
from table_api.tables.table import Table
from table_common.catalog import CatalogModel, ObjectIdentifier, ResolvedSchema
from table_common.exceptions import ValidationException

if TYPE_CHECKING:
    from table_api.delegation import Session
    from table_api.expressions.unresolved import Span


class Model:
    """A model of a session; ``TableEnvironment.from_model`` makes it.

    Source: Flink's ``org.apache.flink.table.api.Model``.

    Example:
        >>> from table_common.types import DataTypes
        >>> text = Schema.new_builder().column("text", DataTypes.STRING()).build()
        >>> env.create_temporary_model("chat", ModelDescriptor.for_provider("openai").input_schema(text).output_schema(text).build())
        >>> env.from_model("chat").get_resolved_input_schema().column_names
        ('text',)
    """

    def __init__(self, session: Session, identifier: ObjectIdentifier, model: CatalogModel) -> None:
        self._session = session
        self._identifier = identifier
        self._model = model

    def get_resolved_input_schema(self) -> ResolvedSchema:
        """Returns the columns that the model takes."""
        return self._model.input_schema

    def get_resolved_output_schema(self) -> ResolvedSchema:
        """Returns the columns that the model returns."""
        return self._model.output_schema

    def predict(self, table: Table, input_columns: Expression, options: Mapping[str, str] | Expression | None = None) -> Table:
        """Returns the table with the model's columns for its rows, as ML_PREDICT does: ``model.predict(t, descriptor("text"), {"async": "true"})``.

        Args:
            table: the rows.
            input_columns: ``descriptor(…)`` of the columns of the table that the model takes, in the order of its input.
            options: ``async``, ``max-concurrent-operations``, ``timeout``, ``output-mode``.

        Raises:
            ValidationException: the columns are not those that the model takes, or an option of the model or of the call is wrong.
        """
        from table_api.resolution.model_prediction import columns_of, config_of, predict  # few programs run models

        if table._session is not self._session:
            raise ValidationException("The table and the model must belong to the same table environment.")

        def position(span: Span | None) -> None:
            return None

        columns = columns_of(to_unresolved(input_columns), position)
        config = config_of(to_unresolved(options), position) if isinstance(options, Expression) else dict(options or {})
        return Table(self._session, predict(self._session, table._operation, (self._identifier, self._model), columns, config, position))
