"""Where the sub-buffers of a healthy trace.dat lie, found without the program under test.

    pieces(path)     [Piece]: the smallest units that are readable on their own, in file order: one
                     sub-buffer, or a compressed chunk of several
    lines(text)      the lines of a report, put together by CPU: {(buffer, cpu): [line]}
    events(text)     the same lines, and how often each is there

A report prints the records of one CPU in the order of its sub-buffers, so the n-th line of a CPU is
its n-th record, and that says which line comes from which piece of the file.
"""
import collections
import functools
import re
import struct

from traceload import Source, load
from tracedat import BUFFER, MAGIC


class Piece:
    def __init__(self, buffer, cpu, start, end, pages):
        self.buffer, self.cpu, self.start, self.end = buffer, cpu, start, end
        self.records = sum(count_records(page) for page in pages)


def count_records(page):
    """Records with data in a little-endian sub-buffer of a 64-bit kernel."""
    at, count = 16, 0
    end = 16 + (struct.unpack_from("<I", page, 8)[0] & 0x7ffffff)
    while end - at >= 4:
        kind = struct.unpack_from("<I", page, at)[0] & 31
        if 1 <= kind <= 28:
            step, count = 4 + 4 * kind, count + 1
        elif kind >= 30:
            step = 8
        else:
            length = struct.unpack_from("<I", page, at + 4)[0]
            step = 4 + (length if kind == 29 else (length + 3) // 4 * 4)
            count += kind == 0
        at += step
    return count


def split(data, size):
    return [data[at:at + size] for at in range(0, len(data), size)]


def plain_pieces(name, cpu, src, start, size, page_size):
    for at in range(start, start + size, page_size):
        yield Piece(name, cpu, at, at + page_size, [src.data[at:at + page_size]])


def packed_pieces(trace, name, cpu, src, start, page_size):
    place = Source(src.data, src.endian, start)
    for _ in range(place.num("I")):
        begin, packed, unpacked = place.at, place.num("I"), place.num("I")
        data = trace.decompress(place.take(packed), unpacked)
        yield Piece(name, cpu, begin, place.at, split(data, page_size))


def pieces_v6(trace, src):
    src.at = src.data.rfind(b"options  \0", 0, src.data.find(b"flyrecord\0")) - 4
    n_cpus = src.num("I")
    found = src.take(10) and src.options()
    places = [("", src.at + 10)]
    for inner in [Source(data, src.endian) for ident, data in found if ident == BUFFER]:
        at = inner.num("Q")
        places.append((inner.cstr(), at + 10))
    for name, at in places:
        table = Source(src.data, src.endian, at)
        for cpu in range(n_cpus):
            yield from plain_pieces(name, cpu, src, table.num("Q"), table.num("Q"), trace.page_size)


def pieces_v7(trace, src):
    src.cstr()
    src.cstr()
    link = src.num("Q")
    while link:
        src.at = link + 16
        for ident, data in src.options():
            if ident != BUFFER:
                continue
            inner = Source(data, src.endian)
            at, name, _, page_size = inner.num("Q"), inner.cstr(), inner.cstr(), inner.num("I")
            packed = src.data[at + 2] & 1
            for _ in range(inner.num("I")):
                cpu, start, size = inner.num("I"), inner.num("Q"), inner.num("Q")
                if packed:
                    yield from packed_pieces(trace, name, cpu, src, start, page_size)
                else:
                    yield from plain_pieces(name, cpu, src, start, size, page_size)
        src.take(4)
        link = src.num("Q")


def pieces(path):
    with open(path, "rb") as file:
        src = Source(file.read())
    src.at = len(MAGIC)
    version = int(src.cstr())
    src.take(6)
    trace = load(path)
    found = (pieces_v6 if version == 6 else pieces_v7)(trace, src)
    return sorted(found, key=lambda piece: piece.start)


LINE = re.compile(r" *(?:(\w+): )? *\S.*-\d+ +\[(\d+)\][ \d]")


@functools.lru_cache(1 << 18)       # most lines are those of the report before
def event(line):
    """The line of an event; None if it is none. Blanks are made one, because how wide a column is depends
    on all lines."""
    return " ".join(line.split()) if LINE.match(line) else None


def events(text):
    found = collections.Counter(map(event, text.splitlines()))
    del found[None]
    return found


def lines(text):
    found = {}
    for match in filter(None, map(LINE.match, text.splitlines())):
        found.setdefault((match[1] or "", int(match[2])), []).append(event(match.string))
    return found
