#!/usr/bin/env python3
"""Data, parameters and right answers for `junction-bench snb`.

  snb.py make FOLDER [--persons N] [--seed N]   a social network of our own; 10,000 persons are about scale factor 1
  snb.py import FOLDER LDBC [--seed N]          LDBC's files instead, as its generator writes them for SQL
  snb.py answer FOLDER [--psql COMMAND]         the right answers, from PostgreSQL

FOLDER gets a CSV file for each table with `schema.sql`, and `sets.json`: for each query its parameters and, once PostgreSQL was asked,
the answers to them, boiled down as Peers/PROTOCOL.md says. PostgreSQL gets a database `junction_snb`, which is dropped afterwards;
COMMAND is how psql is started. Needs numpy.
"""
import argparse
import json
import os
import shlex
import shutil
import subprocess
import sys
import zlib

import numpy as np

HOME = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HOME), "Peers"))
from peer import digest, with_literals  # noqa: E402

DATABASE = "junction_snb"
# The statistics and the keys that make PostgreSQL's answers come soon.
INDICES = ("message (creator_id)", "message (reply_of)", "message (forum_id)", "likes (message_id)", "member (person_id)",
           "message_tag (tag_id)", "person (first_name)")


def finish(folder, seed):
    """What a folder needs besides its tables."""
    from parameters import Parameters
    for name in ("schema.sql", "duckdb.sql", "ladybug.cypher"):
        shutil.copy(os.path.join(HOME, name), folder)
    sets = {name: {"parameters": found} for name, found in Parameters(folder, seed).sets().items()}
    save(folder, sets)


def save(folder, sets):
    with open(os.path.join(folder, "sets.json"), "w") as file:
        json.dump(sets, file, indent=1, ensure_ascii=False)


def query(name):
    """PostgreSQL's spelling, and the columns whose numbers are compared by six digits."""
    lines, numeric = [], ()
    with open(os.path.join(HOME, "queries", f"{name}.sql")) as file:
        for line in file:
            if line.startswith("-- section:"):
                break
            if line.startswith("-- numeric:"):
                numeric = {int(word) for word in line.split(":")[1].split()}
            if not line.startswith("--"):
                lines.append(line)
    return "".join(lines).strip(), numeric


class PostgreSQL:
    def __init__(self, command):
        self.command = shlex.split(command) + ["-X", "-q", "-v", "ON_ERROR_STOP=1", "-d"]

    def run(self, script, database=DATABASE):
        done = subprocess.run(self.command + [database], input=script, capture_output=True, text=True)
        if done.returncode:
            sys.exit(done.stderr)
        return done.stdout

    def load(self, folder):
        with open(os.path.join(folder, "schema.sql")) as file:
            schema = file.read()
        tables = [line.split()[2] for line in schema.splitlines() if line.startswith("CREATE TABLE")]
        # Texts are ordered by their bytes, as everywhere.
        self.run(f"DROP DATABASE IF EXISTS {DATABASE};\nCREATE DATABASE {DATABASE} TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C';", "postgres")
        copies = [f"\\copy {name} FROM PROGRAM 'cat {shlex.quote(os.path.join(os.path.abspath(folder), name))}.csv' WITH (FORMAT csv, HEADER)" for name in tables]
        # Rows may refer to later ones of their own table: keys come behind.
        self.run("\n".join([schema, "SET session_replication_role = replica;"] + copies + [f"CREATE INDEX ON {index};" for index in INDICES] + ["ANALYZE;"]))

    def answer(self, asked):
        """The rows of each of some queries, with nothing where they have none."""
        script = "\n".join(f"\\echo ==\nCOPY ({text}) TO STDOUT;" for text in asked)
        parts = self.run(script).split("==\n")[1:]
        return [[[unescaped(field) for field in line.split("\t")] for line in part.splitlines()] for part in parts]

    def drop(self):
        self.run(f"DROP DATABASE {DATABASE};", "postgres")


def unescaped(field):
    return None if field == "\\N" else field.replace("\\\\", "\\")


def answers(folder, command):
    with open(os.path.join(folder, "sets.json")) as file:
        sets = json.load(file)
    server = PostgreSQL(command)
    print("loading PostgreSQL", flush=True)
    server.load(folder)
    try:
        for name, entry in sets.items():
            print(name, end=" ", flush=True)
            text, numeric = query(name)
            found = server.answer([with_literals(text, values) for values in entry["parameters"]])
            if numeric:
                found = [[[None if v is None else v for v in row] for row in rows] for rows in found]
            entry["answers"] = [f"{len(rows)} rows {digest(rows, True, (), numeric)}" for rows in found]
            entry["rows"] = [len(rows) for rows in found]
    finally:
        server.drop()
    print()
    save(folder, sets)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    make = commands.add_parser("make")
    make.add_argument("folder")
    make.add_argument("--persons", type=int, default=10_000)
    make.add_argument("--seed", type=int, default=1)
    other = commands.add_parser("import")
    other.add_argument("folder")
    other.add_argument("source")
    other.add_argument("--seed", type=int, default=1)
    answer = commands.add_parser("answer")
    answer.add_argument("folder")
    answer.add_argument("--psql", default="psql")
    options = parser.parse_args()
    if options.command == "answer":
        return answers(options.folder, options.psql)
    if options.command == "make":
        from network import Network
        Network(options.persons, options.seed).write(options.folder)
    else:
        from ldbc import convert
        convert(options.source, options.folder)
    finish(options.folder, options.seed)


if __name__ == "__main__":
    main()
