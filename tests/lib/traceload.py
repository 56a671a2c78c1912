"""Reads a healthy trace.dat into a tracedat.Trace, so that a script can change it and write it
again: cut it, repeat it, turn it into the other version.

    from traceload import load
    t = load("in.dat")
    t.kallsyms = ""
    t.version, t.compression = 6, "none"
    t.write("out.dat")

The pages stay the bytes they were. It is no judge of files: on a damaged one it fails somehow.
"""
import re
import struct

from tracedat import (BTF, BUFFER, BUFFER_TEXT, CMDLINES, CPUCOUNT, EVENT_FORMATS, FTRACE_EVENTS,
                      HEADER_INFO, KALLSYMS, MAGIC, MODULES, PRINTK, TRACECLOCK, Trace)


class Source:
    """Bytes with a place to read from, in the endianness of a file."""

    def __init__(self, data, endian="<", at=0):
        self.data, self.endian, self.at = data, endian, at

    def num(self, code):
        value = struct.unpack_from(self.endian + code, self.data, self.at)[0]
        self.at += struct.calcsize(self.endian + code)
        return value

    def take(self, n_bytes):
        self.at += n_bytes
        return bytes(self.data[self.at - n_bytes:self.at])

    def cstr(self):
        return self.take(self.data.find(b"\0", self.at) + 1 - self.at)[:-1].decode()

    def options(self):
        """[(id, bytes)] up to the end mark; version 7 has a link in that, which comes last."""
        found = []
        while True:
            ident = self.num("H")
            if ident == 0:
                return found
            found.append((ident, self.take(self.num("I"))))


def load(path):
    """The Trace that a file holds."""
    with open(path, "rb") as file:
        src = Source(file.read())
    src.at = len(MAGIC)
    version = int(src.cstr())
    src.endian = "<>"[src.num("B")]
    trace = Trace(version, src.endian, src.num("B"), src.num("I"))
    if version == 6:
        load_texts(trace, src, HEADER_INFO, FTRACE_EVENTS, EVENT_FORMATS, KALLSYMS, PRINTK,
                   CMDLINES)
        load_v6(trace, src)
    else:
        load_v7(trace, src)
    return trace


def load_texts(trace, src, *idents):
    """Reads texts of the named kinds, which follow each other."""
    formats = lambda: [src.take(src.num("Q")) for _ in range(src.num("I"))]  # noqa: E731
    for ident in idents:
        if ident == HEADER_INFO:
            page = src.take(12) and src.take(src.num("Q"))
            trace.long_size = int(re.search(rb"commit;\toffset:8;\tsize:(\d)", page)[1])
            _ = src.take(13) and src.take(src.num("Q"))
        elif ident == FTRACE_EVENTS:
            trace.ftrace_events = formats()
        elif ident == EVENT_FORMATS:
            for _ in range(src.num("I")):
                name = src.cstr()
                trace.systems[name] = formats()
        elif ident == KALLSYMS:
            trace.kallsyms = src.take(src.num("I"))
        elif ident == PRINTK:
            trace.printk = src.take(src.num("I"))
        elif ident == CMDLINES:
            trace.cmdlines = src.take(src.num("Q"))


def load_pages(buffer, number, data):
    for at in range(0, len(data), buffer.page_size):
        buffer.cpu(number).raw_page(data[at:at + buffer.page_size])


def load_v6(trace, src):
    trace.n_cpus, tag = src.num("I"), src.take(10)
    found = []
    if tag == b"options  \0":
        found, _ = src.options(), src.take(10)
    trace.options = [o for o in found if o[0] not in (BUFFER, TRACECLOCK)]
    trace.with_clock = any(ident == TRACECLOCK for ident, _ in found)
    buffers = [(trace.top, src)]
    for inner in [Source(data, src.endian) for ident, data in found if ident == BUFFER]:
        place = Source(src.data, src.endian, inner.num("Q") + 10)
        buffers.append((trace.instance(inner.cstr()), place))
    for buffer, place in buffers:
        table = [(place.num("Q"), place.num("Q")) for _ in range(trace.n_cpus)]
        if trace.with_clock:
            buffer.clock = place.take(place.num("Q")).decode().strip("[]")
        for number, (at, size) in enumerate(table):
            load_pages(buffer, number, src.data[at:at + size])


def load_v7(trace, src):
    trace.compression, trace.compression_version = src.cstr(), src.cstr()
    trace.with_clock, link = False, src.num("Q")
    while link:
        src.at = link
        src.take(16)
        for ident, data in src.options():
            inner = Source(data, src.endian)
            if ident == BUFFER:
                load_v7_buffer(trace, src, inner)
            elif ident == CPUCOUNT:
                trace.n_cpus = inner.num("I")
            elif HEADER_INFO <= ident <= CMDLINES:
                load_texts(trace, load_section(trace, src, inner.num("Q")), ident)
            elif ident == TRACECLOCK:
                trace.with_clock = True
            elif ident not in (BUFFER_TEXT, BTF, MODULES):
                trace.options.append((ident, data))
        src.take(4)
        link = src.num("Q")


def load_section(trace, src, at):
    place = Source(src.data, src.endian, at + 2)
    flags, _, size = place.num("H"), place.num("I"), place.num("Q")
    if not flags & 1:
        return Source(place.take(size), src.endian)
    packed, unpacked = place.num("I"), place.num("I")
    return Source(trace.decompress(place.take(packed), unpacked), src.endian)


def load_v7_buffer(trace, src, inner):
    at, name, clock, page_size = inner.num("Q"), inner.cstr(), inner.cstr(), inner.num("I")
    buffer = trace.instance(name, clock, page_size) if name else trace.top
    buffer.clock = clock
    flags = struct.unpack_from(src.endian + "H", src.data, at + 2)[0]
    for _ in range(inner.num("I")):
        number, place = inner.num("I"), Source(src.data, src.endian, inner.num("Q"))
        size = inner.num("Q")
        if flags & 1:
            data = b""
            for _ in range(place.num("I")):
                packed, unpacked = place.num("I"), place.num("I")
                data += trace.decompress(place.take(packed), unpacked)
        else:
            data = place.take(size)
        load_pages(buffer, number, data)
