import igraph
import numpy as np

from . import neighbours


class Library:
    MISSING = {
        "pagerank": "ends where it has converged, after no number of rounds",
        "label_propagation": "changes labels as it goes, which is another algorithm",
        "triangles": "lists them, and counts none in Python",
        "sampled_betweenness": "takes sources, and draws none",
    }

    def __init__(self, graph, source, sources):
        self.directed = igraph.Graph(n=graph.count, edges=np.stack([graph.source, graph.target], 1), directed=True)
        self.simple = igraph.Graph(n=graph.count, edges=np.stack(neighbours(graph), 1))
        self.weights = graph.weight.tolist()
        self.source, self.sources = source, sources

    def bfs(self):
        return (lambda: self.directed.distances(self.source)), first

    def dijkstra(self):
        return (lambda: self.directed.distances(self.source, weights=self.weights)), first

    delta_stepping = dijkstra

    def weak_components(self):
        return (lambda: self.directed.connected_components(mode="weak").membership), np.array

    def strong_components(self):
        return (lambda: self.directed.connected_components(mode="strong").membership), np.array

    def clustering(self):
        return self.simple.transitivity_local_undirected, lambda found: np.nan_to_num(np.array(found))

    def core_numbers(self):
        return self.simple.coreness, np.array

    def louvain(self):
        return self.simple.community_multilevel, lambda found: found.modularity

    def leiden(self):
        run = lambda: self.simple.community_leiden(objective_function="modularity", n_iterations=2)
        return run, lambda found: found.modularity

    def betweenness(self):
        # Of ways both ways round, each counts half.
        return (lambda: self.simple.betweenness(sources=self.sources)), lambda found: np.array(found) * 2


def first(found):
    return np.array(found[0], dtype=float)
