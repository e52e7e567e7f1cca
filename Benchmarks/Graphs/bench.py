#!/usr/bin/env python3
"""Graph benchmarks that others wrote, with their own rules of when an answer is right, and Junction against graph libraries.

  bench.py COMMAND CLI [options]; bench.py COMMAND --help says which.

Graphs are made here and kept in a folder (--data); Junction opens them as folders of files. Times are the engine's own, of a query whose
columns are all made and counted. The status is 1 where an answer is wrong. Needs numpy and scipy; libraries are measured where they are installed.
"""
import argparse, sys

import gap, graph500, graphalytics, growth, graphs, libraries, peers


def tiny(options):
    """Every benchmark over small graphs, all answers verified."""
    wrong = 0
    for module in (graphalytics, gap, graph500, peers):
        wrong += module.main(options)
    return wrong


def parser():
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument("cli", help="Junction's program")
    shared.add_argument("--data", default="/tmp/junction-graphs", metavar="FOLDER", help="where graphs are kept")
    shared.add_argument("--samples", type=int, default=3, help="runs of which the least time counts")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def command(name, run, what, scale=None, sources=None):
        made = commands.add_parser(name, parents=[shared], help=what, description=what)
        made.set_defaults(
            run=run, kind="kron", kinds=list(graphs.KINDS), sources=4, verified=4, reference=None, only=None,
            libraries=None)
        if scale:
            made.add_argument("--scale", type=int, default=scale, help="2^SCALE vertices, 16 edges drawn for each")
        if sources:
            made.add_argument("--sources", type=int, default=sources, help="vertices from which searches begin")
            made.add_argument("--verified", type=int, default=4, help="searches whose answers are verified")
        return made

    made = command("graphalytics", graphalytics.main, "LDBC Graphalytics' six algorithms", scale=16)
    made.add_argument("--kind", choices=graphs.KINDS, default="kron")
    made.add_argument("--reference", metavar="CHECKOUT", help="a checkout of github.com/ldbc/ldbc_graphalytics")
    made = command("gap", gap.main, "the six kernels of the GAP Benchmark Suite", scale=17, sources=16)
    made.add_argument("--kinds", nargs="+", choices=graphs.KINDS, default=list(graphs.KINDS))
    command("graph500", graph500.main, "Graph500's searches in breadth", scale=18, sources=64)
    made = command("peers", peers.main, "against graph libraries", scale=17)
    made.add_argument("--kind", choices=graphs.KINDS, default="kron")
    made.add_argument("--only", nargs="+", choices=peers.ANSWERS, metavar="KERNEL")
    made.add_argument("--libraries", nargs="*", choices=libraries.NAMES)
    made = command("growth", growth.main, "time and memory as graphs grow")
    made.add_argument("--kind", choices=graphs.KINDS, default="kron")
    made.add_argument("--scales", type=int, nargs="+", default=[16, 17, 18, 19, 20])
    made.add_argument("--out", default="report", metavar="FOLDER")
    made = command("tiny", tiny, "all but growth over small graphs, all answers verified", scale=9)
    made.add_argument("--reference", metavar="CHECKOUT", help="a checkout of github.com/ldbc/ldbc_graphalytics")
    return parser


if __name__ == "__main__":
    options = parser().parse_args()
    wrong = options.run(options)
    if wrong:
        print(f"{wrong} answers are wrong")
    sys.exit(1 if wrong else 0)
