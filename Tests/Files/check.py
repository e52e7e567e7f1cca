#!/usr/bin/env python3
"""Writes and reads files of every format with other programs and with Junction, and compares all values.

  check.py CLI [--rows 0,1,3000] [--seed N] [--formats parquet,csv] [--programs duckdb] [--types int4,date] [--spark PYTHON]

See README.md beside this script.
"""
import argparse, collections, json, os, shutil, subprocess, sys, tempfile, time
import comparing, programs, stated, values

FORMATS = ["parquet", "csv", "csv.gz", "csv.zst", "tsv", "ndjson", "json", "ndjson.zst", "ndjson.gz"]


class Report:
    def __init__(self):
        self.counts, self.examples = collections.Counter(), collections.OrderedDict()

    def column(self, direction, program, format, file, column, found, kind=None):
        """Compares what was found of a column, or the error instead, with what it was made of."""
        why = stated.reason(direction, program, format, column)
        self.counts["cases"] += 1
        try:
            different = (found, "its values") if isinstance(found, str) else comparing.difference(column, found)
        except Exception as error:
            different = f"{type(error).__name__}: {error}", "its values"
        if different is None:
            self.counts["equal"] += 1
            if why and column.count:
                self.counts["equal although stated"] += 1
            return
        if why:
            self.counts["stated"] += 1
            return
        self.counts["different"] += 1
        key = (direction, program, format, column.type.name)
        found, wanted = different
        self.examples.setdefault(key, f"{column.nulls} {os.path.basename(file)} ({kind or ''}) {found} instead of {wanted}"[:300].replace("\n", " "))

    def left_out(self, count=1):
        self.counts["cases"] += count
        self.counts["stated"] += count

    def show(self):
        for key, example in self.examples.items():
            print("DIFFERENT", *key, "·", example)
        print(", ".join(f"{self.counts[kind]} {kind}" for kind in ["cases", "equal", "stated", "different", "equal although stated"]))


def check_reading(junction, report, program, format, made, folder):
    """The program writes, Junction reads."""
    kept = [c for c in made if stated.left_out(program, format, c) is None]
    report.left_out(len(made) - len(kept))
    if not kept:
        return
    try:
        # Only DuckDB and pyarrow have such a type, and only in files that name types.
        as_text = ["uuid"] if format != "parquet" or program == "polars" else []
        paths = list(programs.WRITERS[program](values.arrow_table(kept, as_text), folder, format))
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        # Which columns are to blame?
        if len(kept) > 1:
            half = len(kept) // 2
            check_reading(junction, report, program, format, kept[:half], folder)
            check_reading(junction, report, program, format, kept[half:], folder)
        else:
            report.column("reads", program, format, "-", kept[0], f"cannot be written: {error}")
        return
    for path in paths:
        read_back(junction, report, program, format, kept, path)
        os.remove(path)


def read_back(junction, report, program, format, made, path):
    # What programs have no type for they write as text.
    casts = {"interval": "::interval::text", "uuid": "::uuid::text"}
    names = ", ".join(f'"{column.name}"{casts.get(column.type.family, "::text")}' for column in made)
    try:
        found = junction.columns(f"SELECT {names} FROM '{path}'", path + ".text")
    except RuntimeError as error:
        if len(made) > 1 and made[0].count:
            for column in made:
                read_back(junction, report, program, format, [column], path)
        else:
            for column in made:
                report.column("reads", program, format, path, column, str(error))
        return
    for column, array in zip(made, found):
        report.column("reads", program, format, path, column, array)


def check_writing(junction, report, format, made, folder, names):
    """Junction writes, the programs read."""
    variants = [""]
    if format == "parquet":
        variants = [" WITH (COMPRESSION snappy)", " WITH (COMPRESSION none)", " WITH (ROW_GROUP_SIZE 700)"]
    elif format in programs.OPENED:
        variants = [" WITH (FORMAT csv, HEADER)" if "csv" in format else " WITH (FORMAT csv, HEADER, DELIMITER E'\\t')"]
    if format.endswith("zst"):
        return
    for variant in variants:
        path = f"{folder}/junction.{format}"
        write(junction, made, path, variant)
        refused = []
        for program in names:
            if (program, format) in programs.UNREAD:
                report.left_out(len(made))
            elif (error := compare_read(report, program, format, made, path)) is not None:
                refused.append(program)
        # What Junction has written it reads as well.
        read_back(junction, report, "junction", format, made, path)
        # Which columns are to blame?
        for column in made if refused else []:
            write(junction, [column], path, variant)
            for program in refused:
                error = compare_read(report, program, format, [column], path)
                if error is not None:
                    report.column("writes", program, format, path, column, f"cannot be read: {error}")
        os.remove(path)


def write(junction, made, path, variant):
    text = path + ".text"
    junction.run(junction.load([values.row_numbers(made), *made], text) + f"COPY t TO '{path}'{variant};")
    os.remove(text)


def compare_read(report, program, format, made, path):
    """Has a program read a file and compares; gives the error if it cannot."""
    try:
        table = programs.READERS[program](path, format, [values.row_numbers(made), *made])
    except Exception as error:
        return error
    for column in made:
        try:
            found = table.column(column.name)
            kind = found.type
        except Exception as error:
            found, kind = f"{type(error).__name__}: {error}", None
        report.column("writes", program, format, path, column, found, kind)
    return None


def check_spark(junction, report, python, made, folder):
    """Spark writes what pyarrow has written, and Junction reads; Junction writes, and Spark's copy is what is compared."""
    kept = [c for c in made if stated.left_out("spark", "parquet", c) is None]
    report.left_out(2 * (len(made) - len(kept)))
    if not kept or not kept[0].count:
        return
    source, own = f"{folder}/source.parquet", f"{folder}/junction.parquet"
    programs.pa.parquet.write_table(values.arrow_table(kept, ["uuid"]), source)
    write(junction, kept, own, "")
    jobs = [dict(codec="none", dictionary=True, version="v1", timestamps="TIMESTAMP_MICROS") | {"from": own, "to": f"{folder}/read"}]
    for codec in ["none", "snappy", "gzip", "zstd", "lz4"]:
        for dictionary, version, timestamps in [(True, "v1", "INT96"), (False, "v2", "TIMESTAMP_MICROS"), (True, "v2", "TIMESTAMP_MILLIS")]:
            name = f"{folder}/spark-{codec}-{dictionary}-{version}-{timestamps}"
            jobs.append({"from": source, "to": name, "codec": codec, "dictionary": dictionary, "version": version, "timestamps": timestamps})
    with open(f"{folder}/jobs", "w") as file:
        json.dump(jobs, file)
    here = os.path.dirname(os.path.abspath(__file__))
    subprocess.run([python, f"{here}/spark.py", f"{folder}/jobs"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for job, error in zip(jobs, json.load(open(f"{folder}/jobs"))):
        if job["to"].endswith("/read"):
            if error is None:
                table = programs.pa.parquet.read_table(job["to"])
            for column in kept:
                found = error if error else table.column(column.name)
                report.column("writes", "spark", "parquet", own, column, found)
            continue
        # Milliseconds are what is asked for.
        chosen = [c for c in kept if not ("MILLIS" in job["timestamps"] and c.type.family.startswith("timestamp"))]
        if error is None:
            read_back(junction, report, "spark", "parquet", chosen, job["to"])
        else:
            for column in chosen:
                report.column("reads", "spark", "parquet", job["to"], column, error)


def check(junction, report, chosen, made):
    """Every format and program with some columns."""
    folder = tempfile.mkdtemp(prefix="junction-files-")
    names = chosen.programs.split(",")
    try:
        for format in chosen.formats.split(","):
            began = time.monotonic()
            for program in names:
                check_reading(junction, report, program, format, made, folder)
            check_writing(junction, report, format, made, folder, names)
            if chosen.spark and format == "parquet":
                check_spark(junction, report, chosen.spark, made, folder)
            print(made[0].count, format, f"{made[0].name}…", f"{time.monotonic() - began:.0f} s", dict(report.counts), flush=True)
    finally:
        shutil.rmtree(folder)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cli")
    parser.add_argument("--rows", default="0,1,3000")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--formats", default=",".join(FORMATS))
    parser.add_argument("--programs", default=",".join(programs.WRITERS))
    parser.add_argument("--types", default="")
    parser.add_argument("--columns", type=int, default=0, help="so many at a time, as a million rows of all take much memory")
    parser.add_argument("--spark", help="a Python that has pyspark")
    chosen = parser.parse_args()
    junction = programs.Junction(chosen.cli)
    report = Report()
    names = [type for type in chosen.types.split(",") if type]
    for count in map(int, chosen.rows.split(",")):
        every = values.columns(chosen.seed, count, names)
        step = chosen.columns or len(every)
        for start in range(0, len(every), step):
            check(junction, report, chosen, every[start:start + step])
            # Each holds its values as soon as they were asked for.
            every[start:start + step] = [None] * len(every[start:start + step])
    report.show()
    sys.exit(1 if report.counts["different"] else 0)


if __name__ == "__main__":
    main()
