"""Makes the files of this folder: pip install pyarrow duckdb polars; python make.py"""

import datetime as dt
import decimal
import os

import duckdb
import polars
import pyarrow as pa
import pyarrow.parquet as pq

os.chdir(os.path.dirname(os.path.abspath(__file__)))
D = decimal.Decimal

# Four rows, of which the third is NULL, three times.
COLUMNS = {
    "b": ([True, False, None, True], pa.bool_()),
    "i8": ([1, -128, None, 127], pa.int8()),
    "i16": ([1, -(2**15), None, 2**15 - 1], pa.int16()),
    "i32": ([1, -(2**31), None, 2**31 - 1], pa.int32()),
    "i64": ([1, -(2**63), None, 2**63 - 1], pa.int64()),
    "u8": ([1, 255, None, 0], pa.uint8()),
    "u16": ([1, 2**16 - 1, None, 0], pa.uint16()),
    "u32": ([1, 2**32 - 1, None, 0], pa.uint32()),
    "u64": ([1, 2**64 - 1, None, 0], pa.uint64()),
    "f16": ([1.5, -0.25, None, 65504.0], pa.float16()),
    "f32": ([1.5, float("nan"), None, -float("inf")], pa.float32()),
    "f64": ([1.5, 1e300, None, -0.1], pa.float64()),
    "d9": ([D("1.50"), D("-9999999.99"), None, D("0.01")], pa.decimal128(9, 2)),
    "d18": ([D("1.500"), D("-999999999999999.999"), None, D("0.010")], pa.decimal128(18, 3)),
    "d38": ([D("1.5"), D("-" + "9" * 37 + ".9"), None, D("0.1")], pa.decimal128(38, 1)),
    "date": ([dt.date(1970, 1, 1), dt.date(1, 1, 1), None, dt.date(9999, 12, 31)], pa.date32()),
    "t_ms": ([0, 86399999, None, 45000000], pa.time32("ms")),
    "t_us": ([0, 86399999999, None, 45000000001], pa.time64("us")),
    "t_ns": ([0, 86399999999999, None, 1500], pa.time64("ns")),
    "ts_ms": ([0, -1, None, 1700000000123], pa.timestamp("ms")),
    "ts_us": ([0, -1, None, 1700000000123456], pa.timestamp("us")),
    "ts_ns": ([0, -1, None, 1700000000123456789], pa.timestamp("ns")),
    "tz_us": ([0, -1, None, 1700000000123456], pa.timestamp("us", tz="UTC")),
    "s": (["", "kurz", None, "ein längerer Text 漢字 😀"], pa.string()),
    "bin": ([b"\x00\xff", b"", None, b"longer than twelve bytes \x00"], pa.binary()),
    "fb": ([b"abcd", b"\x00\x01\x02\x03", None, b"wxyz"], pa.binary(4)),
    "li": ([[1, None, 3], [], None, [4]], pa.list_(pa.int32())),
    "ls": ([["a", "a longer text than twelve"], [], None, [None]], pa.list_(pa.string())),
    "st": (
        [{"x": 1, "y": 'q"'}, {"x": None, "y": None}, None, {"x": 2, "y": "z"}],
        pa.struct([("x", pa.int64()), ("y", pa.string())]),
    ),
    "ll": ([[[1, 2], []], [], None, [None, [3, None]]], pa.list_(pa.list_(pa.int32()))),
    "m": ([[("a", 1), ("b", None)], [], None, [("c", 3)]], pa.map_(pa.string(), pa.int32())),
    "lst": (
        [[{"x": 1, "l": [1]}, {"x": None, "l": None}], [], None, [None]],
        pa.list_(pa.struct([("x", pa.int32()), ("l", pa.list_(pa.int32()))])),
    ),
    "nul": ([None] * 4, pa.null()),
}
table = pa.table({name: pa.array(rows * 3, type) for name, (rows, type) in COLUMNS.items()})
table = table.append_column(
    pa.field("req", pa.int32(), nullable=False), pa.array(range(12), pa.int32())
)


def write(name, table=table, **options):
    pq.write_table(table, name + ".parquet", store_schema=False, **options)


for codec in ["none", "snappy", "gzip", "zstd", "lz4"]:
    write("arrow-" + codec, compression=codec)
write("arrow-v2", data_page_version="2.0", compression="snappy")
write("arrow-plain", use_dictionary=False, compression="none", write_page_checksum=True)
write("arrow-int96", table.select(["ts_us"]), use_deprecated_int96_timestamps=True)
write("arrow-empty", table.slice(0, 0).select(["i32", "s", "li", "st"]))
write("arrow-brotli", table.select(["i32"]), compression="brotli")
encodings = {
    **{c: "DELTA_BINARY_PACKED" for c in ["i8", "i16", "i32", "i64", "date", "ts_us", "li.list.element"]},
    **{c: "BYTE_STREAM_SPLIT" for c in ["f32", "f64", "u32", "u64", "d38"]},
    "s": "DELTA_BYTE_ARRAY", "fb": "DELTA_BYTE_ARRAY", "bin": "DELTA_LENGTH_BYTE_ARRAY",
    "ls.list.element": "DELTA_LENGTH_BYTE_ARRAY", "b": "RLE",
}
write("arrow-delta", use_dictionary=False, column_encoding=encodings, compression="none",
      data_page_version="2.0")

# Many pages and two row groups.
n = 3000
pages = pa.table({
    "id": pa.array(range(n), pa.int64()),
    "third": pa.array([None if i % 3 == 0 else i * i for i in range(n)], pa.int32()),
    "word": pa.array([None if i % 50 == 7 else f"word number {i % 50}" for i in range(n)]),
    "list": pa.array([None if i % 11 == 0 else list(range(i % 4)) for i in range(n)],
                     pa.list_(pa.int32())),
    "json": pa.array([{"a": i, "b": [i % 2]} for i in range(n)],
                     pa.struct([("a", pa.int32()), ("b", pa.list_(pa.int32()))])),
})
write("arrow-pages", pages, data_page_size=512, row_group_size=2000, compression="zstd",
      write_batch_size=64, dictionary_pagesize_limit=1 << 14)

duck = """
select i % 2 = 0 b, i::tinyint i8, i::smallint i16, i::integer i32, i::bigint i64,
  i::utinyint u8, i::usmallint u16, i::uinteger u32, i::ubigint u64, i::real f32, i::double f64,
  (i / 4)::decimal(9, 2) d9, (i / 4)::decimal(18, 3) d18, (i / 4)::decimal(38, 10) d38,
  date '2024-02-29' + i::int da, time '12:34:56.789' t,
  timestamp '2024-02-29 12:34:56.789012' ts, timestamptz '2024-02-29 12:34:56.789012+02' tz,
  'text ' || i s, 'x'::blob bl, uuid '12345678-9abc-def0-1234-56789abcdef0' u,
  interval '1 month 2 days 3 seconds' iv, [i, null] li, {'x': i} st, map {'k': i} m,
  '{"a":1}'::json j, case when i % 3 = 0 then null else i end n
from range(4) r(i)
"""
con = duckdb.connect()
con.execute(f"copy ({duck}) to 'duckdb.parquet'")
con.execute(f"copy ({duck}) to 'duckdb-v2.parquet' (parquet_version v2, compression zstd)")

frame = polars.from_arrow(table.select(
    ["b", "i8", "i64", "u64", "f64", "d18", "date", "ts_us", "s", "bin", "li", "st", "ll"]))
frame.write_parquet("polars.parquet")
