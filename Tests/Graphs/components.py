"""What NetworkX says of how graphs hang together."""
import networkx as nx

from algorithms import Algorithm

EDGE = ("id", "other_id")


def pairs_of(rows):
    found = {frozenset(row[:2]) for row in rows}
    return None if len(found) != len(rows) else found


def biconnected(graph, rows):
    if pairs_of(rows) is None:
        return "a pair comes twice"
    found = {}
    for one, other, component in rows:
        found.setdefault(component, set()).add(frozenset((one, other)))
    wanted = {frozenset(map(frozenset, part)) for part in nx.biconnected_component_edges(graph.simple)}
    if {frozenset(part) for part in found.values()} != wanted:
        return f"other components: {len(found)}, not {len(wanted)}"
    first = list(dict.fromkeys(row[2] for row in rows))
    return None if first == list(range(1, len(found) + 1)) else f"components are numbered {first[:10]}"


def bridges(graph, rows):
    wanted = {frozenset(edge) for edge in nx.bridges(graph.simple)}
    return None if pairs_of(rows) == wanted else f"{len(rows)} bridges, not {len(wanted)}"


def articulation(graph, rows):
    wanted, found = set(nx.articulation_points(graph.simple)), [row[0] for row in rows]
    return None if set(found) == wanted and len(found) == len(wanted) else f"{found}, not {wanted}"


def acyclic(graph):
    return nx.is_directed_acyclic_graph(graph.multi)


def ordered(graph, rows):
    positions = dict(rows)
    if set(positions) != set(graph.multi) or sorted(positions.values()) != list(range(1, len(graph.multi) + 1)):
        return "other vertices or positions"
    wrong = [(a, b) for a, b in graph.multi.edges() if positions[a] >= positions[b]]
    return f"against {wrong[:3]}" if wrong else None


def reduced(graph, rows):
    wanted = set(nx.transitive_reduction(nx.DiGraph(graph.multi)).edges)
    found = [tuple(row) for row in rows]
    return None if set(found) == wanted and len(found) == len(wanted) else f"{len(found)} edges, not {len(wanted)}"


ALGORITHMS = {
    "biconnected_components": Algorithm(
        "biconnected_components", ["component"], vertices=EDGE, compare=biconnected),
    "bridges": Algorithm("bridges", [], vertices=EDGE, compare=bridges),
    "articulation_points": Algorithm("articulation_points", [], compare=articulation),
    "topological_order": Algorithm("topological_order", ["position"], compare=ordered, fits=acyclic),
    "transitive_reduction": Algorithm(
        "transitive_reduction", [], vertices=EDGE, compare=reduced, fits=acyclic),
}
