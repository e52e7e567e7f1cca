"""What NetworkX says of ways, flows and matchings."""
import itertools, math

import networkx as nx

from algorithms import Algorithm, cheapest, from_first, has_vertex, same, vertex_of
from centrality import UNDIRECTED, both_ways

EDGE = ("id", "other_id")


def weighed(graph):
    """The least weight of each ordered pair, 1 where the graph has none."""
    g = graph.least.copy()
    if not graph.weighted:
        nx.set_edge_attributes(g, 1, "weight")
    return g


def last(graph):
    """A vertex that the first one reaches, as far away as can be; another one if there is none."""
    far = nx.single_source_shortest_path_length(graph.directed, graph.first)
    found = max(far, key=far.get)
    return found if found != graph.first else next((n for n in graph.multi if n != found), found)


def has_two(graph):
    return len(graph.multi) > 1 and not graph.kinds


def to_last(graph):
    return from_first(graph) + f", target => {graph.source(last(graph))}"


def to_target(graph, rows):
    g, target = weighed(graph), last(graph)
    if not nx.has_path(g, graph.first, target):
        return "a way to nowhere" if rows else None
    cost = nx.dijkstra_path_length(g, graph.first, target)
    if len(rows) != 1 or rows[0][0] != target or not same(float(rows[0][1]), float(cost)):
        return f"{rows[:2]}, not {target} for {cost}"
    return cheapest_path(graph, g, rows[0][2], graph.first, target, cost)


def cheapest_path(graph, g, path, source, target, cost):
    nodes = [vertex_of(graph, part) for part in path]
    if nodes[0] != source or nodes[-1] != target or any(not g.has_edge(a, b) for a, b in zip(nodes, nodes[1:])):
        return f"no way: {nodes}"
    if not same(float(sum(g[a][b]["weight"] for a, b in zip(nodes, nodes[1:]))), float(cost)):
        return f"the way {nodes} does not cost {cost}"
    return None


def by_delta(graph, rows):
    return cheapest(graph, sorted(rows, key=lambda row: row[1]))


def several(graph, rows):
    g, target = weighed(graph), last(graph)
    expected = []
    if nx.has_path(g, graph.first, target):
        ways = nx.shortest_simple_paths(g, graph.first, target, weight="weight")
        expected = [sum(g[a][b]["weight"] for a, b in zip(way, way[1:])) for way in itertools.islice(ways, 12)]
    if [row[0] for row in rows] != list(range(1, len(expected) + 1)):
        return f"{len(rows)} ways, not {len(expected)}"
    for (number, cost, path), wanted in zip(rows, expected):
        if not same(float(cost), float(wanted)):
            return f"way {number} costs {cost}, not {wanted}"
        if len(set(map(str, path))) != len(path):
            return f"way {number} comes twice to a vertex"
        fault = cheapest_path(graph, g, path, graph.first, target, cost)
        if fault:
            return fault
    return "a way comes twice" if len({str(row[2]) for row in rows}) != len(rows) else None


def all_pairs(make):
    def compare(graph, rows):
        expected = {
            (a, b): float(cost) for a, costs in nx.all_pairs_dijkstra_path_length(make(graph)) for b, cost in costs.items()}
        found = {(a, b): float(cost) for a, b, cost in rows}
        if found.keys() != expected.keys() or len(found) != len(rows):
            return f"{len(rows)} pairs, not {len(expected)}"
        wrong = [pair for pair in found if not same(found[pair], expected[pair])]
        return f"{wrong[0]} costs {found[wrong[0]]}, not {expected[wrong[0]]}" if wrong else None
    return compare


def forest(graph, rows):
    g = both_ways(graph)
    wanted = sorted(data["weight"] for _, _, data in nx.minimum_spanning_edges(g, data=True))
    found = nx.Graph((a, b) for a, b, _ in rows)
    if not same(sorted(map(float, (row[2] for row in rows))), list(map(float, wanted))):
        return f"{len(rows)} edges with other weights than {len(wanted)}"
    if any(not g.has_edge(a, b) or not same(float(g[a][b]["weight"]), float(w)) for a, b, w in rows):
        return "an edge that is none"
    return None if not len(found) or nx.is_forest(found) else "no forest"


def capacities(graph, directed):
    if directed:
        g = nx.DiGraph()
        edges = graph.multi.edges(data="weight")
    else:
        g = nx.Graph()
        edges = graph.multi.edges(data="weight")
    g.add_nodes_from(graph.multi)
    for a, b, w in edges:
        if a != b:
            known = g.get_edge_data(a, b, {"capacity": 0})["capacity"]
            g.add_edge(a, b, capacity=known + (w if graph.weighted else 1))
    return g


def flow(directed):
    def compare(graph, rows):
        g, target = capacities(graph, directed), last(graph)
        wanted = nx.maximum_flow_value(g, graph.first, target)
        net = {}
        for a, b, amount, capacity in rows:
            if not g.has_edge(a, b) or not same(float(g[a][b]["capacity"]), float(capacity)):
                return f"no such edge: {a}, {b}, {capacity}"
            if not 0 < amount <= capacity + 1e-9:
                return f"{amount} of {capacity}"
            net[a] = net.get(a, 0) + amount
            net[b] = net.get(b, 0) - amount
        if any(abs(value) > 1e-6 for n, value in net.items() if n not in (graph.first, target)):
            return "something is lost on the way"
        value = float(net.get(graph.first, 0))
        return None if same(value, float(wanted)) else f"a flow of {value}, not {wanted}"
    return compare


def cut(graph, rows):
    g, target = capacities(graph, True), last(graph)
    wanted = nx.maximum_flow_value(g, graph.first, target)
    value = float(sum(row[2] for row in rows))
    if not same(value, float(wanted)):
        return f"a cut of {value}, not {wanted}"
    g.remove_edges_from([row[:2] for row in rows])
    g.remove_edges_from([(a, b) for a, b, c in g.edges(data="capacity") if c == 0])
    return "the target can be reached still" if nx.has_path(g, graph.first, target) else None


def bipartite(graph):
    return nx.is_bipartite(graph.simple)


def oriented(graph):
    return all(not graph.multi.in_degree(n) or not graph.multi.out_degree(n) for n in graph.multi)


def matching(capacity):
    def compare(graph, rows):
        sources = [n for n in graph.multi if graph.multi.out_degree(n)]
        g = nx.DiGraph()
        if capacity > 1:
            for n in sources:
                g.add_edge("from", ("n", n), capacity=1)
            for a, b in graph.multi.edges():
                g.add_edge(("n", a), ("n", b), capacity=1)
                g.add_edge(("n", b), "to", capacity=capacity)
            wanted = nx.maximum_flow_value(g, "from", "to") if sources else 0
        else:
            wanted = sum(
                len(nx.bipartite.maximum_matching(graph.simple.subgraph(part))) // 2
                for part in nx.connected_components(graph.simple))
        if len(rows) != wanted:
            return f"{len(rows)} pairs, not {wanted}"
        if any(not graph.simple.has_edge(a, b) for a, b in rows):
            return "a pair that is none"
        ones, others = [row[0] for row in rows], [row[1] for row in rows]
        if len(set(ones)) != len(ones) or any(others.count(n) > capacity for n in others):
            return "a vertex comes too often"
        return None
    return compare


ALGORITHMS = {
    "dijkstra, one target": Algorithm(
        "dijkstra", ["cost", "path"], compare=to_target, arguments=to_last, fits=has_two, weighted=True),
    "delta_stepping": Algorithm(
        "delta_stepping", ["cost", "path"], compare=by_delta, arguments=from_first, fits=has_vertex, weighted=True),
    "delta_stepping, narrow": Algorithm(
        "delta_stepping", ["cost", "path"], compare=by_delta, arguments=lambda g: from_first(g) + ", delta => 0.01",
        fits=has_vertex, weighted=True),
    "k_shortest_paths": Algorithm(
        "k_shortest_paths", ["number", "cost", "path"], compare=several, vertices=(),
        arguments=lambda g: to_last(g) + ", k => 12", fits=lambda g: has_two(g) and g.name != "hub", weighted=True),
    "all_pairs_shortest_paths": Algorithm(
        "all_pairs_shortest_paths", ["cost"], vertices=EDGE, compare=all_pairs(weighed),
        fits=lambda g: g.name != "hub", weighted=True),
    "all_pairs_shortest_paths, both ways": Algorithm(
        "all_pairs_shortest_paths", ["cost"], vertices=EDGE, compare=all_pairs(both_ways),
        arguments=lambda g: UNDIRECTED, fits=lambda g: g.name != "hub", weighted=True),
    "spanning_forest": Algorithm(
        "spanning_forest", ["weight"], vertices=EDGE, compare=forest, weighted=True),
    "max_flow": Algorithm(
        "max_flow", ["flow", "capacity"], vertices=EDGE, compare=flow(True), arguments=to_last, fits=has_two,
        weighted=True),
    "max_flow, both ways": Algorithm(
        "max_flow", ["flow", "capacity"], vertices=EDGE, compare=flow(False),
        arguments=lambda g: to_last(g) + UNDIRECTED, fits=has_two, weighted=True),
    "min_cut": Algorithm(
        "min_cut", ["capacity"], vertices=EDGE, compare=cut, arguments=to_last, fits=has_two, weighted=True),
    "matching": Algorithm("matching", [], vertices=EDGE, compare=matching(1), fits=bipartite),
    "matching, three to a seat": Algorithm(
        "matching", [], vertices=EDGE, compare=matching(3), arguments=lambda g: ", capacity => 3",
        fits=lambda g: bipartite(g) and oriented(g)),
}
