import os

from . import ITERATIONS, THREADS, neighbours

os.environ.setdefault("RAYON_NUM_THREADS", str(THREADS))

import numpy as np
import rustworkx


class Library:
    MISSING = {
        "pagerank": "an error where it has not converged after the rounds that it is given",
        "clustering": "gives that of the whole graph alone",
        "triangles": "counts none",
        "label_propagation": "has none",
        "louvain": "has none",
        "leiden": "has none",
        "betweenness": "takes no sources",
        "sampled_betweenness": "takes no sources",
    }

    def __init__(self, graph, source, sources):
        self.count, self.source = graph.count, source
        self.directed = rustworkx.PyDiGraph()
        self.directed.add_nodes_from(range(graph.count))
        edges = zip(graph.source.tolist(), graph.target.tolist(), graph.weight.astype(float).tolist())
        self.directed.add_edges_from(list(edges))
        self.simple = rustworkx.PyGraph()
        self.simple.add_nodes_from(range(graph.count))
        lesser, greater = neighbours(graph)
        self.simple.add_edges_from_no_data(list(zip(lesser.tolist(), greater.tolist())))

    def bfs(self):
        def by_vertex(layers):
            found = np.full(self.count, np.inf)
            for depth, layer in enumerate(layers):
                found[layer] = depth
            return found
        return (lambda: rustworkx.bfs_layers(self.directed, [self.source])), by_vertex

    def dijkstra(self):
        def by_vertex(costs):
            found = np.full(self.count, np.inf)
            found[self.source] = 0
            for vertex, cost in costs.items():
                found[vertex] = cost
            return found
        return (lambda: rustworkx.dijkstra_shortest_path_lengths(self.directed, self.source, float)), by_vertex

    delta_stepping = dijkstra

    def groups(self, found):
        numbers = np.zeros(self.count)
        for number, group in enumerate(found):
            numbers[list(group)] = number
        return numbers

    def weak_components(self):
        return (lambda: rustworkx.weakly_connected_components(self.directed)), self.groups

    def strong_components(self):
        return (lambda: rustworkx.strongly_connected_components(self.directed)), self.groups

    def core_numbers(self):
        return (lambda: rustworkx.core_number(self.simple)), lambda found: np.array([found[n] for n in range(self.count)])
