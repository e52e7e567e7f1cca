"""Writes the data, the queries and the answers of TPC-DS into a folder: tpcds.py FOLDER SCALE

    FOLDER/scale, FOLDER/<table>.csv
    FOLDER/queries/schema.sql             every table with its primary and foreign keys
    FOLDER/queries/schema-duckdb.sql      the same without keys
    FOLDER/queries/q01.sql to q99.sql
    FOLDER/queries/answers-sf<SCALE>/q01.csv to q99.csv

An answer goes on behind the query's LIMIT as far as rows tie with the last one, and the query's head
says which of its columns its rows are ordered by: rows that tie may stand in any order, and any of
them may be those that the LIMIT keeps.
"""

import csv
import os
import re
import sys

import duckdb
import duckdb_extension_tpcds

# Parents before children, so that foreign keys can be checked while files are read.
TABLES = """date_dim time_dim reason ship_mode income_band customer_demographics customer_address
item warehouse household_demographics promotion customer call_center catalog_page store web_page
web_site store_sales store_returns catalog_sales catalog_returns web_sales web_returns inventory""".split()

# Where the primary key is not the first column.
PRIMARY = {
    "store_sales": "ss_item_sk, ss_ticket_number", "store_returns": "sr_item_sk, sr_ticket_number",
    "catalog_sales": "cs_item_sk, cs_order_number", "catalog_returns": "cr_item_sk, cr_order_number",
    "web_sales": "ws_item_sk, ws_order_number", "web_returns": "wr_item_sk, wr_order_number",
    "inventory": "inv_date_sk, inv_item_sk, inv_warehouse_sk",
}

# How names of columns that refer to a table end.
PARENTS = {
    "date_sk": "date_dim", "time_sk": "time_dim", "item_sk": "item", "customer_sk": "customer",
    "cdemo_sk": "customer_demographics", "hdemo_sk": "household_demographics",
    "addr_sk": "customer_address", "store_sk": "store", "promo_sk": "promotion",
    "call_center_sk": "call_center", "catalog_page_sk": "catalog_page", "ship_mode_sk": "ship_mode",
    "warehouse_sk": "warehouse", "reason_sk": "reason", "web_page_sk": "web_page",
    "web_site_sk": "web_site", "income_band_sk": "income_band",
}
SALES = {"store_returns": "store_sales", "catalog_returns": "catalog_sales", "web_returns": "web_sales"}


def opened():
    connection = duckdb.connect(config={"allow_unsigned_extensions": "true"})
    folder = os.path.dirname(duckdb_extension_tpcds.__file__)
    path = os.path.join(folder, "extensions", f"v{duckdb.__version__}", "tpcds.duckdb_extension")
    connection.execute(f"LOAD '{path}'")
    return connection


def columns(connection, table):
    """Names and types: the generator's 64-bit integers are the specification's 32-bit identifiers."""
    rows = connection.execute(
        "SELECT column_name, data_type FROM duckdb_columns() WHERE table_name = ? ORDER BY column_index",
        [table]).fetchall()
    return [(name, kind.lower().replace("bigint", "integer")) for name, kind in rows]


def foreign_keys(connection, table, names):
    """The foreign keys of a table that its rows obey."""
    found = []
    primary = PRIMARY.get(table, names[0])
    for name in names:
        parent = next((PARENTS[end] for end in PARENTS if name.endswith("_" + end)), None)
        if parent and name != primary:
            key = columns(connection, parent)[0][0]
            found.append((name, parent, key))
    if table in SALES:
        found.append((primary, SALES[table], PRIMARY[SALES[table]]))
    kept = []
    for name, parent, key in found:
        pairs = list(zip(name.split(", "), key.split(", ")))
        match = " AND ".join(f"c.{a} = p.{b}" for a, b in pairs)
        given = " AND ".join(f"c.{a} IS NOT NULL" for a, _ in pairs)
        orphans, = connection.execute(
            f"SELECT count(*) FROM {table} c WHERE {given} AND NOT EXISTS"
            f" (SELECT 1 FROM {parent} p WHERE {match})").fetchone()
        if orphans:
            print(f"{table} ({name}): {orphans} rows have no {parent}, so it is no foreign key")
        else:
            kept.append(f"FOREIGN KEY ({name}) REFERENCES {parent} ({key})")
    return kept


def write_schema(connection, folder):
    keyed, plain = [], []
    for table in TABLES:
        described = columns(connection, table)
        names = [name for name, _ in described]
        lines = [f"{name} {kind}" for name, kind in described]
        plain.append(f"CREATE TABLE {table} (\n  " + ",\n  ".join(lines) + "\n);\n")
        lines.append(f"PRIMARY KEY ({PRIMARY.get(table, names[0])})")
        lines += foreign_keys(connection, table, names)
        keyed.append(f"CREATE TABLE {table} (\n  " + ",\n  ".join(lines) + "\n);\n")
    for name, tables in ("schema.sql", keyed), ("schema-duckdb.sql", plain):
        with open(os.path.join(folder, name), "w") as file:
            file.write("".join(tables))


def order(text, names):
    """The places of the columns that the rows are ordered by, leaving out terms that are no columns.

    Rows that tie are equal in these, whatever the other terms are.
    """
    found = re.search(r"\border\s+by\b(?!.*\border\s+by\b)(.*)$", text, re.I | re.S)
    # An ORDER BY within parentheses is not the query's own.
    if not found or found.group(1).count(")") > found.group(1).count("("):
        return []
    places = []
    terms = re.sub(r"\blimit\s+\d+\s*$", "", found.group(1).strip(), flags=re.I)
    for term in re.split(r",(?![^(]*\))", terms):
        term = re.sub(r"\s+(asc|desc|nulls\s+(first|last))\b", "", term.strip(), flags=re.I).strip()
        name = term.split(".")[-1].lower()
        if name.isdigit():
            places.append(int(name))
        elif names.count(name) == 1:
            places.append(names.index(name) + 1)
    return places


def shown(value):
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def answer(connection, text, limit):
    """The columns' names, the places of those that order the rows, and the rows."""
    result = connection.execute(re.sub(r"\blimit\s+\d+\s*$", "", text, flags=re.I))
    names = [column[0].lower() for column in result.description]
    places = order(text, names)
    rows = []
    while row := result.fetchone():
        if limit and len(rows) >= limit:
            if any(row[place - 1] != rows[limit - 1][place - 1] for place in places):
                break
        rows.append(row)
    return names, places, rows


def write_queries(connection, folder, scale):
    answers = os.path.join(folder, f"answers-sf{scale}")
    os.makedirs(answers, exist_ok=True)
    # As PostgreSQL divides integers and sorts NULLs.
    connection.execute("SET integer_division = true")
    connection.execute("SET default_null_order = 'nulls_last_on_asc_first_on_desc'")
    for number, text in connection.execute("FROM tpcds_queries() ORDER BY 1").fetchall():
        text = text.strip().rstrip(";").strip()
        found = re.search(r"\blimit\s+(\d+)$", text, re.I)
        limit = int(found.group(1)) if found else None
        names, places, rows = answer(connection, text, limit)
        with open(os.path.join(folder, f"q{number:02}.sql"), "w") as file:
            file.write("-- ordered by: " + " ".join(map(str, places)) + "\n")
            if limit:
                file.write(f"-- limit: {limit}\n")
            file.write(text + ";\n")
        with open(os.path.join(answers, f"q{number:02}.csv"), "w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(names)
            writer.writerows([shown(value) for value in row] for row in rows)


def main(folder, scale):
    queries = os.path.join(folder, "queries")
    os.makedirs(queries, exist_ok=True)
    connection = opened()
    print(f"generating TPC-DS at scale {scale}", flush=True)
    connection.execute(f"CALL dsdgen(sf = {float(scale)})")
    for table in TABLES:
        path = os.path.join(folder, f"{table}.csv").replace("'", "''")
        connection.execute(f"COPY {table} TO '{path}' (HEADER)")
    with open(os.path.join(folder, "scale"), "w") as file:
        file.write(f"{scale}\n")
    write_schema(connection, queries)
    print("asking DuckDB for the answers", flush=True)
    write_queries(connection, queries, scale)
    print(f"{folder}: {len(TABLES)} tables, {len(os.listdir(queries)) - 3} queries")


main(sys.argv[1], sys.argv[2])
