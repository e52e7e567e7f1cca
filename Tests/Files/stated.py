"""What a format or a program cannot hold, with the reason: such columns are looked at like all others, and reported apart.

Each line has the direction ("reads": the program wrote and Junction reads; "writes": Junction wrote and the program reads), programs, formats,
types and shares of NULLs, each a pattern of names, and the reason. A line with "left out" is of what the program refuses to write at all.
"""
import fnmatch

TEXTS = "csv*|tsv"
JSONS = "json*|ndjson*"
STATED = [
    ("reads", "spark", "parquet", "timestamptz", "whole|some", "INT96 does not say that a timestamp has a zone"),
    ("reads", "pyarrow|pandas|polars", TEXTS + "|" + JSONS, "date_bc|timestamp_bc", "whole|some", "years before 1 are written with a minus, as nobody else reads them"),
    ("reads", "duckdb", TEXTS + "|" + JSONS, "date_bc|timestamp_bc", "whole|some", "years before 1 are written as (BC)"),
    ("reads", "pyarrow|pandas", TEXTS, "dec38_10", "whole|some", "small decimals have exponents, and one by itself is a double"),
    ("reads", "duckdb", TEXTS, "bytea", "whole|some", "bytes are written as text with escapes, which is a text"),
    ("reads", "duckdb", JSONS, "bytea", "whole|some", "bytes are written as text with escapes, which is a text"),
    ("reads", "duckdb", TEXTS, "ints|texts", "whole|some", "lists are written as DuckDB spells them"),
    ("reads", "pandas", TEXTS, "text|unicode|few|enum", "whole|some", "an empty text and none are written alike"),
    ("reads", "duckdb", JSONS, "dec*", "whole|some", "a decimal of nothing is written as 0.0, whatever digits it has"),
    ("reads", "pandas", JSONS, "float*", "whole|some", "floats are written with 15 digits"),
    ("reads", "pandas|polars", JSONS, "float*_edge", "whole|some", "NaN and infinity are written as null"),
    ("reads", "pandas", JSONS, "date", "whole|some", "dates are written as timestamps"),
    ("reads", "pandas", JSONS, "ints", "whole|some", "lists of numbers with nulls are lists of floats"),
    ("reads", "junction", JSONS, "timestamp_bc|date_bc", "whole|some", "JSON has no dates, and one before year 1 is spelled like none that is looked for"),
    ("reads", "junction", JSONS, "float*_edge", "whole|some", "NaN and infinity are strings, as PostgreSQL writes them, and numbers besides strings are texts"),
    ("writes", "*", JSONS, "float*_edge", "whole|some", "NaN and infinity are strings, and -0 a whole number, as PostgreSQL writes them"),
    ("writes", "pyarrow|pandas|polars", JSONS, "dec*", "whole|some", "numbers with fractions are read as doubles, larger ones not at all"),
    ("writes", "pyarrow", JSONS, "date|date_bc", "whole|some", "dates are read as timestamps"),
    ("writes", "pyarrow", JSONS, "ints|texts", "whole|some", "lists with nulls become arrays that Arrow itself calls invalid (26.0.1)"),
    ("writes", "pyarrow|pandas|polars", JSONS, "json|jsonb", "whole|some", "values of several kinds in one column are refused"),
    ("writes", "pandas", JSONS, "int2|int4|int8", "some", "numbers beside null are read as doubles"),
    ("writes", "pandas", JSONS, "float8", "whole|some", "a denormal double is refused"),
    ("writes", "pandas|polars", TEXTS, "text|unicode|few|enum", "whole|some", "an empty text is read as none"),
]
# What a program does not write, or breaks at.
LEFT_OUT = [
    ("spark", "parquet", "time|uuid", "has no such types, and refuses a file with one"),
    ("pyarrow|polars", TEXTS, "bytea", "refuses bytes"),
    ("pyarrow|polars", TEXTS, "ints|texts", "refuses lists"),
    ("pandas", TEXTS, "bytea|ints|texts", "writes what Python or numpy shows of bytes and lists"),
    ("pandas", TEXTS + "|" + JSONS, "date_bc", "refuses years before 1"),
    ("polars", JSONS, "bytea", "breaks at bytes: not yet implemented"),
    ("pandas", JSONS, "bytea", "refuses bytes that are no UTF-8"),
    ("pandas", JSONS, "dec*", "ends the process, now and then (double free)"),
    ("duckdb", "parquet", "interval", "refuses negative intervals, which the format does not have"),
    ("duckdb", JSONS, "float*_edge", "writes NaN and Infinity, which are no JSON, so that the file is refused"),
]


def matches(patterns, name):
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns.split("|"))


def reason(direction, program, format, column):
    if not column.count and matches(JSONS, format):
        return "JSON without records names no columns"
    if direction == "reads" and matches(JSONS, format) and column.type.family == "json" and are_strings(column):
        return "strings alone are texts, which JSON files do not tell from json"
    for ways, programs, formats, types, nulls, why in STATED:
        if (matches(ways, direction) and matches(programs, program) and matches(formats, format)
                and matches(types, column.type.name) and matches(nulls, column.nulls)):
            return why
    return None


def are_strings(column):
    # Among more values there is always one that is no string; a million of them are not gone through for it.
    return column.count <= 100 and all(v is None or isinstance(v, str) for v in column.values())


def left_out(program, format, column):
    for programs, formats, types, why in LEFT_OUT:
        if matches(programs, program) and matches(formats, format) and matches(types, column.type.name):
            return why
    return None
