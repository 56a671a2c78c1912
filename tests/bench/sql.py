"""SQL over a large trace: what sonde needs for usual questions, and what loading the rows elsewhere takes.

Times of the whole program, from its start to its end. Counts are scaled to 20 million events.
"""
import pathlib
import subprocess
import sys

import cores
from compare import Failed

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/lib"))
import npm  # noqa: E402  (found through the line above)

MILLIONS = 20
FIRST = "SELECT name, count(*) FROM event GROUP BY name"
ROWS = "SELECT id, ts, cpu, utid, tid, comm, system, name FROM event"
SQLITE = """
import csv, os, sqlite3
db = sqlite3.connect(":memory:")
db.execute("CREATE TABLE event (id INTEGER, ts INTEGER, cpu INTEGER, utid INTEGER, tid INTEGER, comm TEXT, system TEXT, name TEXT)")
with open(os.environ["ROWS"], newline="") as rows:
	lines = csv.reader(rows)
	next(lines)
	db.executemany("INSERT INTO event VALUES (?, ?, ?, ?, ?, ?, ?, ?)", lines)
db.execute(os.environ["FIRST"]).fetchall()
"""
DUCKDB = """
const { DuckDBInstance } = require(process.env.WORK + '/node_modules/@duckdb/node-api');
(async () => {
	const db = await (await DuckDBInstance.create(':memory:')).connect();
	await db.run(`CREATE TABLE event AS SELECT * FROM read_parquet('${process.env.ROWS}')`);
	await db.runAndReadAll(process.env.FIRST);
})();
"""


class Sql:
    """runs, medians, seconds, both_seconds: those of run. huge: the trace, from inputs; cache: a directory."""

    def __init__(self, sonde, runs, medians, seconds, both_seconds, huge, cache):
        self.sonde, self.runs, self.medians, self.seconds = sonde, runs, medians, seconds
        self.both_seconds, self.huge, self.cache = both_seconds, huge, cache

    def argv(self, inputs, query):
        return [self.sonde, "sql", "--json", self.huge(inputs), query]

    def events(self, inputs):
        return cores.n_events(self.sonde, self.huge(inputs))

    def scaled(self, query):
        """Seconds for 20 million events."""
        def measure(inputs):
            taken, = self.medians(self.runs, lambda: self.seconds(self.argv(inputs, query)))
            return taken * MILLIONS * 1e6 / self.events(inputs), None
        return measure

    def rate(self, query):
        """Million events for each second of a core."""
        def measure(inputs):
            taken, = self.medians(self.runs, lambda: self.both_seconds(self.argv(inputs, query))[1])
            return self.events(inputs) / taken / 1e6, None
        return measure

    def narrow(self, inputs):
        """1 % of the time and one kind of event, out of the middle."""
        done = subprocess.run([self.sonde, "sql", "--csv", self.huge(inputs), "SELECT start_ts, end_ts FROM trace_bounds"],
                              check=True, stdout=subprocess.PIPE, text=True)
        start, end = (int(word) for word in done.stdout.splitlines()[1].split(","))
        middle = start + (end - start) // 2
        query = f"SELECT ts, cpu, prev_comm, next_comm FROM sched_switch WHERE ts BETWEEN {middle} AND {middle + (end - start) // 100}"
        return self.medians(self.runs, lambda: self.seconds(self.argv(inputs, query)))[0], None

    def rows(self, inputs, form):
        """The rows of the table event in a file; loading them is what is compared."""
        path = self.cache / f"{self.huge(inputs).stem}-rows.{form}"
        if not path.exists():
            part = path.with_suffix(".part")
            subprocess.run([self.sonde, "sql", f"--{form}", "-o", part, self.huge(inputs), ROWS], check=True)
            part.rename(path)
        return path

    def against_sqlite(self, inputs):
        """With Python's module, into memory, without an index."""
        env = {"ROWS": str(self.rows(inputs, "csv")), "FIRST": FIRST}
        ours, = self.medians(self.runs, lambda: self.seconds(self.argv(inputs, FIRST)))
        return ours, self.seconds([sys.executable, "-c", SQLITE], env)

    def against_duckdb(self, inputs):
        work = ROOT / "build/duckdb"
        why = npm.missing() or npm.install(work, ROOT / "tests/duckdb/package.json", "@duckdb/node-api")
        if why:
            raise Failed(f"the figure sql-duckdb needs DuckDB: {why}")
        env = {"WORK": str(work), "ROWS": str(self.rows(inputs, "parquet")), "FIRST": FIRST}
        return self.medians(self.runs, lambda: self.seconds(self.argv(inputs, FIRST)),
                            lambda: self.seconds(["node", "-e", DUCKDB], env))

    def figures(self):
        return {
            "sql-count": ("sql: count(*) of 20 million events", self.scaled("SELECT count(*) FROM event"), "s", "at most", 0.2),
            "sql-group": ("sql: count(*) GROUP BY comm, each core", self.rate("SELECT comm, count(*) FROM event GROUP BY comm"),
                          "M events/s", "at least", 10),
            "sql-buckets": ("sql: GROUP BY cpu and time, with a sum, each core",
                            self.rate("SELECT cpu, ts / 1000000000, count(*), sum(tid) FROM event GROUP BY 1, 2"),
                            "M events/s", "at least", 10),
            "sql-narrow": ("sql: one kind of event in 1 % of the time, {huge} MB", self.narrow, "ms", "at most", 50),
            "sql-sqlite": ("sql: from the file to the first answer, against loading the rows into SQLite", self.against_sqlite,
                           "s", "faster", 5),
            "sql-duckdb": ("the same against DuckDB, from Parquet", self.against_duckdb, "s", "faster", 5),
        }
