"""Adds functions and events of a kernel to a uftrace.data directory, as if they had been recorded.

Each call of the program that calls nothing gets a system call with two functions inside and an event, on one of two
CPUs; outside of all calls there are some, too. Function names and formats are made up, so no root is needed.
"""
import pathlib
import struct

BASE = 0xffffffff81000000
FUNCTIONS = ["x64_sys_call", "vfs_read", "_raw_spin_lock", "exit_to_user_mode_prepare"]
COMMON = """\
	field:unsigned short common_type;	offset:0;	size:2;	signed:0;
	field:unsigned char common_flags;	offset:2;	size:1;	signed:0;
	field:unsigned char common_preempt_count;	offset:3;	size:1;	signed:0;
	field:int common_pid;	offset:4;	size:4;	signed:1;

"""
PAGE = """\
	field: u64 timestamp;	offset:0;	size:8;	signed:0;
	field: local_t commit;	offset:8;	size:8;	signed:1;
	field: int overwrite;	offset:8;	size:1;	signed:1;
	field: char data;	offset:16;	size:4080;	signed:1;
"""
CALL = "\tfield:unsigned long func;\toffset:8;\tsize:8;\tsigned:0;\n\tfield:int depth;\toffset:16;\tsize:4;\tsigned:1;\n"
FORMATS = {
    "ftrace/funcgraph_entry": (11, CALL, '"--> %ps (%d)", (void *)REC->func, REC->depth'),
    "ftrace/funcgraph_exit": (10, CALL + "\tfield:unsigned int overrun;\toffset:20;\tsize:4;\tsigned:0;\n"
                              "\tfield:unsigned long long calltime;\toffset:24;\tsize:8;\tsigned:0;\n"
                              "\tfield:unsigned long long rettime;\toffset:32;\tsize:8;\tsigned:0;\n",
                              '"<-- %ps (%d)", (void *)REC->func, REC->depth'),
    "test/taken": (300, "\tfield:int number;\toffset:8;\tsize:4;\tsigned:1;\n", '"number=%d", REC->number'),
}


def header():
    text = "PAGE_SIZE: 4096\nLONG_SIZE: 8\nENDIAN: LE\n" + f"TRACEFS: events/header_page: {len(PAGE)}\n" + PAGE
    for name, (number, fields, printed) in FORMATS.items():
        form = f"name: {name.split('/')[1]}\nID: {number}\nformat:\n{COMMON}{fields}\nprint fmt: {printed}\n"
        text += f"TRACEFS: events/{name}/format: {len(form)}\n" + form
    return text


def entry(tid, function, depth):
    return struct.pack("<HBBiQi", 11, 0, 0, tid, BASE + 4096 * function, depth)


def leave(tid, function, depth):
    return struct.pack("<HBBiQiIQQ", 10, 0, 0, tid, BASE + 4096 * function, depth, 0, 0, 0)


def event(tid, number):
    return struct.pack("<HBBii", 300, 0, 0, tid, number)


def system_call(tid, begin, end, number):
    """(time, record) in the time between; needs 8 ns."""
    step = (end - begin) // 8
    what = [entry(tid, 0, 0), entry(tid, 1, 1), event(tid, number), entry(tid, 2, 2), leave(tid, 2, 2), leave(tid, 1, 1),
            leave(tid, 0, 0)]
    return [(begin + (i + 1) * step, record) for i, record in enumerate(what)]


def pages(records):
    out, page, start, last = b"", b"", None, 0
    for time, record in [*records, (None, b"")]:
        if page and (time is None or len(page) + len(record) + 12 > 4080):
            out += struct.pack("<QQ", start, len(page)) + page.ljust(4080, b"\0")
            page = b""
        if time is None:
            break
        if not page:
            start = last = time
        delta = time - last
        if delta >> 27:     # a time extend
            page += struct.pack("<II", (delta & (1 << 27) - 1) << 5 | 30, delta >> 27)
            delta = 0
        page += struct.pack("<I", delta << 5 | len(record) // 4) + record
        last = time
    return out


def add(directory):
    cpus = [[], []]
    for path in pathlib.Path(directory).glob("[0-9]*.dat"):
        data, tid = path.read_bytes(), int(path.stem)
        records = [struct.unpack_from("<QQ", data, at) for at in range(0, len(data) - 15, 16)]
        first = records[0][0]
        last = min(records[-1][0], first + 10**10)      # between records may be values
        cpus[0] += system_call(tid, first - 9000, first - 1000, 1)
        for i, ((begin, word), (end, after)) in enumerate(zip(records, records[1:])):
            if word & 3 == 0 and after & 3 == 1 and first <= begin <= end - 16 < last:     # called, and returned at once
                cpus[i // 8 % 2] += system_call(tid, begin, end, i)
        cpus[1] += [(last + 1000, entry(tid, 3, 0)), (last + 2000, leave(tid, 3, 0))]
    for i, records in enumerate(cpus):
        (directory / f"kernel-cpu{i}.dat").write_bytes(pages(sorted(records, key=lambda r: r[0])))
    (directory / "kernel_header").write_text(header())
    (directory / "kallsyms").write_text("".join(f"{BASE + 4096 * i:016x} T {name}\n" for i, name in enumerate(FUNCTIONS)) +
                                        f"{BASE + 4096 * len(FUNCTIONS):016x} T _end_of_text\n")
    info = bytearray((directory / "info").read_bytes())
    info[16] |= 4       # KERNEL
    (directory / "info").write_bytes(info)
