#!/usr/bin/env python3
"""Times graph algorithms over a junction table against graph libraries, and compares the answers.

  bench.py CLI [--kind rmat|uniform] [--scale N] [--edges PER-VERTEX] [--samples N] [--data FOLDER] [--only NAME ...]

The graph is made here: R-MAT with the parameters of Graph500 and the GAP benchmark (A .57, B .19, C .19), or uniform as GAP's; without
loops and repeated edges, with the numbers of vertices shuffled, and whole weights from 1 to 255. Junction opens it as a folder of files; a
library builds its own graph from arrays in memory, which is timed apart. Times are the least of some samples, of the run alone.

Answers are compared by the rules of LDBC Graphalytics: depths, labels and components exactly (components as sets), ranks,
coefficients and costs to one part in ten thousand. Needs numpy, and networkit and igraph (pip install) for the peers.
"""
import argparse, os, re, subprocess, sys, time

import numpy as np


def make(folder, kind, scale, per_vertex):
    """The edges as an array of source, target and weight; made once."""
    path = os.path.join(folder, "edges.npy")
    if os.path.exists(path):
        return np.load(path)
    os.makedirs(folder, exist_ok=True)
    random = np.random.default_rng(scale)
    count, total = 1 << scale, per_vertex << scale
    if kind == "uniform":
        source, target = random.integers(0, count, total), random.integers(0, count, total)
    else:
        source = np.zeros(total, dtype=np.int64)
        target = np.zeros(total, dtype=np.int64)
        for bit in range(scale):
            draw = random.random(total)
            source |= (draw >= 0.76).astype(np.int64) << bit
            target |= (((draw >= 0.57) & (draw < 0.76)) | (draw >= 0.95)).astype(np.int64) << bit
        order = random.permutation(count)
        source, target = order[source], order[target]
    keys = np.unique(source * count + target)
    source, target = keys // count, keys % count
    kept = source != target
    edges = np.stack([source[kept], target[kept], random.integers(1, 256, kept.sum())], 1)
    np.savetxt(os.path.join(folder, "node.csv"), np.arange(count), fmt="%d", header="id", comments="")
    np.savetxt(
        os.path.join(folder, "edge.csv"), edges, fmt="%d", delimiter=",", header="a,b,w", comments="")
    with open(os.path.join(folder, "schema.sql"), "w") as file:
        file.write(
            "CREATE TABLE node (id int PRIMARY KEY);\n"
            "CREATE TABLE edge (a int REFERENCES node, b int REFERENCES node, w int, PRIMARY KEY (a, b));\n")
    np.save(path, edges)
    return edges


class Junction:
    """The engine's own program, with the folder open."""

    def __init__(self, cli, folder):
        self.cli, self.folder = cli, folder

    def run(self, queries, samples):
        """The least time of each query in milliseconds, and the rows of each as an array."""
        script = ["\\timing on"]
        for name, (call, columns) in queries.items():
            for _ in range(samples):
                script += [f"\\echo == {name}", f"SELECT count({columns}) FROM {call};"]
            out = os.path.join(self.folder, f"out-{name}.csv")
            script += ["\\echo == copy", f"\\copy (SELECT id, {columns} FROM {call}) TO '{out}' CSV"]
        done = subprocess.run(
            [self.cli, "-X", "-q", "-At", self.folder], input="\n".join(script), capture_output=True, text=True)
        if done.returncode or "ERROR" in done.stderr:
            sys.exit(done.stderr)
        times, current = {}, None
        for line in done.stdout.splitlines():
            if line.startswith("== "):
                current = line[3:]
            found = re.match(r"Time: ([\d.]+) ms", line)
            if found and current != "copy":
                times.setdefault(current, []).append(float(found[1]))
        rows = {
            name: np.loadtxt(os.path.join(self.folder, f"out-{name}.csv"), delimiter=",", ndmin=2)
            for name in queries}
        return times, rows


def by_vertex(rows, count, missing):
    values = np.full(count, missing, dtype=float)
    values[rows[:, 0].astype(np.int64)] = rows[:, 1]
    return values


def same_sets(one, other):
    """Whether two numberings tell the same vertices apart."""
    pairs = np.unique(np.stack([one, other], 1), axis=0)
    return len(pairs) == len(np.unique(one)) == len(np.unique(other))


def timed(samples, body):
    times, result = [], None
    for _ in range(samples):
        start = time.perf_counter()
        result = body()
        times.append((time.perf_counter() - start) * 1000)
    return min(times), result


def networkit_runs(edges, count, source, samples):
    import networkit as nk
    nk.setNumberOfThreads(2)
    start = time.perf_counter()
    ends = (edges[:, 0].astype(np.uint64), edges[:, 1].astype(np.uint64))
    graph = nk.GraphFromCoo(ends, n=count, directed=True)
    weighted = nk.GraphFromCoo((edges[:, 2].astype(float), ends), n=count, directed=True, weighted=True)
    simple = nk.graphtools.toUndirected(graph)
    simple.removeMultiEdges()
    yield "building", (time.perf_counter() - start) * 1000, None

    def ranks():
        run = nk.centrality.PageRank(graph, tol=1e-300)
        run.maxIterations = 20
        return run.run().scores()

    def components(kind):
        found = kind(graph).run()
        return np.array(found.getPartition().getVector())

    def distances(kind, graph):
        return np.array(kind(graph, source, storePaths=False).run().getDistances())

    runs = {
        "pagerank": ranks,
        "weak_components": lambda: components(nk.components.WeaklyConnectedComponents),
        "strong_components": lambda: components(nk.components.StronglyConnectedComponents),
        "bfs": lambda: distances(nk.distance.BFS, graph),
        "dijkstra": lambda: distances(nk.distance.Dijkstra, weighted),
        "clustering": lambda: nk.centrality.LocalClusteringCoefficient(simple).run().scores(),
        "core_numbers": lambda: nk.centrality.CoreDecomposition(simple).run().scores(),
    }
    for name, body in runs.items():
        yield (name,) + timed(samples if name != "clustering" else 1, body)


def igraph_runs(edges, count, source, samples):
    import igraph
    start = time.perf_counter()
    graph = igraph.Graph(n=count, edges=edges[:, :2], directed=True)
    simple = graph.as_undirected()
    weights = edges[:, 2].tolist()
    yield "building", (time.perf_counter() - start) * 1000, None
    runs = {
        "weak_components": lambda: np.array(graph.connected_components(mode="weak").membership),
        "strong_components": lambda: np.array(graph.connected_components(mode="strong").membership),
        "bfs": lambda: np.array(graph.distances(source)[0]),
        "dijkstra": lambda: np.array(graph.distances(source, weights=weights)[0]),
        "clustering": lambda: np.nan_to_num(np.array(simple.transitivity_local_undirected())),
        "core_numbers": lambda: np.array(simple.coreness()),
    }
    for name, body in runs.items():
        yield (name,) + timed(samples, body)


# What is not reached comes in no row.
DISTANCES = ("bfs", "dijkstra", "delta_stepping")


def agree(name, own, other):
    other = np.asarray(other, dtype=float)
    if name.endswith("components"):
        return same_sets(own, other)
    if name in DISTANCES:
        # What cannot be reached is very far, or infinitely.
        other = np.where(other > 1e300, np.inf, other)
    if name == "pagerank":
        # Libraries differ in what they do with a vertex without edges: ranks are compared by their order of size.
        return np.corrcoef(own, other)[0, 1] > 0.999
    return np.allclose(own, other, rtol=1e-4, atol=1e-9)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cli")
    parser.add_argument("--kind", choices=["rmat", "uniform"], default="rmat")
    parser.add_argument("--scale", type=int, default=16)
    parser.add_argument("--edges", type=int, default=16)
    parser.add_argument("--samples", type=int, default=3)
    parser.add_argument("--data")
    parser.add_argument("--only", nargs="*")
    options = parser.parse_args()
    folder = options.data or f"/tmp/junction-graph-{options.kind}-{options.scale}-{options.edges}"
    edges = make(folder, options.kind, options.scale, options.edges)
    count = 1 << options.scale
    # A vertex from which much can be reached, as Graphalytics takes one.
    source = int(np.bincount(edges[:, 0], minlength=count).argmax())
    queries = {
        "degree": ("degree('edge')", "degree"),
        "pagerank": ("pagerank('edge', tolerance => 0, iterations => 20)", "rank"),
        "weak_components": ("weak_components('edge')", "component"),
        "strong_components": ("strong_components('edge')", "component"),
        "bfs": (f"bfs('edge', {source})", "depth"),
        "dijkstra": (f"dijkstra('edge', {source}, weight => 'w')", "cost"),
        "delta_stepping": (f"delta_stepping('edge', {source}, weight => 'w')", "cost"),
        "clustering": ("clustering('edge')", "coefficient"),
        "core_numbers": ("core_numbers('edge')", "core"),
        "label_propagation": ("label_propagation('edge')", "community"),
    }
    if options.only:
        queries = {name: query for name, query in queries.items() if name in options.only}
    times, rows = Junction(options.cli, folder).run(queries, options.samples)
    own = {
        name: by_vertex(found, count, np.inf if name in DISTANCES else 0)
        for name, found in rows.items()}
    print(f"{options.kind}, scale {options.scale}: {count} vertices, {len(edges)} edges; ms, the least of {options.samples}")
    print(f"{'':20}{'first':>10}{'Junction':>10}{'ns/edge':>9}")
    for name, list in times.items():
        print(f"{name:20}{list[0]:10.1f}{min(list):10.1f}{min(list) * 1e6 / len(edges):9.1f}")
    wrong = 0
    for peer, runs in {"networkit": networkit_runs, "igraph": igraph_runs}.items():
        try:
            for name, taken, result in runs(edges, count, source, options.samples):
                if name == "building":
                    print(f"{peer}: building {taken:.1f} ms")
                    continue
                # Both ways to find the cheapest ways are held against the peer's one.
                for own_name in [name, "delta_stepping"] if name == "dijkstra" else [name]:
                    if own_name not in times:
                        continue
                    right = agree(own_name, own[own_name], result)
                    wrong += not right
                    ratio = min(times[own_name]) / taken
                    print(f"  {own_name:18}{taken:10.1f}   Junction / {peer} {ratio:6.2f}{'' if right else '   ANSWERS DIFFER'}")
        except ImportError:
            print(f"{peer}: not installed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
