"""Writes the inputs that fuzzing starts from: seeds.py GOLDEN DIR

Into DIR/TARGET, for each target, small inputs that reach far into it: traces of every shape, and
the formats, symbols and pages of the golden traces. They are made anew for each run, because they
take a second and would be a megabyte to keep. What a target expects its input to look like stands
at the top of its source.
"""
import os
import pathlib
import random
import re
import struct
import sys
import urllib.parse

import kernelfiles
import tracedat
from tracedat import Trace
from traceload import load

SECOND = 1_000_000_000
FUNCTIONS = re.compile(rb"__print_|__get_|%p|sizeof|\? |jiffies|parse_cdb|_to_")


def keep(place, name, *parts):
    data = b"".join(p.encode() if isinstance(p, str) else p for p in parts)
    place.mkdir(parents=True, exist_ok=True)
    (place / name).write_bytes(data)


# Whole files.

def small_trace(trace):
    """A few records of kinds that take different ways through the program."""
    trace.kallsyms = "c0000000 T start\nc0000100 T vfs_read\nc0000200 t inner\t[mod]\n"
    trace.printk = '0xc0000050 : "value %d of %s\\n"\n'
    trace.cmdlines = {7: "worker", 8: "two words"}
    trace.option(tracedat.UNAME, "Linux demo 6.1")
    trace.option(tracedat.CPUSTAT, "CPU: 0\nentries: 7\n")
    tick = trace.event("demo", "tick", ["int count", "unsigned long addr", "char comm[8]",
                                        "__data_loc char[] name"],
                       '"%d %ps %s %s", REC->count, (void *)REC->addr, REC->comm, __get_str(name)')
    switch = trace.event("sched", "sched_switch", [
        "char prev_comm[16]", "pid_t prev_pid", "int prev_prio", "long prev_state",
        "char next_comm[16]", "pid_t next_pid", "int next_prio"], '"%s", REC->prev_comm')
    wakeup = trace.event("sched", "sched_wakeup", [
        "char comm[16]", "pid_t pid", "int prio", "int success", "int target_cpu"],
        '"%s", REC->comm')
    events = {name: trace.ftrace(name) for name in tracedat.FTRACE}
    first, second = trace.top.cpu(0), trace.top.cpu(2)
    records = [
        tick(pid=7, count=-1, addr=0xc0000123, comm="abc", name="text"),
        wakeup(pid=8, comm="nine", prio=20, success=1, target_cpu=1),
        switch(pid=7, prev_comm="worker", prev_pid=7, prev_state=1, next_comm="nine", next_pid=9),
        events["function"](ip=0xc0000110, parent_ip=0xc0000000),
        events["funcgraph_entry"](pid=7, func=0xc0000100, depth=1),
        events["funcgraph_exit"](pid=7, func=0xc0000100, depth=1, calltime=5, rettime=20000),
        events["kernel_stack"](size=2, caller=[0xc0000100, 0xc0000200]),
        events["print"](ip=0xc0000100, buf="hello\n"),
        events["bprint"](ip=0xc0000100, fmt=0xc0000050, buf=struct.pack(trace.endian + "I", 5)
                         + b"str\0"),
        events["bputs"](ip=0xc0000100, str=0xc0000050),
        events["raw_data"](id=3, buf=b"\1\2\3\4"),
        struct.pack(trace.endian + "HBBi", 999, 0, 0, 1)]
    for i, record in enumerate(records):
        first.add(SECOND + 1000 * i, record)
        second.add(SECOND + 900 * i, record)
    page = second.page(2 * SECOND, missed=17)
    page.event(5, tick(count=2, name="y" * 150), long_form=True)
    page.extend(1 << 30)
    page.discarded(10, tick())
    page.stamp(8 * SECOND)
    page.event(1, tick(count=3))
    return tick


def make_file(place, golden):
    for version, packing in ((6, "none"), (7, "none"), (7, "zstd"), (7, "zlib")):
        for endian, long_size in ((">", 4), ("<", 8)):
            trace = Trace(version, endian, long_size, 256 if packing == "none" else 1024, packing)
            trace.chunk_pages = 2
            tick = small_trace(trace)
            if endian == "<":
                other = trace.instance("side", clock="x86-tsc")
                other.cpu(1).add(1_200_000_000, tick(count=4, name="aside"))
            data = trace.pack()
            for options in (0, 1, 62, 64, 128):
                keep(place, f"{version}{packing}{long_size}-{options}", data, bytes([options]))
            keep(place, f"{version}{packing}{long_size}-cut", data[:len(data) * 4 // 5], b"\0")
    trace = Trace(7, page_size=256)
    tick = small_trace(trace)
    trace.systems["demo"][0].print_fmt = '"%d", REC->count / REC->addr'
    trace.option(tracedat.TSC2NSEC, struct.pack("<IIQ", 1 << 20, 20, 0))
    trace.option(tracedat.OFFSET, "-5000")
    samples = struct.pack("<9q", 0, 1 << 30, 1 << 31, 5, 7, -9, 1, 1, 1)
    trace.option(tracedat.TIME_SHIFT, struct.pack("<QIII", 1, 1, 1, 3) + samples + bytes(24))
    keep(place, "options", trace.pack(), b"\x10")
    for version, packing in ((6, "none"), (7, "none"), (7, "zstd")):
        trace = Trace(version, compression=packing)
        trace.latency_text = "# tracer: irqsoff\n" * 9
        keep(place, f"latency{version}{packing}", trace.pack(), b"\0")


def make_timeline(place, golden):
    make_file(place, golden)


# Pages.

def make_page(place, golden):
    for number, (endian, long_size) in enumerate((("<", 8), ("<", 4), (">", 8), (">", 4))):
        trace = Trace(7, endian, long_size, 512)
        small_trace(trace)
        layout = (long_size == 4) | (endian == ">") << 1
        keep(place, f"made-{number}", bytes([layout, 15]), trace.top.cpu(2).pack())
        page = tracedat.Page(trace, 512, SECOND)
        page.padding(64)
        page.commit = 5000
        keep(place, f"lie-{number}", bytes([layout, 15]), page.pack())
    for name in ("lost-events", "function-filtered"):
        for number, cpu in load(golden / f"{name}.dat").top.cpus.items():
            keep(place, f"{name}-{number}", bytes([0, 127]), *cpu.pages[:2])


# Formats.

def record_for(text, chance):
    """Bytes that could be a record: small numbers, and texts where the format says there are."""
    data = bytearray(chance.choice(b"\0\0\0\1\2\x10\x41\xff") for _ in range(160))
    for at, size in re.findall(rb"__data_loc[^;]*;\toffset:(\d+);\tsize:(\d+)", text):
        if size == b"4" and int(at) < 150:
            struct.pack_into("<I", data, int(at), 120 | 12 << 16)
    data[120:132] = b"some text \0\0"
    return bytes(data)


def make_format(place, golden):
    chance = random.Random(1)
    source, made = load(golden / "all-events.dat"), Trace()
    small_trace(made)
    texts = [("ftrace", t) for t in source.ftrace_events + [e.text() for e in made.ftrace_events]]
    for system, events in source.systems.items():
        texts += [(system, t) for i, t in enumerate(events)
                  if i % 25 == 0 or (FUNCTIONS.search(t) and i % 4 == 0)
                  or system in ("kmem", "kvm", "kvmmmu", "timer", "sched", "scsi", "jbd2", "xen")]
    for number, (system, text) in enumerate(texts):
        text = text.encode() if isinstance(text, str) else text
        if len(text) < 5000:
            keep(place, f"{number}", bytes([number % 8 if number % 5 == 0 else 0]), system, b"\0",
                 text, b"\0", record_for(text, chance))


# Texts with names.

def make_kallsyms(place, golden):
    source = load(golden / "tour.dat")
    asked = struct.pack("<6Q", 0xffffffff81000150, 7, 0, 1 << 63, 0xc0000050, 12)
    middle = source.kallsyms[len(source.kallsyms) // 2:][:1500]
    keep(place, "golden", middle[middle.find(b"\n") + 1:], b"\0", source.printk[:500], b"\0",
         source.cmdlines[:500], b"\0process 7 a\\x20b c\n\0", asked)
    keep(place, "made", "ffffffff81000100 T a\nffffffff81000000 T b\nffffffff81000100 t c\n"
         "0000000000000000 A d\n00000000c0000000 t $x\nc0000100 t e\t[mod]\n\0"
         '0xc0000050 : "value %d\\n"\n0x7 : "\\\\n"\n0x7 : x\n\0'
         " 7 two words\n12 x\n7 again\n-1 y\n\0"
         "self 12\nprocess 12 sonde record\nthread 13 12\nprocess 7 sh -c a\\x20'b\\x5c\\x0a  x\n"
         "cut 80 long\nthread 7 80\nprocess 9\n\0", asked)
    keep(place, "empty", "\0\0\0\0", asked)


def make_samples(place, golden):
    keep(place, "folded", "main;operator new(unsigned long);read_[k] 12\nmain;work 3 4\r\n# x\nmain;a_[i] 1.5\n;;x 1\n")
    keep(place, "info", "E 0 cpu-clock\nF 1 6e1f /usr/bin/make\nJ 2 4711 /tmp/perf-4711.map\nC rate 997\nL 12\n")
    keep(place, "objdump", "0000000000001180 <half>:\n    1180:\tmov    %rdi,%rax\n    1183:\tret\n")


# The network.

def message(cmd, fixed=b"", body=b""):
    return struct.pack(">III", 12 + len(fixed) + len(body), cmd, len(fixed)) + fixed + body


def sync_step(proto, step, payload=b""):
    return message(9, proto.encode().ljust(16, b"\0") + struct.pack(">I", step), payload)


def make_protocol(place, golden):
    tinit = message(1, struct.pack(">III", 2, 4096, 2), b"tcp\0sonde\0")
    ports = b"1500\x001501\0sonde\0"
    rinit = message(2, struct.pack(">I", 2), ports)
    arguments = b"record\0-e\0sched\0"
    request = message(6, struct.pack(">IIQ", 1, 0, 77), struct.pack(">III", 0, 4 + len(arguments), 3)
                      + arguments + struct.pack(">II", 1, 9) + b"kvm\0ptp\0\0"
                      + struct.pack(">II", 0x736f6e64, 0))
    response = message(7, struct.pack(">IIIQ", 0, 2, 4096, 78) + b"ptp".ljust(16, b"\0")
                       + struct.pack(">I", 1600), ports)
    sync = message(9, b"ptp".ljust(16, b"\0") + struct.pack(">I", 1), struct.pack(">II", 1, 3))
    data = message(3, b"", b"some metadata") + message(4) + message(0)
    keep(place, "messages", b"\0", tinit, rinit, request, response, sync, data, message(8), message(5, b"", b"no event"))
    keep(place, "listen-3", b"\1-1V3\x00766679\0\0", tinit, data)
    keep(place, "listen-9", b"\1-1V9\0-1V3\x00766679\0\0", tinit)
    keep(place, "listen-1", b"\x012\x004096\x001\x004\0TCP\0")
    keep(place, "listen-key", b"\2", bytes(64))
    keep(place, "record-3", b"\3tracecmdV3\0OK", rinit, message(5))
    keep(place, "record-1", b"\4tracecmd1500,1501\0")
    keep(place, "record-key", b"\5sondekey\1", bytes(64))
    for version in (6, 7):
        trace = Trace(version, page_size=256)
        small_trace(trace)
        parts = trace.pack(), trace.top.cpu(0).pack()[:512], struct.pack("<HI", 21, 7) + b"7 work\n"
        keep(place, f"session-{version}", b"\6", *[struct.pack("<H", len(p)) + p for p in parts])
    probe = sync_step("none", 1, struct.pack("<H", 1))
    start = sync_step("ptp", 1, struct.pack(">II", 1, 3))
    pings = [sync_step("ptp", 2, struct.pack(">I", i)) for i in range(1, 340)]
    times = b"".join(struct.pack(">QI", 1000 + i, i) for i in range(1, 340)).ljust(678 * 12, b"\0")
    keep(place, "clock-guest-ptp", b"\7\0", probe, start, *pings,
         sync_step("ptp", 3, struct.pack(">II", 1, 339) + times), sync_step("none", 2))
    keep(place, "clock-guest-kvm", b"\7\1", probe, sync_step("kvm", 2, bytes(32)), sync_step("none", 2))
    for flags in (1, 3):
        keep(place, f"clock-host-{flags}", b"\x08", sync_step("ptp", 1, struct.pack(">II", 1, flags)), *pings,
             sync_step("ptp", 5), sync_step("ptp", 4, struct.pack(">QQ", 5, 6)))


def make_uftrecv(place, golden):
    def frame(kind, *parts):
        body = b"".join(parts)
        return struct.pack(">HHI", 0xface, kind, len(body)) + body
    number = struct.Struct(">I").pack
    info = b"Ftrace!\0" + struct.pack(">IHBBQQIHHH", 4, 40, 2, 2, 0x3ff, 0x1ff, 1024, 40, 4, 0)
    begin = frame(101, b"/tmp/uftrace.data")
    keep(place, "whole", begin, frame(102, number(7), bytes(32)), frame(103, number(0), bytes(16)),
         frame(104, number(1), bytes(16)), frame(105, info, b"exename:/bin/x\n"),
         frame(106, number(8), b"task.txt", b"SESS timestamp=1.0 pid=7\n"), frame(107))
    keep(place, "hidden", begin, frame(106, number(7), b".bashrc", b"x"), frame(107))
    keep(place, "outside", begin, frame(106, number(5), b"../up", b"x"), frame(107))
    keep(place, "twice", begin, begin, frame(107))
    keep(place, "no-directory", frame(102, number(7), bytes(16)))
    keep(place, "long", begin, struct.pack(">HHI", 0xface, 102, 1 << 31))


# Histograms.

def make_kernelhist(place, golden):
    head = "# event histogram\n#\n# trigger info: hist:keys={}:vals={}:size=2048 [active]\n#\n\n"
    totals = "\nTotals:\n    Hits: 7\n    Entries: 2\n    Dropped: 0\n\n"
    keep(place, "values", head.format("next_comm,prio.log2", "hitcount,pid:sort=pid"),
         "{ next_comm: swapper/0      , prio: ~ 2^7  } hitcount:      247  pid:      200\n"
         "\tmax:         21  next_comm: bash\n", totals)
    keep(place, "stacks", head.format("stacktrace,common_pid", "hitcount"),
         "{ stacktrace:\n         alloc_bprm+0x32/0x2d0\n         do_syscall_64+0x5d/0xb0\n"
         ", common_pid:        160} hitcount:          1\n", totals)


# System calls.

def make_syscalltext(place, golden):
    def chunk(address, when, data):
        return struct.pack("<QHBBI", address, len(data), when, 0, 0) + data + bytes(-len(data) % 8)

    chance = random.Random(1)
    for nr in range(0, 470, 5):
        records = b""
        for k in range(5):
            words = struct.pack("<200Q", *(chance.choice((0, 1, 2, 16, 64, 256, 0x0a0002, 8 * chance.randrange(200)))
                                           for _ in range(200)))
            memory = chunk(0, 0, words) + chunk(0, 1, words[::-1]) + chunk(2000, 0, b"/etc/passwd\0")
            args = [chance.choice((0, 1, 8, 16, 64, 256, 2000)) for _ in range(6)]
            record = struct.pack("<HBBiqQII6QiI", k % 2, 3, 0, 7, chance.choice((0, 1, 3, -2)), 1000, nr + k, 2, *args, 7, 0)
            records += struct.pack("<H", len(record + memory)) + record + memory
        keep(place, f"calls-{nr}", bytes([nr & 0xff]), records)


# Profiles.

def make_profile(place, golden):
    def record(event, pid, *words, cpu=0, later=5):
        data = struct.pack(f"<{len(words)}Q", *words)
        return bytes([event, cpu, pid, later, len(data)]) + data
    switch = [record(0, a, 0x41, 0, a, state, 0x42, 0, b)
              for a, state, b in ((7, 1, 0), (0, 0, 7), (7, 256, 8), (8, 2, 7))]
    sched = [*switch, record(12, 7, 1, 0x1010, 0x2010), record(1, 0, 0x41, 0, 7), *switch]
    calls = [record(3, 7, 5), record(4, 7, 5), record(14, 8, 0), record(15, 8, 0), record(13, 7, 9)]
    irqs = [record(5, 7, 1), record(6, 8, 1), record(7, 8, 1), record(8, 7, 25, 24 | 4 << 16, 0x41),
            record(9, 7, 25), record(12, 7, 1, 0x1010), record(10, 7, 0x1000), record(11, 7, 0x1000)]
    hooks = "", "sched_wakeup,pid,pid/sched_switch,next_pid,s", "sys_enter,id/sys_exit,id,gp"
    for options in range(16):
        keep(place, f"all-{options}", bytes([options]), hooks[options % 3], b"\0",
             *sched, *calls, *irqs, record(13, 7, 9, cpu=0x80), *sched)


def make_sched(place, golden):
    def record(event, pid, *words, cpu=0, later=5):
        data = struct.pack(f"<{len(words)}Q", *words)
        return bytes([event, cpu, pid, later, len(data)]) + data
    switch = [record(0, a, 0x41, 0, a, state, 0x42, 0, b)
              for a, state, b in ((7, 1, 0), (0, 0, 7), (7, 256, 8), (8, 2, 7), (7, 16, 8))]
    wakes = [record(1, 8, 0x41, 0, 7), record(12, 8, 1, 0x1010, 0x2010), record(2, 8, 0x41, 0, 9)]
    for options in range(32):
        keep(place, f"all-{options}", bytes([options]), *switch, *wakes, *switch, record(1, 0, 0x41, 0, 7, cpu=0x81),
             *switch)


# Recipes and the questions in them; types of the kernel.

def make_recipe(place, golden):
    for path in sorted(pathlib.Path(__file__).parents[2].glob("data/recipes/*.recipe")):
        keep(place, path.stem, path.read_text(), b"\0", struct.pack("<12Q", 7 << 32, *range(11)))
    keep(place, "all", "name: x\nshow: count * by EVENT TASK CPU pid\n"
         "show: time * to * by pid=state per comm\nshow: stacks *\nshow: graph top 3\n", b"\0",
         struct.pack("<16Q", *range(16)))


def make_definition(place, golden):
    """The forms of the header, and what each part can be."""
    texts = re.findall(r"expect\(\s*\"((?:[^\"\\]|\\.)*)\"",
                       (pathlib.Path(__file__).parents[1] / "unit/test_definition.c").read_text())
    for i, text in enumerate(texts):
        keep(place, f"{i}", text.replace("\\\\", "\\").replace("\\\"", "\""))


def make_perfevents(place, golden):
    texts = ["cycles:u", "{instructions,cs}:Su,faults", "cpu/event=0x3c,umask=1,name='a,b'/kpp", "r1a8",
             "mem:0x1000/8:rw:u", "L1-dcache-load-misses", "sched:sched_*", "msr/tsc/", "msr/event=?/", "duration_time",
             "cycles/period=1000,call-graph=fp/"]
    for i, text in enumerate(texts):
        keep(place, f"{i}", text)


def btf_type(name, kind, third, *words, vlen=0, flag=0):
    return struct.pack(f"<{3 + len(words)}I", name, flag << 31 | kind << 24 | vlen, third, *words)


def btf_file(types, strings):
    types = b"".join(types)
    head = struct.pack("<HBBIIIII", 0xeb9f, 1, 0, 24, 0, len(types), len(types), len(strings))
    return head + types + strings


def kernel_btf():
    """All kinds; vfs_read(struct file *a, int b, …)."""
    strings = b"\0int\0vfs_read\0file\0a\0b\0user\0"
    types = [btf_type(1, 1, 4, 1 << 24 | 32),               # 1: int
             btf_type(0, 2, 3), btf_type(14, 4, 16, 19, 1, 0, 21, 2, 64, vlen=2),   # 2: *, 3: file
             btf_type(0, 3, 0, 1, 1, 8), btf_type(14, 5, 8, 19, 1, 3 << 24 | 1, vlen=1, flag=1),
             btf_type(19, 6, 4, 21, 5, vlen=1), btf_type(14, 7, 0), btf_type(21, 8, 1),
             btf_type(0, 9, 8), btf_type(0, 10, 9), btf_type(0, 11, 10),
             btf_type(0, 13, 1, 19, 2, 21, 11, 0, 0, vlen=3), btf_type(5, 12, 12),
             btf_type(21, 14, 1, 1), btf_type(21, 15, 8, 14, 0, 4, vlen=1), btf_type(1, 16, 8),
             btf_type(21, 17, 3, 0), btf_type(23, 18, 1), btf_type(21, 19, 8, 19, 1, 2, vlen=1)]
    return types, strings


def make_btf(place, golden):
    """The kernel, and a module that goes on where it ends."""
    types, strings = kernel_btf()
    kernel = btf_file(types, strings)
    more = len(types) + 1
    module = btf_file([btf_type(5, 12, more + 1), btf_type(0, 13, 2, len(strings) + 1, more + 2, vlen=1),
                       btf_type(0, 2, 18)], b"\0c\0")
    keep(place, "function", struct.pack("<H", len(kernel)), kernel)
    keep(place, "module", struct.pack("<H", len(kernel)), kernel, module)


def make_resolve(place, golden):
    kernel = btf_file(*kernel_btf())
    texts = ["vfs_read(a, b)", "vfs_read%return($retval)", "vfs_read a->a a->b.a:x8 $arg2 %di",
             "vfs_read(*a, &a->b, a[3].a, (int)b)", "vfs_read $params", "vfs_read $vars",
             "vfs_read(container_of(a, struct file, b)->a)", "vfs_read(((struct file *)b)->a:string)",
             "vfs_read(a->a) if a > 3 && b == b", "vfs_read(a->a, b, $comm) if (a->a == b|a || !b < -3) && comm == x*",
             "vfs_read(b) if b & 0x10 && CPU & CPUS{1-3} || ip.function == f && COMM ~ \"a\" && b == 'a'", "vfs_read(@b, @0x10, $stack2, $comm, \\5)",
             "vfs_read(+8(%di):ustring, +u0(a):u8[4], a:b3@1/32, a->b@user)", "p:x vfs_read a=%di"]
    for i, text in enumerate(texts):
        keep(place, f"{i}", text, b"\0", kernel)
    strings = b"libc.so.6\0/lib/libc.so.6\0"
    cache = b"glibc-ld.so.cache1.1" + struct.pack("<II20x", 1, len(strings))
    keep(place, "cache", cache, struct.pack("<iIIIQ", 0x303, 72, 82, 0, 0), strings)


def make_usdt(place, golden):
    """Notes of marks: 8 byte addresses, 4 byte addresses, somebody else's."""
    for kind, pack in ((0, "<QQQ"), (2, "<III")):
        desc = struct.pack(pack, 0x2010, 0x3000, 0x5040) + b"libc\0setjmp\08@%rdi -4@%esi\0"
        note = struct.pack("<III8s", 8, len(desc), 3, b"stapsdt\0") + desc + b"\0" * (-len(desc) % 4)
        other = struct.pack("<III4s4s", 4, 4, 1, b"GNU\0", b"abcd")
        keep(place, f"{kind}", bytes([kind]), other, note, note)


def make_uftrace(place, golden):
    """A task that calls two functions, with an argument and task switches."""
    task = b'SESS timestamp=1.000000000 pid=1 sid=0123456789abcdef exename="/bin/x"\nTASK timestamp=1.000000001 tid=1 pid=1\n'
    syms = b"# symbols: 2\n# path name: /bin/x\n# build-id: \n0000000000000010 T _Z4mainv\n0000000000000020 P f\n0000000000000030 ? __sym_end\n"
    dbg = b"F: 10 main\nL: 3 x.c\nA: @arg1,arg2/s\nR: @retval/e:c\nE: enum c {A,B=4}\n"
    records = b""
    for i, (kind, depth, address) in enumerate(((0, 0, 0x1010), (0, 1, 0x1020), (1, 1, 0x1020), (1, 0, 0x1010))):
        records += struct.pack("<QQ", 1000000100 + i, kind | 5 << 3 | depth << 6 | address << 16)
    switch = struct.pack("<IHHIIQ", 14, 1 << 13, 24, 1, 1, 1000000101) + struct.pack("<IHHIIQ", 14, 0, 24, 1, 1, 1000000102)
    keep(place, "task", b"\xff".join([task, b"1000-2000 r-xp 00000000 00:00 0 /bin/x\n", syms, dbg, b"f@arg1/s;main@retval",
                                      b"main@depth=1,time=1us;f@hide", records, switch, kernelfiles.header().encode(),
                                      kernelfiles.pages(kernelfiles.system_call(1, 1000000000, 1000000800, 1))]))


def make_chromejson(place, golden):
    """An event of each phase."""
    keep(place, "object", b"""{"a":"\\"[","traceEvents":[{"ph":"M","pid":1,"tid":2,"name":"thread_name","args":{"name":"t"}},
{"ph":"B","pid":1,"tid":2,"ts":1.5,"name":"f","args":{"n":3,"s":"x","l":[1],"r":1.5}},{"ph":"E","pid":1,"tid":2,"ts":9},
{"ph":"X","pid":"p","tid":2,"ts":2,"dur":1,"name":"g"},{"ph":"i","pid":0,"tid":1,"ts":3,"name":"sched_switch",
"args":{"cpu":1,"info":"a:7 [120] S ==> b:8 [120]"}},{"ph":"C","pid":1,"ts":4,"name":"mem","args":{"rss":1}},{"ph":"b"}]}""")
    keep(place, "array", b"""[{"ph":"X","ts":1,"dur":2,"name":"f"},""")


def make_straceline(place, golden):
    """A line of each form."""
    keep(place, "lines", b"""10890 21:28:57.031225 access("/etc", R_OK) = -1 ENOENT (No such file or directory) <0.000009>
[pid 10890] 1700000000.032859 vfork( <unfinished ...>
10890 21:28:57.033124 <... vfork resumed>)  = 10896 <0.000264>
10890 21:28:57 --- SIGCHLD {si_signo=SIGCHLD} ---
10890 21:28:57.053106 +++ exited with 0 +++
     0.000123 brk(NULL)         = 0x55e93558a000
strace: Process 7 attached
""")


def make_ftracetext(place, golden):
    """A line of each form."""
    keep(place, "lines", b"""# tracer: nop
  a b-7     [001] d..2.   100.000001: sched_switch: prev_comm=a prev_pid=7 prev_prio=120 prev_state=R+ ==> next_comm=b next_pid=0 next_prio=120
    a-7     (   6) [000] .....     5.1: sys_read(fd: 3, buf: 7ffd0)
    a-7       0d..2.    12us+: vfs_read <-ksys_read
    a-7     [000]     5.000001: my_event:             dev 8,0 size=1 name=a b ptr=0x1f q="x y"
    a-7     [000]     5.000002: my_event:             dev 8,1 size=x
    a-7     [000] .....     5.1: <stack trace>
 => vfs_read (ffffffff81000000)
CPU:1 [LOST 12 EVENTS]
  5.000003 |   0)   a-7   |  d..1 |   0.123 us    |  f();
 0)   a-7  =>  b-8
""")


def make_perfdata(place, golden):
    """Two samples, a mapping, a name and a loss, as a file and through a pipe."""
    def record(kind, misc, body):
        return struct.pack("<IHH", kind, misc, 8 + len(body)) + body

    def text(words, to):
        return words + bytes(to - len(words))

    bits = 1 | 2 | 4 | 0x20 | 0x80 | 0x100 | 0x400        # IP, TID, TIME, CHAIN, CPU, PERIOD, RAW
    attr = struct.pack("<IIQQQQQ", 1, 64, 0, 4000, bits, 4, 1 << 10 | 1 << 18) + bytes(16)
    tail = struct.pack("<IIQII", 7, 7, 900, 1, 0)
    sample = struct.pack("<QIIQIIQQQQI", 0x401010, 7, 7, 1000, 1, 0, 250000, 2, 2**64 - 512, 0x401010, 4) + b"rawx"
    records = record(10, 2, struct.pack("<IIQQQ", 7, 7, 0x400000, 0x2000, 0) + bytes(32) + text(b"/bin/x", 8) + tail)
    records += record(3, 0, struct.pack("<II", 7, 7) + text(b"x", 8) + tail)
    records += record(9, 2, sample) + record(2, 0, struct.pack("<QQ", 1, 5) + tail)
    description = struct.pack("<II", 1, 64) + attr + struct.pack("<II", 1, 16) + text(b"cpu-clock", 16) + struct.pack("<Q", 1)
    attrs_at = 104 + 8
    data_at = attrs_at + 80
    features_at = data_at + len(records)
    head = b"PERFILE2" + struct.pack("<QQ", 104, 80) + struct.pack("<QQQQQQ", attrs_at, 80, data_at, len(records), 0, 0)
    head += struct.pack("<Q", 1 << 12) + bytes(24) + struct.pack("<Q", 1)
    head += attr + struct.pack("<QQ", 104, 8)
    keep(place, "file", head, records, struct.pack("<QQ", features_at + 16, len(description)), description)
    pipe = b"PERFILE2" + struct.pack("<Q", 16) + record(64, 0, attr + struct.pack("<Q", 1))
    keep(place, "pipe", pipe, record(80, 0, struct.pack("<Q", 12) + description), records, record(68, 0, b""))


def make_perfrecord(place, golden):
    """A mapping, a fork, a name with exec, a sample with everything, a loss, an end, and a map of JIT code."""
    def record(kind, misc, body):
        return struct.pack("<IHH", kind, misc, 8 + len(body)) + body

    tail = struct.pack("<IIQIIQ", 7, 7, 900, 1, 0, 5)
    head = struct.pack("<QQIIQIIQ", 5, 0x401010, 7, 7, 1000, 1, 0, 250000)
    read = struct.pack("<QQQQQ", 2, 10, 5, 20, 6)
    chain = struct.pack("<QQQQQ", 4, 2**64 - 128, 2**64 - 4096 - 1, 2**64 - 512, 0x401010)
    stack = struct.pack("<Q", 2) + struct.pack("<17Q", *range(17)) + struct.pack("<Q", 16) + bytes(16) + struct.pack("<Q", 8)
    records = record(10, 2, struct.pack("<IIQQQ", 7, 7, 0x400000, 0x2000, 0) + bytes(32) + b"/bin/x\0\0" + tail)
    records += record(7, 0, struct.pack("<IIIIQ", 8, 7, 8, 7, 900) + tail) + record(3, 1 << 13, b"\7\0\0\0\7\0\0\0x" + bytes(7) + tail)
    records += record(9, 2, head + read + chain + stack) + record(2, 0, struct.pack("<QQ", 1, 5) + tail)
    records += record(4, 0, struct.pack("<IIIIQ", 8, 7, 8, 7, 900) + tail)
    keep(place, "all", b"\x0f", records, b"1000 40 one\n1000 40 again\n1040 x bad\n2000 10 two words\n")
    keep(place, "branches", b"\x11", record(9, 2, head + chain + struct.pack("<QQQQ", 1, 1, 2, 0)))


def make_unwind(place, golden):
    """A function with a push and a pop, one with an expression as the PLT has it, a signal frame."""
    def entry(body):
        body += bytes(-(len(body) + 4) % 8)
        return struct.pack("<I", len(body)) + body

    def fde(section, begin, code):
        at = len(section) + 4
        return section + entry(struct.pack("<IQQ", at, begin, 0x100) + b"\0" + code)

    cie = entry(struct.pack("<IB", 0, 1) + b"zR\0\1\x78\x10\1\0" + bytes([0x0c, 7, 8, 0x90, 1]))
    plt = bytes([0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22])
    section = fde(cie, 0x1000, bytes([0x41, 0x0e, 16, 0x86, 2, 0x44, 0x0a, 0x0d, 6, 0x0b, 0x0c, 7, 8]))
    section = fde(section, 0x1100, plt) + bytes(4)
    keep(place, "eh", b"\0" + struct.pack("<H", len(section)), section, struct.pack("<20Q", *range(0x1000, 0x1014)))
    debug = entry(struct.pack("<IB", 0xffffffff, 3) + b"\0\1\x78\x10" + bytes([0x0c, 7, 8, 0x90, 1]))
    debug += entry(struct.pack("<IQQ", 0, 0x1000, 0x200) + bytes([0x41, 0x0e, 16, 0x86, 2]))
    keep(place, "debug", b"\1" + struct.pack("<H", len(debug)), debug, struct.pack("<20Q", *range(0x1000, 0x1014)))


def user_program(text, functions, machine=62):
    """A program with one segment: header, text at 0x200, symbols; functions: (name, begin, bytes)."""
    names = b"\0" + b"".join(n.encode() + b"\0" for n, _, _ in functions)
    text_at, sym_at = 0x200, 0x200 + len(text)
    symbols, at = bytes(24), 1
    for name, begin, size in functions:
        symbols += struct.pack("<IBBHQQ", at, 0x12, 0, 1, text_at + begin, size)
        at += len(name) + 1
    str_at = sym_at + len(symbols)
    section_at = str_at + len(names)
    section = struct.Struct("<IIQQQQIIQQ")
    sections = bytes(64) + section.pack(0, 1, 6, text_at, text_at, len(text), 0, 0, 16, 0)
    sections += section.pack(0, 2, 0, 0, sym_at, len(symbols), 3, 0, 8, 24)
    sections += section.pack(0, 3, 0, 0, str_at, len(names), 0, 0, 1, 0)
    total = section_at + len(sections)
    head = b"\x7fELF\2\1\1" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 3, machine, 1, text_at, 64, section_at, 0, 64, 56,
                                                    1, 64, 4, 0)
    segment = struct.pack("<IIQQQQQQ", 1, 5, 0, 0, 0, total, total, 4096)
    return (head + segment).ljust(text_at, b"\0") + text + symbols + names + sections


def make_userimage(place, golden):
    """Functions of each kind: what moves, what is overwritten, loops, calls, padding."""
    kinds = ["55 48 89 e5 53 5b 5d c3", "f3 0f 1e fa 48 8b 05 10 00 00 00 c3", "85 ff 74 02 31 c0 c3 90 c3",
             "90 90 90 90 90 90 53 5b c3", "eb 09 66 0f 1f 84 00 00 02 00 00 c3", "48 83 ec 08 e8 00 00 00 00 c3 66 90",
             "ff cf ff c0 85 ff 75 f8 c3", "53 ff cf ff c0 89 c3 0f 85 f3 ff ff ff c3", "31 c0 c3 0f 1f 44 00 00",
             "55 48 89 e5 e8 00 00 00 00 c3", "ff d0 31 c0 85 c0 c3", "48 8d 15 20 00 00 00 48 63 04 82 ff e0 c3"]
    text, functions = b"", []
    for i, kind in enumerate(kinds):
        code = bytes.fromhex(kind)
        functions.append((f"f{i}" if i != 9 else "mcount", len(text), len(code)))
        text += code + b"\xcc" * (-len(code) % 16)
    keep(place, "all", user_program(text, functions))
    keep(place, "nameless", user_program(text, []))
    for i, (_, begin, size) in enumerate(functions):
        keep(place, f"{i}", user_program(text[begin:begin + 16], [("f", 0, size)]))
    true = pathlib.Path("/bin/true")
    if true.exists():
        keep(place, "true", true.read_bytes())


def make_demangle(place, golden):
    """Symbols of C++: each rule of its grammar once."""
    for i, symbol in enumerate((
            "_ZNK2ns3Box3getEi", "_ZN3BoxISt6vectorIiSaIiEEE3addERKS3_", "_ZZ4mainENKUlvE_clEv",
            "_Z4workIPKcRA4_iPFivEEvT_T0_T1_", "_Z4workILi5ELb1ELm7ELin3EEvv", "_ZThn16_N1B4workEv",
            "_ZNSsC1ERKSs", "_Z4workIXadL_Z5othervEEEvv", "_ZN1AcvM3BoxFivEEv", "_ZN2ns4workB5cxx11Ei.isra.0",
            "_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc", "_Z1fIJicEEvDpT_", "_ZZ1fvEd0_NKUt_1gEv")):
        keep(place, f"{i}", symbol)


# What a browser asks for: every request of doc/VIEWER.md, as the page sends it.

LANES = ("cpu:0:1", "task:0:1234", "irq:0:0", "softirq:0:1", "calls:0:812", "cpucalls:0:3", "sys:1:77",
         "event:0:sched/sched_waking", "field:0:kmem/kmalloc:bytes_req", "field:0:kmem/kmalloc:bytes_req:cpu3",
         "field:0:sched/sched_switch:next_pid:42", "pair:0:irq/irq_handler_entry:irq/irq_handler_exit:cpu",
         "pair:0:block/block_rq_issue:block/block_rq_complete:sector:sector", "found:7", "all:0:0", "vcpu:1:0")
ASKED = ("info", "tasks", "kinds", "density?from=0&to=1000000000&n=1600", "labels?lane=sys%3A0%3A77&ids=1,2,3",
         "rows?sel=3&row=100&n=50", "rank?sel=0&t=123456789", "row?sel=2&ref=4097", "event?ref=8193",
         "hit?sel=4&t=5000&step=previous", "stats?what=functions&from=10&to=2000&task=3", "stats?what=flame&sel=1",
         "why?task=5&from=0&to=99999", "arrows?from=0&to=281474976710655&task=1&max=2000",
         "export?what=svg&from=0&to=1000&lanes=cpu:0:0,task:0:1&width=1200", "export?what=csv&sel=3", "live")
POSTED = {
    "tiles": '{"seq":17,"tiles":[["cpu:0:1",12,3],["task:0:1",0,1e3],["field:0:a/b:c",38,0]]}',
    "select": '{"kinds":["sched/sched_switch","irq"],"tasks":[3,17],"cpus":["0:1"],"expression":"sched:prev_pid==0",'
              '"text":"bash","regex":true}',
    "live": '{"pause":true}',
}


def make_request(place, golden):
    own = "127.0.0.1:8080\n-\n-\nsame-origin\n"
    site = "localhost:8080\nhttp://localhost:8080\nhttp://localhost:8080/TOKEN/\nsame-origin\n"
    for name in ("", "app.js", "style.css", "draw_gl.js"):
        keep(place, f"page-{name or 'index'}", f"GET\n/TOKEN/{name}\n{own}")
    for i, what in enumerate(ASKED):
        keep(place, f"get-{i}", f"GET\n/TOKEN/api/{what}\n{own}")
    for i, lane in enumerate(LANES):
        keep(place, f"span-{i}", f"GET\n/TOKEN/api/span?lane={lane}&t=1200&row=1&step=nearest\n{own}")
        keep(place, f"quoted-{i}", f"GET\n/TOKEN/api/span?lane={urllib.parse.quote(lane, safe='')}&t=12\n{site}")
    for what, body in POSTED.items():
        keep(place, f"post-{what}", f"POST\n/TOKEN/api/{what}\n{site}{body}")
    keep(place, "select-text", "POST\n/TOKEN/api/select\n[::1]:8080\n-\n-\n-\n"
         '{"kinds":["a/b"],"text":"\\u00e9\\n\\ud83d\\ude00","regex":false,"tasks":[],"n":null}')
    keep(place, "foreign", "GET\n/TOKEN/\nevil.example\nnull\nhttp://evil.example/\ncross-site\n")
    keep(place, "outside", f"GET\n/TOKEN/../../etc/passwd\n{own}")
    keep(place, "hidden", f"GET\n/TOKEN/%2e%2e/%2e%2e/etc/passwd%00.js\n{own}")


# Recordings that broke off.

def make_live(place, golden):
    for kind in range(8):
        keep(place, f"sound-{kind}", bytes([kind]))
        for at in (30, 44, 100, 300, 340):
            keep(place, f"wrong-{kind}-{at}", bytes([kind]), struct.pack("<HB", at, 77))


# Texts for the kernel, and what is noted to undo them.

def make_journal(place, golden):
    keep(place, "all", "instance sonde.1234\ntop 1234\nlive /home/me/trace%20one.dat\nprobe sonde_1/vfs_read\n"
         "marks 4711 360012\nfile - set_event 18\nsched:sched_switch\nfile sonde.1234 events/sched/filter 4\nnone\n")
    keep(place, "overflow", "file - set_event 18446744073709551615\nx\n")
    keep(place, "escapes", "instance %0a%25%7f%zz%\nfile %2d a%20b 3\n\n\n\n\n")


def make_kerneltext(place, golden):
    texts = ("sched:sched_switch", "p:my/probe do_sys_open\np:other do_exit", "pid == 1 && comm ~ \"a*\"",
             "stacktrace:5 if prev_pid == 1", "../../x", "..", "name\nlive /etc/passwd", "\x1b]0;x\a", "100%", "-", "a b")
    for i, text in enumerate(texts):
        for which in range(16):
            keep(place, f"{i}-{which}", bytes([which]), text)


# Records of user functions (fuzz_userrings.c).

def make_userrings(place, golden):
    def block(what, word=0, slot=0, before=0):
        return bytes([slot * 4 + what, before, 0, 0]) + word.to_bytes(8, "little")

    left, cpu, lost, flag = 1 << 19, 0x7e000, 0x7f000, 1 << 63
    calls = [block(0, 1), block(0, 2), block(0, 2 | left), block(0, 1 | left)]
    keep(place, "calls", b"".join(calls * 3), block(3))
    keep(place, "two-threads", b"".join(calls), b"".join(block(0, 3, slot=1, before=9) for _ in range(4)), block(3),
         block(0, cpu + 1, slot=1), *calls)
    keep(place, "lost", *calls, block(0, lost), block(1, flag | 7 | 2 << 32), *calls, block(3))
    keep(place, "odd", block(0, 0), block(0, cpu + 4000), block(0, lost + 5), block(1, flag), block(0, 7777), block(3))
    keep(place, "heads", *calls, block(3), block(2, 4), block(3), block(2, 1 << 40, slot=1), block(3))


# Queries (fuzz_query.c).

def make_query(place, golden):
    root = pathlib.Path(__file__).resolve().parents[2]
    for path in sorted((root / "data/sql").glob("*.sql")):
        keep(place, path.stem, path.read_bytes())
    for number, text in enumerate([
            "SELECT ts, cpu, comm, text FROM event WHERE ts > 151620000000 AND name IN ('sys_exit', 'sys_enter')",
            "SELECT comm, name, count(*) FROM event WHERE cpu = 1 GROUP BY comm, name ORDER BY 3 DESC LIMIT 5",
            "SELECT * FROM sched_switch a JOIN thread USING (utid) WHERE prev_state_raw != 0 AND next_pid < 99",
            "SELECT * FROM spans('sys_enter', 'sys_exit', 'pid') s, critical_path('sleep') p WHERE s.ts > p.ts",
            "SELECT * FROM interval_intersect('SELECT id, ts, dur FROM sched', 'SELECT id, ts, dur FROM slice')",
            "SELECT * FROM counters; SELECT * FROM sample; SELECT * FROM event JOIN args ON arg_set_id = event.id LIMIT 50",
            "SELECT EXTRACT_ARG(id, 'next_pid'), EXTRACT_ARG(id * 3, 'next_pid') FROM event; SELECT trace_dur()",
            "SELECT name, cpu, ts / 1000 * 1000 AS ts, count(*), avg(tid), max(ts) FROM event e WHERE e.ts BETWEEN 5 AND 99999999999999 "
            "AND tid IN (1, -2) AND name != 'x' GROUP BY 1, 2, 3 HAVING count(*) > 1 ORDER BY ts DESC LIMIT 3",
            "SELECT sum(next_pid), min(\"prev_prio\"), total(ts) FROM sched_switch WHERE prev_pid >= 0 AND cpu = 1",
            "INCLUDE PERFETTO MODULE a.b; SELECT * FROM event a JOIN event b ON b.id IN (a.id, NULL, a.id + 4) LIMIT 99",
            "SELECT * FROM histogram('SELECT dur FROM slice'); SELECT * FROM process; SELECT DISTINCT system FROM event",
            "ATTACH 'x' AS y; CREATE TABLE t (a); PRAGMA writable_schema = 1; DELETE FROM sqlite_schema"]):
        keep(place, f"made-{number}", text.encode())


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    golden, place = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    for name, maker in globals().items():
        if name.startswith("make_"):
            maker(place / name[5:], golden)


if __name__ == "__main__":
    main()
