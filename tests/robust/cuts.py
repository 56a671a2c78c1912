"""Traces truncated at many places: what is complete before the cut is printed.

What must be printed is told by the whole file: its report, and the places of its sub-buffers (see
layout.py). A report with raw fields and raw times is taken, in which no line depends on another.
"""
import collections
import operator
import random
import re

import layout
from running import GOLDEN, sane, sonde

CUTS = 50
NAMES = sorted(p.stem for p in GOLDEN.glob("*.dat") if not p.name.startswith("made-")) + [
    "made-v6-le-8-8192", "made-v7-le-8-4096", "made-v7-le-8-65536", "made-v7-le-8-4096-zstd",
    "made-v7-le-8-4096-zlib"]

UNNAMED = "recovered: "


def report(path):
    return sonde("report", "-R", "--raw-ts", path)


def count(groups):
    found = collections.Counter()
    for lines in groups:
        found.update(lines)
    return found


def more_than(one, other):
    """What `one` has that `other` has not, or not as often: mostly nothing, which is quickly told."""
    if all(map(operator.ge, map(other.__getitem__, one), one.values())):
        return collections.Counter()
    return one - other


class Whole:
    """A healthy file: which lines of its report come from which place."""

    def __init__(self, path):
        self.data = path.read_bytes()
        by_cpu = collections.defaultdict(list)
        pieces = layout.pieces(path)
        for piece in pieces:
            by_cpu[piece.buffer, piece.cpu].append(piece)
        lines = layout.lines(report(path).out)
        self.lines = count(lines.values())
        # a buffer may have lost its name with the directory
        self.nameless = {UNNAMED + re.sub(r"^\w+: ", "", line) for line in self.lines}
        self.begin = min(piece.start for piece in pieces)
        self.pieces = []        # (where it ends, its lines)
        for key, pieces in by_cpu.items():
            at, mine = 0, lines.get(key, [])
            for piece in pieces:
                self.pieces.append((piece.end, mine[at:at + piece.records]))
                at += piece.records
            if at != len(mine):
                raise ValueError(f"CPU {key} has {at} records but {len(mine)} lines")
        self.pieces.sort(key=lambda piece: -piece[0])
        self.complete = collections.Counter()

    def before(self, cut):
        """The lines of what is complete there. Each cut must be behind the one that was asked for last."""
        while self.pieces and self.pieces[-1][0] <= cut:
            self.complete.update(self.pieces.pop()[1])
        return self.complete

    def places(self, chance):
        """Most of them in the data, where it is worth something."""
        return [chance.randrange(len(self.data)) for _ in range(CUTS // 4)] \
            + [chance.randrange(self.begin, len(self.data)) for _ in range(CUTS - CUTS // 4)]


def check(whole, cut, path):
    path.write_bytes(whole.data[:cut])
    r = report(path)
    trouble = sane(r)
    if trouble:
        return trouble
    if r.status == 0 or not r.err:
        return "nothing says that it is truncated"
    got, wanted = layout.events(r.out), whole.before(cut)
    missing = more_than(wanted, got)
    made_up = collections.Counter({line: n for line, n in more_than(got, whole.lines).items()
                                   if line not in whole.nameless})
    if missing:
        return f"{missing.total()} of {wanted.total()} events are missing, such as\n" \
               f"{next(iter(missing))}\n{r.err}"
    if made_up:
        return f"{made_up.total()} lines are not in the whole report, such as\n" \
               f"{next(iter(made_up))}\n{r.err}"
    return ""


def check_file(name, work):
    whole, chance = Whole(GOLDEN / f"{name}.dat"), random.Random(name)
    for cut in sorted(whole.places(chance)):
        trouble = check(whole, cut, work / "cut.dat")
        if trouble:
            return f"cut at byte {cut} of {len(whole.data)}: {trouble}"
    return ""


def tests():
    for name in NAMES:
        yield f"cut-{name}", lambda work, name=name: check_file(name, work)
