"""SciPy's own graph algorithms, and label propagation by NumPy, which has a name for none of it."""
import numpy as np
import scipy.sparse.csgraph

import references
from . import ITERATIONS


class Library:
    MISSING = {
        "bfs": "gives no depths", "pagerank": "has none", "clustering": "has none", "triangles": "has none",
        "core_numbers": "has none", "louvain": "has none", "leiden": "has none", "betweenness": "has none",
        "sampled_betweenness": "has none",
    }

    def __init__(self, graph, source, sources):
        self.graph, self.source = graph, source
        self.matrix = graph.matrix(graph.weight.astype(float))

    def dijkstra(self):
        return (lambda: scipy.sparse.csgraph.dijkstra(self.matrix, indices=self.source)), np.array

    delta_stepping = dijkstra

    def components(self, kind):
        run = lambda: scipy.sparse.csgraph.connected_components(self.matrix, directed=True, connection=kind)
        return run, lambda found: found[1]

    def weak_components(self):
        return self.components("weak")

    def strong_components(self):
        return self.components("strong")

    def label_propagation(self):
        labels = np.arange(self.graph.count)
        rounds = ITERATIONS["label_propagation"]
        return (lambda: references.communities(self.graph, rounds, labels)), np.array
