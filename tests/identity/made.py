"""Writes the traces that only the identity tests need, beside the golden ones: write_all(DIR, GOLDEN)

Each function that begins with trace_ returns one Trace or several by name; its docstring says what
the file is about. What trace-cmd dies of has a file of its own, so that it spoils nothing else.
"""
import itertools
import random
import struct

import grammar
import noise
import tracedat
from traceload import load
from tracedat import Trace

SECOND = 1_000_000_000
SHAPES = {"le8": ("<", 8), "le4": ("<", 4), "be8": (">", 8), "be4": (">", 4)}


def all_events(golden):
    """The formats that a kernel had, and symbols to go with them."""
    source = load(golden / "all-events.dat")
    trace = Trace(version=6)
    trace.ftrace_events, trace.systems = source.ftrace_events, source.systems
    trace.kallsyms, trace.cmdlines = noise.symbols(), {1: "one", 2: "two words"}
    return trace


def trace_noise(golden):
    """Noise for every event of a kernel."""
    for kind in noise.KINDS:
        trace = all_events(golden)
        noise.fill(trace, kind)
        yield f"noise-{kind}", trace


def trace_grammar(golden):
    """Drawn print formats, in all byte orders and sizes of long."""
    for name, shape in SHAPES.items():
        trace = Trace(6, *shape)
        grammar.fill(trace, name, 500, foreign=shape[0] == ">")
        yield f"grammar-{name}", trace


def trace_odd_formats(golden):
    """Print formats listed one by one, see the file odd-formats."""
    for name, shape in SHAPES.items():
        trace = Trace(6, *shape)
        grammar.fill_from(trace, grammar.odd_formats(foreign=shape[0] == ">"))
        yield f"odd-formats-{name}", trace


def trace_printk(golden):
    """trace_printk() with drawn formats, and one that is not in the list."""
    for name, shape in SHAPES.items():
        trace = Trace(6, *shape)
        grammar.fill_printk(trace, name, 300)
        yield f"printk-{name}", trace


def trace_symbols(golden):
    """Symbols: aliases of one address, modules, types and names that do not count, disorder."""
    trace = Trace(6)
    lines = ["c0000100 T first", "c0000100 t alias", "c0000100 W another", "c0000200 D data",
             "c0000300 A absolute", "c0000300 a absolute2", "c0000380 t $d.17", "c0000400 t $x",
             "c0000400 t after_dollar", "00000000 A zero", "c0000500 T mod_a\t[module_a]",
             "c0000500 T mod_b\t[module_b]", "c0000580 T in_module [spaced]",
             "c0000600 T with.isra.0", "c0000700 t __pfx_func", "ffffffffffffff00 T near_end",
             "c0000050 T before_all", "c0000450 T out_of_order", "c0000450 T out_of_order_2",
             "c0000800 T dup", "c0000900 T dup", "c0000a00 T dup", "C0000B00 T upper_case",
             " c0000c00 ? odd_type", "c0000d00 T long_" + "n" * 200, "c0000e00 U undefined"]
    trace.kallsyms = "\n".join(lines) + "\n"
    show = trace.event("demo", "show", ["unsigned long a"], '"%pS %ps %pF %pf %p", (void *)REC->a, '
                       "(void *)REC->a, (void *)REC->a, (void *)REC->a, (void *)REC->a")
    function = trace.ftrace("function")
    stack = trace.ftrace("kernel_stack")
    now, places = SECOND, []
    for line in lines:
        address = int(line.split()[0], 16)
        places += [address - 1, address, address + 1, address + 0x20]
    for a in sorted({p % (1 << 64) for p in places} | {0, 1, (1 << 64) - 1}):
        now += 1000
        trace.top.cpu(0).add(now, show(pid=1, a=a))
        trace.top.cpu(0).add(now + 100, function(pid=1, ip=a, parent_ip=0xc0000801))
        trace.top.cpu(0).add(now + 200, function(pid=1, ip=0xc0000810, parent_ip=a))
        trace.top.cpu(0).add(now + 300, stack(pid=1, size=2, caller=[a, (1 << 64) - 1]))
    yield "symbols", trace


def trace_tasks(golden):
    """Names of tasks: blanks, none, no number; learned from events. Then the same with pids that
    are listed twice, first without and then with names learned in between."""
    trace = Trace(6)
    trace.cmdlines = ("10 ten\n11 two words\n12 twelve\n13 \n14  leading\n15 trailing \n16 tab"
                      "\there\n17 a-b:c/d\n18 very_long_name_indeed\n20 twenty\n21 <...>\n"
                      "0 swapper\n4194304 big\n-1 minus\n")
    tick = trace.event("demo", "tick", ["int n"], '"%d", REC->n')
    sched = scheduler(trace)
    cpu, now = trace.top.cpu(0), SECOND
    for pid in [*range(8, 24), 0, 4194304, -1, 30, 31, 32]:
        now += 1000
        cpu.add(now, tick(pid=pid, n=pid))
    for prev, following in ((30, 31), (31, 12), (12, 32), (32, 0), (0, 10), (33, 30)):
        now += 1000
        cpu.add(now, sched["sched_switch"](
            pid=prev, prev_comm=f"p{prev}", prev_pid=prev, prev_prio=120, prev_state=1,
            next_comm=f"n{following}", next_pid=following, next_prio=120))
        cpu.add(now + 10, tick(pid=prev, n=1))
        cpu.add(now + 20, tick(pid=following, n=2))
    for pid in (40, 41, 12):
        now += 1000
        cpu.add(now, sched["sched_wakeup"](pid=10, comm=f"w{pid}", pid_=pid, prio=120, success=1))
        cpu.add(now + 10, tick(pid=pid, n=3))
    yield "tasks", trace
    trace.cmdlines = trace.cmdlines.replace("12 twelve\n", "12 twelve\n12 twelve again\n12 and "
                                            "again\n").replace("\n21", "\n20 twenty2\n21")
    yield "tasks-twice-learned", trace
    trace = Trace(6)
    trace.cmdlines = "".join(f"{pid} name{i}\n" for i, pid in enumerate([5, 9, 5, 7, 5, 9, 8, 1]))
    tick = trace.event("demo", "tick", ["int n"], '"%d", REC->n')
    for pid in range(10):
        trace.top.cpu(0).add(SECOND + pid, tick(pid=pid, n=pid))
    yield "tasks-twice", trace


def scheduler(trace):
    """The three events of the scheduler that reports know."""
    switch = trace.event("sched", "sched_switch", [
        "char prev_comm[16]", "pid_t prev_pid", "int prev_prio", "long prev_state",
        "char next_comm[16]", "pid_t next_pid", "int next_prio"],
        '"prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%ld ==> next_comm=%s next_pid=%d '
        'next_prio=%d", REC->prev_comm, REC->prev_pid, REC->prev_prio, REC->prev_state, '
        "REC->next_comm, REC->next_pid, REC->next_prio", ident=316)
    events = {"sched_switch": switch}
    for number, name in enumerate(("sched_wakeup", "sched_wakeup_new"), 317):
        event = trace.event("sched", name, ["char comm[16]", "pid_t pid", "int prio",
                                            "int success", "int target_cpu"],
                            '"comm=%s pid=%d prio=%d target_cpu=%03d", REC->comm, REC->pid, '
                            "REC->prio, REC->target_cpu", ident=number)
        # the field has the name of tracedat's argument for the common pid
        events[name] = lambda pid=0, pid_=0, e=event, **v: with_field(e, "pid", pid_, e(pid, **v))
    return events


def with_field(event, name, value, record):
    field = next(f for f in event.fields if f.name == name)
    data = bytearray(record)
    data[field.offset:field.offset + field.size] = field.pack(event.endian, value)
    return bytes(data)


def trace_wakeups(golden):
    """For -w: wakeups followed by switches, real-time and deadline tasks, none, twice the same."""
    trace = Trace(6)
    sched, now = scheduler(trace), SECOND
    trace.cmdlines = {i: f"task{i}" for i in range(1, 12)}
    draw = random.Random(5)
    for i in range(200):
        pid, prio = draw.randrange(1, 12), draw.choice([120, 120, 100, 99, 50, 0, 139])
        now += draw.randrange(100, 3_000_000)
        name = draw.choice(["sched_wakeup", "sched_wakeup", "sched_wakeup_new"])
        trace.top.cpu(i % 3).add(now, sched[name](
            pid=draw.randrange(5), comm=f"task{pid}", pid_=pid, prio=prio, success=i % 7 != 0,
            target_cpu=i % 3))
        if i % 5:
            now += draw.randrange(100, 500_000)
            trace.top.cpu(i % 3).add(now, sched["sched_switch"](
                pid=1, prev_comm="task1", prev_pid=1, prev_prio=120, prev_state=i % 300,
                next_comm=f"task{pid}", next_pid=pid, next_prio=prio))
    yield "wakeups", trace


def trace_flags(golden):
    """Every value of the flags and of the preemption count, with and without the fields that some
    kernels add."""
    more = {"": [], "-lock": ["int common_lock_depth"],
            "-migrate": ["unsigned char common_migrate_disable",
                         "unsigned char common_preempt_lazy_count"]}
    for name, fields in more.items():
        trace = Trace(6)
        trace.cmdlines = {1: "one"}
        common = tracedat.COMMON + fields
        text, offset = "name: tick\nID: 1000\nformat:\n", 0
        for decl in common + ["", "int n"]:
            if not decl:
                text, offset = text + "\n", (offset + 3) // 4 * 4
                continue
            field = tracedat.Field(decl, offset, 8)
            text, offset = text + field.text(), field.offset + field.size
        trace.systems["demo"] = [text + '\nprint fmt: "%d", REC->n\n']
        for i in range(256):
            extra = struct.pack("<i", i - 2) if "lock" in name else bytes([i % 5, i % 3, 0, 0])
            record = struct.pack("<HBBi", 1000, i, 255 - i, 1) + (extra if fields else b"")
            trace.top.cpu(0).add(SECOND + 1000 * i, record + struct.pack("<i", i))
        yield f"flags{name}", trace


def trace_stacks(golden):
    """Stacks of both kinds, cut short, with and without the mark at their end."""
    for name, shape in SHAPES.items():
        trace = Trace(6, *shape)
        trace.kallsyms = "".join(f"{0xc0000000 + 0x100 * i:08x} T func_{i}\n" for i in range(9))
        trace.cmdlines = {1: "one"}
        tick = trace.event("demo", "tick", ["int n"], '"%d", REC->n')
        kernel = trace.ftrace("kernel_stack")
        user = tracedat.Event(trace, "user_stack", 12, ["unsigned int tgid",
                                                        "unsigned long caller[8]"],
                              '"\\t=> (%08lx)\\n\\t=> (%08lx)\\n", REC->caller[0], REC->caller[1]')
        trace.ftrace_events.append(user)
        now, end = SECOND, (1 << 8 * shape[1]) - 1
        for callers in ([0xc0000101, 0xc0000207, end], [end], [0xc0000301] * 6 + [end, 1, 2],
                        [0, 1, 0xd0000000, end], [0xc0000105, 0xc0000205]):
            now += 1000
            trace.top.cpu(0).add(now, tick(pid=1, n=len(callers)))
            trace.top.cpu(0).add(now + 1, kernel(pid=1, size=len(callers), caller=callers))
            trace.top.cpu(0).add(now + 2, user(pid=1, tgid=1, caller=callers[:8]))
            trace.top.cpu(1).add(now + 3, kernel(pid=1, size=1, caller=callers))
        yield f"stacks-{name}", trace


def trace_raw_fields(golden):
    """Fields of every type, for -R; values at the limits; texts that are none."""
    types = ["char", "signed char", "unsigned char", "short", "unsigned short", "int",
             "unsigned int", "long", "unsigned long", "long long", "unsigned long long", "u8",
             "s8", "u16", "s16", "u32", "s32", "u64", "s64", "bool", "pid_t", "void *",
             "const char *", "size_t", "dev_t", "gfp_t", "__u16", "__s64"]
    fields = [f"{t} f{i}" for i, t in enumerate(types)]
    fields += ["char text[8]", "u8 bytes[4]", "int ints[3]", "unsigned long longs[2]",
               "__data_loc char[] dyn_text", "__data_loc u8[] dyn_bytes", "__data_loc int[] dyn",
               "__rel_loc char[] rel_text", "__rel_loc u16[] rel"]
    for name, shape in SHAPES.items():
        trace = Trace(6, *shape)
        half = len(types) // 2
        shown = ", ".join(f"REC->f{i}" for i in range(half))
        event = trace.event("demo", "fields", fields, '"' + " ".join(
            ["0x%x", "%08lx", "%d", "%lld"][i % 4] for i in range(half)) + f'", {shown}')
        values = [0, 1, -1, 127, 128, 255, 256, 0x7fff, 0x8000, 0x7fffffff, 0x80000000, 1 << 62]
        for i, value in enumerate(values):
            record = {f"f{k}": value for k in range(len(types))}
            text = ["plain", "a\nb", "\x01bad", "", "tab\t", "12345678", "again", "\x7f"][i % 8]
            trace.top.cpu(0).add(SECOND + 1000 * i, event(
                pid=1, text=text, dyn_text=text, rel_text=text, bytes=bytes([i, 65, 66, 0]),
                dyn_bytes=bytes(range(i)), ints=[value] * 3, longs=[value] * 2,
                dyn=[value] * (i % 3), rel=[i] * (i % 4), **record))
        yield f"raw-{name}", trace


def trace_options_of_time(golden):
    """Clocks with every option that changes times, alone and together."""
    extra = {"date": [(tracedat.DATE, b"0x12345678\0")], "offset": [(tracedat.OFFSET, b"777777\0")],
             "tsc": [(tracedat.TSC2NSEC, struct.pack("<IIQ", 3 << 20, 21, 12345))]}
    for version, clock in itertools.product((6, 7), ("local", "x86-tsc", "boot", "tai", "perf",
                                                     "uptime", "mono_raw")):
        for names in ((), ("date",), ("offset", "date"), ("tsc",), ("tsc", "date", "offset")):
            if names and clock not in ("local", "x86-tsc"):
                continue
            trace = Trace(version, clock=clock)
            tick = trace.event("demo", "tick", ["int n"], '"%d", REC->n')
            trace.options += [o for n in names for o in extra[n]]
            for i in range(6):
                trace.top.cpu(i % 2).add(SECOND + i * 123_456_789, tick(pid=1, n=i))
            yield "-".join(["time", clock, f"v{version}", *names]), trace


def trace_hosts_and_guests(golden):
    """A host's trace and guests whose times it corrects: no sample, one, two, many, scaled."""
    host = Trace(7)
    tick = host.event("demo", "tick", ["int n"], '"%d", REC->n')
    host.option(tracedat.TRACEID, struct.pack("<Q", 5))
    host.option(tracedat.GUEST, b"guest\0" + struct.pack("<QIIIII", 99, 2, 0, 70, 1, 71))
    for i in range(40):
        host.top.cpu(0).add(SECOND + i * 100_000, tick(pid=1, n=i))
    yield "host", host
    many = [(SECOND + t * 1_000_000, 10_000 * t * t, 1, 0) for t in range(4)]
    kinds = {"one": many[1:2], "two": many[:2], "many": many, "unsorted": many[::-1],
             "twice": many[:2] + many[1:], "scaled": [(t, o, 3, 1) for t, o, _, _ in many],
             "negative": [(t, -o - 50_000, s, f) for t, o, s, f in many], "none": []}
    for (name, samples), flags in itertools.product(kinds.items(), (0, 1)):
        guest = Trace(7)
        tick = guest.event("demo", "tick", ["int n"], '"%d", REC->n')
        guest.option(tracedat.TRACEID, struct.pack("<Q", 99))
        columns = list(zip(*samples)) if samples else [(), (), (), ()]
        n = len(samples)
        per_cpu = struct.pack("<I", n) + b"".join(struct.pack(f"<{n}q", *c) for c in columns[:3])
        fractions = struct.pack(f"<{n}q", *columns[3])
        guest.option(tracedat.TIME_SHIFT, struct.pack("<QII", 5, flags, 2) + 2 * per_cpu
                     + 2 * fractions)
        for i in range(60):
            guest.top.cpu(i % 3).add(SECOND - 500_000 + i * 70_000 + i % 3, tick(pid=2, n=i))
        yield f"guest-{name}-{flags}", guest


def trace_functions(golden):
    """Functions that call each other on two CPUs, for the indentation and its options."""
    trace = Trace(6)
    trace.kallsyms = "".join(f"{0xc0000000 + 0x100 * i:08x} t func_{i % 12}\n" for i in range(20))
    trace.cmdlines = {1: "one", 2: "two"}
    function, draw, now = trace.ftrace("function"), random.Random(3), SECOND
    repeats = tracedat.Event(trace, "func_repeats", 17, [
        "unsigned long ip", "unsigned long parent_ip", "u16 count", "u16 top_delta_ts",
        "u32 bottom_delta_ts"], '" %ps <-%ps\\t(repeats:%u)", (void *)REC->ip, '
        "(void *)REC->parent_ip, REC->count")
    trace.ftrace_events.append(repeats)
    for i in range(400):
        now += draw.randrange(1, 3000)
        ip, parent = (0xc0000000 + draw.randrange(0x1500) for _ in range(2))
        if i % 9 == 0:
            parent = draw.choice([0, 0xd0000000, parent])
        values = dict(pid=1 + i % 2, ip=ip, parent_ip=parent)
        record = function(**values) if i % 11 else repeats(
            count=i, top_delta_ts=i % 3, bottom_delta_ts=i * 100, **values)
        trace.top.cpu(i % 2).add(now, record)
    yield "functions", trace


def trace_graph(golden):
    """The function graph: leaves, calls whose end is missing, other CPUs in between, durations of
    every size, depths."""
    trace = Trace(6)
    trace.kallsyms = "".join(f"{0xc0000000 + 0x100 * i:08x} t func_{i}\n" for i in range(20))
    trace.cmdlines = {1: "one", 2: "two"}
    enter, leave = trace.ftrace("funcgraph_entry"), trace.ftrace("funcgraph_exit")
    now, times = SECOND, [0, 1, 999, 1000, 9_999, 10_000, 10_001, 99_999, 100_001, 999_999,
                          1_000_001, 123_456_789, SECOND + 1, 12 * SECOND, -5]
    for i, time in enumerate(times * 3):
        func, depth = 0xc0000000 + 0x100 * (i % 20), [0, 1, 2, 7, 30][i % 5]
        now += 10_000
        first, second = trace.top.cpu(0), trace.top.cpu(1)
        first.add(now, enter(pid=1, func=func, depth=depth))
        if i % 4 == 1:
            second.add(now + 1, enter(pid=2, func=func, depth=depth))
        if i % 4 == 2:
            first.add(now + 1, enter(pid=1, func=func + 0x100, depth=depth + 1))
        if i % 7:
            first.add(now + 2, leave(pid=1 + (i % 6 == 0), func=func + (i % 5 == 0), depth=depth,
                                     calltime=now, rettime=now + time, overrun=i))
    yield "graph", trace


def trace_deadline(golden):
    """A deadline task has the priority -1."""
    trace = Trace(6)
    sched = scheduler(trace)
    for i, (prev, following) in enumerate(((-1, 120), (120, -1), (-1, -1))):
        trace.top.cpu(0).add(SECOND + 1000 * i, sched["sched_switch"](
            pid=1, prev_comm="a", prev_pid=1, prev_prio=prev, prev_state=0x102,
            next_comm="b", next_pid=2, next_prio=following))
    trace.top.cpu(0).add(2 * SECOND, sched["sched_wakeup"](comm="c", pid_=3, prio=-1, success=1))
    yield "deadline", trace


def trace_past_records(golden):
    """Counts and places that reach past the record's end: trace-cmd shows what lies behind it."""
    trace = Trace(6)
    event = trace.event("demo", "past", ["u8 n", "u8 list[4]", "__data_loc u8[] dyn"],
                        '"%s %s", __print_hex(REC->list, REC->n), '
                        "__print_hex(__get_dynamic_array(dyn), REC->n)")
    for n in (0, 4, 30):
        trace.top.cpu(0).add(SECOND + n, event(pid=1, n=n, list=b"abcd", dyn=b"efgh"))
    yield "past-records", trace


def trace_other_byte_order(golden):
    """What trace-cmd takes in its own byte order: arrays, longs shown as text, socket addresses."""
    trace = Trace(6, ">")
    trace.printk = '0xc0000010 : "from printk_formats"\n'
    event = trace.event("demo", "order", ["u32 list[2]", "unsigned long text", "u8 peer[16]"],
                        '"%s %s %pISpc", __print_array(REC->list, 2, 4), REC->text, REC->peer')
    peer = struct.pack(">HH", 2, 80) + bytes([127, 0, 0, 1]) + bytes(8)
    trace.top.cpu(0).add(SECOND, event(list=[1, 2], text=0xc0000010, peer=peer))
    yield "other-byte-order", trace


def trace_printk_flags(golden):
    """Values of trace_printk() that trace-cmd does not take from the record."""
    trace = Trace(6)
    trace.printk = ('0x10 : "%-5d|%-6s|%d"\n0x20 : "%c%c|%d"\n0x30 : "%hd %hhd %d"\n'
                    '0x40 : "%d %s %d end"\n0x50 : "fine %d"\n')
    bprint = trace.ftrace("bprint")
    values = {0x50: b"\5\0\0\0", 0x10: b"\5\0\0\0abc\0\7\0\0\0", 0x20: b"AB\0\0\7\0\0\0",
              0x30: b"\xff\xff\xfe\0\7\0\0\0", 0x40: b"\1\0\0\0", 0x51: b""}
    for i, (fmt, buf) in enumerate(values.items()):
        trace.top.cpu(0).add(SECOND + i, bprint(pid=1, fmt=min(fmt, 0x50), buf=buf))
    yield "printk-flags", trace


def trace_ceilings(golden):
    """A depth that no stack has, a width that no line has: trace-cmd prints all those blanks."""
    trace = Trace(6)
    enter = trace.ftrace("funcgraph_entry")
    width = trace.event("demo", "width", ["int n"], '"[%*d]", REC->n, REC->n')
    trace.top.cpu(0).add(SECOND, width(n=5))
    trace.top.cpu(0).add(SECOND + 1, width(n=200_000_000))
    trace.top.cpu(0).add(SECOND + 2, enter(pid=1, func=1, depth=100_000_000))
    trace.top.cpu(0).add(SECOND + 3, width(n=7))
    yield "ceilings", trace


def trace_negative_width(golden):
    """A width or a length of text that is negative."""
    trace = Trace(6)
    event = trace.event("demo", "width", ["int n", "char text[8]"],
                        '"%.*s|", REC->n, REC->text')
    for i, n in enumerate((3, -1)):
        trace.top.cpu(0).add(SECOND + i, event(n=n, text="abcdef"))
    yield "negative-width", trace


def trace_dies(golden):
    """Print formats of which trace-cmd dies, each in a file of its own."""
    formats = {"relative-length": '"%d", __get_rel_dynamic_array_len(rel)',
               "index-in-branch": '"%d", REC->n ? REC->n : REC->list[1]',
               "hex-of-text": '"%s", __print_hex(__get_str(name), 2)'}
    for name, text in formats.items():
        trace = Trace(6)
        event = trace.event("demo", "odd", ["int n", "u8 list[4]", "__rel_loc char[] rel",
                                            "__data_loc char[] name"], text)
        trace.top.cpu(0).add(SECOND, event(n=5, list=b"abcd", rel="12345", name="ab"))
        yield f"dies-{name}", trace


def trace_probe_char(golden):
    """An argument of type char of a probe, as the kernel describes it."""
    trace = Trace(6)
    event = trace.event("probe", "work", ["unsigned long __probe_ip", "u8 c", "s32 number"],
                        '"(%lx) c=\'%c\' number=%d", REC->__probe_ip, REC->c, REC->number')
    for i, c in enumerate(b"a\n"):
        trace.top.cpu(0).add(SECOND + i, event(__probe_ip=0x1199, c=c, number=i))
    yield "probe-char", trace


def trace_own_addresses(golden):
    """A dynamic array shown as a pointer or a number: trace-cmd shows where it has it in memory."""
    trace = Trace(6)
    event = trace.event("demo", "address", ["__data_loc u8[] dyn"],
                        '"%p %d end", __get_dynamic_array(dyn), __get_dynamic_array(dyn)')
    trace.top.cpu(0).add(SECOND, event(dyn=b"abcd"))
    yield "own-addresses", trace


def trace_odd_lengths(golden):
    """Lengths that printf() takes for wide characters or does not take at all."""
    trace = Trace(6)
    event = trace.event("demo", "length", ["char text[8]", "int n"],
                        '"[%ls] [%lhd]", REC->text, REC->n')
    trace.top.cpu(0).add(SECOND, event(text="abc", n=7))
    yield "odd-lengths", trace


def variant(kind, path):
    """A trace rewritten so that trace-cmd shows what it should show of the original: as version 6,
    with its times moved, without the correction of a guest's times."""
    trace, (word, _, number) = load(path), kind.partition("-")
    if word == "v6":
        trace.version, trace.compression = 6, "none"
    elif word == "offset":
        trace.option(tracedat.OFFSET, number)
    elif word == "unshifted":
        trace.options = [o for o in trace.options if o[0] != tracedat.TIME_SHIFT]
    return trace


def write_all(place, golden):
    """Writes every trace of this file as made-NAME.dat."""
    makers = [maker for name, maker in globals().items() if name.startswith("trace_")]
    for maker in makers:
        for name, trace in maker(golden):
            trace.write(place / f"made-{name}.dat")
