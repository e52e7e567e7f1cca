"""How time and memory grow with the graph: per edge, against the bytes that cannot but be touched."""
import json, os

import graphs, libraries
from chart import page
from engine import Junction

ROUNDS = libraries.ITERATIONS["pagerank"]

# An algorithm: the call, its columns, and the least bytes that an edge makes it touch. An edge is stored as 4 bytes in each direction; ranks are
# pulled along one of them in each round; a search looks at both ends' lists at most once; a triangle takes the list of one direction and is
# found in those of neighbours, which is more: only reading the graph is counted.
ALGORITHMS = {
    "bfs": ("bfs('edge', {source}, directed => false)", "depth", 8),
    "pagerank": (f"pagerank('edge', tolerance => 0, iterations => {ROUNDS}, directed => false)", "rank", 8 * ROUNDS),
    "weak_components": ("weak_components('edge')", "component", 4),
    "triangles": ("triangles('edge')", "triangles", 8),
}
# Those whose memory by vertex is looked at as well, in graphs that are read in seconds.
LINEAR_MAX = 22
LINEAR = {
    "degree": ("degree('edge')", "degree"),
    "label_propagation": ("label_propagation('edge')", "community"),
    "core_numbers": ("core_numbers('edge')", "core"),
    "strong_components": ("strong_components('edge')", "component"),
}


# A graph over which an algorithm runs once before it is measured: pages of the program itself, which is read from its file as it is
# needed, are no memory of the algorithm.
LITTLE = """CREATE TABLE little_node (id int PRIMARY KEY);
CREATE TABLE little (a int REFERENCES little_node, b int REFERENCES little_node, PRIMARY KEY (a, b));
INSERT INTO little_node VALUES (1), (2), (3);
INSERT INTO little VALUES (1, 2), (2, 3);"""


def measure(options, scale):
    graph = graphs.make(options.kind, scale, False, options.data)
    folder, count, size, source = graph.folder, graph.count, graph.size, graph.hub()
    # The arrays take as much memory as Junction needs for the greatest graphs.
    del graph
    found = {"scale": scale, "vertices": count, "edges": size, "algorithms": {}}
    algorithms = {**ALGORITHMS, **LINEAR} if scale <= LINEAR_MAX else ALGORITHMS
    for name, (call, column, *_) in algorithms.items():
        # Each in a process of its own: memory that another has given back would be taken again unseen.
        with Junction(options.cli, folder) as session:
            session.ask(f"SELECT count(*) FROM edge; {LITTLE}")
            session.time(call.replace("'edge'", "'little'").format(source=1), column)
            found["table_bytes"] = session.resident()
            grown, first = session.grown(call.format(source=source), column)
            least = min([first] + session.time(call.format(source=source), column, options.samples - 1))
        found["algorithms"][name] = {
            "ms": least, "bytes": grown, "ns_per_edge": least * 1e6 / size,
            "bytes_per_vertex": grown / count, "bytes_per_edge": grown / size}
    print(f"scale {scale}: {size} edges, {found['table_bytes'] / size:.1f} bytes an edge of the whole process")
    for name, one in found["algorithms"].items():
        print(f"  {name:20}{one['ms']:10.1f} ms{one['ns_per_edge']:8.2f} ns/edge"
              f"{one['bytes_per_vertex']:8.2f} B/vertex{one['bytes_per_edge']:8.2f} B/edge", flush=True)
    return found


def table(found):
    """The same as Markdown."""
    lines = ["| scale | edges | algorithm | ms | ns an edge | bytes touched an edge | GB/s | memory: bytes a vertex | bytes an edge |",
             "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"]
    for one in found:
        for name, (_, _, touched) in ALGORITHMS.items():
            run = one["algorithms"][name]
            lines.append(
                f"| {one['scale']} | {one['edges']:,} | `{name}` | {run['ms']:.1f} | {run['ns_per_edge']:.2f} | {touched} |"
                f" {touched / run['ns_per_edge']:.1f} | {run['bytes_per_vertex']:.1f} | {run['bytes_per_edge']:.2f} |")
    lines += ["", "Memory beyond the tables, bytes a vertex and an edge, in the largest graph:", "",
              "| algorithm | scale | a vertex | an edge |", "| --- | --- | --- | --- |"]
    for name in {**ALGORITHMS, **LINEAR}:
        for one in [one for one in found if name in one["algorithms"]][-1:]:
            run = one["algorithms"][name]
            lines.append(f"| `{name}` | {one['scale']} | {run['bytes_per_vertex']:.2f} | {run['bytes_per_edge']:.2f} |")
    return "\n".join(lines) + "\n"


def main(options):
    found = [measure(options, scale) for scale in options.scales]
    os.makedirs(options.out, exist_ok=True)
    for name, text in {
            "growth.json": json.dumps(found, indent=1), "growth.md": table(found),
            "growth.html": page(found, ALGORITHMS, table(found))}.items():
        with open(os.path.join(options.out, name), "w") as file:
            file.write(text)
    print(f"{options.out}/growth.html, growth.md, growth.json")
    return 0
