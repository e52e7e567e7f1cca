"""What each program writes and reads, each by its own functions."""
import csv, itertools, os, subprocess
import pyarrow as pa, pyarrow.csv, pyarrow.json, pyarrow.parquet
import duckdb, pandas, polars

OPENED = {"csv": ",", "csv.gz": ",", "csv.zst": ",", "tsv": "\t"}


class Junction:
    def __init__(self, cli):
        self.cli = cli

    def run(self, sql):
        head = "SET TimeZone = 'UTC'; SET bytea_output = 'hex'; SET extra_float_digits = 1;\n"
        found = subprocess.run([self.cli, "-q", "-X", "-v", "ON_ERROR_STOP=1"], input=(head + sql).encode(), capture_output=True)
        if found.returncode or b"ERROR" in found.stderr:
            raise RuntimeError(found.stderr.decode(errors="replace").strip()[:400])
        return found.stdout

    def columns(self, sql, path):
        """The columns of a query, as texts, by way of a file: nothing stands for NULL, and quotes around everything else."""
        self.run(f"COPY ({sql}) TO '{path}' WITH (FORMAT csv, HEADER, FORCE_QUOTE *);")
        options = pa.csv.ConvertOptions(column_types={name: pa.string() for name in header(path)}, strings_can_be_null=True,
                                        quoted_strings_can_be_null=False, null_values=[""])
        parse = pa.csv.ParseOptions(newlines_in_values=True, ignore_empty_lines=False)
        found = pa.csv.read_csv(path, parse_options=parse, convert_options=options).columns
        os.remove(path)
        return found

    def load(self, made, path):
        """SQL that makes a table of columns, by way of a file."""
        table = pa.table({column.name: column.texts for column in made})
        pa.csv.write_csv(table, path, pa.csv.WriteOptions(quoting_style="all_valid"))
        names = ", ".join(f'"{column.name}" {column.type.sql}' for column in made)
        return (f"CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy'); CREATE TABLE t ({names}); "
                f"COPY t FROM '{path}' WITH (FORMAT csv, HEADER);\n")


def header(path):
    with open(path, newline="", encoding="utf-8") as file:
        return next(csv.reader(file))


# Reading: each gives a table of Arrow, of columns whose names and types are known. Files of delimited text are read as texts, as a guess of
# types is not what is looked at; for JSON a program is told the types, if it has such an option.

UNREAD = {("pyarrow", "json")}


def read_pyarrow(path, format, made):
    if format == "parquet":
        return pa.parquet.read_table(path)
    if format in OPENED:
        options = pa.csv.ConvertOptions(column_types={c.name: pa.string() for c in made}, strings_can_be_null=True,
                                        quoted_strings_can_be_null=False, null_values=[""])
        parse = pa.csv.ParseOptions(delimiter=OPENED[format], newlines_in_values=True)
        return pa.csv.read_csv(path, parse_options=parse, convert_options=options)
    return pa.json.read_json(path)


def duckdb_type(column):
    if column.type.family == "json":
        return "JSON"
    if column.type.family == "interval" or column.type.name in ("bytea", "enum") or column.type.name.endswith("_bc"):
        return "VARCHAR"
    return column.type.sql


def read_duckdb(path, format, made):
    c = duckdb.connect()
    c.execute("SET TimeZone = 'UTC'; SET arrow_large_buffer_size = false")
    if format == "parquet":
        return c.sql(f"SELECT * FROM '{path}'").to_arrow_table()
    types = ", ".join(f"'{c.name}': '{'VARCHAR' if format in OPENED else duckdb_type(c)}'" for c in made)
    if format in OPENED:
        sql = (f"SELECT * FROM read_csv('{path}', header = true, delim = '{OPENED[format]}', quote = '\"', escape = '\"', "
               f"all_varchar = true, allow_quoted_nulls = false, nullstr = '', auto_detect = false, columns = {{{types}}})")
    else:
        sql = f"SELECT * FROM read_json('{path}', columns = {{{types}}})"
    return c.sql(sql).to_arrow_table()


def read_pandas(path, format, made):
    if format == "parquet":
        frame = pandas.read_parquet(path, engine="pyarrow", dtype_backend="pyarrow")
    elif format in OPENED:
        frame = pandas.read_csv(path, sep=OPENED[format], dtype="string[pyarrow]", keep_default_na=False, na_values=[""])
    else:
        frame = pandas.read_json(path, lines="ndjson" in format, dtype=False, convert_dates=False, precise_float=True)
        return pa.table({c.name: pa.array([plain(v) for v in frame[c.name]]) for c in made})
    return pa.Table.from_pandas(frame, preserve_index=False)


def plain(value):
    """A value of pandas, of which JSON is given as text."""
    if value is None or value is pandas.NA or isinstance(value, float) and value != value:
        return None
    return value


def read_polars(path, format, made):
    if format == "parquet":
        frame = polars.read_parquet(path)
    elif format in OPENED:
        frame = polars.read_csv(path, separator=OPENED[format], infer_schema=False)
    elif "ndjson" in format:
        frame = polars.read_ndjson(path, infer_schema_length=None)
    else:
        frame = polars.read_json(path, infer_schema_length=None)
    return frame.to_arrow()


READERS = {"pyarrow": read_pyarrow, "duckdb": read_duckdb, "pandas": read_pandas, "polars": read_polars}


# Writing: each gives the names of the files that it wrote, with what is special about them. Large tables have large row groups, of many pages.

def group_rows(table, least):
    return least if table.num_rows < 100_000 else 100 * least


def choices(table, codecs, *others):
    """All ways to write a file; of a large table each codec once, and each other choice more than once."""
    every = list(itertools.product(*others))
    return [(codec, *choice) for place, codec in enumerate(codecs) for choice in (every if table.num_rows < 100_000 else [every[place % len(every)]])]


def write_pyarrow(table, folder, format):
    if format == "parquet":
        for codec, dictionary, version in choices(table, ["none", "snappy", "gzip", "zstd", "lz4"], [True, False], ["1.0", "2.0"]):
            path = f"{folder}/pyarrow-{codec}-{'dictionary' if dictionary else 'plain'}-v{version[0]}.parquet"
            pa.parquet.write_table(table, path, compression=codec, use_dictionary=dictionary, data_page_version=version, row_group_size=group_rows(table, 1000))
            yield path
    elif format in OPENED:
        path = f"{folder}/pyarrow.{format}"
        target = path if format != "csv.zst" else pa.CompressedOutputStream(path, "zstd")
        if format == "csv.gz":
            target = pa.CompressedOutputStream(path, "gzip")
        pa.csv.write_csv(table, target, pa.csv.WriteOptions(delimiter=OPENED[format]))
        if target is not path:
            target.close()
        yield path


def write_duckdb(table, folder, format):
    c = duckdb.connect()
    c.execute("SET TimeZone = 'UTC'")
    c.register("t", table)
    names = []
    for name in table.column_names:
        cast = {"interval": "INTERVAL", "interval_up": "INTERVAL", "json": "JSON", "jsonb": "JSON", "enum": "ENUM('sad', 'ok', 'happy')"}.get(name.rsplit("_", 1)[0])
        names.append(f'CAST("{name}" AS {cast}) AS "{name}"' if cast else f'"{name}"')
    select = f"SELECT {', '.join(names)} FROM t"
    if format == "parquet":
        for codec, version, limit in choices(table, ["uncompressed", "snappy", "gzip", "zstd", "lz4_raw"], ["V1", "V2"], [1, 100000]):
            path = f"{folder}/duckdb-{codec}-{'plain' if limit == 1 else 'dictionary'}-{version.lower()}.parquet"
            c.execute(f"COPY ({select}) TO '{path}' (FORMAT parquet, COMPRESSION {codec}, PARQUET_VERSION {version}, DICTIONARY_SIZE_LIMIT {limit}, "
                      f"ROW_GROUP_SIZE {group_rows(table, 2048)})")
            yield path
        return
    path = f"{folder}/duckdb.{format}"
    if format in OPENED:
        packing = ", COMPRESSION zstd" if format == "csv.zst" else ", COMPRESSION gzip" if format == "csv.gz" else ""
        c.execute(f"COPY ({select}) TO '{path}' (FORMAT csv, HEADER, DELIMITER '{OPENED[format]}'{packing})")
    elif format in ("ndjson", "json"):
        c.execute(f"COPY ({select}) TO '{path}' (FORMAT json, ARRAY {str(format == 'json').lower()})")
    else:
        kind = "zstd" if format.endswith("zst") else "gzip"
        c.execute(f"COPY ({select}) TO '{path}' (FORMAT json, COMPRESSION {kind})")
    yield path


def write_pandas(table, folder, format):
    frame = table.to_pandas(types_mapper=pandas.ArrowDtype)
    if format == "parquet":
        for codec in [None, "snappy", "gzip", "zstd", "lz4"]:
            path = f"{folder}/pandas-{codec or 'none'}.parquet"
            frame.to_parquet(path, engine="pyarrow", compression=codec, index=False)
            yield path
        return
    path = f"{folder}/pandas.{format}"
    if format in OPENED:
        frame.to_csv(path, sep=OPENED[format], index=False, compression="zstd" if format == "csv.zst" else "infer")
    else:
        frame.to_json(path, orient="records", lines="ndjson" in format, date_format="iso", date_unit="us", double_precision=15,
                      force_ascii=False)
    yield path


def write_polars(table, folder, format):
    frame = polars.from_arrow(table)
    if format == "parquet":
        for codec in ["uncompressed", "snappy", "gzip", "zstd", "lz4"]:
            path = f"{folder}/polars-{codec}.parquet"
            frame.write_parquet(path, compression=codec, row_group_size=group_rows(table, 1000))
            yield path
        return
    path = f"{folder}/polars.{format}"
    if format in ("csv", "tsv"):
        frame.write_csv(path, separator=OPENED[format])
    elif format == "ndjson":
        frame.write_ndjson(path)
    elif format == "json":
        frame.write_json(path)
    else:
        return
    yield path


WRITERS = {"pyarrow": write_pyarrow, "duckdb": write_duckdb, "pandas": write_pandas, "polars": write_polars}
