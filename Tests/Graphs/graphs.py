"""Graphs as tables and queries, with the same graph for NetworkX."""
import random, uuid

import networkx as nx


class Case:
    """A graph: what makes it, how a function is told of it, and what it is."""

    def __init__(self, name, setup, argument, nodes, edges, ids=("id",), kinds=False, weighted=False):
        self.name, self.setup, self.argument = name, setup, argument
        self.ids, self.kinds, self.weighted = ids, kinds, weighted
        # The vertices in the order of their rows, where that is known.
        self.order = None if argument.startswith("(") else list(nodes)
        # All edges, loops and repeated ones too; (source, target, weight, key).
        self.multi = nx.MultiDiGraph()
        self.multi.add_nodes_from(nodes)
        for source, target, weight in edges:
            self.multi.add_edge(source, target, weight=weight)
        # Each ordered pair once, with the sum of the weights or the least of them.
        self.directed = nx.DiGraph()
        self.directed.add_nodes_from(nodes)
        self.least = nx.DiGraph()
        self.least.add_nodes_from(nodes)
        for source, target, weight in edges:
            known = self.directed.get_edge_data(source, target, {"weight": 0})["weight"]
            self.directed.add_edge(source, target, weight=known + weight)
            least = self.least.get_edge_data(source, target, {"weight": weight})["weight"]
            self.least.add_edge(source, target, weight=min(least, weight))
        # Neighbours, whichever way edges lead; without loops.
        self.simple = nx.Graph()
        self.simple.add_nodes_from(nodes)
        self.simple.add_edges_from((a, b) for a, b, _ in edges if a != b)

    @property
    def width(self):
        return len(self.ids) + (1 if self.kinds else 0)

    def columns(self, algorithm):
        columns = []
        for vertex in algorithm.vertices:
            prefix = vertex[:-2] if vertex != "id" else ""
            columns += ([prefix + "kind"] if self.kinds else []) + [prefix + name for name in self.ids]
        return columns

    def weight(self):
        """The argument for weights; a query has them as its third column."""
        return ", weight => 'w'" if self.weighted and self.argument.startswith("'") else ""

    def source(self, node):
        """A vertex as an argument."""
        if self.kinds:
            node = node[1:] if len(node) > 2 else node[1]
        if isinstance(node, tuple):
            return "ROW(" + ", ".join(literal(part) for part in node) + ")"
        return literal(node)

    @property
    def first(self):
        """Some vertex that edges lead from, or any."""
        for node in self.multi.nodes:
            if self.multi.out_degree(node):
                return node
        return next(iter(self.multi.nodes), None)


def literal(value):
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else str(value)


def table(name, nodes, edges, *, key="int", deleted=(), weighted=False, unique=True, extra="", references=""):
    """People and who knows whom; the rows of `deleted` come and go."""
    lines = [f"CREATE TABLE person (id {key} PRIMARY KEY, name text);"]
    everybody = list(nodes) + list(deleted)
    random.Random(name).shuffle(everybody)
    for node in everybody:
        lines.append(f"INSERT INTO person VALUES ({literal(node)}, 'x');")
    primary = ", PRIMARY KEY (a, b)" if unique else ""
    lines.append(
        f"CREATE TABLE knows (a {key} REFERENCES person {references}, b {key} REFERENCES person {references},"
        f" w float8{primary});")
    for source, target, weight in edges:
        lines.append(f"INSERT INTO knows VALUES ({literal(source)}, {literal(target)}, {weight});")
    for node in deleted:
        lines.append(f"DELETE FROM person WHERE id = {literal(node)};")
    lines.append(extra)
    argument = "'knows'" if unique else "'knows(a, b)'"
    case = Case(name, "\n".join(lines), argument, nodes, edges, weighted=weighted)
    case.order = [node for node in everybody if node not in deleted]
    return case


def distinct(edges):
    return list({(a, b): (a, b, w) for a, b, w in edges}.values())


def at_random(generator, nodes, count, loops=True, weights=lambda r: 1):
    nodes = list(nodes)
    edges = []
    for _ in range(count):
        a, b = generator.choice(nodes), generator.choice(nodes)
        if loops or a != b:
            edges.append((a, b, weights(generator)))
    return distinct(edges)


def plain(graph):
    return [(a, b, 1) for a, b in graph.edges]


def make_graphs(seed):
    r = random.Random(seed)
    yield table("empty", [], [])
    yield table("one", [7], [])
    yield table("loop", [7], [(7, 7, 1)])
    yield table("lonely", range(1, 6), [])
    yield table("pair", [1, 2], [(2, 1, 1)])
    yield table("path", range(1, 12), [(n, n + 1, 1) for n in range(1, 11)])
    yield table("cycle", range(9), [(n, (n + 1) % 9, 1) for n in range(9)])
    yield table("complete", range(7), [(a, b, 1) for a in range(7) for b in range(7) if a < b])
    yield table("star", range(30), [(0, n, 1) for n in range(1, 30)])
    yield table("grid", range(25), [(n, n + 1, 1) for n in range(25) if n % 5 < 4]
                + [(n, n + 5, 1) for n in range(20)])
    yield table("petersen", range(10), plain(nx.petersen_graph()))
    yield table("karate", range(34), plain(nx.karate_club_graph()))
    yield table("sparse", range(60), at_random(r, range(60), 80))
    yield table("dense", range(25), at_random(r, range(25), 400))
    yield table("scale free", range(120), plain(nx.barabasi_albert_graph(120, 3, seed=seed)))
    islands = [(10 * i + a, 10 * i + b, 1) for i in range(8) for a, b, _ in at_random(r, range(6), 9)]
    yield table("islands", [10 * i + n for i in range(8) for n in range(6)], islands)
    yield table("both ways", range(20), distinct(
        [edge for a, b, w in at_random(r, range(20), 40) for edge in ((a, b, w), (b, a, w))]))
    acyclic = [(a, b, 1) for a, b, _ in at_random(r, range(30), 90) if a < b]
    yield table("acyclic", range(30), acyclic)
    hub = [(0, n, 1) for n in range(1, 2600)] + [(n, 0, 1) for n in range(1, 2600, 7)]
    yield table("hub", range(2600), hub)
    yield table("deleted", range(0, 80, 2), at_random(r, range(0, 80, 2), 120), deleted=range(1, 80, 2))
    yield table("weights", range(40), at_random(r, range(40), 160, weights=lambda r: r.randint(1, 9)), weighted=True)
    yield table("fractions", range(30), at_random(r, range(30), 90, weights=lambda r: round(r.random(), 3)), weighted=True)
    yield table("zeros", range(30), at_random(r, range(30), 90, weights=lambda r: r.choice([0, 0, 1, 2])), weighted=True)
    repeated = [(r.randrange(15), r.randrange(15), r.randint(1, 4)) for _ in range(60)]
    yield table("repeated", range(15), repeated, unique=False, weighted=True)
    names = ["a'b", "", "Zoë", "long enough not to be kept in place", "c", "d", "e", "f"]
    yield table("texts", names, at_random(r, names, 20), key="text")
    keys = [str(uuid.UUID(int=r.getrandbits(128))) for _ in range(15)]
    yield table("uuids", keys, at_random(r, keys, 30), key="uuid")
    late = at_random(r, range(20), 40)
    yield table("deferrable", range(20), late, references="DEFERRABLE INITIALLY DEFERRED")
    yield changed(r)
    yield composite(r)
    yield nulls(r)
    yield tree(r)
    yield bipartite(r)
    yield property_graph(r)
    yield pairs("pairs", r, lambda n: n, False)
    yield pairs("text pairs", r, lambda n: f"n{n}", False)
    yield pairs("weighted pairs", r, lambda n: n, True)


def small_graphs(seed, number):
    """Graphs of up to nine vertices, of every density, with and without repeated edges, loops and weights."""
    for place in range(number):
        r = random.Random(f"{seed}-{place}")
        count = r.randint(1, 9)
        nodes = r.sample(range(20), count)
        weights = r.choice([lambda r: 1, lambda r: r.randint(1, 3), lambda r: r.choice([0, 1, 2]), lambda r: r.randint(1, 8) / 4])
        edges = at_random(r, nodes, r.randint(0, count * count), loops=r.random() < 0.5, weights=weights)
        name, is_weighted, unique = f"random {place}", r.random() < 0.6, r.random() < 0.7
        if not unique:
            edges += [(a, b, weights(r)) for a, b, _ in edges if r.random() < 0.4]
        if is_weighted or any(weight != 1 for _, _, weight in edges):
            yield table(name, nodes, edges, weighted=True, unique=unique)
        else:
            yield table(name, nodes, edges, unique=unique, deleted=r.sample(range(20, 30), r.choice([0, 0, 3])))


def changed(r):
    """In a transaction that has changed the graph and goes on."""
    edges = at_random(r, range(20), 40, loops=False)
    kept = [edge for edge in edges if edge[0] != 3 and edge[1] != 3]
    more = distinct([(100, n, 1) for n in range(10, 15)])
    change = "BEGIN; DELETE FROM knows WHERE a = 3 OR b = 3; INSERT INTO person VALUES (100, 'y');"
    change += "".join(f"INSERT INTO knows VALUES ({a}, {b}, {w});" for a, b, w in more)
    case = table("changed", range(20), edges, extra=change)
    changed = Case("changed", case.setup, "'knows'", list(range(20)) + [100], kept + more)
    changed.order = case.order + [100]
    return changed


def composite(r):
    nodes = [(n % 4, f"n{n}") for n in range(20)]
    edges = at_random(r, nodes, 50)
    lines = ["CREATE TABLE person (id int, name text, PRIMARY KEY (id, name));"]
    lines += [f"INSERT INTO person VALUES ({a}, {literal(b)});" for a, b in nodes]
    lines.append(
        "CREATE TABLE knows (a int, an text, b int, bn text, w float8, FOREIGN KEY (a, an) REFERENCES person,"
        " FOREIGN KEY (b, bn) REFERENCES person, PRIMARY KEY (a, an, b, bn));")
    lines += [f"INSERT INTO knows VALUES ({a}, {literal(an)}, {b}, {literal(bn)}, {w});"
              for (a, an), (b, bn), w in edges]
    return Case("composite", "\n".join(lines), "'knows'", nodes, edges, ids=("id", "name"))


def nulls(r):
    edges = [(r.randrange(12), r.randrange(12), 1) for _ in range(20)]
    lines = ["CREATE TABLE person (id int PRIMARY KEY);"]
    lines += [f"INSERT INTO person VALUES ({n});" for n in range(12)]
    lines.append("CREATE TABLE knows (id serial PRIMARY KEY, a int REFERENCES person, b int REFERENCES person);")
    lines += [f"INSERT INTO knows (a, b) VALUES ({a}, {b}), (NULL, {b}), ({a}, NULL), (NULL, NULL);"
              for a, b, _ in edges]
    # Rows that were deleted are no edges.
    lines.append("INSERT INTO knows (id, a, b) SELECT 1000 + i, i % 12, i * 5 % 12 FROM generate_series(1, 40) i;")
    lines.append("DELETE FROM knows WHERE id > 1000;")
    return Case("nulls", "\n".join(lines), "'knows(a, b)'", range(12), edges)


def tree(r):
    """A foreign key of a table to itself: each row leads to its parent."""
    edges = [(n, r.randrange(n), 1) for n in range(1, 25)]
    lines = ["CREATE TABLE node (id int PRIMARY KEY, parent int REFERENCES node);",
             "INSERT INTO node VALUES (0, NULL);"]
    lines += [f"INSERT INTO node VALUES ({a}, {b});" for a, b, _ in edges]
    lines.append("INSERT INTO node SELECT i, i % 20 FROM generate_series(100, 140) i; DELETE FROM node WHERE id >= 100;")
    return Case("tree", "\n".join(lines), "'node(parent)'", range(25), edges)


def bipartite(r):
    students = [("student", n) for n in range(15)]
    courses = [("course", n) for n in range(10)]
    edges = distinct([(r.choice(students), r.choice(courses), 1) for _ in range(40)])
    lines = ["CREATE TABLE student (id int PRIMARY KEY); CREATE TABLE course (id int PRIMARY KEY);"]
    lines += [f"INSERT INTO {kind} VALUES ({n});" for kind, n in students + courses]
    lines.append("CREATE TABLE enrols (s int REFERENCES student, c int REFERENCES course, PRIMARY KEY (s, c));")
    lines += [f"INSERT INTO enrols VALUES ({a[1]}, {b[1]});" for a, b, _ in edges]
    return Case("bipartite", "\n".join(lines), "'enrols'", students + courses, edges, kinds=True)


def property_graph(r):
    """Edges that no foreign key says."""
    edges = at_random(r, range(20), 45, weights=lambda r: r.randint(1, 5))
    lines = ["CREATE TABLE place (id int PRIMARY KEY); CREATE TABLE road (a int, b int, w int, PRIMARY KEY (a, b));"]
    lines += [f"INSERT INTO place VALUES ({n});" for n in range(20)]
    lines += [f"INSERT INTO road VALUES ({a}, {b}, {w});" for a, b, w in edges]
    lines.append("INSERT INTO road VALUES (500, 1, 1);")
    lines.append(
        "CREATE PROPERTY GRAPH map VERTEX TABLES (place) EDGE TABLES (road KEY (a, b)"
        " SOURCE KEY (a) REFERENCES place (id) DESTINATION KEY (b) REFERENCES place (id));")
    return Case("property graph", "\n".join(lines), "'map'", range(20), edges, weighted=True)


def pairs(name, r, key, weighted):
    edges = [(key(r.randrange(20)), key(r.randrange(20)), r.randint(1, 5)) for _ in range(40)]
    nodes = {node for a, b, _ in edges for node in (a, b)} | {key(99)}
    kind = "text" if isinstance(key(1), str) else "int"
    lines = [f"CREATE TABLE p (a {kind}, b {kind}, w numeric);"]
    lines += [f"INSERT INTO p VALUES ({literal(a)}, {literal(b)}, {w});" for a, b, w in edges]
    lines.append(f"INSERT INTO p VALUES (NULL, {literal(key(99))}, NULL), (NULL, NULL, 1);")
    query = "(SELECT a, b, w FROM p)" if weighted else "(SELECT a, b FROM p)"
    if not weighted:
        edges = [(a, b, 1) for a, b, _ in edges]
    return Case(name, "\n".join(lines), query, sorted(nodes), edges, weighted=weighted)
