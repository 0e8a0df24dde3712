-- Every flight that left New York's three airports in 2013: who is late, when, and why.
--
--     sql-client -f examples/flights.sql                      the embedded engine
--     sql-client -f examples/flights.sql --planner spark      Apache Spark, the same rows
--
-- The tables are Parquet files (examples/prepare_flights.py writes them); paths are relative to the current directory.
-- Words such as year and hour are SQL's own, so as column names they stand in backticks.

CREATE TABLE flights (
    `year` INT, `month` INT, `day` INT,
    dep_time INT, sched_dep_time INT, dep_delay INT,    -- times as hhmm, delays in minutes; NULL: the flight was cancelled
    arr_time INT, sched_arr_time INT, arr_delay INT,
    carrier STRING, flight INT, tailnum STRING, origin STRING, dest STRING,
    air_time INT, distance INT,                         -- minutes, miles
    `hour` INT, `minute` INT,                           -- of the scheduled departure, New York's time
    time_hour TIMESTAMP(6)                              -- the same hour in UTC
) WITH ('connector' = 'filesystem', 'format' = 'parquet', 'path' = 'data/flights/flights.parquet');

CREATE TABLE airlines (
    carrier STRING, name STRING
) WITH ('connector' = 'filesystem', 'format' = 'parquet', 'path' = 'data/flights/airlines.parquet');

CREATE TABLE airports (
    faa STRING, name STRING, lat DOUBLE, lon DOUBLE, alt INT, tz INT, dst STRING, tzone STRING
) WITH ('connector' = 'filesystem', 'format' = 'parquet', 'path' = 'data/flights/airports.parquet');

CREATE TABLE planes (
    tailnum STRING, `year` INT, `type` STRING, manufacturer STRING, `model` STRING,
    engines INT, seats INT, speed INT, engine STRING
) WITH ('connector' = 'filesystem', 'format' = 'parquet', 'path' = 'data/flights/planes.parquet');

CREATE TABLE weather (
    origin STRING, `year` INT, `month` INT, `day` INT, `hour` INT,
    temp DOUBLE, dewp DOUBLE, humid DOUBLE, wind_dir INT, wind_speed DOUBLE, wind_gust DOUBLE,
    precip DOUBLE, pressure DOUBLE, visib DOUBLE,       -- inches, millibars, miles
    time_hour TIMESTAMP(6)
) WITH ('connector' = 'filesystem', 'format' = 'parquet', 'path' = 'data/flights/weather.parquet');

-- 1. Which airlines are late? The average of whole numbers is a whole number in SQL, so the delays are cast first.
SELECT
    a.name AS airline,
    COUNT(*) AS flights,
    SUM(CASE WHEN f.dep_time IS NULL THEN 1 ELSE 0 END) AS cancelled,
    ROUND(AVG(CAST(f.arr_delay AS DOUBLE)), 1) AS average_delay,
    MAX(f.arr_delay) AS worst_delay,
    ROUND(AVG(CASE WHEN f.arr_delay > 15 THEN 100.0E0 WHEN f.arr_delay IS NOT NULL THEN 0.0E0 END), 1) AS percent_late
FROM flights AS f
JOIN airlines AS a ON f.carrier = a.carrier
GROUP BY a.name
ORDER BY percent_late DESC, airline;

-- 2. What does the weather do? Each flight meets the observation of its airport and hour.
CREATE TEMPORARY VIEW flights_in_weather AS
SELECT
    f.carrier, f.tailnum, f.dest, f.dep_time, f.dep_delay,
    CASE
        WHEN w.visib < 2 THEN 'fog or storm'
        WHEN w.precip > 0 AND w.temp <= 32 THEN 'snow'
        WHEN w.precip >= 0.1 THEN 'heavy rain'
        WHEN w.precip > 0 THEN 'light rain'
        WHEN w.wind_speed >= 25 THEN 'strong wind'
        ELSE 'fair'
    END AS conditions
FROM flights AS f
JOIN weather AS w ON f.origin = w.origin AND f.time_hour = w.time_hour;

SELECT
    conditions,
    COUNT(*) AS flights,
    ROUND(AVG(CAST(dep_delay AS DOUBLE)), 1) AS average_delay,
    ROUND(AVG(CASE WHEN dep_time IS NULL THEN 100.0E0 ELSE 0.0E0 END), 1) AS percent_cancelled
FROM flights_in_weather
GROUP BY conditions
ORDER BY average_delay DESC, conditions;

-- 3. And who copes with bad weather? Four tables: flights, weather, airlines, planes.
SELECT
    a.name AS airline,
    p.manufacturer,
    COUNT(*) AS flights,
    ROUND(AVG(CAST(f.dep_delay AS DOUBLE)), 1) AS average_delay
FROM flights_in_weather AS f
JOIN airlines AS a ON f.carrier = a.carrier
JOIN planes AS p ON f.tailnum = p.tailnum
WHERE f.conditions <> 'fair' AND f.dep_delay IS NOT NULL
GROUP BY a.name, p.manufacturer
HAVING COUNT(*) >= 300
ORDER BY average_delay, airline, p.manufacturer
LIMIT 10;

-- 4. Are old planes late planes? In bands of ten years; dividing whole numbers gives a whole number.
SELECT
    (f.`year` - p.`year`) / 10 * 10 AS years_old,
    COUNT(DISTINCT p.tailnum) AS planes,
    COUNT(*) AS flights,
    ROUND(AVG(CAST(f.dep_delay AS DOUBLE)), 1) AS average_delay,
    ROUND(AVG(CAST(p.seats AS DOUBLE)), 0) AS seats
FROM flights AS f
JOIN planes AS p ON f.tailnum = p.tailnum
WHERE p.`year` IS NOT NULL
GROUP BY (f.`year` - p.`year`) / 10 * 10
ORDER BY years_old;

-- 5. Where does New York fly to? Airports that the list does not know keep their code.
SELECT
    COALESCE(a.name, f.dest) AS destination,
    COUNT(*) AS flights,
    COUNT(DISTINCT f.carrier) AS airlines,
    MIN(f.distance) AS miles,
    ROUND(AVG(CAST(f.air_time AS DOUBLE)) / 60, 1) AS hours,
    ROUND(AVG(CAST(f.arr_delay AS DOUBLE)), 1) AS average_delay
FROM flights AS f
LEFT JOIN airports AS a ON f.dest = a.faa
GROUP BY COALESCE(a.name, f.dest)
ORDER BY flights DESC, destination
LIMIT 12;

-- 6. When should one fly? Early: delays pile up over the day.
SELECT
    f.`hour` AS departure_hour,
    COUNT(f.dep_delay) AS flights,
    ROUND(AVG(CAST(f.dep_delay AS DOUBLE)), 1) AS average_delay,
    SUM(CASE WHEN f.dep_delay > 60 THEN 1 ELSE 0 END) AS over_an_hour_late
FROM flights AS f
GROUP BY f.`hour`
HAVING COUNT(f.dep_delay) > 1000
ORDER BY departure_hour;
