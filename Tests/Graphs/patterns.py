"""What NetworkX, igraph and plain counting say of algorithms about pairs, groups, small patterns and walks."""
import itertools
import math

import networkx as nx

from algorithms import Algorithm, has_vertex, same, vertex_of

try:
    import igraph
except ImportError:
    igraph = None


def likeness(measure, sources=None, top=None, least=0.0):
    """All pairs with a common neighbour, from both sides."""
    def compare(graph, rows):
        g = graph.simple
        expected = {}
        for one in g if sources is None else [graph.first]:
            others = {}
            for middle in g[one]:
                for other in g[middle]:
                    if other != one:
                        others.setdefault(other, []).append(middle)
            pairs = []
            for other, common in others.items():
                value = measure(g, one, other, common)
                if value >= least - 1e-12:
                    pairs.append((value, other, len(common)))
            for value, other, common in pairs:
                expected[one, other] = (value, common)
        found = {}
        for one, other, value, common in rows:
            if (one, other) in found:
                return f"{one} and {other} come twice"
            found[one, other] = (value, common)
        for pair, value in found.items():
            if not same(value, expected.get(pair, ())):
                return f"{pair}: {value}, not {expected.get(pair)}"
        if top is None:
            return None if len(found) == len(expected) else f"{len(found)} pairs, not {len(expected)}"
        for one in g:
            all_values = sorted((v for (a, _), (v, _) in expected.items() if a == one), reverse=True)
            values = [v for (a, _), (v, _) in found.items() if a == one]
            if not same(values, all_values[:top]):
                return f"{one} has {values}, not {all_values[:top]}"
        return None
    return compare


def jaccard(g, one, other, common):
    return len(common) / len(set(g[one]) | set(g[other]))


def cosine(g, one, other, common):
    return len(common) / math.sqrt(len(g[one]) * len(g[other]))


def overlap(g, one, other, common):
    return len(common) / min(len(g[one]), len(g[other]))


def adamic_adar(g, one, other, common):
    return sum(1 / math.log(len(g[middle])) for middle in common)


def undirected(graph):
    """Neighbours with the sum of the weights between them, loops too; 1 where there are none."""
    g = nx.Graph()
    g.add_nodes_from(graph.multi)
    for a, b, data in graph.multi.edges(data=True):
        weight = g.get_edge_data(a, b, {"weight": 0})["weight"] + data["weight"] if graph.weighted else 1
        g.add_edge(a, b, weight=weight)
    return g


def usual_modularity(g, connected):
    """What others find with the same algorithm: the median over some orders of the vertices."""
    if connected and igraph:
        nodes = {node: place for place, node in enumerate(g)}
        other = igraph.Graph(len(nodes), [(nodes[a], nodes[b]) for a, b in g.edges()])
        weights = [weight for _, _, weight in g.edges(data="weight")]
        found = [other.community_leiden("modularity", weights=weights).modularity for _ in range(9)]
    else:
        found = [nx.community.modularity(g, nx.community.louvain_communities(g, seed=seed)) for seed in range(9)]
    return sorted(found)[len(found) // 2]


def communities(connected):
    def compare(graph, rows):
        g = undirected(graph)
        found = {}
        for vertex, community, _ in rows:
            found.setdefault(community, set()).add(vertex)
        if sorted(v for group in found.values() for v in group) != sorted(g):
            return "other vertices"
        if g.size("weight") == 0:
            return None
        own = nx.community.modularity(g, found.values())
        if not same(float(own), float(rows[0][2])):
            return f"modularity {rows[0][2]}, not {own}"
        if connected:
            for group in found.values():
                if not nx.is_connected(g.subgraph(group)):
                    return f"{group} does not hang together"
        usual = usual_modularity(g, connected)
        return None if own >= 0.99 * usual - 1e-9 else f"modularity {own}, and {usual} by others"
    return compare


def trusses(graph, rows):
    g = graph.simple
    expected = {}
    k = 2
    while g.number_of_edges():
        for a, b in g.edges():
            expected[frozenset((a, b))] = k
        k += 1
        g = nx.k_truss(g, k)
    found = {frozenset((a, b)): truss for a, b, truss in rows}
    if len(found) != len(rows):
        return "a pair comes twice"
    return None if found == expected else f"other trusses: {set(found.items()) ^ set(expected.items())}"


def four_cycles(graph):
    g = graph.simple
    counts = dict.fromkeys(g, 0)
    for one, other in itertools.combinations(g, 2):
        common = set(g[one]) & set(g[other])
        pairs = len(common) * (len(common) - 1) // 2
        # Each cycle is found from both of its pairs of opposite corners.
        counts[one] += pairs
        counts[other] += pairs
    return counts


def motifs(directed):
    def compare(graph, rows):
        g = graph.directed.copy()
        g.remove_edges_from(list(nx.selfloop_edges(g)))
        if not directed:
            g = g.to_undirected().to_directed()
        census = nx.triadic_census(g) if len(g) > 2 else dict.fromkeys(nx.triadic_census(nx.path_graph(3).to_directed()), 0)
        expected = {kind: n for kind, n in census.items() if kind not in ("003", "012", "102")}
        if not directed:
            expected = {"path": expected["201"], "triangle": expected["300"]}
        found = dict(rows)
        return None if found == expected else f"{found}, not {expected}"
    return compare


def graphalytics_clustering(graph):
    g = graph.directed
    found = {}
    for node in g:
        around = (set(g.successors(node)) | set(g.predecessors(node))) - {node}
        edges = sum(1 for a in around for b in g[a] if b in around and a != b)
        found[node] = edges / (len(around) * (len(around) - 1)) if len(around) > 1 else 0.0
    return found


def walks(count, length, directed=True):
    def compare(graph, rows):
        g = graph.directed.copy()
        if graph.weighted:
            # Before directions are given up: an edge of no weight may have one against it that has some.
            g.remove_edges_from([(a, b) for a, b, w in graph.directed.edges(data="weight") if w == 0])
        if not directed:
            g = g.to_undirected()
        starts = {}
        for start, number, path in rows:
            starts.setdefault(start, []).append(number)
            if graph.kinds:
                continue
            nodes = [vertex_of(graph, part) for part in path]
            if nodes[0] != start:
                return f"a walk from {start} begins at {nodes[0]}"
            if any(not g.has_edge(a, b) for a, b in zip(nodes, nodes[1:])):
                return f"no edge leads along {nodes}"
            if len(nodes) > length + 1 or (len(nodes) <= length and len(g[nodes[-1]])):
                return f"a walk of {len(nodes)} vertices ends at {nodes[-1]}"
        if set(starts) != set(g):
            return "other vertices"
        if any(numbers != list(range(1, count + 1)) for numbers in starts.values()):
            return f"walks are numbered {starts}"
        return None
    return compare


def layout(graph, rows):
    if {row[0] for row in rows} != set(graph.multi) or len(rows) != len(graph.multi):
        return "other vertices"
    if any(not -1.000001 <= value <= 1.000001 for row in rows for value in row[1:]):
        return "a place is outside"
    return None


def small(graph):
    return len(graph.multi) < 500


PAIR = ("id", "other_id")
ALIKE = ["similarity", "common"]


PATTERNS = {
    "jaccard": Algorithm("jaccard", ALIKE, vertices=PAIR, compare=likeness(jaccard), fits=small),
    "jaccard, best": Algorithm("jaccard", ALIKE, vertices=PAIR, compare=likeness(jaccard, top=3), fits=small,
                               arguments=lambda g: ", top => 3"),
    "jaccard, one source": Algorithm(
        "jaccard", ALIKE, vertices=PAIR, compare=likeness(jaccard, sources=1, least=0.2), fits=lambda g: small(g) and has_vertex(g),
        arguments=lambda g: f", source => {g.source(g.first)}, min => 0.2"),
    "cosine": Algorithm("cosine", ALIKE, vertices=PAIR, compare=likeness(cosine), fits=small),
    "overlap": Algorithm("overlap", ALIKE, vertices=PAIR, compare=likeness(overlap), fits=small),
    "adamic_adar": Algorithm("adamic_adar", ALIKE, vertices=PAIR, compare=likeness(adamic_adar), fits=small),
    "louvain": Algorithm("louvain", ["community", "modularity"], compare=communities(False), weighted=True),
    "leiden": Algorithm("leiden", ["community", "modularity"], compare=communities(True), weighted=True),
    "truss_numbers": Algorithm("truss_numbers", ["truss"], vertices=PAIR, compare=trusses),
    "four_cycles": Algorithm("four_cycles", ["cycles"], four_cycles, fits=small),
    "motifs": Algorithm("motifs", ["kind", "count"], vertices=(), compare=motifs(True), fits=small),
    "motifs, both ways": Algorithm("motifs", ["kind", "count"], vertices=(), compare=motifs(False), fits=small,
                                   arguments=lambda g: ", directed => false"),
    "clustering, directed": Algorithm(
        "clustering", ["coefficient"], graphalytics_clustering, arguments=lambda g: ", directed => true"),
    "random_walks": Algorithm("random_walks", ["walk", "path"], compare=walks(2, 5), weighted=True,
                              arguments=lambda g: ", length => 5, walks => 2"),
    "node2vec_walks": Algorithm(
        "node2vec_walks", ["walk", "path"], compare=walks(1, 8, directed=False), weighted=True,
        arguments=lambda g: ", length => 8, p => 0.25, q => 4, directed => false"),
    "graph_layout": Algorithm("graph_layout", ["x", "y"], compare=layout),
}
