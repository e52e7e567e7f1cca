extension RunnerText {
  /// Compares answers with Junction's, in Python: multisets where no order is settled, numbers to twelve digits.
  static let comparison =
    #"""
    # ---- answers ----

    def parse_csv(text):
        """Rows of fields; an empty field without quotes is None."""
        rows, row, field, i = [], [], None, 0
        while i < len(text):
            c = text[i]
            if c == '"':
                part = ""
                i += 1
                while True:
                    j = text.index('"', i)
                    part += text[i:j]
                    if text[j + 1:j + 2] == '"':
                        part += '"'
                        i = j + 2
                        continue
                    i = j + 1
                    break
                field = (field or "") + part
            elif c in ",\n":
                row.append(field)
                field = None
                i += 1
                if c == "\n":
                    rows.append(row)
                    row = []
            else:
                j = i
                while j < len(text) and text[j] not in ',\n"':
                    j += 1
                field = (field or "") + text[i:j]
                i = j
        return rows


    def parse_list(text):
        """The elements of a PostgreSQL array's text."""
        items, item, i, is_quoted = [], "", 1, False
        while i < len(text):
            c = text[i]
            if c == '"':
                is_quoted = True
                i += 1
                while text[i] != '"':
                    if text[i] == "\\":
                        i += 1
                    item += text[i]
                    i += 1
            elif c in ",}":
                if item or is_quoted:
                    items.append(None if item == "NULL" and not is_quoted else item)
                item, is_quoted = "", False
            else:
                item += c
            i += 1
        return items


    def plain(value, kind):
        """A value in the one form in which it is compared."""
        import datetime, decimal
        if value is None:
            return None
        if kind.startswith("unordered "):
            return in_any_order(plain(value, kind[10:]))
        if kind.startswith("list of "):
            items = parse_list(value) if isinstance(value, str) else list(value)
            return tuple(plain(item, kind[8:]) for item in items)
        if kind == "number":
            if isinstance(value, str):
                return int(value) if value.lstrip("-").isdigit() else float(value)
            if isinstance(value, decimal.Decimal):
                return int(value) if value == value.to_integral_value() else float(value)
            return value
        if kind == "boolean":
            return value if isinstance(value, bool) else value in ("t", "true")
        if kind == "json":
            return json_form(json.loads(value, parse_float=float))
        if kind == "padded":
            return str(value).rstrip(" ")
        if kind == "bytes":
            return "\\x" + bytes(value).hex() if not isinstance(value, str) else value
        if kind == "moment":
            if isinstance(value, datetime.datetime):
                value = value.replace(tzinfo=None).isoformat(sep=" ")
            return (value[:-3] if value.endswith("+00") else value).rstrip("0") if "." in value else value.removesuffix("+00")
        return value if isinstance(value, str) else str(value)


    def in_any_order(value):
        """Lists sorted, for values that were gathered without ORDER BY."""
        return tuple(sorted(map(in_any_order, value), key=repr)) if isinstance(value, tuple) else value


    def json_form(value):
        if isinstance(value, dict):
            return tuple(sorted((name, json_form(part)) for name, part in value.items()))
        if isinstance(value, list):
            return tuple(json_form(part) for part in value)
        return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else value


    def is_near(one, other):
        import math
        if isinstance(one, tuple) and isinstance(other, tuple):
            return len(one) == len(other) and all(map(is_near, one, other))
        if isinstance(one, float) or isinstance(other, float):
            if not all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in (one, other)):
                return False
            if one != one or other != other:
                return one != one and other != other
            return math.isclose(one, other, rel_tol=1e-12, abs_tol=1e-12)
        return one == other and isinstance(one, bool) == isinstance(other, bool)


    def sort_key(row):
        """Exact values first, so that numbers that differ in their last digits do not part rows that belong together."""
        exact = [repr(v) for v in row if not isinstance(v, float)]
        return exact, [float(f"{v:.6g}") if v == v else 1e308 for v in row if isinstance(v, float)]


    def numbers_alike(rows, others, width):
        """Makes a column's numbers floats in both answers if they are in one."""
        for column in range(width):
            if any(isinstance(row[column], float) for row in rows + others):
                for row in rows + others:
                    if isinstance(row[column], int) and not isinstance(row[column], bool):
                        row[column] = float(row[column])


    def difference(query, rows):
        """What tells an answer from Junction's; None if nothing does."""
        kinds = query["columns"]
        wanted = parse_csv(read(f"answers/{query['number']}.csv"))[1:]
        if not kinds:
            wanted = [[] for _ in wanted]
            rows = [[] for _ in rows]
        wanted = [[plain(v, k) for v, k in zip(row, kinds)] for row in wanted]
        given = [[plain(v, k) for v, k in zip(row, kinds)] for row in rows]
        if len(wanted) != len(given):
            return f"{len(given)} rows instead of {len(wanted)}"
        numbers_alike(wanted, given, len(kinds))
        if query["order"] != "total":
            wanted, given = sorted(wanted, key=sort_key), sorted(given, key=sort_key)
        if all(map(is_near, map(tuple, wanted), map(tuple, given))):
            return None
        if query["order"] == "open":
            keys = query["keys"]
            wanted = sorted(([row[k] for k in keys] for row in wanted), key=sort_key)
            given = sorted(([row[k] for k in keys] for row in given), key=sort_key)
            if all(map(is_near, map(tuple, wanted), map(tuple, given))):
                return None
        pairs = [(w, g) for w, g in zip(wanted, given) if not is_near(tuple(w), tuple(g))]
        return f"{pairs[0][1]} instead of {pairs[0][0]}"


    def compare_all(queries, ask, shows):
        same = different = refused = 0
        for query in queries:
            if "refused" in query:
                refused += 1
                continue
            try:
                rows, rounds = ask(query)
                found = difference(query, rows)
            except Exception as error:
                rounds, found = [], "error: " + str(error).strip().split("\n")[0]
            if found:
                different += 1
                print(f"query {query['number']}: {found}")
                if shows:
                    print(read(f"queries/{query['number']}.sql"))
            else:
                same += 1
                if rounds:
                    print(f"query {query['number']}: {', '.join(map(str, rounds))} rounds")
        print(f"{same} same, {different} different, {refused} not translated")
        return different
    """#
}
