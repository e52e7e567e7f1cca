"""Graph libraries that Junction is measured against, each as it is meant to be used.

A library is a class made of a graph, which is its building. For each kernel that it has, a method of that name gives two functions:
one that runs it, which is timed, and one that makes an array by vertex of what came, which is not. `MISSING` says why others are missing.
Kernels over neighbours (`clustering`, `triangles`, `core_numbers`, `louvain`, `leiden`, `betweenness`,
`sampled_betweenness`) take the graph without direction.
"""
import importlib

NAMES = ["networkit", "igraph", "graphblas", "rustworkx", "scipy", "duckdb"]
THREADS = 2
# Rounds of PageRank and of label propagation.
ITERATIONS = {"pagerank": 20, "label_propagation": 10}
# Vertices from which ways are looked for where betweenness is estimated.
SAMPLES = 16


def load(name):
    """The class of a library; None where it is not installed."""
    try:
        return importlib.import_module(f"{__name__}.{name}_runs").Library
    except ImportError:
        return None


def neighbours(graph):
    """Lesser and greater vertex of each pair of neighbours, each pair once."""
    from graphs import simple
    return simple(graph.source, graph.target, graph.count, is_directed=False)
