"""The GAP Benchmark Suite (arXiv 1508.03619): its six kernels over its two generated graphs, with its own verification."""
import numpy as np

import graphs, references
from engine import Junction

# PageRank ends where all ranks together change by less, after 20 rounds at most.
TOLERANCE, ROUNDS, DAMPING = 1e-4, 20, 0.85
# The sources of one trial of betweenness.
AT_ONCE = 4
# Buckets of the weights that GAP uses for its generated graphs.
DELTA = 16


def check_bfs(graph, matrix, source, depths, parents):
    """Depths are those of a serial search, and each vertex' parent is a neighbour one step nearer."""
    if not np.array_equal(depths, references.depths(graph, source, matrix)):
        return "other depths"
    return check_parents(matrix, source, depths, parents)


def check_parents(matrix, source, depths, parents):
    reached = np.flatnonzero(np.isfinite(depths))
    children = reached[reached != source]
    above = parents[children]
    if np.isnan(above).any() or not np.isnan(parents[source]):
        return "a vertex without a parent"
    above = above.astype(np.int64)
    if not np.array_equal(depths[above] + 1, depths[children]):
        return "a parent that is not one step nearer"
    if len(children) and not np.asarray(matrix[above, children] != 0).all():
        return "a parent that no edge leads from"
    return None


def check_ranks(graph, ranks):
    """One more round changes ranks by less than the tolerance.

    GAP lets go of what vertices without edges have, Junction hands it to all: in the end its ranks are GAP's times one number.
    """
    degrees = graph.degrees()
    lost = ranks[degrees == 0].sum()
    ranks = ranks * (1 - DAMPING) / (1 - DAMPING + DAMPING * lost)
    share = np.divide(ranks, degrees, out=np.zeros(graph.count), where=degrees > 0)
    again = (1 - DAMPING) / graph.count + DAMPING * (graph.matrix().T.tocsr() @ share)
    error = np.abs(again - ranks).sum()
    return None if error < TOLERANCE else f"one more round changes them by {error:.2e}"


def check_components(graph, labels):
    """No edge leads between two components, and each is reached from one of its vertices as a whole."""
    source, target, _ = graph.both()
    if (labels[source] != labels[target]).any():
        return "an edge between components"
    # As many components by search as there are labels: then none is two of one name.
    if len(np.unique(labels)) != len(np.unique(references.components(graph))):
        return "components of one name"
    return None


def check_centrality(graph, sources, centrality):
    """The same as Brandes' algorithm by matrices, both divided by the greatest."""
    own, other = centrality, references.dependencies(graph, sources)
    begin = np.full(graph.count, len(sources))
    begin[sources] -= 1
    own = own * begin
    if other.max() == 0:
        return None if own.max() == 0 else "centrality where there is none"
    error = np.abs(own / own.max() - other / other.max()).max()
    return None if error < 1e-6 else f"centrality that differs by {error:.2e}"


def trials(session, options, graph):
    """Each kernel: its name, the call and columns of each trial, and what is wrong with the answer of one."""
    count, both = graph.count, ", directed => false"
    matrix = graph.matrix()
    sources = graph.sources(options.sources, seed=graph.count)

    def bfs(source):
        call = f"bfs('edge', {source}{both})"
        return call, "depth, parent", lambda: check_bfs(
            graph, matrix, source, session.values(call, "depth", count, np.inf),
            session.values(call, "parent", count, np.nan))

    def sssp(source):
        call = f"delta_stepping('edge', {source}, delta => {DELTA}, weight => 'w'{both})"
        return call, "cost", lambda: None if np.array_equal(
            session.values(call, "cost", count, np.inf), references.costs(graph, source)) else "other costs"

    def centrality(some):
        call = f"betweenness('edge', source => ARRAY{some}{both})"
        return call, "centrality", lambda: check_centrality(graph, some, session.values(call, "centrality", count))

    ranks = f"pagerank('edge', tolerance => {TOLERANCE / count}, iterations => {ROUNDS}{both})"
    components, triangles = "weak_components('edge')", "triangles('edge')"
    yield "BFS", [bfs(source) for source in sources]
    yield "SSSP", [sssp(source) for source in sources]
    yield "PR", [(ranks, "rank", lambda: check_ranks(graph, session.values(ranks, "rank", count)))]
    yield "CC", [(components, "component", lambda: check_components(
        graph, session.values(components, "component", count)))]
    yield "BC", [centrality(sources[start:start + AT_ONCE]) for start in range(0, len(sources), AT_ONCE)]
    yield "TC", [(triangles, "triangles", lambda: None if
                  session.values(triangles, "triangles", count).sum() == 3 * references.triangle_count(graph)
                  else "another number of triangles")]


def check(options, kind):
    graph = graphs.make(kind, options.scale, False, options.data)
    print(f"{kind}, scale {options.scale}: {graph.count} vertices, {graph.size} edges without direction; "
          f"{options.sources} sources, the answers of {options.verified} verified")
    print(f"{'':6}{'trials':>8}{'least ms':>10}{'mean ms':>10}{'M edges/s':>11}")
    wrong = 0
    with Junction(options.cli, graph.folder) as session:
        for kernel, asked in trials(session, options, graph):
            again = options.samples if len(asked) == 1 else 1
            times = [time for call, columns, _ in asked for time in session.time(call, columns, again)]
            faults = [fault for _, _, look in asked[:options.verified] if (fault := look())]
            wrong += len(faults)
            mean = sum(times) / len(times)
            print(f"{kernel:6}{len(times):8}{min(times):10.1f}{mean:10.1f}{graph.size / mean / 1000:11.1f}"
                  + "".join(f"   WRONG: {fault}" for fault in faults), flush=True)
    return wrong


def main(options):
    return sum(check(options, kind) for kind in options.kinds)
