"""Graphs for the benchmarks: made here, kept in a folder that Junction opens, and as arrays for whoever else asks."""
import dataclasses, os

import numpy as np

# The shares of the four quarters of the matrix in Graph500 and the GAP benchmark suite; the fourth is what is left.
QUARTERS = (0.57, 0.19, 0.19)


@dataclasses.dataclass
class Graph:
    """Each edge once, without loops; where edges have no direction, from the lesser vertex to the greater."""
    folder: str
    count: int
    source: np.ndarray
    target: np.ndarray
    weight: np.ndarray
    is_directed: bool

    @property
    def size(self):
        return len(self.source)

    def both(self):
        """Sources, targets and weights with each edge both ways if it has no direction."""
        if self.is_directed:
            return self.source, self.target, self.weight
        return (np.concatenate([self.source, self.target]), np.concatenate([self.target, self.source]),
                np.concatenate([self.weight, self.weight]))

    def matrix(self, weights=None):
        """A sparse matrix with a row for each source."""
        import scipy.sparse
        source, target, _ = self.both()
        values = np.ones(len(source)) if weights is None else weights
        return scipy.sparse.csr_matrix((values, (source, target)), shape=(self.count, self.count))

    def degrees(self):
        """How many edges lead from each vertex."""
        out = np.bincount(self.source, minlength=self.count)
        return out if self.is_directed else out + np.bincount(self.target, minlength=self.count)

    def sources(self, number, seed=0):
        """Some vertices with edges, each once."""
        with_edges = np.flatnonzero(self.degrees())
        return np.random.default_rng(seed).choice(with_edges, min(number, len(with_edges)), replace=False).tolist()

    def hub(self):
        """The vertex of most edges, from which much can be reached, as Graphalytics takes one."""
        return int(self.degrees().argmax())


def kronecker(scale, per_vertex, random):
    """Edges as Graph500 and GAP draw them, repeated ones and loops among them, with the numbers of vertices shuffled."""
    total = per_vertex << scale
    # Half as wide as the numbers of an edge are made below: at scale 24 it is memory that decides.
    source, target = np.zeros(total, dtype=np.int32), np.zeros(total, dtype=np.int32)
    a, b, c = QUARTERS
    for bit in range(scale):
        draw = random.random(total)
        source |= (draw >= a + b).astype(np.int32) << bit
        target |= (((draw >= a) & (draw < a + b)) | (draw >= a + b + c)).astype(np.int32) << bit
    order = random.permutation(1 << scale).astype(np.int32)
    return order[source], order[target]


def uniform(scale, per_vertex, random):
    """Edges between any two vertices, as in GAP's `urand`."""
    total = per_vertex << scale
    return random.integers(0, 1 << scale, total), random.integers(0, 1 << scale, total)


KINDS = {"kron": kronecker, "uniform": uniform}


def make(kind, scale, is_directed, root, per_vertex=16):
    """A graph of 2^scale vertices in a folder below `root`; made once."""
    folder = os.path.join(root, f"{kind}-{scale}-{per_vertex}-{'directed' if is_directed else 'undirected'}")
    path = os.path.join(folder, "edges.npz")
    if os.path.exists(path):
        kept = np.load(path)
        return Graph(folder, 1 << scale, kept["source"], kept["target"], kept["weight"], is_directed)
    random = np.random.default_rng(scale)
    source, target = simple(*KINDS[kind](scale, per_vertex, random), 1 << scale, is_directed)
    weight = random.integers(1, 256, len(source))
    graph = Graph(folder, 1 << scale, source, target, weight, is_directed)
    write_folder(graph)
    np.savez(path, source=source, target=target, weight=weight)
    return graph


def simple(source, target, count, is_directed):
    """Each edge once and no loops, sorted."""
    if not is_directed:
        source, target = np.minimum(source, target), np.maximum(source, target)
    kept = source != target
    keys = np.unique(source[kept].astype(np.int64) * count + target[kept])
    return keys // count, keys % count


def write_folder(graph, ids=None, weight_type="int"):
    """The files of a folder that Junction opens; `ids` says what the vertices are called."""
    os.makedirs(graph.folder, exist_ok=True)
    if ids is None:
        ids = np.arange(graph.count)
    write_csv(os.path.join(graph.folder, "node.csv"), "id", [ids])
    edges = [ids[graph.source], ids[graph.target], graph.weight]
    write_csv(os.path.join(graph.folder, "edge.csv"), "a,b,w", edges)
    with open(os.path.join(graph.folder, "schema.sql"), "w") as file:
        file.write(
            "CREATE TABLE node (id int PRIMARY KEY);\n"
            "CREATE TABLE edge (a int REFERENCES node, b int REFERENCES node,"
            f" w {weight_type}, PRIMARY KEY (a, b));\n")


def write_csv(path, header, columns):
    with open(path, "wb") as file:
        file.write(header.encode() + b"\n")
        for start in range(0, len(columns[0]), 1 << 20):
            file.write(lines([column[start:start + (1 << 20)] for column in columns]))


def lines(columns):
    """The text of some rows. Whole numbers that are not negative become digits by arithmetic, which is many times as fast as formatting."""
    if any(column.dtype.kind != "i" for column in columns):
        return b"".join(",".join(map(str, row)).encode() + b"\n" for row in zip(*(c.tolist() for c in columns)))
    parts, kept = [], []
    for place, column in enumerate(columns):
        width = len(str(int(column.max(initial=0))))
        powers = 10 ** np.arange(width - 1, -1, -1, dtype=np.int64)
        parts.append((column[:, None] // powers % 10 + ord("0")).astype(np.uint8))
        # No zeros at the front, but a digit.
        kept.append((column[:, None] >= powers) | (powers == 1))
        end = ord("\n" if place + 1 == len(columns) else ",")
        parts.append(np.full((len(column), 1), end, np.uint8))
        kept.append(np.ones((len(column), 1), bool))
    return np.concatenate(parts, 1)[np.concatenate(kept, 1)].tobytes()
