"""The conversation of PROTOCOL.md, shared by the scripts of all peers.

A peer is a class with `name` and `version` and the methods that `answer` calls: `start`, `load`,
`memory`, `prepare`, `text`, `execute` and `processor_seconds`; hyper.py is the smaller example.
"""

import datetime
import json
import os
import sys
import time
import zlib

MASK = 0xFFFFFFFFFFFFFFFF

# Seconds that one execution may take unless the request says otherwise.
LIMIT = 30.0


class Unsupported(Exception):
    """The peer has no way to say what was asked of it."""


class OverLimit(Exception):
    """An execution took longer than it may."""


def answer_to_json(value):
    """The form in which arrays of objects are digested: the order of elements does not count."""
    elements = json.loads(value) if isinstance(value, str) else (value or [])
    total = 0
    for element in elements:
        text = json.dumps(element, separators=(",", ":"), ensure_ascii=False)
        total = (total + zlib.crc32(text.encode())) & MASK
    return f"{len(elements)}:{total}"


def answer_to_number(value):
    """A number by its first six digits, as engines write means with differing ones."""
    return "%.6g" % (float(value) or 0.0)


def written(value):
    """A value as SQL writes it; times without the zeros at their end."""
    text = str(value)
    return text.rstrip("0") if isinstance(value, datetime.datetime) and value.microsecond else text


def digest(rows, ordered, json_columns=(), numeric_columns=()):
    total = 0
    for row in rows:
        if json_columns or numeric_columns:
            row = [answer_to_json(v) if i in json_columns else v if v is None or i not in numeric_columns
                   else answer_to_number(v) for i, v in enumerate(row)]
        line = b"\x1f".join(b"\0" if v is None else written(v).encode() for v in row)
        crc = zlib.crc32(line)
        total = (total * 1099511628211 + crc if ordered else total + crc) & MASK
    return f"{total:016x}"


def statements(text):
    """The statements of a text: most have one, those that write may have several.

    Texts of workloads hold no semicolon within quotes.
    """
    return [part.strip() for part in text.split(";") if part.strip()]


def literal(value):
    if value is None:
        return "NULL"
    return str(value) if isinstance(value, int) else "'" + value.replace("'", "''") + "'"


def with_literals(sql, parameters):
    """The text with the values in place of $1, $2, …; the highest first, as $1 begins $10."""
    for number in range(len(parameters), 0, -1):
        sql = sql.replace(f"${number}", literal(parameters[number - 1]))
    return sql


def process_memory(pid):
    """Resident bytes of a process, now and at most."""
    found = {"resident": 0, "peak": 0}
    with open(f"/proc/{pid}/status") as status:
        for line in status:
            if line.startswith("VmRSS:"):
                found["resident"] = int(line.split()[1]) * 1024
            elif line.startswith("VmHWM:"):
                found["peak"] = int(line.split()[1]) * 1024
    return found


def process_seconds(pid):
    """Processor seconds that the living threads of a process have used, to the nanosecond."""
    total = 0
    for thread in os.listdir(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{thread}/schedstat") as stat:
                total += int(stat.read().split()[0])
        except OSError:
            continue  # It has ended since.
    return total / 1e9


def check(peer, request):
    ordered = request.get("ordered", False)
    json_columns = set(request.get("json", ()))
    numeric_columns = set(request.get("numeric", ()))
    counts, digests = [], []
    for parameters in request.get("parameters") or [[]]:
        rows = peer.execute(peer.prepare(request["id"], request["sql"], parameters))
        counts.append(len(rows))
        digests.append(digest(rows, ordered, json_columns, numeric_columns))
    return {"rows": counts, "digests": digests}


def run(peer, request):
    budget = request.get("budget", 2.0)
    if "texts" in request:
        prepared = [peer.text(text) for text in request["texts"]]
    else:
        sets = request.get("parameters") or [[]]
        prepared = [peer.prepare(request["id"], request["sql"], values) for values in sets]
    seconds, counts = [], []
    cpu = peer.processor_seconds()
    clock = time.perf_counter
    begin = clock()
    for statement in prepared:
        start = clock()
        rows = peer.execute(statement)
        end = clock()
        seconds.append(end - start)
        counts.append(len(rows))
        if end - begin > budget:
            break
    return {"seconds": seconds, "rows": counts, "cpu": peer.processor_seconds() - cpu}


def answer(peer, request):
    op = request["op"]
    peer.limit = request.get("limit", LIMIT)
    if op == "load":
        peer.start(request.get("threads", 2))
        cpu = peer.processor_seconds()
        start = time.perf_counter()
        note = peer.load(os.path.abspath(request["data"]))
        seconds = time.perf_counter() - start
        return {"seconds": seconds, "cpu": peer.processor_seconds() - cpu, "note": note}
    if op == "memory":
        return peer.memory()
    if op == "check":
        return check(peer, request)
    if op == "run":
        return run(peer, request)
    return {"error": f"there is no request {op}"}


def converse(make_peer, package):
    """Greets, then answers requests until the input ends."""
    # Only answers go to standard output, whatever a library prints: it gets standard error instead.
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def say(message):
        out.write(json.dumps(message) + "\n")
        out.flush()

    try:
        peer = make_peer()
    except ImportError:
        say({"missing": f"Benchmarks/Peers/install.sh  (Python package {package})"})
        return
    say({"name": peer.name, "version": peer.version})
    for line in sys.stdin:
        if not line.strip():
            continue
        try:
            say(answer(peer, json.loads(line)))
        except Unsupported as reason:
            say({"unsupported": str(reason)})
        except OverLimit:
            say({"error": f"over the time limit of {peer.limit:g} s", "timeout": True})
        except Exception as error:  # Whatever a peer throws is its answer.
            text = str(error).strip() or type(error).__name__
            say({"error": text.splitlines()[0]})
    peer.close()
