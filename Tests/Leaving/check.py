#!/usr/bin/env python3
"""Exports the databases of specification files, with a sample of their queries, and runs the exports.

Usage: check.py JUNCTION [--spark PYTHON] [--postgres OPTIONS] [--sample N] [--seed N] [--out DIR] FILE...

JUNCTION is the executable, PYTHON one with pyspark, OPTIONS those of psql for a server on which a database
may be made and dropped, such as "-h localhost". FILE is in the form of Tests/SQL: statements, and queries
with their rows, of which only the text is used. A group of queries between two changes is one export.
"""
import argparse, collections, glob, json, os, random, re, shutil, subprocess, sys, tempfile, types


def records(path):
    """The statements and queries of a file in order, as (kind, expectation, text)."""
    with open(path, encoding="utf-8", errors="replace") as file:
        text = file.read()
    for block in re.split(r"\n\s*\n", text):
        lines = block.split("\n")
        while lines and (lines[0].startswith("#") or not lines[0].strip()):
            lines.pop(0)
        head = lines[0].split() if lines else []
        if head[:1] == ["statement"] and len(head) > 1:
            yield "statement", head[1], "\n".join(lines[1:])
        elif head[:1] == ["query"]:
            end = next((i for i, line in enumerate(lines) if line.startswith("----")), len(lines))
            yield "query", "", "\n".join(lines[1:end])


def is_plain(text):
    """Whether a query reads tables, and nothing of the session or the moment."""
    text = text.strip().lower()
    own = r"\b(pg_|information_schema|explain|for update|into |nextval|currval|setval|random\(|now\(|insert |update |delete |from ')|\$\d"
    return (re.match(r"(select|with|values|table|\()", text) and re.search(r"\bfrom\b", text)
            and not re.search(own, text) and ";" not in text.rstrip(" ;"))


def groups(files):
    """The queries between two changes, by file and number."""
    for file in files:
        current = []
        for number, (kind, expected, text) in enumerate(records(file)):
            if kind == "query" and is_plain(text):
                current.append(number)
            elif kind == "statement" and expected == "ok" and current:
                yield file, current
                current = []
        if current:
            yield file, current


def sample(options):
    """The groups to be taken by file, with no more than eight queries of each."""
    chosen, count = collections.defaultdict(list), 0
    found = list(groups(options.files))
    generator = random.Random(options.seed)
    generator.shuffle(found)
    for file, group in found:
        if count >= options.sample:
            break
        group = group if len(group) <= 8 else sorted(generator.sample(group, 8))
        chosen[file].append(group)
        count += len(group)
    return chosen, count


def export(options, chosen, out):
    """Makes the databases group by group, and exports each."""
    made = 0
    for file, its_groups in sorted(chosen.items()):
        lines, database, done = list(records(file)), out + "/db.junction", 0
        shutil.rmtree(database, ignore_errors=True)
        for group in sorted(its_groups):
            statements = [text.rstrip().rstrip(";") + ";" for kind, expected, text in lines[done:group[0]]
                          if (kind, expected) == ("statement", "ok")]
            # What is temporary would be gone before it is exported.
            script = re.sub(r"(?i)\bcreate\s+(temp|temporary)\s+", "create ", "\n".join(statements))
            script = script.replace("__DATA_DIR__", os.path.dirname(file) + "/data")
            # Queries within a transaction see what it has made, which the end of the script would take back.
            script += "\ncommit;"
            done, made = group[0], made + 1
            folder = f"{out}/{made:04d}"
            os.makedirs(folder)
            with open(folder + "/load.sql", "w") as load:
                load.write(script + "\n")
            with open(folder + "/queries.sql", "w") as queries:
                queries.write(";\n".join(lines[number][2].strip().rstrip(";") for number in group) + ";\n")
            subprocess.run([options.junction, "-X", "-q", database, "-f", folder + "/load.sql"], capture_output=True)
            for kind in ["spark"] * bool(options.spark) + ["citus"] * bool(options.postgres is not None):
                ended = subprocess.run(
                    [options.junction, "export", database, "--" + kind, f"{folder}/{kind}", "--queries",
                     folder + "/queries.sql"], capture_output=True, text=True)
                if ended.returncode:
                    print(f"{folder} not exported: {ended.stderr.strip()}")


def run_spark(out):
    """Runs all exports for Spark in one session, which takes longest to start."""
    folders = sorted(glob.glob(out + "/*/spark"))
    runner = types.ModuleType("runner")
    runner.__file__ = folders[0] + "/run"
    with open(runner.__file__) as file:
        exec(compile(file.read(), runner.__file__, "exec"), runner.__dict__)
    settings = argparse.Namespace(master="local[2]", memory="2g")
    spark = runner.start(settings, tempfile.mkdtemp(prefix="junction-spark-"))
    total = collections.Counter()
    for runner.here in folders:
        for table in spark.catalog.listTables():
            kind = "VIEW" if table.isTemporary else "TABLE"
            spark.sql(f"DROP {kind} IF EXISTS {runner.quoted(table.name)}")
        try:
            runner.load(spark)
        except Exception as error:
            print(f"{runner.here} not loaded: {str(error)[:200]}")
            continue
        for check in json.loads(runner.read("checks.json")):
            if spark.sql(check["sql"]).collect()[0][0]:
                print(f"{runner.here}: constraint {check['name']} is broken")
        for query in json.loads(runner.read("queries.json")):
            if "refused" in query:
                total["not translated"] += 1
                continue
            try:
                found = runner.difference(query, runner.ask(spark, query)[0])
            except Exception as error:
                found = str(error).strip().split("\n")[0]
            total["different" if found else "same"] += 1
            if found:
                print(f"{runner.here} query {query['number']}: {found[:300]}")
    print("Spark: " + ", ".join(f"{total[k]} {k}" for k in ["same", "different", "not translated"]))


def run_postgres(out, options):
    """Runs each export for Citus on a database of its own, without Citus."""
    total = collections.Counter()
    server, name = options.split(), f"leaving_{os.getpid()}"
    environment = dict(os.environ, PGOPTIONS="-c statement_timeout=60s -c client_min_messages=warning")
    for folder in sorted(glob.glob(out + "/*/citus")):
        subprocess.run(["createdb", *server, "-T", "template0", name], check=True)
        ended = subprocess.run([folder + "/run", "--plain", *server, "-d", name], capture_output=True, text=True, env=environment)
        subprocess.run(["dropdb", *server, "--force", name], check=True)
        last = re.search(r"(\d+) same, (\d+) different, (\d+) not translated", ended.stdout)
        if not last:
            print(f"{folder} not loaded: {(ended.stdout + ended.stderr).strip()[:300]}")
            continue
        for key, value in zip(["same", "different", "not translated"], last.groups()):
            total[key] += int(value)
        if last.group(2) != "0":
            print(f"{folder}: {ended.stdout.strip()[:400]}")
    print("PostgreSQL: " + ", ".join(f"{total[k]} {k}" for k in ["same", "different", "not translated"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("junction")
    parser.add_argument("files", nargs="*")
    parser.add_argument("--spark", metavar="PYTHON")
    parser.add_argument("--postgres", metavar="OPTIONS")
    parser.add_argument("--sample", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", default="")
    options = parser.parse_intermixed_args()
    if options.junction == "drive":
        return run_spark(options.out)
    out = options.out or tempfile.mkdtemp(prefix="junction-leaving-")
    os.makedirs(out, exist_ok=True)
    chosen, count = sample(options)
    export(options, chosen, out)
    print(f"{count} queries, seed {options.seed}, in {out}", flush=True)
    if options.spark:
        subprocess.run([options.spark, os.path.abspath(__file__), "drive", "--out", out], stderr=subprocess.DEVNULL)
    if options.postgres is not None:
        run_postgres(out, options.postgres)


if __name__ == "__main__":
    main()
