"""The columns of the check: made by a seed, as PostgreSQL writes them, as Arrow has them."""
import decimal as numbers
import functools, json, math, random, struct
from decimal import Decimal
import pyarrow as pa

WIDE = numbers.Context(prec=60)
numbers.setcontext(WIDE)


def civil(days):
    """Year, month and day of a number of days since 1970, of any year of the Gregorian calendar."""
    z = days + 719468
    era, day = divmod(z, 146097)
    year = (day - day // 1460 + day // 36524 - day // 146096) // 365
    rest = day - (365 * year + year // 4 - year // 100)
    month = (5 * rest + 2) // 153
    number = month + 3 if month < 10 else month - 9
    return year + era * 400 + (number <= 2), number, rest - (153 * month + 2) // 5 + 1


def date_text(days):
    year, month, day = civil(days)
    text = f"{year if year > 0 else 1 - year:04}-{month:02}-{day:02}"
    return text if year > 0 else text + " BC"


def time_text(micros):
    seconds, rest = divmod(micros, 1000000)
    text = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return text + (f".{rest:06}".rstrip("0") if rest else "")


def timestamp_text(micros, zone=""):
    days, rest = divmod(micros, 86400 * 1000000)
    text = date_text(days)
    era = " BC" if text.endswith(" BC") else ""
    return text.removesuffix(" BC") + " " + time_text(rest) + zone + era


def interval_text(value):
    months, days, micros = value
    parts = []
    years, months = int(months / 12), months - int(months / 12) * 12
    for number, unit in [(years, "year"), (months, "mon"), (days, "day")]:
        if number:
            # A positive part behind a negative one has a sign.
            sign = "+" if number > 0 and any(part.startswith("-") for part in parts[-1:]) else ""
            parts.append(f"{sign}{number} {unit}{'' if number == 1 else 's'}")
    if micros or not parts:
        sign = "-" if micros < 0 else "+" if parts and parts[-1].startswith("-") else ""
        parts.append(sign + time_text(abs(micros)))
    return " ".join(parts)


def interval_words(value):
    """An interval in words that other programs take, too."""
    return f"{value[0]} months {value[1]} days {value[2]} microseconds"


def array_text(values, element):
    if values is None:
        return None
    shown = []
    for value in values:
        text = "NULL" if value is None else element(value)
        if value is not None and (text == "" or text.upper() == "NULL" or any(c in '{},"\\ \n\t' for c in text)):
            text = '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
        shown.append(text)
    return "{" + ",".join(shown) + "}"


WORDS = ["", "a", "NULL", "null", "\\N", "x,y", 'say "so"', "two\nlines", "tab\there", "back\\slash", " spaces ", "'", "0", "007",
         "twelve bytes", "thirteen byte", "long enough to stand in a heap of its own, and then some", "{a,b}", "[1]", "true"]
UNICODE = ["é", "ß", "日本語", "😀", "e\u0301", "\u200bzero width", "Ω≈ç√", "עברית", "\U0001F1E9\U0001F1EA", "ﬁ"]


class Type:
    """A type: its name in SQL, how a value is made, how PostgreSQL writes it, and what Arrow calls it."""

    def __init__(self, name, sql, make, text, arrow, back=None, family=None):
        self.name, self.sql, self.make, self.text, self.arrow = name, sql, make, text, arrow
        self.back, self.family = back or (lambda value: value), family or name


def number(low, high):
    edges = [low, high, 0, 1, 127, -128 if low < 0 else 2]
    return lambda r: r.choice(edges) if r.random() < 0.2 else r.randint(max(low, -1000), min(high, 1000)) if r.random() < 0.5 else r.randint(low, high)


def decimal(precision, scale):
    def make(r):
        digits = r.choice([1, precision // 2 or 1, precision])
        coefficient = r.randint(-10 ** digits + 1, 10 ** digits - 1)
        return Decimal(coefficient).scaleb(-scale, context=WIDE)
    return make


def float_value(bits, edges):
    def make(r):
        choice = r.random()
        if choice < 0.1:
            value = r.choice(edges)
            return struct.unpack("f", struct.pack("f", value))[0] if bits == 32 else value
        value = r.uniform(-1, 1) * 10 ** r.randint(-30, 30) if choice < 0.5 else r.randint(-1000, 1000) / 8
        return struct.unpack("f", struct.pack("f", value))[0] if bits == 32 else value
    return make


def decimal_text(value):
    return format(value, "f")


def array_of(make):
    def made(r):
        count = r.choice([0, 1, 2, 5])
        return [None if r.random() < 0.2 else make(r) for _ in range(count)]
    return made


def json_value(r, depth=0):
    choice = r.random()
    if depth > 2 or choice < 0.5:
        return r.choice([None, True, False, 0, -1.5, 12345678901234567890, "x", "é\"\n", ""])
    if choice < 0.75:
        return [json_value(r, depth + 1) for _ in range(r.randint(0, 3))]
    return {key: json_value(r, depth + 1) for key in r.sample(["a", "b", "long key", "é"], r.randint(0, 3))}


def json_text(value):
    return json.dumps(value, ensure_ascii=False)


def uuid_text(value):
    text = value.hex()
    return "-".join([text[:8], text[8:12], text[12:16], text[16:20], text[20:]])


DAY = 86400 * 1000000
EDGES = [-0.0, math.inf, -math.inf, math.nan]
text = lambda r: r.choice(WORDS) if r.random() < 0.7 else f"text {r.randint(0, 10 ** 6)}"
words = lambda r: r.choice(UNICODE) + r.choice(UNICODE)
plain = lambda value: value
TYPES = [
    Type("bool", "boolean", lambda r: r.random() < 0.5, lambda v: "true" if v else "false", pa.bool_()),
    Type("int2", "smallint", number(-2 ** 15, 2 ** 15 - 1), str, pa.int16()),
    Type("int4", "integer", number(-2 ** 31, 2 ** 31 - 1), str, pa.int32()),
    Type("int8", "bigint", number(-2 ** 63, 2 ** 63 - 1), str, pa.int64()),
    Type("float4", "real", float_value(32, [0.0, 1e30]), repr, pa.float32(), family="float"),
    Type("float8", "double precision", float_value(64, [0.0, 1e300, 5e-324]), repr, pa.float64(), family="float"),
    Type("float4_edge", "real", float_value(32, EDGES), repr, pa.float32(), family="float"),
    Type("float8_edge", "double precision", float_value(64, EDGES), repr, pa.float64(), family="float"),
    Type("dec9_2", "numeric(9,2)", decimal(9, 2), decimal_text, pa.decimal128(9, 2), family="decimal"),
    Type("dec18_4", "numeric(18,4)", decimal(18, 4), decimal_text, pa.decimal128(18, 4), family="decimal"),
    Type("dec25_5", "numeric(25,5)", decimal(25, 5), decimal_text, pa.decimal128(25, 5), family="decimal"),
    Type("dec38_10", "numeric(38,10)", decimal(38, 10), decimal_text, pa.decimal128(38, 10), family="decimal"),
    Type("dec38_0", "numeric(38,0)", decimal(38, 0), decimal_text, pa.decimal128(38, 0), family="decimal"),
    Type("text", "text", text, plain, pa.string()),
    Type("unicode", "text", words, plain, pa.string(), family="text"),
    Type("few", "text", lambda r: r.choice(["red", "green", "blue"]), plain, pa.string(), family="text"),
    Type("bytea", "bytea", lambda r: bytes(r.randrange(256) for _ in range(r.choice([0, 1, 5, 20]))), lambda v: "\\x" + v.hex(), pa.binary()),
    Type("date", "date", lambda r: r.randint(-25000, 25000), date_text, pa.date32()),
    Type("date_bc", "date", lambda r: r.randint(-2400000, 1000000), date_text, pa.date32()),
    Type("time", "time", lambda r: r.choice([0, DAY - 1, 1, 43200 * 1000000, r.randrange(DAY)]), time_text, pa.time64("us")),
    Type("timestamp", "timestamp", lambda r: r.randint(-3 * 10 ** 15, 3 * 10 ** 15), timestamp_text, pa.timestamp("us")),
    Type("timestamp_bc", "timestamp", lambda r: r.randint(-2 * 10 ** 17, 10 ** 17), timestamp_text, pa.timestamp("us")),
    Type("timestamptz", "timestamptz", lambda r: r.randint(-10 ** 15, 3 * 10 ** 15), lambda v: timestamp_text(v, "+00"), pa.timestamp("us", "UTC")),
    Type("interval", "interval", lambda r: (r.choice([0, 1, -14, 30]), r.choice([0, 1, -40]), r.choice([0, 1, -DAY, 3661000001])), interval_text, pa.string()),
    Type("interval_up", "interval", lambda r: (r.choice([0, 1, 30]), r.choice([0, 1, 40]), r.choice([0, 1000, DAY, 3661001000])), interval_text, pa.string(), family="interval"),
    Type("uuid", "uuid", lambda r: r.randbytes(16), uuid_text, pa.uuid()),
    Type("ints", "integer[]", array_of(number(-2 ** 31, 2 ** 31 - 1)), lambda v: array_text(v, str), pa.list_(pa.int32()), family="array"),
    Type("texts", "text[]", array_of(text), lambda v: array_text(v, plain), pa.list_(pa.string()), family="array"),
    Type("json", "json", json_value, json_text, pa.string()),
    Type("jsonb", "jsonb", json_value, json_text, pa.string(), family="json"),
    Type("enum", "mood", lambda r: r.choice(["sad", "ok", "happy"]), plain, pa.string(), family="text"),
]
BY_NAME = {type.name: type for type in TYPES}
NULLS = {"whole": 0.0, "some": 0.3, "none": 1.0}


class Column:
    """A column of the check. Its values are made when somebody asks, and kept as Arrow has them: objects of Python take ten times as much."""

    def __init__(self, type, nulls, count, values):
        self.type, self.nulls, self.count = type, nulls, count
        self.name = f"{type.name}_{nulls}"
        self.values = values
        # Columns that were found equal.
        self.equals = []

    @functools.cached_property
    def texts(self):
        """The values as PostgreSQL writes them."""
        return pa.array([None if v is None else self.type.text(v) for v in self.values()], pa.string())

    @functools.cached_property
    def array(self):
        """The values as Arrow has them."""
        return arrow_array(self)

    @functools.cached_property
    def known(self):
        """The values in the form in which two are compared."""
        return [known(self, v) for v in self.values()]


def columns(seed, count, names=None, nulls=NULLS):
    """Columns of every type: without NULLs, with some, and of nothing else."""
    def values(type, share):
        r = random.Random(f"{seed} {type.name} {share}")
        return [None if r.random() < NULLS[share] else type.make(r) for _ in range(count)]

    return [Column(type, share, count, functools.partial(values, type, share))
            for type in TYPES if not names or type.name in names for share in nulls]


def arrow_array(column):
    """A column as Arrow has it; what Arrow has no type for as text."""
    type, values = column.type, column.values()
    if type.family == "interval":
        return pa.array([None if v is None else interval_words(v) for v in values], pa.string())
    if type.family == "json":
        return pa.array([None if v is None else json_text(v) for v in values], pa.string())
    if pa.types.is_date32(type.arrow):
        return pa.array(values, pa.int32()).view(pa.date32())
    if pa.types.is_temporal(type.arrow):
        return pa.array(values, pa.int64()).view(type.arrow)
    if type.name == "uuid":
        return pa.ExtensionArray.from_storage(pa.uuid(), pa.array(values, pa.binary(16)))
    return pa.array(values, type.arrow)


def arrow_table(made, as_text=()):
    """Columns as a table, beside a column of numbers; types that are named as text."""
    arrays = {"row": pa.array(range(made[0].count), pa.int32())}
    arrays.update((column.name, column.texts if column.type.name in as_text else column.array) for column in made)
    return pa.table(arrays)


def known(column, value):
    """A value in the form in which two are compared."""
    if value is None:
        return None
    family = column.type.family
    if family == "float":
        return "NaN" if math.isnan(value) else struct.pack("d", value)
    if family == "json":
        return json.dumps(value, sort_keys=True)
    return column.type.text(value)


def of_text(column, text):
    """The same for what Junction, or a file of text, says."""
    if text is None:
        return None
    family = column.type.family
    if family == "bool":
        return {"t": "true", "f": "false"}.get(text, text.lower())
    if family == "float":
        value = float(text)
        if column.type.name.startswith("float4") and not math.isnan(value):
            value = struct.unpack("f", struct.pack("f", value))[0]
        return "NaN" if math.isnan(value) else struct.pack("d", value)
    if family == "json":
        return json.dumps(json.loads(text), sort_keys=True)
    if family.startswith("timestamp"):
        # As JSON has them.
        return text.replace("T", " ", 1).removesuffix("Z").replace("+00:00", "+00")
    if family == "array" and text.startswith("["):
        return column.type.text(json.loads(text))
    return text


def of_arrow(column, array):
    """The same for a column of Arrow, whatever type it has there."""
    type, wanted = array.type, column.type
    if isinstance(array, pa.ChunkedArray) and not pa.types.is_nested(type):
        array = array.combine_chunks()
    if pa.types.is_dictionary(type):
        array = array.dictionary_decode()
        type = array.type
    if isinstance(type, pa.BaseExtensionType):
        array = array.storage
        type = array.type
    if pa.types.is_null(type):
        return [None] * len(array)
    if pa.types.is_date32(type):
        values = array.view(pa.int32()).to_pylist()
    elif pa.types.is_timestamp(type):
        values = array.view(pa.int64()).to_pylist()
        if type.unit == "ns":
            values = [v if v is None else v // 1000 if v % 1000 == 0 else f"{v} ns" for v in values]
        elif type.unit == "ms":
            values = [v if v is None else v * 1000 for v in values]
        elif type.unit == "s":
            values = [v if v is None else v * 1000000 for v in values]
    elif pa.types.is_time(type):
        values = array.cast(pa.time64("ns")).view(pa.int64()).to_pylist()
        values = [v if v is None else v // 1000 for v in values]
    else:
        values = array.to_pylist()
    result = []
    for value in values:
        if value is None:
            result.append(None)
        elif isinstance(value, str) and wanted.family != "json" and wanted.family != "interval":
            result.append(of_text(column, value))
        elif wanted.family == "float":
            result.append(of_text(column, repr(value)))
        elif wanted.family == "json":
            result.append(json.dumps(json.loads(value), sort_keys=True))
        elif wanted.family == "interval" and isinstance(value, str):
            result.append(value)
        elif isinstance(value, bytes) and wanted.name == "uuid":
            result.append(wanted.text(value))
        else:
            result.append(wanted.text(value))
    return result


def row_numbers(made):
    """A column of numbers beside others, so that no line of a file is empty."""
    column = Column(BY_NAME["int4"], "whole", made[0].count, lambda: list(range(made[0].count)))
    column.name = "row"
    return column
