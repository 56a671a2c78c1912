"""Which tests run when: reads tests/tiers, and tells a suite which of its tests are asked for.

A suite asks chosen(NAME) for each of its tests. The answer follows its arguments (parts of names, or
patterns with * and ?) and the tier in $SONDE_TIER, which tests/run sets: quick, rest, or nothing for all.
"""
import fnmatch
import functools
import os
import pathlib
import sys

TABLE = pathlib.Path(__file__).resolve().parents[1] / "tiers"
TIERS = ("quick", "full", "both", "never")


def rows(path=TABLE):
    """[(tier, pattern)] in the order of the file."""
    found = []
    for number, line in enumerate(path.read_text().splitlines() if path.exists() else [], 1):
        tier, *patterns = line.partition("#")[0].split() or [None]
        if tier is None:
            continue
        if tier not in TIERS or not patterns:
            raise ValueError(f"{path.name}:{number}: a row is one of {', '.join(TIERS)} and names of tests")
        found += [(tier, pattern) for pattern in patterns]
    return found


class Tiers:
    def __init__(self, table=None):
        self.rows = rows() if table is None else table

    def place(self, name):
        """(tier, number of the row) of a test: the last row that matches counts."""
        for number in range(len(self.rows) - 1, -1, -1):
            if fnmatch.fnmatchcase(name, self.rows[number][1]):
                return self.rows[number][0], number
        return "quick", len(self.rows)

    def has(self, name, wanted):
        """Whether a test is in `wanted`: quick, rest (what quick leaves out), or all if empty."""
        tier = self.place(name)[0]
        if tier == "never":
            return False
        return not wanted or tier == "both" or (tier == "quick") == (wanted == "quick")

    def order(self, name, is_suite=False):
        """Where the table names a test, or the first of a suite's tests."""
        numbers = [number for number, (_, pattern) in enumerate(self.rows)
                   if is_suite and pattern.startswith(name + "/")]
        return min(numbers, default=self.place(name)[1])

    def may_have(self, suite, wanted):
        """Whether a suite may have such tests; it knows their names itself."""
        tiers = {tier for tier, pattern in self.rows
                 if pattern.startswith(suite + "/") and pattern != suite + "/*"}
        tiers.add(self.place(suite + "/*")[0])
        return not wanted or "both" in tiers or bool(tiers & ({"quick"} if wanted == "quick" else {"full"}))


@functools.cache
def of_file():
    return Tiers()


def matches(name, words):
    """Whether one of the words is a part of the name, or a pattern that matches it."""
    return any(word in name or fnmatch.fnmatchcase(name, word) for word in words)


def chosen(name, words=None):
    """Whether a suite should run its test `name`; words: its arguments, if they need a closer look."""
    words = sys.argv[1:] if words is None else words
    if words and not matches(name, words):
        return False
    suite = pathlib.Path(sys.argv[0]).resolve().parent.name
    return of_file().has(f"{suite}/{name}", os.environ.get("SONDE_TIER", ""))
