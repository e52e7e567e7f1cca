"""Graph500's first two kernels: a graph made of a list of edges, and searches in breadth with their trees, validated as its specification says.

The list has repeated edges and loops; kernel 1 makes tables of it within the engine, without them, as the specification allows.
"""
import os, time

import numpy as np

import graphs
from engine import Junction
from gap import check_parents

PER_VERTEX = 16


def edge_list(scale, root):
    """The folder of the list and its edges; made once."""
    folder = os.path.join(root, f"graph500-{scale}")
    path = os.path.join(folder, "list.npz")
    if os.path.exists(path):
        kept = np.load(path)
        return folder, kept["source"], kept["target"]
    os.makedirs(folder, exist_ok=True)
    source, target = graphs.kronecker(scale, PER_VERTEX, np.random.default_rng(scale))
    graphs.write_csv(os.path.join(folder, "list.csv"), "a,b", [source, target])
    np.savez(path, source=source, target=target)
    return folder, source, target


def construct(session, scale):
    """Kernel 1: milliseconds."""
    taken, _ = session.timed(
        "CREATE TABLE node (id int PRIMARY KEY);"
        "CREATE TABLE edge (a int REFERENCES node, b int REFERENCES node, PRIMARY KEY (a, b));"
        f"INSERT INTO node SELECT generate_series(0, {(1 << scale) - 1});"
        "INSERT INTO edge SELECT DISTINCT least(a, b), greatest(a, b) FROM list WHERE a <> b;")
    return taken


def validate(graph, matrix, root, depths, parents, ends):
    """The five rules of the specification's section on validation; what is broken, or None."""
    # 1, 2 and 5: parents one step nearer along an edge of the graph make a tree, as nobody is nearer than the root.
    if depths[root] != 0:
        return "the root is not at depth 0"
    fault = check_parents(matrix, root, depths, parents)
    if fault:
        return fault
    # 3: every edge of the list connects vertices whose depths differ by one at most, or none of the tree.
    source, target = depths[ends[0]], depths[ends[1]]
    both = np.isfinite(source) & np.isfinite(target)
    # 4: the tree spans a whole component: no edge leads out of it.
    if (np.isfinite(source) != np.isfinite(target)).any():
        return "an edge that leads out of the tree"
    if (np.abs(source[both] - target[both]) > 1).any():
        return "an edge between depths that differ by more than one"
    return None


def search(session, graph, matrix, key, ends, is_verified):
    """Kernel 2: edges of the list traversed a second, and what is wrong."""
    call = f"bfs('edge', {key}, directed => false)"
    taken = session.time(call, "depth, parent")[0]
    # What the traversed component has of the list, repeated edges and loops as well.
    depths = session.values(call, "depth", graph.count, np.inf)
    edges = np.isfinite(depths[ends[0]]).sum()
    if not is_verified:
        return edges / taken * 1000, None
    parents = session.values(call, "parent", graph.count, np.nan)
    return edges / taken * 1000, validate(graph, matrix, key, depths, parents, ends)


def main(options):
    folder, source, target = edge_list(options.scale, options.data)
    count = 1 << options.scale
    lesser, greater = graphs.simple(source, target, count, is_directed=False)
    graph = graphs.Graph(folder, count, lesser, greater, np.ones(len(lesser)), False)
    matrix = graph.matrix()
    keys = graph.sources(options.sources, seed=options.scale)
    rates, faults = [], []
    start = time.perf_counter()
    with Junction(options.cli, folder) as session:
        opened = time.perf_counter() - start
        construction = construct(session, options.scale)
        for number, key in enumerate(keys):
            rate, fault = search(session, graph, matrix, key, (source, target), number < options.verified)
            rates.append(rate)
            if fault:
                faults.append(f"from {key}: {fault}")
    report(options, opened, construction, len(source), len(lesser), np.array(rates), faults)
    return len(faults)


def report(options, opened, construction, listed, kept, rates, faults):
    """What the specification's output has, and how long the list took to read."""
    quartiles = np.quantile(rates, [0, 0.25, 0.5, 0.75, 1]) / 1e6
    inverse = 1 / rates
    mean = 1 / inverse.mean()
    # The deviation of a harmonic mean, as in the specification's Octave code.
    deviation = mean ** 2 * inverse.std(ddof=1) / np.sqrt(len(rates) - 1) if len(rates) > 1 else 0
    print(f"Graph500, scale {options.scale}: {listed} edges in the list, {kept} kept")
    print(f"  reading the list {opened:.2f} s, kernel 1 {construction / 1000:.2f} s")
    print(f"  kernel 2, {len(rates)} keys: harmonic mean {mean / 1e6:.1f} M TEPS ± {deviation / 1e6:.1f}")
    print("  least, quartiles, greatest: " + ", ".join(f"{value:.1f}" for value in quartiles))
    print(f"  {min(options.verified, len(rates))} trees validated, {len(faults)} wrong")
    for fault in faults:
        print(f"  WRONG {fault}")
