"""Compares a column that was found with the one that was made; both are columns of Arrow.

Bits come first: of what was made, and of columns of which all values were found equal before. That is quick. Where bits differ values are
compared one by one, in the form of `values.known`.
"""
import pyarrow as pa
import values

SLICE = 1 << 16
KEPT = 6


def difference(column, found):
    """The first difference, as two texts; None if there is none."""
    found = plain(found)
    if len(found) != column.count:
        return f"{len(found)} rows", f"{column.count} rows"
    if any(is_same(found, equal) for equal in [*made(column), *column.equals]):
        return None
    for start in range(0, column.count, SLICE):
        part, wanted = values.of_arrow(column, found.slice(start, SLICE)), column.known[start:start + SLICE]
        if part != wanted:
            place = next(i for i in range(len(wanted)) if part[i] != wanted[i])
            return f"row {start + place}: {part[place]!r}", repr(wanted[place])
    column.equals = [*column.equals, found][-KEPT:]
    return None


def made(column):
    """What a column was made of, in the forms in which nobody may find anything else."""
    if column.type.family not in ("float", "json"):
        yield column.texts
    # Intervals are told others in words.
    if column.type.family != "interval":
        yield plain(column.array)


def plain(array):
    """A column in one piece, without the types by which programs only store the same values in another way."""
    type = array.type
    if pa.types.is_nested(type):
        # Arrow's reader of JSON makes some that break whoever looks at them.
        array.validate(full=True)
        return array
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    if isinstance(type, pa.BaseExtensionType):
        array = array.storage
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    if pa.types.is_large_string(array.type) or pa.types.is_string_view(array.type):
        return array.cast(pa.string())
    if pa.types.is_large_binary(array.type) or pa.types.is_binary_view(array.type):
        return array.cast(pa.binary())
    return array


def is_same(one, other):
    """Whether two columns have the same bits."""
    if one.type != other.type:
        return False
    if pa.types.is_floating(one.type):
        bits = {16: pa.int16(), 32: pa.int32(), 64: pa.int64()}[one.type.bit_width]
        return one.view(bits).equals(other.view(bits))
    return chunked(one).equals(chunked(other))


def chunked(array):
    return array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])
