"""DuckDB, in SQL: recursion that keeps one row a vertex (USING KEY), and joins."""
import duckdb
import numpy as np

from . import THREADS, neighbours


class Library:
    MISSING = {
        "delta_stepping": "costs that change again take rounds without end in sight",
        "dijkstra": "costs that change again take rounds without end in sight",
        "pagerank": "a recursion has no sum over all rows in each round",
        "strong_components": "no recursion within a recursion",
        "label_propagation": "a recursion has no sum over all rows in each round",
        "core_numbers": "no recursion that takes rows away", "louvain": "no recursion that chooses in turn",
        "leiden": "no recursion that chooses in turn", "sampled_betweenness": "no way back along a recursion",
        "betweenness": "no way back along a recursion",
    }

    def __init__(self, graph, source, sources):
        self.count = graph.count
        self.source = source
        self.database = duckdb.connect()
        self.database.execute(f"SET threads = {THREADS}")
        edges = {"a": graph.source, "b": graph.target}
        lesser, greater = neighbours(graph)
        pairs = {"a": np.concatenate([lesser, greater]), "b": np.concatenate([greater, lesser])}
        degrees = np.bincount(pairs["a"], minlength=graph.count)
        turned = degrees[lesser] > degrees[greater]
        forward = {"a": np.where(turned, greater, lesser), "b": np.where(turned, lesser, greater)}
        for name, columns in {"edge": edges, "pair": pairs, "forward": forward}.items():
            self.database.register("columns", columns)
            self.database.execute(f"CREATE TABLE {name} AS SELECT a::INT AS a, b::INT AS b FROM columns")
            self.database.unregister("columns")

    def query(self, text, missing=0):
        def by_vertex(found):
            values = np.full(self.count, missing, dtype=float)
            values[found["id"]] = found["value"]
            return values
        return (lambda: self.database.execute(text).fetchnumpy()), by_vertex

    def bfs(self):
        return self.query(
            f"""WITH RECURSIVE reached(id, value) USING KEY (id) AS (
              SELECT {self.source}, 0
              UNION (SELECT DISTINCT e.b, r.value + 1 FROM reached r JOIN edge e ON e.a = r.id
                ANTI JOIN recurring.reached known ON known.id = e.b))
            SELECT * FROM reached""", np.inf)

    def weak_components(self):
        return self.query(
            f"""WITH RECURSIVE label(id, value) USING KEY (id) AS (
              SELECT id, id FROM range({self.count}) vertex(id)
              UNION (SELECT p.b, min(l.value) FROM label l JOIN pair p ON p.a = l.id
                JOIN recurring.label own ON own.id = p.b WHERE l.value < own.value GROUP BY p.b))
            SELECT * FROM label""")

    CORNERS = """corner AS (SELECT x.a, x.b, z.b AS c FROM forward x JOIN forward y ON y.a = x.b
        JOIN forward z ON z.a = x.a AND z.b = y.b)"""

    def triangles(self):
        return self.query(
            f"""WITH {self.CORNERS}, one AS (SELECT unnest([a, b, c]) AS id FROM corner)
            SELECT id, count(*) AS value FROM one GROUP BY id""")

    def clustering(self):
        return self.query(
            f"""WITH {self.CORNERS}, one AS (SELECT unnest([a, b, c]) AS id FROM corner),
              degree AS (SELECT a AS id, count(*) AS pairs FROM pair GROUP BY a)
            SELECT id, 2 * count(*) / any_value(pairs * (pairs - 1)) AS value FROM one JOIN degree USING (id) GROUP BY id""")
