import networkit as nk
import numpy as np

from . import ITERATIONS, SAMPLES, THREADS, neighbours


class Library:
    MISSING = {
        "label_propagation": "PLP changes labels as it goes, which is another algorithm",
        "betweenness": "takes no sources",
    }

    def __init__(self, graph, source, sources):
        nk.setNumberOfThreads(THREADS)
        ends = graph.source.astype(np.uint64), graph.target.astype(np.uint64)
        self.directed = nk.GraphFromCoo(ends, n=graph.count, directed=True)
        self.weighted = nk.GraphFromCoo(
            (graph.weight.astype(float), ends), n=graph.count, directed=True, weighted=True)
        pairs = tuple(part.astype(np.uint64) for part in neighbours(graph))
        self.simple = nk.GraphFromCoo(pairs, n=graph.count, directed=False)
        # Triangles are counted by edge.
        self.simple.indexEdges()
        self.source = source

    def bfs(self):
        return (lambda: nk.distance.BFS(self.directed, self.source, storePaths=False).run()), distances

    def dijkstra(self):
        return (lambda: nk.distance.Dijkstra(self.weighted, self.source, storePaths=False).run()), distances

    # The same question.
    delta_stepping = dijkstra

    def pagerank(self):
        sinks = nk.centrality.SinkHandling.DistributeSinks
        run = nk.centrality.PageRank(self.directed, tol=1e-300, distributeSinks=sinks)
        run.maxIterations = ITERATIONS["pagerank"]
        return run.run, scores

    def weak_components(self):
        return (lambda: nk.components.WeaklyConnectedComponents(self.directed).run()), groups

    def strong_components(self):
        return (lambda: nk.components.StronglyConnectedComponents(self.directed).run()), groups

    def clustering(self):
        return (lambda: nk.centrality.LocalClusteringCoefficient(self.simple).run()), scores

    def triangles(self):
        def by_vertex(found):
            total = np.zeros(self.simple.numberOfNodes())
            counts = np.array(found)
            ends = np.array([(a, b, self.simple.edgeId(a, b)) for a, b in self.simple.iterEdges()])
            for end in (0, 1):
                np.add.at(total, ends[:, end], counts[ends[:, 2]])
            return total / 2
        return (lambda: nk.sparsification.TriangleEdgeScore(self.simple).run().scores()), by_vertex

    def core_numbers(self):
        return (lambda: nk.centrality.CoreDecomposition(self.simple).run()), scores

    def louvain(self):
        return (lambda: nk.community.PLM(self.simple, refine=True).run()), self.modularity

    def leiden(self):
        return (lambda: nk.community.ParallelLeiden(self.simple).run()), self.modularity

    def modularity(self, found):
        return nk.community.Modularity().getQuality(found.getPartition(), self.simple)

    def sampled_betweenness(self):
        def run():
            return nk.centrality.EstimateBetweenness(self.simple, SAMPLES, normalized=True, parallel=True).run()
        return run, lambda found: sum(found.scores())


def distances(run):
    found = np.array(run.getDistances())
    # What cannot be reached is very far.
    return np.where(found > 1e300, np.inf, found)


def scores(run):
    return np.array(run.scores())


def groups(run):
    return np.array(run.getPartition().getVector())
