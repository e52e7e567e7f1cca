#!/usr/bin/env python3
"""Opens real files with Junction and compares what it infers with what a person would say.

  check.py CLI [--files FOLDER] [NAME ...]

expectations.txt beside this script says what is expected, and where each file comes from; further.txt does so for
files that were looked at only when all of the others were opened as expected. Files are fetched once into
FOLDER (by default build/real-files of the temporary folder) by `pip download` and `apt-get download`, and are not part of
the project. A source that cannot be had is skipped, with a reason.
"""
import json, os, re, shutil, subprocess, sys, tarfile, tempfile, zipfile


class Item:
    def __init__(self, name):
        self.name, self.source, self.tables = name, "", []
        self.references, self.maybe_references = set(), set()


class Table:
    def __init__(self, name, path, file):
        self.name, self.path, self.file = name, path, file
        self.keys, self.maybe_keys, self.columns = [], [], {}


def unquoted(name):
    return json.loads(name) if name.startswith('"') else name


def read_expectations(path):
    items = []
    for line in open(path, encoding="utf-8"):
        line = line.rstrip("\n")
        word, _, rest = line.strip().partition(" ")
        if line.startswith("item "):
            items.append(Item(rest))
        elif line.startswith("from "):
            items[-1].source = rest
        elif line.startswith("table "):
            name, path, file = re.fullmatch(r"(.*) from (.*) as (.*)", rest).groups()
            items[-1].tables.append(Table(name, path, file))
        elif line.startswith("reference "):
            items[-1].references.add(rest)
        elif line.startswith("maybe reference "):
            items[-1].maybe_references.add(rest.partition(" ")[2])
        elif line.startswith("  key "):
            items[-1].tables[-1].keys.append(tuple(unquoted(n) for n in rest.split(", ")))
        elif line.startswith("  maybe key "):
            names = rest.partition(" ")[2].split(", ")
            items[-1].tables[-1].maybe_keys.append(tuple(unquoted(n) for n in names))
        elif line.startswith("  "):
            items[-1].tables[-1].columns[unquoted(rest)] = set(word.split("/"))
    return items


# Fetching

def fetch(source, folder):
    """Unpacks a package once and gives where its files are."""
    kind, name, version = source.split(" ")[:3]
    target = os.path.join(folder, f"{kind}-{name}-{version}".replace("/", "_"))
    if os.path.isdir(target):
        return target
    with tempfile.TemporaryDirectory() as place:
        if kind == "pypi":
            extra = ["--no-binary", name] if "(source)" in source else []
            command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", *extra, f"{name}=={version}"]
        else:
            command = ["apt-get", "-q", "download", f"{name}={version}"]
        subprocess.run(command, cwd=place, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=300)
        found = os.listdir(place)
        if not found:
            return None
        packed = os.path.join(place, found[0])
        opened = target + ".part"
        shutil.rmtree(opened, ignore_errors=True)
        os.makedirs(opened)
        if packed.endswith(".deb"):
            subprocess.run(["dpkg-deb", "-x", packed, opened], check=True)
        elif packed.endswith(".whl"):
            zipfile.ZipFile(packed).extractall(opened)
        else:
            tarfile.open(packed).extractall(opened)
        os.rename(opened, target)
    return target


def content(root, path):
    """The bytes of a file, also of one within an archive: ARCHIVE!MEMBER."""
    outer, _, member = path.partition("!")
    full = os.path.join(root, outer)
    if not member:
        return open(full, "rb").read()
    if full.endswith(".zip"):
        return zipfile.ZipFile(full).read(member)
    archive = tarfile.open(full)
    for name in (member, "./" + member):
        try:
            return archive.extractfile(name).read()
        except KeyError:
            pass
    raise FileNotFoundError(path)


# What Junction says

def parse_schema(script):
    tables, references = {}, set()
    script = re.sub(r"(^|  )-- .*$", "", script, flags=re.M)
    script = re.sub(r'"(?:[^"]|"")*"', lambda name: name[0].replace("\n", " "), script)
    for match in re.finditer(r"^CREATE TABLE (.*?) \(\n(.*?)^\);", script, re.S | re.M):
        name = plain(match[1])
        columns, keys = {}, []
        for line in match[2].splitlines():
            line = line.strip().removesuffix(",")
            if found := re.fullmatch(r"PRIMARY KEY \((.*)\)", line):
                keys.append(tuple(split_names(found[1])))
            elif found := re.fullmatch(r"FOREIGN KEY \((.*)\) REFERENCES (.*?) \((.*)\)", line):
                references.add(f"{name}.{plain(found[1])} -> {plain(found[2])}.{plain(found[3])}")
            elif not line.startswith("UNIQUE"):
                column, rest = take_name(line)
                if rest.endswith(" PRIMARY KEY"):
                    keys.append((column,))
                columns[column] = re.sub(r" (PRIMARY KEY|NOT NULL)$", "", rest)
        tables[name] = (columns, keys)
    for match in re.finditer(r"^ALTER TABLE (.*?) ADD FOREIGN KEY \((.*)\) REFERENCES (.*?) \((.*)\);", script, re.M):
        references.add(f"{plain(match[1])}.{plain(match[2])} -> {plain(match[3])}.{plain(match[4])}")
    return tables, references


def take_name(text):
    if text.startswith('"'):
        match = re.match(r'"((?:[^"]|"")*)" ', text)
        return match[1].replace('""', '"'), text[match.end():]
    name, _, rest = text.partition(" ")
    return name, rest


def plain(name):
    return take_name(name + " ")[0]


def split_names(text):
    return [plain(n) for n in re.findall(r'"(?:[^"]|"")*"|[^,\s]+', text)]


KINDS = {
    "smallint": "integer", "integer": "integer", "bigint": "integer", "numeric": "number",
    "double precision": "number", "real": "number", "timestamp without time zone": "timestamp",
    "timestamp with time zone": "timestamptz", "time without time zone": "time", "jsonb": "json",
    "character varying": "text",
}


def cut(name):
    """A name as far as PostgreSQL keeps it."""
    return re.sub(r"\s", " ", name).encode()[:63].decode(errors="ignore")


def compare(item, script):
    tables, references = parse_schema(script)
    faults = []
    for table in item.tables:
        if table.name not in tables:
            faults.append(f"no table {table.name}; there are {', '.join(tables)}")
            continue
        columns, keys = tables[table.name]
        flat = {cut(n): t for n, t in columns.items()}
        for name, kinds in table.columns.items():
            kind = flat.pop(cut(name), None)
            if KINDS.get(kind, kind) not in kinds:
                faults.append(f"{table.name}.{name} is {kind}, not {' or '.join(sorted(kinds))}")
        faults += [f"{table.name}.{name} is one too many" for name in flat]
        allowed = table.keys + table.maybe_keys
        if table.keys and not any(k in keys for k in table.keys):
            faults.append(f"{table.name} has not the key {table.keys[0]}")
        faults += [f"{table.name} has the key {k}" for k in keys if k not in allowed]
    faults += [f"lacks {r}" for r in sorted(item.references - references)]
    faults += [f"has {r}" for r in sorted(references - item.references - item.maybe_references)]
    return faults


def check(item, cli, folder):
    root = fetch(item.source, folder)
    if root is None:
        return None
    with tempfile.TemporaryDirectory() as place:
        for table in item.tables:
            with open(os.path.join(place, table.file), "wb") as file:
                file.write(content(root, table.path))
        run = subprocess.run([cli, "-X", "-q", place, "--write-schema=-"], capture_output=True, text=True,
                             timeout=600, stdin=subprocess.DEVNULL)
        if run.returncode != 0:
            return [run.stderr.strip() or run.stdout.strip()]
        faults = compare(item, run.stdout)
        # What was written is what the files are opened with again.
        with open(os.path.join(place, "schema.sql"), "w", encoding="utf-8") as file:
            file.write(run.stdout)
        again = subprocess.run([cli, "-X", "-q", place, "--write-schema=-"], capture_output=True, text=True,
                               timeout=600, stdin=subprocess.DEVNULL)
        if again.returncode != 0:
            faults.append("with its schema: " + again.stderr.strip())
        elif parse_schema(again.stdout) != parse_schema(run.stdout):
            faults.append("with its schema it is another")
        return faults


def main():
    arguments = sys.argv[1:]
    folder = os.path.join(tempfile.gettempdir(), "real-files")
    if "--files" in arguments:
        place = arguments.index("--files")
        folder = arguments[place + 1]
        del arguments[place:place + 2]
    if not arguments:
        sys.exit(__doc__)
    cli, names = os.path.abspath(arguments[0]), arguments[1:]
    os.makedirs(folder, exist_ok=True)
    here = os.path.dirname(os.path.abspath(__file__))
    good = bad = skipped = 0
    items = []
    for list_name in ("expectations.txt", "further.txt"):
        items += read_expectations(os.path.join(here, list_name))
    for item in items:
        if names and item.name not in names:
            continue
        faults = check(item, cli, folder)
        if faults is None:
            skipped += 1
            print(f"skip {item.name}: {item.source} cannot be had")
            continue
        good, bad = good + (not faults), bad + bool(faults)
        print(f"{'ok  ' if not faults else 'FAIL'} {item.name}")
        for fault in faults:
            print("       " + fault.replace("\n", "\n       "))
    print(f"{good} passed, {bad} failed, {skipped} skipped")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
