-- id: L
-- title: load the CSV files until queries can run
-- group: load
-- kind: load
-- limit: load
Junction, SQLite and the loops check keys and foreign keys and index both directions; DuckDB loads with
COPY and has neither keys nor indices; each in a process of its own.
