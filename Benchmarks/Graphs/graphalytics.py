"""LDBC Graphalytics: its six algorithms, over its own small graphs and over graphs made here, by its rules.

Its graphs with their answers are in its repository (github.com/ldbc/ldbc_graphalytics, Apache License 2.0), of which `--reference` names a
checkout; without it only graphs made here are asked about.
"""
import os

import numpy as np

import graphs, references, rules
from engine import Junction

GRAPHS = "graphalytics-validation/src/main/resources/validation-graphs"
# How far away it is from the source to what cannot be reached, in files of answers.
FAR = 2 ** 63 - 1

RULES = {
    "BFS": rules.exact, "PR": rules.epsilon, "WCC": rules.equivalent, "CDLP": rules.exact, "LCC": rules.epsilon,
    "SSSP": rules.epsilon}

# The graphs of its validation tests: name of the folder, of the files of the graph and of the answers, and the parameters, which there
# stand in the tests. The source is one vertex for all; rounds are those of PageRank and of label propagation.
REFERENCES = [
    (folder, kind, files, algorithm, is_directed, parameters)
    for is_directed, kind in ((True, "dir"), (False, "undir"))
    for folder, files, algorithm, parameters in [
        ("bfs", "input", "BFS", {"source": 1}), ("cdlp", "input", "CDLP", {"rounds": 5}),
        ("lcc", "input", "LCC", {}), ("wcc", "input", "WCC", {}), ("sssp", "input", "SSSP", {"source": 1}),
        ("pr", "input", "PR", {"rounds": 14 if is_directed else 26})]
] + [
    ("example", "example-directed" if is_directed else "example-undirected", "", algorithm, is_directed,
     {"source": 1 if is_directed else 2, "rounds": 2})
    for is_directed in (True, False) for algorithm in RULES]


def calls(is_directed, source, rounds):
    """How Junction is asked for each algorithm: the call, the column, and what vertices have that come in no row."""
    way = f", directed => {'true' if is_directed else 'false'}"
    return {
        "BFS": (f"bfs('edge', {source}{way})", "depth", np.inf),
        "PR": (f"pagerank('edge', tolerance => 0, iterations => {rounds}{way})", "rank", 0),
        "WCC": ("weak_components('edge')", "component", 0),
        "CDLP": (f"label_propagation('edge', {rounds})", "label", 0),
        "LCC": (f"clustering('edge'{way})", "coefficient", 0),
        "SSSP": (f"dijkstra('edge', {source}, weight => 'w'{way})", "cost", np.inf),
    }


def answer(session, call, ids):
    """What Junction says, by the place of each vertex among `ids`, which rise."""
    text, column, missing = call
    rows = session.rows(text, f"id, {column}")
    found = np.full(len(ids), missing, dtype=float)
    found[np.searchsorted(ids, rows[:, 0].astype(np.int64))] = rows[:, 1]
    return found


def read_reference(root, folder, kind, files, is_directed, weights):
    """A graph of the repository, and what its vertices are called; lists of neighbours, or files of vertices and edges."""
    base = os.path.join(root, GRAPHS, folder, f"{kind}-{files}" if files else kind)
    if os.path.exists(base + ".e"):
        ids = np.loadtxt(base + ".v", dtype=np.int64, ndmin=1)
        edges = np.loadtxt(base + ".e", ndmin=2)
    else:
        with open(base) as file:
            lists = [list(map(int, line.split())) for line in file if line.strip()]
        # A vertex without edges of its own may have no list.
        ids = np.array([vertex for line in lists for vertex in line])
        edges = np.array([(line[0], other, 1) for line in lists for other in line[1:]], dtype=float)
        if not is_directed:
            edges = edges[edges[:, 0] < edges[:, 1]]
    ids = np.unique(ids)
    source, target = (np.searchsorted(ids, edges[:, end].astype(np.int64)) for end in (0, 1))
    name = os.path.join(weights, f"{folder}-{kind}")
    return graphs.Graph(name, len(ids), source, target, edges[:, 2], is_directed), ids


def read_answer(root, folder, kind, files, algorithm, ids):
    name = f"{kind}-output" if files else f"{kind}-{algorithm}"
    rows = np.loadtxt(os.path.join(root, GRAPHS, folder, name), ndmin=2)
    found = np.full(len(ids), np.nan)
    found[np.searchsorted(ids, rows[:, 0].astype(np.int64))] = rows[:, 1]
    return np.where(found >= FAR, np.inf, found)


def check_references(options):
    wrong = checked = 0
    for folder, kind, files, algorithm, is_directed, parameters in REFERENCES:
        graph, ids = read_reference(
            options.reference, folder, kind, files, is_directed, os.path.join(options.data, "graphalytics"))
        graphs.write_folder(graph, ids, "float8")
        call = calls(is_directed, parameters.get("source", 0), parameters.get("rounds", 0))[algorithm]
        with Junction(options.cli, graph.folder) as session:
            own = answer(session, call, ids)
        checked += 1
        if not RULES[algorithm](own, read_answer(options.reference, folder, kind, files, algorithm, ids)):
            wrong += 1
            print(f"{folder}/{kind}, {algorithm}: WRONG")
    print(f"{checked} answers of the reference graphs, {wrong} wrong")
    return wrong


def expected(graph, algorithm, source, rounds):
    made = {
        "BFS": lambda: references.depths(graph, source), "PR": lambda: references.ranks(graph, rounds),
        "WCC": lambda: references.components(graph), "LCC": lambda: references.coefficients(graph),
        "CDLP": lambda: references.communities(graph, rounds, np.arange(graph.count)),
        "SSSP": lambda: references.costs(graph, source)}
    return made[algorithm]()


def check_made(options, is_directed):
    graph = graphs.make(options.kind, options.scale, is_directed, options.data)
    source, rounds, wrong = graph.hub(), 10, 0
    ids = np.arange(graph.count)
    print(f"{options.kind}, scale {options.scale}, {'directed' if is_directed else 'undirected'}: "
          f"{graph.count} vertices, {graph.size} edges; ms, the least of {options.samples}")
    with Junction(options.cli, graph.folder) as session:
        for algorithm, call in calls(is_directed, source, rounds).items():
            least = min(session.time(call[0], call[1], options.samples))
            right = RULES[algorithm](answer(session, call, ids), expected(graph, algorithm, source, rounds))
            wrong += not right
            # Edges and vertices a second, as Graphalytics has it.
            rate = (graph.size + graph.count) / least / 1000
            print(f"  {algorithm:6}{least:10.1f}{rate:10.1f} M EVPS{'' if right else '   WRONG'}", flush=True)
    return wrong


def main(options):
    wrong = check_references(options) if options.reference else 0
    return wrong + check_made(options, True) + check_made(options, False)
