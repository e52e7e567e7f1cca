#!/usr/bin/env python3
"""Compares the graph algorithms of Junction with those of NetworkX.

  check.py CLI [--seed N] [--graph NAME] [--function NAME] [--random N] [--verbose]

Each of some thirty graphs is made as tables, or as a query that gives pairs; each algorithm that fits it is asked for once, and its rows
are compared. With --random it is N small graphs at random, many in one session. graphs.py makes the graphs, algorithms.py, centrality.py and the like say what is expected. Needs networkx (pip install networkx numpy scipy).
"""
import argparse, itertools, json, re, subprocess, sys

import algorithms, centrality, components, patterns, ways
from graphs import make_graphs, small_graphs

MARK = "=== "
END = "the end"
ALGORITHMS = {
    **algorithms.ALGORITHMS, **centrality.ALGORITHMS, **components.ALGORITHMS, **ways.ALGORITHMS, **patterns.PATTERNS}


def script_of(number, graph, algorithms, is_alone):
    """What makes a graph, asks for each algorithm over it, and takes it away again where others follow."""
    yield graph.setup
    for name, algorithm in algorithms:
        yield f"\\echo {MARK}{number} {name}"
        columns = ", ".join(graph.columns(algorithm) + algorithm.results)
        yield f"SELECT json_agg(json_build_array({columns})) FROM {algorithm.call(graph)};"
    if not is_alone:
        yield f"\\echo {MARK}{number} {END}"
        for table in reversed(re.findall(r"CREATE TABLE (\w+)", graph.setup)):
            yield f"DROP TABLE {table};"


def ask(cli, cases):
    """The rows of each algorithm over some graphs in one session, by the graph's number and the algorithm's name, or the error."""
    script = [
        line for number, (graph, algorithms) in enumerate(cases)
        for line in script_of(number, graph, algorithms, len(cases) == 1)]
    run = subprocess.run(
        [cli, "-X", "-At", "-f", "-"], input="\n".join(script), capture_output=True, text=True)
    found, current = {}, None
    for line in run.stdout.splitlines():
        if line.startswith(MARK):
            number, name = line[len(MARK):].split(" ", 1)
            current = (int(number), name) if name != END else None
            if current:
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


def batches(options):
    """Lists of graphs, each for one session: one of those that are written out, or many of those at random."""
    if options.random is None:
        return ([graph] for graph in make_graphs(options.seed) if not options.graph or graph.name == options.graph)
    graphs = small_graphs(options.seed, options.random)
    return iter(lambda: list(itertools.islice(graphs, 250)), [])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cli")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--graph")
    parser.add_argument("--function")
    parser.add_argument("--random", type=int, metavar="N")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    checked = failed = 0
    for batch in batches(options):
        cases = [(graph, [
            (name, algorithm) for name, algorithm in ALGORITHMS.items()
            if algorithm.fits(graph) and (not options.function or name.startswith(options.function))]) for graph in batch]
        found, run = ask(options.cli, cases)
        for number, (graph, fitting) in enumerate(cases):
            for name, algorithm in fitting:
                checked += 1
                fault = "no answer"
                if (number, name) in found:
                    fault = algorithm.fault(graph, rows_of(graph, algorithm, found[number, name]))
                if fault:
                    failed += 1
                    print(f"{graph.name}, {name}: {fault}", flush=True)
            if options.verbose:
                print(f"{graph.name}: {len(fitting)} algorithms")
        if run.returncode != 0 or run.stderr.strip():
            print(f"{cases[0][0].name}: status {run.returncode}, {run.stderr.strip()[:600]}")
            failed += 1
    print(f"{checked} answers compared, {failed} faults")
    return 1 if failed or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
