"""Hyper, Tableau's column store, through the Hyper API: a server process, spoken to by socket.

It checks no keys and has no indices, and its interface takes no parameters, so the values of a
query are put into its text before the clock starts; parsing the text is then in the time.
"""

import glob
import os
import re
import shutil
import tempfile
import threading

from peer import OverLimit, converse, process_memory, process_seconds, statements, with_literals


class Hyper:
    name = "Hyper"

    def __init__(self):
        import tableauhyperapi

        self.api = tableauhyperapi
        self.version = tableauhyperapi.__version__
        self.folder = tempfile.mkdtemp(prefix="junction-hyper-")
        self.server = self.connection = None
        self.limit = 30.0

    def start(self, threads):
        self.server = self.api.HyperProcess(
            telemetry=self.api.Telemetry.DO_NOT_SEND_USAGE_DATA_TO_TABLEAU,
            parameters={"log_config": "", "default_database_version": "4"})
        self.pid = child_named("hyperdMain")
        # Hyper has no switch for the number of threads, but it keeps to the processors it is given.
        for task in glob.glob(f"/proc/{self.pid}/task/*"):
            os.sched_setaffinity(int(os.path.basename(task)), set(processors(threads)))
        self.connection = self.api.Connection(
            self.server.endpoint, os.path.join(self.folder, "school.hyper"),
            self.api.CreateMode.CREATE_AND_REPLACE)

    def load(self, folder):
        with open(os.path.join(folder, "schema.sql")) as schema:
            tables = statements(without_constraints(schema.read()))
        for table in tables:
            self.connection.execute_command(table)
            name = re.match(r"CREATE TABLE\s+(\w+)", table).group(1)
            path = os.path.join(folder, name + ".csv").replace("'", "''")
            self.connection.execute_command(
                f"COPY {name} FROM '{path}' WITH (FORMAT csv, HEADER true, DELIMITER ',')")
        return "no keys, no indices"

    def prepare(self, id, sql, parameters):
        return with_literals(sql, parameters)

    def text(self, sql):
        return sql

    def execute(self, sql):
        timer = threading.Timer(self.limit, self.connection.cancel)
        timer.start()
        try:
            rows = []
            for part in statements(sql):
                with self.connection.execute_query(part) as result:
                    rows = [row for row in result] if result.schema.columns else []
            return rows
        except self.api.HyperException:
            if timer.finished.is_set():
                raise OverLimit from None
            raise
        finally:
            timer.cancel()

    def memory(self):
        return process_memory(self.pid)

    def processor_seconds(self):
        return process_seconds(self.pid)

    def close(self):
        if self.connection:
            self.connection.close()
        if self.server:
            self.server.close()
        shutil.rmtree(self.folder, ignore_errors=True)


def without_constraints(schema):
    """The schema's tables with nothing but columns and types, as Hyper knows no more of them."""
    schema = re.sub(r"--[^\n]*", "", schema)
    schema = re.sub(r",\s*(PRIMARY KEY|UNIQUE|FOREIGN KEY)\s*\([^)]*\)"
                    r"(\s*REFERENCES\s+\w+\s*\([^)]*\))?", "", schema, flags=re.I)
    schema = re.sub(r"\s+REFERENCES\s+\w+\s*(\([^)]*\))?", "", schema, flags=re.I)
    return re.sub(r"\s+(PRIMARY KEY|UNIQUE)", "", schema, flags=re.I)


def child_named(name):
    """The process of that name that this one has started."""
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(path) as stat:
                head, _, tail = stat.read().rpartition(")")
        except OSError:
            continue
        pid, _, command = head.partition(" (")
        if command == name and int(tail.split()[1]) == os.getpid():
            return int(pid)
    raise RuntimeError(f"{name} did not start")


def processors(count):
    return sorted(os.sched_getaffinity(0))[:count]


converse(Hyper, "tableauhyperapi")
