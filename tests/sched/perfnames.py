"""Gives every thread of a perf.data its number and its name, as far as its tracepoints know them.

perf reads both when it writes an event. A thread that has just ended has no number then (-1), and one that began
while `perf record` looked through /proc has no name. The events know: common_pid is the thread that ran, and the
scheduler's events have names. mended() writes them where perf looks:

    sample, tid -1       tid becomes common_pid; pid that of its other samples, or the same number
    thread, no COMM      a COMM record after the first one, with the name in its first event

It reads files of `perf sched record`: not compressed, all events with the same sample_type.
"""
import struct

COMM, SAMPLE = 3, 9
TID, TIME, ID, STREAM, CPU, IDENTIFIER = 1 << 1, 1 << 2, 1 << 6, 1 << 9, 1 << 7, 1 << 16
IP, ADDR, PERIOD, RAW = 1 << 0, 1 << 3, 1 << 8, 1 << 10
# what a sample may have before its raw data, in the order of the record; all are of 8 bytes
PARTS = [IDENTIFIER, IP, TID, TIME, ADDR, ID, STREAM, CPU, PERIOD]
NOBODY = 0xffffffff


def records(data, start, end):
    while start < end:
        kind, _, size = struct.unpack_from("<IHH", data, start)
        yield kind, start, size
        start += size


def names_in(fields, raw):
    """(number, name) of each task that an event of the scheduler names; fields: formats by common_type."""
    for number, name in fields.get(struct.unpack_from("<H", raw)[0], ()):
        text = raw[name:name + 16].split(b"\0")[0]
        if text:
            yield struct.unpack_from("<i", raw, number)[0], text


def task_fields(data):
    """Where events of the scheduler have numbers and names of tasks, by the event's id: from the formats in the file."""
    fields, at = {}, 0
    pairs = [(b"prev_pid", b"prev_comm"), (b"next_pid", b"next_comm"), (b"pid", b"comm"),
             (b"child_pid", b"child_comm"), (b"parent_pid", b"parent_comm")]
    while (at := data.find(b"name: sched_", at)) >= 0:
        text = data[at:data.find(b"print fmt:", at)]
        places = {}
        for line in text.split(b"\n"):
            if b"\tfield:" in line:
                name = line.split(b";")[0].split()[-1].split(b"[")[0]
                places[name] = int(line.split(b"offset:")[1].split(b";")[0])
                if b"__data_loc" in line:
                    del places[name]
        ident = int(text.split(b"ID: ")[1].split(b"\n")[0])
        fields[ident] = [(places[a], places[b]) for a, b in pairs if a in places and b in places]
        at += 1
    return fields


def mended(data):
    data = bytearray(data)
    attr_size, attrs, _, start, length = struct.unpack_from("<5Q", data, 16)
    sample_type, = struct.unpack_from("<Q", data, attrs + 24)
    end, fields = start + length, task_fields(bytes(data))
    parts = [part for part in PARTS if sample_type & part]
    tid_at, raw_at = 8 + 8 * parts.index(TID), 8 + 8 * len(parts)
    trailer = 8 * sum(bool(sample_type & part) for part in (TID, TIME, ID, STREAM, CPU, IDENTIFIER))
    known, names, processes, template = {0}, {}, {}, None
    for kind, at, size in records(data, start, end):
        if kind == COMM:
            known.add(struct.unpack_from("<I", data, at + 12)[0])
            template = template or (at, bytes(data[at + size - trailer:at + size]))
        elif kind == SAMPLE:
            pid, tid = struct.unpack_from("<II", data, at + tid_at)
            processes.setdefault(tid, pid)
            raw_size, = struct.unpack_from("<I", data, at + raw_at)
            for number, name in names_in(fields, bytes(data[at + raw_at + 4:at + raw_at + 4 + raw_size])):
                names.setdefault(number, name)
    for kind, at, size in records(data, start, end):
        if kind == SAMPLE and struct.unpack_from("<I", data, at + tid_at + 4)[0] == NOBODY:
            tid, = struct.unpack_from("<I", data, at + raw_at + 8)
            struct.pack_into("<II", data, at + tid_at, processes.get(tid, tid), tid)
    place, identity = template
    more = b""
    for tid, name in names.items():
        if tid not in known:
            record = struct.pack("<II16s", processes.get(tid, tid), tid, name) + identity
            more += struct.pack("<IHH", COMM, 0, 8 + len(record)) + record
    return with_more(data, start, length, place, more)


def with_more(data, start, length, place, more):
    """The file with more records before `place`. A table of the sections behind the data follows it."""
    bits = int.from_bytes(data[72:104], "little")
    for i in range(bits.bit_count()):
        at = start + length + 16 * i
        struct.pack_into("<Q", data, at, struct.unpack_from("<Q", data, at)[0] + len(more))
    struct.pack_into("<Q", data, 48, length + len(more))
    return bytes(data[:place]) + more + bytes(data[place:])
