"""Ladybug, the successor of Kuzu: an embedded graph database, spoken to in Cypher, in process.

Students, courses and teachers are nodes, found by their primary key; enrolments and prerequisites
are relationships, which it stores in both directions. A folder with other data has a file `ladybug.cypher` that loads it,
in which `FOLDER` stands for the folder.
"""

import os
import sys
import time
import warnings

from peer import OverLimit, Unsupported, converse, process_memory, statements

# This file bears the name of the package that it imports: look for that one elsewhere.
sys.path = [path for path in sys.path if path != os.path.dirname(os.path.abspath(__file__))]

GRAPH = {
    "teacher": "CREATE NODE TABLE teacher"
               "(id INT32 PRIMARY KEY, first_name STRING, last_name STRING)",
    "course": "CREATE NODE TABLE course"
              "(id INT32 PRIMARY KEY, short_code STRING, name STRING, teacher_id INT32)",
    "student": "CREATE NODE TABLE student"
               "(id INT32 PRIMARY KEY, first_name STRING, last_name STRING)",
    "enrols_in": "CREATE REL TABLE enrols_in(FROM student TO course)",
    "prerequisite": "CREATE REL TABLE prerequisite(FROM course TO course)",
}

# The longest chain of relationships that a query may follow; the default of 30 is too few.
DEPTH = 1000


class Ladybug:
    name = "Ladybug"

    def __init__(self):
        import ladybug

        # Its advice is to hand over texts, but those are parsed and planned anew each time.
        warnings.simplefilter("ignore", DeprecationWarning)
        self.version = ladybug.version if hasattr(ladybug, "version") else ladybug.__version__
        self.package = ladybug
        self.prepared = {}
        self.limit = 30.0

    def start(self, threads):
        self.database = self.package.Database(":memory:", max_num_threads=threads)
        self.connection = self.package.Connection(self.database, num_threads=threads)
        self.connection.execute(f"CALL var_length_extend_max_depth={DEPTH}")

    def load(self, folder):
        own = os.path.join(folder, "ladybug.cypher")
        if os.path.exists(own):
            with open(own) as file:
                for statement in statements(file.read()):
                    self.connection.execute(statement.replace("FOLDER", folder))
            return "nodes by primary key, relationships both ways"
        for name, definition in GRAPH.items():
            path = os.path.join(folder, name + ".csv")
            if os.path.exists(path):
                self.connection.execute(definition)
                self.connection.execute(f"COPY {name} FROM '{path}' (header=true)")
        return "nodes by primary key, relationships both ways"

    def prepare(self, id, sql, parameters):
        values = {f"p{number}": value for number, value in enumerate(parameters, 1)}
        if (id, sql) not in self.prepared:
            self.prepared[id, sql] = [
                self.connection.prepare(part, named_in(part, values)) for part in statements(sql)]
        parts = statements(sql)
        return [(statement, named_in(part, values))
                for statement, part in zip(self.prepared[id, sql], parts)]

    def text(self, sql):
        return [(part, {}) for part in statements(sql)]

    def execute(self, steps):
        self.connection.set_query_timeout(int(self.limit * 1000))
        rows = []
        try:
            for statement, values in steps:
                result = self.connection.execute(statement, values)
                # A statement that only writes has a result without columns.
                rows = result.get_all() if result.get_column_names() else []
                result.close()
        except RuntimeError as error:
            if "Interrupted" in str(error):
                raise OverLimit from None
            if "Parser exception" in str(error):
                raise Unsupported(str(error).splitlines()[0]) from None
            raise
        return rows

    def memory(self):
        return process_memory(os.getpid())

    def processor_seconds(self):
        return time.process_time()

    def close(self):
        pass


def named_in(text, values):
    return {name: value for name, value in values.items() if "$" + name in text}


converse(Ladybug, "ladybug")
