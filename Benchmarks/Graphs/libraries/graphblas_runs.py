"""GraphBLAS, with the formulations of LAGraph (github.com/GraphBLAS/LAGraph), as far as they can be said in python-graphblas."""
import graphblas as gb
import numpy as np
from graphblas import Matrix, Vector, binary, monoid, semiring, unary

from . import ITERATIONS, THREADS, neighbours


class Library:
    MISSING = {
        "strong_components": "no formulation in LAGraph's stable part",
        "label_propagation": "LAGraph's sorts outside of GraphBLAS",
        "core_numbers": "no formulation in LAGraph's stable part",
        "louvain": "no formulation in LAGraph's stable part",
        "leiden": "no formulation in LAGraph's stable part",
        "sampled_betweenness": "takes sources, and draws none",
    }

    def __init__(self, graph, source, sources):
        gb.ss.config["nthreads"] = THREADS
        self.count, self.source, self.sources = graph.count, source, sources
        shape = {"nrows": graph.count, "ncols": graph.count}
        self.matrix = Matrix.from_coo(graph.source, graph.target, True, dtype=bool, **shape)
        self.weighted = Matrix.from_coo(graph.source, graph.target, graph.weight.astype(float), **shape)
        self.pulled = self.matrix.T.new()
        lesser, greater = neighbours(graph)
        ends = np.concatenate([lesser, greater]), np.concatenate([greater, lesser])
        self.simple = Matrix.from_coo(*ends, True, dtype=bool, **shape)
        self.upper = self.simple.select("triu").new()
        self.degrees = self.matrix.reduce_rowwise(binary.plus[int]).new(dtype=float)
        self.neighbour_counts = self.simple.reduce_rowwise(binary.plus[int]).new(dtype=float)

    def dense(self, vector, missing):
        found = np.full(self.count, missing, dtype=float)
        places, values = vector.to_coo()
        found[places] = values
        return found

    def bfs(self):
        def run():
            depth = Vector(int, self.count)
            frontier = Vector.from_coo([self.source], [True], size=self.count, dtype=bool)
            step = 0
            while frontier.nvals:
                depth(frontier.S) << step
                # Pulls where the frontier is large.
                if frontier.nvals > self.count // 16:
                    frontier(~depth.S, replace=True) << self.pulled.mxv(frontier, semiring.any_pair[bool])
                else:
                    frontier(~depth.S, replace=True) << frontier.vxm(self.matrix, semiring.any_pair[bool])
                step += 1
            return depth
        return run, lambda found: self.dense(found, np.inf)

    def dijkstra(self):
        def run():
            # Bellman and Ford, from those alone that became cheaper.
            cost = Vector.from_coo([self.source], [0.0], size=self.count)
            changed = cost.dup()
            while changed.nvals:
                offered = changed.vxm(self.weighted, semiring.min_plus).new()
                # Where no cost is known yet, any is less.
                known = offered.ewise_mult(cost, binary.ge).new().select("==", True).new()
                changed = Vector(float, self.count)
                changed(~known.S) << offered
                cost(binary.min) << changed
            return cost
        return run, lambda found: self.dense(found, np.inf)

    delta_stepping = dijkstra

    def pagerank(self):
        def run():
            damping = 0.85
            rank = Vector.from_scalar(1 / self.count, self.count)
            share = self.degrees.apply(unary.minv).new()
            sinks = Vector.from_scalar(1.0, self.count)
            sinks(self.degrees.S) << 0.0
            for _ in range(ITERATIONS["pagerank"]):
                lost = rank.ewise_mult(sinks, binary.times).reduce(monoid.plus).new().value
                given = rank.ewise_mult(share, binary.times).new()
                rank = Vector.from_scalar((1 - damping + damping * lost) / self.count, self.count)
                pulled = self.pulled.mxv(given, semiring.plus_second).new()
                rank(binary.plus) << pulled.apply(binary.times, right=damping)
            return rank
        return run, lambda found: self.dense(found, 0)

    def weak_components(self):
        def run():
            # FastSV, of Zhang, Azad and Hu (2020).
            parent = Vector.from_coo(np.arange(self.count), np.arange(self.count), size=self.count)
            grand, least = parent.dup(), parent.dup()
            while True:
                least(binary.min) << self.simple.mxv(grand, semiring.min_second)
                above = parent.to_coo()[1]
                hooked = above.copy()
                np.minimum.at(hooked, above, least.to_coo()[1])
                parent = Vector.from_coo(np.arange(self.count), hooked, size=self.count)
                parent(binary.min) << least
                parent(binary.min) << grand
                values = parent.to_coo()[1]
                jumped = values[values]
                if np.array_equal(jumped, grand.to_coo()[1]):
                    return parent
                grand = Vector.from_coo(np.arange(self.count), jumped, size=self.count)
        return run, lambda found: found.to_coo()[1]

    def corners(self):
        """For each vertex its number of triangles."""
        closed = Matrix(int, self.count, self.count)
        closed(self.simple.S) << self.simple.mxm(self.upper.T, semiring.plus_pair[int])
        return closed.reduce_rowwise(monoid.plus).new()

    def triangles(self):
        return self.corners, lambda found: self.dense(found, 0)

    def clustering(self):
        def run():
            count = self.neighbour_counts
            pairs = count.ewise_mult(count.apply(binary.minus, right=1.0).new(), binary.times).new()
            return self.corners().ewise_mult(pairs.select(">", 0).new(), binary.truediv).new()
        return run, lambda found: 2 * self.dense(found, 0)

    def betweenness(self):
        def run():
            # Brandes, from all sources at the same time: a row each.
            rows = len(self.sources)
            ways = Matrix.from_coo(np.arange(rows), self.sources, 1.0, nrows=rows, ncols=self.count)
            frontier = Matrix(float, rows, self.count)
            frontier(~ways.S) << ways.mxm(self.simple, semiring.plus_first)
            levels = []
            while frontier.nvals:
                levels.append(frontier.dup(dtype=bool))
                ways(binary.plus) << frontier
                frontier(~ways.S, replace=True) << frontier.mxm(self.simple, semiring.plus_first)
            share = Matrix.from_scalar(1.0, rows, self.count)
            brought = Matrix(float, rows, self.count)
            for depth in range(len(levels) - 1, 0, -1):
                brought(levels[depth].S, replace=True) << share.ewise_mult(ways, binary.truediv)
                brought(levels[depth - 1].S, replace=True) << brought.mxm(self.simple, semiring.plus_first)
                share(binary.plus) << brought.ewise_mult(ways, binary.times)
            return share.reduce_columnwise(monoid.plus).new()
        return run, lambda found: self.dense(found, 0) - len(self.sources)
