"""Junction against graph libraries: each kernel's run alone, answers compared."""
import importlib, time

import numpy as np

import graphs, libraries, rules
from engine import Junction

# A kernel: the call, the column that it gives, what vertices have that come in no row, and when answers are the same.
ANSWERS = {
    "bfs": ("depth", np.inf, rules.exact),
    "dijkstra": ("cost", np.inf, rules.epsilon),
    "delta_stepping": ("cost", np.inf, rules.epsilon),
    "pagerank": ("rank", 0, rules.epsilon),
    "weak_components": ("component", 0, rules.equivalent),
    "strong_components": ("component", 0, rules.equivalent),
    "label_propagation": ("label", 0, rules.exact),
    "clustering": ("coefficient", 0, rules.epsilon),
    "triangles": ("triangles", 0, rules.exact),
    "core_numbers": ("core", 0, rules.exact),
    "betweenness": ("centrality", 0, rules.epsilon),
    # Of two searches neither is right; their quality is shown.
    "louvain": ("modularity", 0, None),
    "leiden": ("modularity", 0, None),
    # The sum over all vertices; each library draws others.
    "sampled_betweenness": ("centrality", 0, None),
}


def calls(source, sources):
    """How Junction is asked for each kernel."""
    rounds = libraries.ITERATIONS
    return {
        "bfs": f"bfs('edge', {source})",
        "dijkstra": f"dijkstra('edge', {source}, weight => 'w')",
        "delta_stepping": f"delta_stepping('edge', {source}, weight => 'w')",
        "pagerank": f"pagerank('edge', tolerance => 0, iterations => {rounds['pagerank']})",
        "weak_components": "weak_components('edge')",
        "strong_components": "strong_components('edge')",
        "label_propagation": f"label_propagation('edge', {rounds['label_propagation']})",
        "clustering": "clustering('edge')",
        "triangles": "triangles('edge')",
        "core_numbers": "core_numbers('edge')",
        "betweenness": f"betweenness('edge', source => ARRAY{sources}, directed => false)",
        "louvain": "louvain('edge')",
        "leiden": "leiden('edge')",
        "sampled_betweenness": f"betweenness('edge', samples => {libraries.SAMPLES}, directed => false)",
    }


def timed(samples, run):
    """The least time in milliseconds, and the last result; what takes seconds is not run again."""
    least, result = np.inf, None
    for _ in range(samples):
        start = time.perf_counter()
        result = run()
        least = min(least, (time.perf_counter() - start) * 1000)
        if least > 5000:
            break
    return least, result


def own(session, kernel, call, count, samples):
    column, missing, rule = ANSWERS[kernel]
    times = session.time(call, column, samples)
    if rule is None:
        whole = f"sum({column})" if kernel == "sampled_betweenness" else f"DISTINCT {column}"
        return min(times), float(session.rows(call, whole)[0, 0])
    return min(times), session.values(call, column, count, missing)


def scaled(centrality, count, sources):
    """Betweenness as shares of pairs, made sums over ways from some vertices again; a source is on no way from itself."""
    begin = np.full(count, len(sources))
    begin[sources] -= 1
    return centrality * (count - 2) * begin


def main(options):
    graph = graphs.make(options.kind, options.scale, True, options.data)
    source, sources = graph.hub(), graph.sources(4)
    kernels = {name: call for name, call in calls(source, sources).items()
               if not options.only or name in options.only}
    print(f"{options.kind}, scale {options.scale}: {graph.count} vertices, {graph.size} edges; "
          f"ms, the least of {options.samples}")
    peers = {}
    for name in options.libraries or libraries.NAMES:
        kind = libraries.load(name)
        if kind is None:
            print(f"{name}: not installed")
            continue
        taken, peers[name] = timed(1, lambda: kind(graph, source, sources))
        print(f"{name}: building {taken:.0f} ms")
    start = time.perf_counter()
    wrong = 0
    with Junction(options.cli, graph.folder) as session:
        print(f"Junction: opening {(time.perf_counter() - start) * 1000:.0f} ms")
        print(f"{'':20}{'Junction':>10}{'ns/edge':>9}" + "".join(f"{name:>22}" for name in peers))
        for kernel, call in kernels.items():
            least, answer = own(session, kernel, call, graph.count, options.samples)
            if kernel == "betweenness":
                answer = scaled(answer, graph.count, sources)
            line = f"{kernel:20}{least:10.1f}{least * 1e6 / graph.size:9.1f}"
            for name, peer in peers.items():
                if not hasattr(peer, kernel):
                    line += f"{'-':>22}"
                    continue
                run, read = getattr(peer, kernel)()
                taken, result = timed(options.samples, run)
                result = read(result)
                rule = ANSWERS[kernel][2]
                right = rule is None or rule(answer, np.asarray(result, dtype=float))
                wrong += not right
                note = f" ({answer / result:.3f})" if rule is None else "" if right else " WRONG"
                line += f"{taken:10.1f} {least / taken:5.2f}{note:6}" if note else f"{taken:16.1f} {least / taken:5.2f}"
            print(line, flush=True)
    for name, peer in peers.items():
        missing = [f"{kernel} ({why})" for kernel, why in peer.MISSING.items() if kernel in kernels]
        if missing:
            print(f"{name} is without " + ", ".join(missing))
    return wrong
