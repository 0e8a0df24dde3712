from connector_jdbc.catalog import JdbcCatalog as JdbcCatalog
from connector_jdbc.catalog_factory import JdbcCatalogFactory as JdbcCatalogFactory
from connector_jdbc.database import Database as Database
from connector_jdbc.factory import JdbcTableFactory as JdbcTableFactory
from connector_jdbc.sink import JdbcTableSink as JdbcTableSink
from connector_jdbc.source import JdbcTableSource as JdbcTableSource
