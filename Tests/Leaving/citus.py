#!/usr/bin/env python3
"""Compares what an export says Citus does not run with what Citus' own regression files say.

Usage: citus.py JUNCTION EXPECTED [--show]

EXPECTED is the folder src/test/regress/expected of a checkout of github.com/citusdata/citus. Of its files those queries are
taken that read nothing but four tables of these: two that are distributed by user_id, and two reference tables. A query there has an
answer, or an error of the planner. --show prints the queries about which both disagree.
"""
import collections, glob, os, re, subprocess, sys, tempfile

TABLES = ["users_table", "events_table", "users_reference_table", "events_reference_table"]
COLUMNS = {
    "users": "user_id int, time timestamp, value_1 int, value_2 int, value_3 float, value_4 bigint",
    "events": "user_id int, time timestamp, event_type int, value_2 int, value_3 float, value_4 bigint",
}
REFUSALS = re.compile(
    r"complex joins|requires repartitioning|cannot push down|correlated subqueries are not|recursive CTEs are only|GROUPING"
    r"|lateral|could not run distributed query|cannot perform distributed planning|Subqueries in HAVING|not supported|unsupported")


def schema():
    """The tables, in which a parent makes both of the first stand by user_id."""
    yield "CREATE TABLE person (user_id int PRIMARY KEY);"
    yield "INSERT INTO person SELECT generate_series(1, 6);"
    for table in TABLES:
        columns = COLUMNS[table.split("_")[0]]
        if "reference" not in table:
            columns = columns.replace("user_id int", "user_id int REFERENCES person")
        yield f"CREATE TABLE {table} ({columns});"
        yield (f"INSERT INTO {table} SELECT i % 6 + 1, timestamp '2017-11-23' + i * interval '1 minute', i % 6, i % 5, i % 5, NULL "
               "FROM generate_series(1, 7) i;")


def queries(path):
    """The queries of a file with the error that Citus gave, or None."""
    with open(path, encoding="utf-8", errors="replace") as file:
        lines = file.read().split("\n")
    place = 0
    while place < len(lines):
        line = lines[place]
        if not re.match(r"(?i)\s*(select|with)\b", line):
            place += 1
            continue
        text = []
        while place < len(lines):
            text.append(re.sub(r"--.*", "", lines[place]))
            place += 1
            if text[-1].rstrip().endswith(";"):
                break
        error = None
        while place < len(lines) and re.match(r"DEBUG|NOTICE|DETAIL|HINT|ERROR|WARNING|LOG", lines[place]):
            error = error or (lines[place] if lines[place].startswith("ERROR") else None)
            place += 1
        yield "\n".join(text), error


def is_taken(text):
    """Whether a query reads nothing but the four tables, and nothing that is another one each time."""
    if not any(re.search(rf"\b{table}\b", text) for table in TABLES):
        return False
    if re.search(r"(?i)\b(insert|update|delete|for update|random|now|explain|create|citus_|pg_|nextval|setseed|run_command|execute)\b", text):
        return False
    commons = re.findall(r"(?i)(?:with|with recursive|,)\s*(\w+)\s*(?:\([^()]*\))?\s+as\s*(?:not\s+)?(?:materialized)?\s*\(", text)
    read = re.findall(r"(?i)\b(?:from|join)\s+(?:only\s+)?([\w.]+)", text)
    return all(name.split(".")[-1] in TABLES + commons + ["lateral", "generate_series", "values", "select"] for name in read)


def main():
    junction, folder = sys.argv[1], sys.argv[2]
    taken, seen = [], set()
    for path in sorted(glob.glob(folder + "/*.out")):
        for text, error in queries(path):
            key = " ".join(text.split())
            if is_taken(text) and key not in seen and not (error and not REFUSALS.search(error)):
                seen.add(key)
                taken.append((os.path.basename(path), text, error))
    total, shown = collections.Counter(), []
    with tempfile.TemporaryDirectory() as place:
        database = place + "/c.junction"
        subprocess.run([junction, "-X", "-q", database], input="\n".join(schema()), text=True, check=True)
        with open(place + "/queries.sql", "w") as file:
            file.write("\n".join(text for _, text, _ in taken))
        ended = subprocess.run([junction, "export", database, "--citus", place + "/out", "--queries", place + "/queries.sql"],
                               capture_output=True, text=True)
        lines = {int(n): line for n, line in re.findall(r"(?m)^query (\d+)(.*)$", ended.stdout)}
    for number, (name, text, error) in enumerate(taken, 1):
        note = lines.get(number, "")
        if "not translated" in note:
            total["not translated"] += 1
            continue
        ours = "not run" in note
        # An export has Citus move rows between machines.
        theirs = bool(error) and "requires repartitioning" not in error
        kind = ("both refuse" if theirs else "only the export refuses") if ours else ("only Citus refuses" if theirs else "both run")
        total[kind] += 1
        if ours != theirs:
            shown.append(f"-- {name}: {kind}; {error or note.strip()}\n{text.strip()}")
    if "--show" in sys.argv:
        print("\n\n".join(shown) + "\n")
    print(", ".join(f"{total[k]} {k}" for k in ["both run", "both refuse", "only Citus refuses", "only the export refuses", "not translated"]))


if __name__ == "__main__":
    main()
