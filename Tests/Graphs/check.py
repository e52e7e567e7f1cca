#!/usr/bin/env python3
"""Compares the graph algorithms of Junction with those of NetworkX.

  check.py CLI [--seed N] [--graph NAME] [--function NAME] [--verbose]

Each of some thirty graphs is made as tables, or as a query that gives pairs; each algorithm that fits it is asked for once, and its rows
are compared. graphs.py makes the graphs, algorithms.py, centrality.py and the like say what is expected. Needs networkx (pip install networkx numpy scipy).
"""
import argparse, json, subprocess, sys

import algorithms, centrality, components, patterns, ways
from graphs import make_graphs

MARK = "=== "
ALGORITHMS = {
    **algorithms.ALGORITHMS, **centrality.ALGORITHMS, **components.ALGORITHMS, **ways.ALGORITHMS, **patterns.PATTERNS}


def ask(cli, graph, algorithms):
    """The rows of each algorithm over one graph, or the error."""
    script = [graph.setup]
    for name, algorithm in algorithms:
        script.append(f"\\echo {MARK}{name}")
        columns = ", ".join(graph.columns(algorithm) + algorithm.results)
        script.append(f"SELECT json_agg(json_build_array({columns})) FROM {algorithm.call(graph)};")
    run = subprocess.run(
        [cli, "-X", "-At", "-f", "-"], input="\n".join(script), capture_output=True, text=True)
    found, current = {}, None
    for line in run.stdout.splitlines():
        if line.startswith(MARK):
            current = line[len(MARK):]
            found[current] = None
        elif current is not None and line:
            found[current] = json.loads(line)
    return found, run


def rows_of(graph, algorithm, found):
    """The rows with the columns of a vertex put together."""
    width = graph.width
    rows = []
    for row in found or []:
        made, place = [], 0
        for _ in algorithm.vertices:
            part = row[place:place + width]
            made.append(tuple(part) if width > 1 else part[0])
            place += width
        rows.append(tuple(made + row[place:]))
    return rows


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cli")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--graph")
    parser.add_argument("--function")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    checked = failed = 0
    for graph in make_graphs(options.seed):
        if options.graph and graph.name != options.graph:
            continue
        fitting = [
            (name, algorithm) for name, algorithm in ALGORITHMS.items()
            if algorithm.fits(graph) and (not options.function or name.startswith(options.function))]
        found, run = ask(options.cli, graph, fitting)
        if run.returncode != 0 or any(name not in found for name, _ in fitting):
            print(f"{graph.name}: {run.stderr.strip()[:400]}")
            failed += 1
        for name, algorithm in fitting:
            if name not in found:
                continue
            checked += 1
            fault = algorithm.fault(graph, rows_of(graph, algorithm, found[name]))
            if fault:
                failed += 1
                print(f"{graph.name}, {name}: {fault}")
        if run.stderr.strip():
            print(f"{graph.name}: {run.stderr.strip()[:600]}")
            failed += 1
        if options.verbose:
            print(f"{graph.name}: {len(fitting)} algorithms")
    print(f"{checked} answers compared, {failed} faults")
    return 1 if failed or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
