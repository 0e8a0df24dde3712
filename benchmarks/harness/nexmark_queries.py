"""The tables and queries of the Nexmark benchmark in Flink's SQL, with the columns of their sinks."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["EVENTS", "FUNCTION", "QUERIES", "SIDE_INPUT", "VIEWS", "NexmarkQuery"]

EVENTS = """CREATE TEMPORARY TABLE events (
    event_type INT,
    person ROW<id BIGINT, name STRING, emailAddress STRING, creditCard STRING, city STRING, state STRING, `dateTime` TIMESTAMP(3), extra STRING>,
    auction ROW<id BIGINT, itemName STRING, description STRING, initialBid BIGINT, reserve BIGINT, `dateTime` TIMESTAMP(3), expires TIMESTAMP(3),
        seller BIGINT, category BIGINT, extra STRING>,
    bid ROW<auction BIGINT, bidder BIGINT, price BIGINT, channel STRING, url STRING, `dateTime` TIMESTAMP(3), extra STRING>,
    `dateTime` AS CASE WHEN event_type = 0 THEN person.`dateTime` WHEN event_type = 1 THEN auction.`dateTime` ELSE bid.`dateTime` END,
    WATERMARK FOR `dateTime` AS `dateTime` - INTERVAL '4' SECOND
) WITH ('connector' = 'filesystem', 'format' = 'parquet', 'path' = '{path}')"""
SIDE_INPUT = "CREATE TEMPORARY TABLE side_input (key BIGINT, `value` STRING) WITH ('connector' = 'filesystem', 'format' = 'parquet', 'path' = '{path}')"
FUNCTION = "count_char"
"""The Python function of query 14: how often a text has a character."""
VIEWS = (
    """CREATE TEMPORARY VIEW person AS SELECT person.id, person.name, person.emailAddress, person.creditCard, person.city, person.state, `dateTime`,
    person.extra FROM events WHERE event_type = 0""",
    """CREATE TEMPORARY VIEW auction AS SELECT auction.id, auction.itemName, auction.description, auction.initialBid, auction.reserve, `dateTime`,
    auction.expires, auction.seller, auction.category, auction.extra FROM events WHERE event_type = 1""",
    """CREATE TEMPORARY VIEW bid AS SELECT bid.auction, bid.bidder, bid.price, bid.channel, bid.url, `dateTime`, bid.extra
    FROM events WHERE event_type = 2""",
)


@dataclass(frozen=True)
class NexmarkQuery:
    """A query with the columns of its sink; ``target`` is in million events per second."""

    name: str
    text: str
    sink: str
    target: float
    decided: tuple[int, ...] | None = None
    """The columns that are the same whatever the order of rows with equal keys is; None: all."""
    reference: str | None = None
    """The query for batch mode; None: the same."""
    summary: str = "SELECT * FROM ({})"
    """The query over the query whose result is that of the reference."""


_BID = "auction BIGINT, bidder BIGINT, price BIGINT, `dateTime` TIMESTAMP(3), extra STRING"
_WHOLE_BID = "auction BIGINT, bidder BIGINT, price BIGINT, channel STRING, url STRING, `dateTime` TIMESTAMP(3), extra STRING"
_HOT = "TABLE(HOP(TABLE bid, DESCRIPTOR(`dateTime`), INTERVAL '2' SECOND, INTERVAL '10' SECOND))"
_TEN_SECONDS = "TABLE(TUMBLE(TABLE {}, DESCRIPTOR(`dateTime`), INTERVAL '10' SECOND))"
_DAY = "DATE_FORMAT(`dateTime`, 'yyyy-MM-dd')"
_RANKS = ("price < 10000", "price >= 10000 AND price < 1000000", "price >= 1000000")


def _ranked(call: str) -> str:
    """Returns an aggregate call over all bids and over those of each range of prices."""
    return ", ".join([call, *(f"{call} FILTER (WHERE {condition})" for condition in _RANKS)])


def _counts(first: str) -> str:
    return ", ".join(f"{first}{number} BIGINT" for number in range(4))


STATELESS, STATEFUL = 2.0, 0.6

QUERIES = (
    NexmarkQuery("q0", "SELECT auction, bidder, price, `dateTime`, extra FROM bid", _BID, STATELESS),
    NexmarkQuery(
        "q1",
        "SELECT auction, bidder, 0.908 * price, `dateTime`, extra FROM bid",
        _BID.replace("price BIGINT", "price DECIMAL(23, 3)"),
        STATELESS,
    ),
    NexmarkQuery("q2", "SELECT auction, price FROM bid WHERE MOD(auction, 123) = 0", "auction BIGINT, price BIGINT", STATELESS),
    NexmarkQuery(
        "q3",
        """SELECT p.name, p.city, p.state, a.id FROM auction AS a JOIN person AS p ON a.seller = p.id
        WHERE a.category = 10 AND (p.state = 'OR' OR p.state = 'ID' OR p.state = 'CA')""",
        "name STRING, city STRING, state STRING, id BIGINT",
        STATEFUL,
    ),
    NexmarkQuery(
        "q4",
        """SELECT category, AVG(final) FROM (
            SELECT MAX(b.price) AS final, a.category FROM auction AS a, bid AS b
            WHERE a.id = b.auction AND b.`dateTime` BETWEEN a.`dateTime` AND a.expires GROUP BY a.id, a.category)
        GROUP BY category""",
        "category BIGINT, price BIGINT",
        STATEFUL,
    ),
    NexmarkQuery(
        "q5",
        f"""SELECT bids.auction, bids.num FROM (
            SELECT auction, COUNT(*) AS num, window_start, window_end FROM {_HOT} GROUP BY auction, window_start, window_end) AS bids
        JOIN (
            SELECT MAX(num) AS most, window_start, window_end FROM (
                SELECT COUNT(*) AS num, window_start, window_end FROM {_HOT} GROUP BY auction, window_start, window_end)
            GROUP BY window_start, window_end) AS hottest
        ON bids.window_start = hottest.window_start AND bids.window_end = hottest.window_end AND bids.num >= hottest.most""",
        "auction BIGINT, num BIGINT",
        STATEFUL,
    ),
    NexmarkQuery(
        "q7",
        f"""SELECT b.auction, b.bidder, b.price, b.`dateTime`, b.extra FROM bid AS b
        JOIN (SELECT MAX(price) AS price, window_end AS `dateTime` FROM {_TEN_SECONDS.format("bid")} GROUP BY window_start, window_end) AS h
        ON b.price = h.price WHERE b.`dateTime` BETWEEN h.`dateTime` - INTERVAL '10' SECOND AND h.`dateTime`""",
        _BID,
        STATEFUL,
    ),
    NexmarkQuery(
        "q8",
        f"""SELECT p.id, p.name, p.window_start FROM (
            SELECT id, name, window_start, window_end FROM {_TEN_SECONDS.format("person")} GROUP BY id, name, window_start, window_end) AS p
        JOIN (SELECT seller, window_start, window_end FROM {_TEN_SECONDS.format("auction")} GROUP BY seller, window_start, window_end) AS a
        ON p.id = a.seller AND p.window_start = a.window_start AND p.window_end = a.window_end""",
        "id BIGINT, name STRING, starttime TIMESTAMP(3)",
        STATEFUL,
    ),
    NexmarkQuery(
        "q9",
        """SELECT id, itemName, description, initialBid, reserve, `dateTime`, expires, seller, category, extra, auction, bidder, price, bid_time, bid_extra
        FROM (SELECT a.*, b.auction, b.bidder, b.price, b.`dateTime` AS bid_time, b.extra AS bid_extra,
                ROW_NUMBER() OVER (PARTITION BY a.id ORDER BY b.price DESC, b.`dateTime` ASC) AS n
            FROM auction AS a, bid AS b WHERE a.id = b.auction AND b.`dateTime` BETWEEN a.`dateTime` AND a.expires)
        WHERE n <= 1""",
        """id BIGINT, itemName STRING, description STRING, initialBid BIGINT, reserve BIGINT, `dateTime` TIMESTAMP(3), expires TIMESTAMP(3),
        seller BIGINT, category BIGINT, extra STRING, auction BIGINT, bidder BIGINT, price BIGINT, bid_time TIMESTAMP(3), bid_extra STRING""",
        STATEFUL,
        (*range(11), 12, 13),
    ),
    NexmarkQuery(
        "q10",
        f"SELECT auction, bidder, price, `dateTime`, extra, {_DAY}, DATE_FORMAT(`dateTime`, 'HH:mm') FROM bid",
        f"{_BID}, dt STRING, hm STRING",
        STATELESS,
    ),
    NexmarkQuery(
        "q11",
        """SELECT bidder, COUNT(*), window_start, window_end
        FROM TABLE(SESSION(TABLE bid PARTITION BY bidder, DESCRIPTOR(`dateTime`), INTERVAL '10' SECOND)) GROUP BY bidder, window_start, window_end""",
        "bidder BIGINT, bids BIGINT, starttime TIMESTAMP(3), endtime TIMESTAMP(3)",
        STATEFUL,
        reference="""SELECT bidder, COUNT(*), MIN(`dateTime`), MAX(`dateTime`) + INTERVAL '10' SECOND FROM (
            SELECT bidder, `dateTime`, SUM(CASE WHEN `dateTime` <= previous + INTERVAL '10' SECOND THEN 0 ELSE 1 END)
                OVER (PARTITION BY bidder ORDER BY `dateTime`) AS session
            FROM (SELECT bidder, `dateTime`, LAG(`dateTime`) OVER (PARTITION BY bidder ORDER BY `dateTime`) AS previous FROM bid))
        GROUP BY bidder, session""",
    ),
    NexmarkQuery(
        "q12",
        """SELECT bidder, COUNT(*) AS bids, window_start, window_end
        FROM TABLE(TUMBLE((SELECT bidder, PROCTIME() AS p FROM bid), DESCRIPTOR(p), INTERVAL '10' SECOND)) GROUP BY bidder, window_start, window_end""",
        "bidder BIGINT, bids BIGINT, starttime TIMESTAMP(3), endtime TIMESTAMP(3)",
        STATEFUL,
        reference="SELECT bidder, COUNT(*) FROM bid GROUP BY bidder",
        summary="SELECT bidder, SUM(bids) FROM ({}) GROUP BY bidder",
    ),
    NexmarkQuery(
        "q13",
        """SELECT b.auction, b.bidder, b.price, b.`dateTime`, s.`value` FROM (SELECT *, PROCTIME() AS p FROM bid) AS b
        JOIN side_input FOR SYSTEM_TIME AS OF b.p AS s ON MOD(b.auction, 10000) = s.key""",
        "auction BIGINT, bidder BIGINT, price BIGINT, `dateTime` TIMESTAMP(3), `value` STRING",
        STATEFUL,
        reference="SELECT b.auction, b.bidder, b.price, b.`dateTime`, s.`value` FROM bid AS b JOIN side_input AS s ON MOD(b.auction, 10000) = s.key",
    ),
    NexmarkQuery(
        "q14",
        """SELECT auction, bidder, 0.908 * price AS price,
            CASE WHEN HOUR(`dateTime`) >= 8 AND HOUR(`dateTime`) <= 18 THEN 'dayTime' WHEN HOUR(`dateTime`) <= 6 OR HOUR(`dateTime`) >= 20 THEN 'nightTime'
            ELSE 'otherTime' END, `dateTime`, extra, count_char(extra, 'c')
        FROM bid WHERE 0.908 * price > 1000000 AND 0.908 * price < 50000000""",
        "auction BIGINT, bidder BIGINT, price DECIMAL(23, 3), bidTimeType STRING, `dateTime` TIMESTAMP(3), extra STRING, c_counts BIGINT",
        STATELESS,
    ),
    NexmarkQuery(
        "q15",
        f"SELECT {_DAY}, {_ranked('COUNT(*)')}, {_ranked('COUNT(DISTINCT bidder)')}, {_ranked('COUNT(DISTINCT auction)')} FROM bid GROUP BY {_DAY}",
        f"`day` STRING, {_counts('bids')}, {_counts('bidders')}, {_counts('auctions')}",
        STATEFUL,
    ),
    NexmarkQuery(
        "q16",
        f"""SELECT channel, {_DAY}, MAX(DATE_FORMAT(`dateTime`, 'HH:mm')), {_ranked("COUNT(*)")}, {_ranked("COUNT(DISTINCT bidder)")},
            {_ranked("COUNT(DISTINCT auction)")} FROM bid GROUP BY channel, {_DAY}""",
        f"channel STRING, `day` STRING, `minute` STRING, {_counts('bids')}, {_counts('bidders')}, {_counts('auctions')}",
        STATEFUL,
    ),
    NexmarkQuery(
        "q17",
        f"SELECT auction, {_DAY}, {_ranked('COUNT(*)')}, MIN(price), MAX(price), AVG(price), SUM(price) FROM bid GROUP BY auction, {_DAY}",
        f"auction BIGINT, `day` STRING, {_counts('bids')}, min_price BIGINT, max_price BIGINT, avg_price BIGINT, sum_price BIGINT",
        STATEFUL,
    ),
    NexmarkQuery(
        "q18",
        """SELECT auction, bidder, price, channel, url, `dateTime`, extra FROM (
            SELECT *, ROW_NUMBER() OVER (PARTITION BY bidder, auction ORDER BY `dateTime` DESC) AS n FROM bid) WHERE n <= 1""",
        _WHOLE_BID,
        STATEFUL,
        (0, 1, 5),
    ),
    NexmarkQuery(
        "q19",
        "SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY auction ORDER BY price DESC) AS rank_number FROM bid) WHERE rank_number <= 10",
        f"{_WHOLE_BID}, rank_number BIGINT",
        STATEFUL,
        (0, 2, 7),
    ),
    NexmarkQuery(
        "q20",
        """SELECT b.auction, b.bidder, b.price, b.channel, b.url, b.`dateTime`, b.extra, a.itemName, a.description, a.initialBid, a.reserve, a.`dateTime`,
            a.expires, a.seller, a.category, a.extra FROM bid AS b JOIN auction AS a ON b.auction = a.id WHERE a.category = 10""",
        f"""{_WHOLE_BID}, itemName STRING, description STRING, initialBid BIGINT, reserve BIGINT, opened TIMESTAMP(3), expires TIMESTAMP(3),
        seller BIGINT, category BIGINT, auction_extra STRING""",
        STATEFUL,
    ),
    NexmarkQuery(
        "q21",
        r"""SELECT auction, bidder, price, channel, CASE WHEN LOWER(channel) = 'apple' THEN '0' WHEN LOWER(channel) = 'google' THEN '1'
            WHEN LOWER(channel) = 'facebook' THEN '2' WHEN LOWER(channel) = 'baidu' THEN '3'
            ELSE REGEXP_EXTRACT(url, '(&|^)channel_id=([^&]*)', 2) END
        FROM bid WHERE REGEXP_EXTRACT(url, '(&|^)channel_id=([^&]*)', 2) IS NOT NULL OR LOWER(channel) IN ('apple', 'google', 'facebook', 'baidu')""",
        "auction BIGINT, bidder BIGINT, price BIGINT, channel STRING, channel_id STRING",
        STATELESS,
    ),
    NexmarkQuery(
        "q22",
        "SELECT auction, bidder, price, channel, SPLIT_INDEX(url, '/', 3), SPLIT_INDEX(url, '/', 4), SPLIT_INDEX(url, '/', 5) FROM bid",
        "auction BIGINT, bidder BIGINT, price BIGINT, channel STRING, dir1 STRING, dir2 STRING, dir3 STRING",
        STATELESS,
    ),
)
