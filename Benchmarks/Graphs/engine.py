"""Junction's own program, asked through its pipe."""
import os, re, subprocess, tempfile

import numpy as np

MARK = "== end of answer =="


class Junction:
    """A session over a folder of files, or over an empty database."""

    def __init__(self, cli, folder=None):
        self.errors = tempfile.TemporaryFile(mode="w+")
        self.process = subprocess.Popen(
            [cli, "-X", "-q", "-At"] + ([folder] if folder else []),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, text=True)
        self.ask("\\timing on")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()
        self.errors.close()

    def ask(self, text):
        """The lines that come of some statements; ends the run where one of them is wrong."""
        print(f"{text}\n\\echo {MARK}", file=self.process.stdin, flush=True)
        found = []
        for line in self.process.stdout:
            if line.rstrip("\n") == MARK:
                break
            found.append(line.rstrip("\n"))
        self.errors.seek(0)
        complaint = self.errors.read()
        if "ERROR" in complaint or self.process.poll() is not None:
            raise SystemExit(f"{text}\n{complaint}")
        return found

    def timed(self, text):
        """Milliseconds that statements take, by the engine's own clock, and what they answer."""
        found = self.ask(text)
        times = [re.match(r"Time: ([\d.]+) ms", line) for line in found]
        return (sum(float(time[1]) for time in times if time),
                [line for line, time in zip(found, times) if not time])

    def time(self, call, columns="*", samples=1):
        """The times of a call whose columns are all made and counted."""
        counted = ", ".join(f"count({column})" for column in columns.split(", "))
        return [self.timed(f"SELECT {counted} FROM {call};")[0] for _ in range(samples)]

    def rows(self, call, columns):
        """The rows of a call as an array of numbers; NULL is not a number."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "rows.csv")
            self.ask(f"\\copy (SELECT {columns} FROM {call}) TO '{path}' WITH (FORMAT csv, NULL 'nan')")
            if os.path.getsize(path) == 0:
                return np.zeros((0, columns.count(",") + 1))
            return np.loadtxt(path, delimiter=",", ndmin=2)

    def values(self, call, column, count, missing=0):
        """A column by vertex, where vertices are numbered from 0."""
        found = np.full(count, missing, dtype=float)
        rows = self.rows(call, f"id, {column}")
        found[rows[:, 0].astype(np.int64)] = rows[:, 1]
        return found

    def resident(self, name="VmRSS"):
        """Bytes of memory that the process has now, or at most has had since `forget_peak`."""
        with open(f"/proc/{self.process.pid}/status") as file:
            found = re.search(rf"^{name}:\s+(\d+) kB", file.read(), re.MULTILINE)
        return int(found[1]) * 1024

    def grown(self, call, columns):
        """Bytes by which the process grows at most while a call runs, and the milliseconds that it takes."""
        with open(f"/proc/{self.process.pid}/clear_refs", "w") as file:
            file.write("5")
        before = self.resident()
        taken = self.time(call, columns)[0]
        return max(0, self.resident("VmHWM") - before), taken
