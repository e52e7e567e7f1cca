"""What NetworkX says of each algorithm."""
import math

import networkx as nx


class Algorithm:
    """A function: its call, the columns asked for, and what is wrong with its rows.

    `expected` gives a dictionary from vertices to values, compared with some tolerance; `compare` is called in its place
    with the graph and the rows, and gives a fault or None.
    """

    def __init__(self, function, results, expected=None, *, arguments=lambda g: "", vertices=("id",),
                 compare=None, fits=lambda g: True, weighted=False):
        self.function, self.results, self.vertices = function, results, vertices
        self.expected, self.arguments, self.compare = expected, arguments, compare
        self.fits_graph, self.weighted = fits, weighted

    def fits(self, graph):
        # A query of three columns gives weights, which not all take.
        third = graph.weighted and not graph.argument.startswith("'")
        return self.fits_graph(graph) and (self.weighted or not third)

    def call(self, graph):
        weight = graph.weight() if self.weighted else ""
        return f"{self.function}({graph.argument}{self.arguments(graph)}{weight})"

    def fault(self, graph, rows):
        if self.compare:
            return self.compare(graph, rows)
        expected = self.expected(graph)
        found = {row[0]: row[1:] if len(row) > 2 else row[1] for row in rows}
        if len(found) != len(rows):
            return "a vertex comes twice"
        if set(found) != set(expected):
            return f"other vertices: {sorted(map(str, set(found) ^ set(expected)))[:5]}"
        for node, value in expected.items():
            if not same(found[node], value):
                return f"{node} has {found[node]}, not {value}"
        return None


def same(one, other):
    if isinstance(other, (tuple, list)):
        return len(one) == len(other) and all(same(a, b) for a, b in zip(one, other))
    if isinstance(other, float) or isinstance(one, float):
        return math.isclose(one, other, rel_tol=1e-5, abs_tol=1e-8)
    return one == other


def groups(expected):
    """Compares numbers of groups with sets of vertices."""
    def compare(graph, rows):
        found = {}
        for vertex, number in rows:
            found.setdefault(number, set()).add(vertex)
        wanted = {frozenset(group) for group in expected(graph)}
        have = {frozenset(group) for group in found.values()}
        if have != wanted:
            return f"other groups: {len(have)}, not {len(wanted)}"
        if found and sorted(found) != list(range(1, len(found) + 1)):
            return f"groups are numbered {sorted(found)[:10]}"
        return None
    return compare


def degree(graph):
    g = graph.multi
    return {n: (g.degree(n), g.in_degree(n), g.out_degree(n)) for n in g}


def page_rank(graph, **options):
    return nx.pagerank(multiplied(graph), tol=1e-12, max_iter=1000, **options) if len(graph.multi) else {}


def multiplied(graph):
    """Each ordered pair once, weighing the sum of its edges."""
    if graph.weighted:
        return graph.directed
    g = nx.DiGraph()
    g.add_nodes_from(graph.multi)
    for a, b in graph.multi.edges():
        g.add_edge(a, b, weight=g.get_edge_data(a, b, {"weight": 0})["weight"] + 1)
    return g


def has_vertex(graph):
    return graph.first is not None


def from_first(graph):
    return f", source => {graph.source(graph.first)}"


def cheapest(graph, rows):
    g = graph.least
    if not graph.weighted:
        g = g.copy()
        nx.set_edge_attributes(g, 1, "weight")
    costs = nx.single_source_dijkstra_path_length(g, graph.first)
    if {row[0] for row in rows} != set(costs) or len(rows) != len(costs):
        return "other vertices"
    if [row[1] for row in rows] != sorted(row[1] for row in rows):
        return "costs do not rise"
    for vertex, cost, path in rows:
        if not same(float(cost), float(costs[vertex])):
            return f"{vertex} costs {cost}, not {costs[vertex]}"
        nodes = [vertex_of(graph, part) for part in path]
        if graph.kinds:
            continue
        if nodes[0] != graph.first or nodes[-1] != vertex:
            return f"a way from {nodes[0]} to {nodes[-1]}"
        if not same(float(sum(g[a][b]["weight"] for a, b in zip(nodes, nodes[1:]))), float(cost)):
            return f"the way to {vertex} does not cost {cost}"
    return None


def tree(graph, rows):
    """Each vertex' parent is one edge nearer to the source, and leads to it."""
    depths = nx.single_source_shortest_path_length(graph.directed, graph.first)
    if {row[0]: row[1] for row in rows} != depths:
        return "other depths"
    for vertex, depth, parent in rows:
        above = None if parent is None else vertex_of(graph, parent)
        right = above is None if depth == 0 else graph.directed.has_edge(above, vertex) and depths[above] == depth - 1
        if not right:
            return f"{vertex} comes after {parent}"
    return None


def vertex_of(graph, value):
    """An element of a path: a row of a key of several columns comes as an object."""
    return tuple(value.values()) if isinstance(value, dict) else value


def communities(graph):
    """The communities of ten rounds, as LDBC Graphalytics defines them."""
    g = graph.multi
    label = {node: place for place, node in enumerate(graph.order)}
    for _ in range(10):
        new = {}
        for n in g:
            votes = {}
            for other in [b for _, b in g.out_edges(n)] + [a for a, _ in g.in_edges(n)]:
                votes[label[other]] = votes.get(label[other], 0) + 1
            most = max(votes.values(), default=0)
            new[n] = min((label for label, count in votes.items() if count == most), default=label[n])
        label = new
    found = {}
    for node, number in label.items():
        found.setdefault(number, set()).add(node)
    return found.values()


ALGORITHMS = {
    "degree": Algorithm("degree", ["degree", "in_degree", "out_degree"], degree),
    "pagerank": Algorithm("pagerank", ["rank"], page_rank, weighted=True,
                          arguments=lambda g: ", tolerance => 1e-13, iterations => 1000"),
    "pagerank, one source": Algorithm(
        "pagerank", ["rank"], lambda g: page_rank(g, alpha=0.6, personalization={g.first: 1}),
        arguments=lambda g: ", damping => 0.6, tolerance => 1e-13, iterations => 1000" + from_first(g),
        fits=has_vertex, weighted=True),
    "weak_components": Algorithm(
        "weak_components", ["component"], compare=groups(lambda g: nx.weakly_connected_components(g.multi))),
    "strong_components": Algorithm(
        "strong_components", ["component"], compare=groups(lambda g: nx.strongly_connected_components(g.multi))),
    "bfs": Algorithm(
        "bfs", ["depth"], lambda g: nx.single_source_shortest_path_length(g.directed, g.first),
        arguments=from_first, fits=has_vertex),
    "bfs, its tree": Algorithm(
        "bfs", ["depth", "parent"], compare=tree, arguments=from_first, fits=lambda g: has_vertex(g) and not g.kinds),
    "bfs, both ways": Algorithm(
        "bfs", ["depth"], lambda g: nx.single_source_shortest_path_length(g.directed.to_undirected(), g.first, cutoff=3),
        arguments=lambda g: from_first(g) + ", max_depth => 3, directed => false", fits=has_vertex),
    "dijkstra": Algorithm(
        "dijkstra", ["cost", "path"], compare=cheapest, arguments=from_first, fits=has_vertex, weighted=True),
    "triangles": Algorithm("triangles", ["triangles"], lambda g: nx.triangles(g.simple)),
    "clustering": Algorithm("clustering", ["coefficient"], lambda g: nx.clustering(g.simple)),
    "label_propagation": Algorithm(
        "label_propagation", ["community"], compare=groups(communities), fits=lambda g: g.order is not None),
    "core_numbers": Algorithm("core_numbers", ["core"], lambda g: nx.core_number(g.simple)),
}
