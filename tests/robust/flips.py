"""Traces with wrong bytes in them: the program lives, in time and memory, and says if it minds.

A few bytes are changed at random places (the same ones every time), mostly in the first and last
parts of the file, where the lengths and offsets are.
"""
import random

from running import GOLDEN, sane, sonde

FILES = {"made-v6-le-8-4096": 75, "made-v7-le-8-4096": 75, "made-v7-be-4-8192": 30,
         "made-v7-le-8-4096-zstd": 75, "made-v7-le-8-4096-zlib": 45, "made-instances-v7": 45,
         "made-instances-v6": 30, "made-formats": 45, "made-missed": 30, "tour": 90,
         "instances-mono": 30, "events-v7-none": 30}
WAYS = (["report"], ["report", "-R"], ["report", "-l", "--ts-diff", "--debug"], ["report", "--json"],
        ["report", "-w"], ["report", "--stat"], ["info"], ["dump", "--all", "-i"], ["hist", "-i"],
        ["mem", "-i"], ["report", "--csv", "-N"])


def spoil(data, chance):
    """A copy with one to eight bytes that are others, alone or in a row."""
    data = bytearray(data)
    for _ in range(chance.randint(1, 4)):
        part = chance.choice((len(data), len(data), 3000, min(len(data), 200)))
        at = chance.randrange(part) if chance.random() < 0.7 else len(data) - 1 - chance.randrange(
            min(part, len(data)))
        at = min(at, len(data) - 1)
        for k in range(at, min(at + chance.choice((1, 1, 2, 4)), len(data))):
            data[k] = chance.choice((0, 0xff, 0x80, data[k] ^ 1 << chance.randrange(8),
                                     chance.randrange(256)))
    return bytes(data)


def check_file(name, n, work):
    data, chance = (GOLDEN / f"{name}.dat").read_bytes(), random.Random(name)
    path = work / "flipped.dat"
    for i in range(n):
        path.write_bytes(spoil(data, chance))
        way = WAYS[i % len(WAYS)] if i % 2 else WAYS[0]
        trouble = sane(sonde(*way, path, most=1 << 16))
        if trouble:
            kept = work.parent / f"flipped-{name}-{i}.dat"
            kept.write_bytes(path.read_bytes())
            return f"variant {i} ({' '.join(way)}; kept as {kept}): {trouble}"
    return ""


def tests():
    for name, n in FILES.items():
        yield f"flip-{name}", lambda work, name=name, n=n: check_file(name, n, work)
