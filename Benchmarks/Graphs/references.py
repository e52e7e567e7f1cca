"""The right answers, by NumPy and SciPy alone: each by vertex, slow, and near to the definition."""
import numpy as np
import scipy.sparse
import scipy.sparse.csgraph

UNREACHED = np.inf


def depths(graph, source, matrix=None):
    """How many edges away from `source` each vertex is."""
    matrix = graph.matrix() if matrix is None else matrix
    found = np.full(graph.count, UNREACHED)
    found[source] = 0
    frontier, depth = np.array([source]), 0
    while len(frontier):
        depth += 1
        reached = np.unique(matrix[frontier].indices)
        frontier = reached[found[reached] == UNREACHED]
        found[frontier] = depth
    return found


def costs(graph, source):
    """What the cheapest way from `source` costs."""
    matrix = graph.matrix(graph.both()[2].astype(float))
    return scipy.sparse.csgraph.dijkstra(matrix, indices=source)


def ranks(graph, iterations, damping=0.85):
    """PageRank after so many iterations; the rank of vertices without edges is handed to all."""
    degrees = graph.degrees()
    pulled = graph.matrix().T.tocsr()
    rank = np.full(graph.count, 1 / graph.count)
    for _ in range(iterations):
        share = np.divide(rank, degrees, out=np.zeros(graph.count), where=degrees > 0)
        lost = rank[degrees == 0].sum()
        rank = (1 - damping) / graph.count + damping * (pulled @ share + lost / graph.count)
    return rank


def components(graph):
    return scipy.sparse.csgraph.connected_components(graph.matrix(), directed=True, connection="weak")[1]


def communities(graph, iterations, labels):
    """Label propagation in rounds: the label that most neighbours have, the least of several, is a vertex' next."""
    # An edge without direction is there once, and both of its ends have a vote.
    voters = np.concatenate([graph.target, graph.source])
    asked = np.concatenate([graph.source, graph.target])
    distinct, label = np.unique(labels, return_inverse=True)
    for _ in range(iterations):
        pairs, votes = np.unique(asked * graph.count + label[voters], return_counts=True)
        vertex, voted = pairs // graph.count, pairs % graph.count
        # By vertex, then the most votes, then the least label.
        order = np.lexsort((voted, -votes, vertex))
        first = order[np.unique(vertex[order], return_index=True)[1]]
        label = label.copy()
        label[vertex[first]] = voted[first]
    return distinct[label]


def opposite(graph):
    """For each vertex the edges between its neighbours, in each direction that they have, and its number of neighbours."""
    pairs = np.unique(np.minimum(graph.source, graph.target) * graph.count + np.maximum(graph.source, graph.target),
                      return_counts=True)
    lesser, greater = pairs[0] // graph.count, pairs[0] % graph.count
    ways = pairs[1] if graph.is_directed else np.full(len(lesser), 2)
    degrees = np.bincount(lesser, minlength=graph.count) + np.bincount(greater, minlength=graph.count)
    # Each edge from the end of lesser degree, so that no list is long.
    turned = degrees[lesser] > degrees[greater]
    ends = np.where(turned, greater, lesser), np.where(turned, lesser, greater)
    shape = (graph.count, graph.count)
    forward = scipy.sparse.csr_matrix((np.ones(len(lesser)), ends), shape=shape)
    weighed = scipy.sparse.csr_matrix((ways.astype(float), ends), shape=shape)
    total = masked(forward, weighed, forward).sum(axis=1).A1
    total = total + masked(forward.T.tocsr(), weighed, forward).sum(axis=1).A1
    total = total + masked(weighed, forward, forward).sum(axis=0).A1
    return total, degrees


def masked(one, other, mask, rows=4096):
    """The product of two matrices where a third has entries, some rows at a time."""
    parts = [(one[start:start + rows] @ other).multiply(mask[start:start + rows]).tocsr()
             for start in range(0, one.shape[0], rows)]
    return scipy.sparse.csr_matrix(scipy.sparse.vstack(parts))


def coefficients(graph):
    """The local clustering coefficients of Graphalytics."""
    total, degrees = opposite(graph)
    pairs = degrees * (degrees - 1.0)
    return np.divide(total, pairs, out=np.zeros(graph.count), where=pairs > 0)


def triangle_count(graph):
    """The number of triangles of a graph without direction."""
    return int(round(opposite(graph)[0].sum() / 6))


def dependencies(graph, sources):
    """Brandes' betweenness over the ways from some vertices, not scaled."""
    matrix = graph.matrix()
    pulled = matrix.T.tocsr()
    total = np.zeros(graph.count)
    for source in sources:
        depth = depths(graph, source, matrix)
        deepest = int(depth[np.isfinite(depth)].max())
        ways = np.zeros(graph.count)
        ways[source] = 1
        for step in range(1, deepest + 1):
            came = pulled @ np.where(depth == step - 1, ways, 0)
            ways = np.where(depth == step, came, ways)
        share = np.zeros(graph.count)
        for step in range(deepest, 0, -1):
            brought = np.divide(1 + share, ways, out=np.zeros(graph.count), where=depth == step)
            share = np.where(depth == step - 1, ways * (matrix @ brought), share)
        share[source] = 0
        total += share
    return total
