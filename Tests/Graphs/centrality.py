"""What NetworkX says of centrality."""
import networkx as nx
import numpy as np

from algorithms import Algorithm, has_vertex, multiplied, same


def both_ways(graph, joined=min):
    """Each pair of neighbours once, with the least weight of its edges, or their sum."""
    g = nx.Graph()
    g.add_nodes_from(graph.multi)
    weights = {}
    for a, b, w in graph.multi.edges(data="weight"):
        weights.setdefault((b, a) if (b, a) in weights else (a, b), []).append(w)
    for (a, b), found in weights.items():
        g.add_edge(a, b, weight=joined(found) if graph.weighted else (len(found) if joined is sum else 1))
    return g


def weight(graph):
    return "weight" if graph.weighted else None


def positive(graph):
    return not graph.weighted or all(w > 0 for _, _, w in graph.multi.edges(data="weight"))


def sampled(graph, rows):
    """Each vertex is given what a sample of all others but one says; so bounds are all that is known."""
    if any(row[1] < 0 for row in rows) or len(rows) != len(graph.multi):
        return "no centralities"
    exact = nx.betweenness_centrality(graph.directed)
    if any(exact[vertex] == 0 and value != 0 for vertex, value in rows):
        return "a vertex on no shortest way has some"
    return None


def eigenvector(graph, g):
    if not len(g):
        return {}
    try:
        return nx.eigenvector_centrality(g, weight="weight")
    except nx.PowerIterationFailedConvergence:
        pass
    nodes = list(g)
    matrix = nx.to_numpy_array(g, nodes).T + np.eye(len(nodes))
    x = np.full(len(nodes), 1 / len(nodes))
    for _ in range(100):
        x = matrix @ x
        x /= np.linalg.norm(x) or 1
    return dict(zip(nodes, map(float, x)))


def hits(graph, rows):
    g = multiplied(graph)
    nodes = list(g)
    if {row[0] for row in rows} != set(nodes) or len(rows) != len(nodes):
        return "other vertices"
    if not g.number_of_edges():
        return None if all(row[1] == row[2] == 0 for row in rows) else "something of nothing"
    found = {row[0]: row[1:] for row in rows}
    matrix = nx.to_numpy_array(g, nodes)
    if not matrix.any():
        return None
    hubs, authorities = (np.array([found[n][i] for n in nodes], dtype=float) for i in (0, 1))
    if not (same(float(hubs.sum()), 1.0) and same(float(authorities.sum()), 1.0)):
        return "sums are not 1"
    values = np.linalg.svd(matrix, compute_uv=False)
    back = matrix @ (matrix.T @ hubs)
    if np.abs(back - values[0] ** 2 * hubs).max() > 1e-4 * values[0] ** 2:
        return "hubs are no eigenvector of the greatest eigenvalue"
    if len(nodes) > 2 and values[0] > 1.01 * values[1]:
        expected = nx.hits(g, tol=1e-12)
        for n in nodes:
            if abs(found[n][0] - expected[0][n]) > 1e-5 or abs(found[n][1] - expected[1][n]) > 1e-5:
                return f"{n} has {found[n]}, not {expected[0][n]}, {expected[1][n]}"
    return None


UNDIRECTED = ", directed => false"

ALGORITHMS = {
    "betweenness": Algorithm(
        "betweenness", ["centrality"], lambda g: nx.betweenness_centrality(g.least, weight=weight(g)),
        weighted=True, fits=positive),
    "betweenness, both ways": Algorithm(
        "betweenness", ["centrality"],
        lambda g: nx.betweenness_centrality(both_ways(g), weight=weight(g), normalized=False),
        arguments=lambda g: ", normalized => false" + UNDIRECTED, weighted=True, fits=positive),
    "betweenness, all sampled": Algorithm(
        "betweenness", ["centrality"], lambda g: nx.betweenness_centrality(g.least, k=len(g.multi)),
        arguments=lambda g: f", samples => {max(1, len(g.multi))}, seed => 3"),
    "betweenness, some sampled": Algorithm(
        "betweenness", ["centrality"], compare=sampled,
        arguments=lambda g: f", samples => {max(1, len(g.multi) // 2)}, seed => 3"),
    "closeness": Algorithm(
        "closeness", ["centrality"], lambda g: nx.closeness_centrality(g.least, distance=weight(g)), weighted=True),
    "closeness, both ways": Algorithm(
        "closeness", ["centrality"],
        lambda g: nx.closeness_centrality(both_ways(g), distance=weight(g), wf_improved=False),
        arguments=lambda g: ", wf_improved => false" + UNDIRECTED, weighted=True),
    "harmonic": Algorithm(
        "harmonic", ["centrality"], lambda g: nx.harmonic_centrality(g.least, distance=weight(g)), weighted=True),
    "harmonic, both ways": Algorithm(
        "harmonic", ["centrality"], lambda g: nx.harmonic_centrality(both_ways(g), distance=weight(g)),
        arguments=lambda g: UNDIRECTED, weighted=True),
    "eigenvector": Algorithm(
        "eigenvector", ["centrality"], lambda g: eigenvector(g, multiplied(g)), weighted=True),
    "eigenvector, both ways": Algorithm(
        "eigenvector", ["centrality"], lambda g: eigenvector(g, both_ways(g, sum)),
        arguments=lambda g: UNDIRECTED, weighted=True),
    "hits": Algorithm(
        "hits", ["hub", "authority"], compare=hits, fits=has_vertex, weighted=True,
        arguments=lambda g: ", tolerance => 1e-13, iterations => 20000"),
}
