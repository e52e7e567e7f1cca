#!/usr/bin/env python3
"""Asks Junction and DuckDB questions that nobody wrote, and compares answers and times.

    ask.py JUNCTION DATA [--first N] [--count N] [--only N,N] [--repeats N] [--show] [--csv FILE]

JUNCTION is the program, DATA the folder of a school with attributes, as `junction-bench run --group everyday` leaves one in
junction-bench/L-attributes-42 in the folder for temporary files.
Questions are made by grammar.py, and by forms.py from 100,000 on; the same number is the same question everywhere. Both engines have 2 threads and
the tables in memory; a time is the least of some, and the first one stands beside it. At the end stand the right
ones, the geometric mean of DuckDB's time over Junction's, and the slowest.
Run it with the Python that Benchmarks/Peers/install.sh makes.
"""
import argparse
import csv
import io
import math
import os
import re
import subprocess
import sys
import time

import duckdb

from forms import question

TABLES = ["department", "student", "course", "takes", "friend"]
LIMIT = 30
# A list of all names is one field.
csv.field_size_limit(1 << 30)


class Junction:
    """One process that is asked all questions; it is started again after a crash."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [self.program, "-X", "-q", "-t", "--csv", "-P", "null=NULL", self.folder], text=True, bufsize=1,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.asked = 0
        self.run(f"SET statement_timeout = '{LIMIT}s';\nSET threads = 2;\n\\timing on\n")

    def run(self, script):
        self.asked += 1
        end = f"--- answer {self.asked} ends ---"
        try:
            self.process.stdin.write(f"{script}\\echo {end}\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass
        lines = []
        for line in self.process.stdout:
            if line.rstrip("\n") == end:
                return "".join(lines)
            lines.append(line)
        status = self.process.wait()
        self.start()
        return f"ERROR:  the program ended with status {status}\n" + "".join(lines)

    def ask(self, text, repeats):
        """The rows of the first answer, and all times in milliseconds; or what went wrong."""
        output = self.run(f"{text};\n")
        if "ERROR" in output:
            return None, [], output.strip()
        times = [float(t) for t in re.findall(r"^Time: ([\d.]+) ms.*$", output, re.M)]
        rows = list(csv.reader(io.StringIO(re.split(r"^Time: .*\n?", output, flags=re.M)[0])))
        if times[0] < 5_000:
            times += [float(t) for t in re.findall(r"^Time: ([\d.]+) ms.*$", self.run(f"{text};\n" * repeats), re.M)]
        return rows, times, ""


def plain(value):
    """A value as both engines would say it."""
    if value is None or value == "NULL":
        return ""
    if isinstance(value, bool):
        return "t" if value else "f"
    try:
        return "%.6g" % float(str(value))
    except ValueError:
        return str(value)


def duck(connection, text, repeats):
    best = None
    for _ in range(repeats):
        start = time.perf_counter()
        rows = connection.execute(text).fetchall()
        taken = (time.perf_counter() - start) * 1000
        best = taken if best is None else min(best, taken)
        if taken > 3_000:
            break
    return rows, best


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("junction")
    parser.add_argument("data")
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--only", default="")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--show", action="store_true", help="print the questions only")
    parser.add_argument("--slowest", type=int, default=12)
    parser.add_argument("--csv", default="")
    options = parser.parse_args()
    numbers = [int(n) for n in options.only.split(",") if n]
    numbers = numbers or range(options.first, options.first + options.count)

    # A plan of DuckDB that would fill the disk is given up.
    connection = duckdb.connect(config={"threads": 2, "max_temp_directory_size": "4GB"})
    for table in [] if options.show else TABLES:
        connection.execute(f"CREATE TABLE {table} AS FROM read_csv('{options.data}/{table}.csv', header = true"
                           + (", types = {'gpa': 'DECIMAL(3,2)'}" if table == "student" else "")
                           + (", types = {'grade': 'DECIMAL(2,1)'}" if table == "takes" else "") + ")")
    if options.show:
        students, courses = 100_000, 1_700
    else:
        students, courses = (connection.execute(f"SELECT count(*) FROM {t}").fetchone()[0] for t in ("student", "course"))
    junction = None if options.show else Junction(os.path.abspath(options.junction), options.data)
    right, measured, wrong = 0, [], []
    for number in numbers:
        text = question(number, students, courses).text
        if options.show:
            print(f"-- {number}\n{text};")
            continue
        try:
            expected, theirs = duck(connection, text, options.repeats)
        except duckdb.Error as error:
            print(f"{number}: DuckDB says {str(error).splitlines()[0]}: {text}")
            continue
        rows, times, problem = junction.ask(text, options.repeats)
        if problem:
            wrong.append(number)
            print(f"{number}: {problem[:300]}: {text}", flush=True)
            continue
        got = [[plain(v) for v in row] for row in rows]
        want = [[plain(v) for v in row] for row in expected]
        if got == want:
            right += 1
        else:
            wrong.append(number)
            first = next(((g, w) for g, w in zip(got, want) if g != w), (len(got), len(want)))
            print(f"{number}: differs, {first}: {text}", flush=True)
        measured.append((theirs / max(min(times), 0.001), min(times), times[0], theirs, number, text))
        if len(measured) % 50 == 0:
            print(f"{len(measured)} asked", file=sys.stderr)
    if options.show or not measured:
        return
    measured.sort()
    for ratio, ours, first, theirs, number, text in measured[: options.slowest]:
        print(f"{ratio:7.2f}  {number}: {ours:.2f} ms (first {first:.1f}), DuckDB {theirs:.2f}: {text}")
    mean = math.exp(sum(math.log(m[0]) for m in measured) / len(measured))
    late = sum(m[2] > 2 * m[1] and m[2] > 5 for m in measured)
    print(f"{right} of {len(measured)} alike; DuckDB / Junction: geometric mean {mean:.2f}, least {measured[0][0]:.2f}, "
          f"below 1: {sum(m[0] < 1 for m in measured)}, below 2: {sum(m[0] < 2 for m in measured)}; "
          f"first run above 2 x and 5 ms: {late}")
    if options.csv:
        with open(options.csv, "w") as file:
            out = csv.writer(file)
            out.writerow(["number", "ratio", "ms", "first_ms", "duckdb_ms", "sql"])
            out.writerows([m[4], round(m[0], 3), m[1], m[2], round(m[3], 3), m[5]] for m in measured)
    sys.exit(bool(wrong))


main()
