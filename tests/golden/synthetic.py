"""Writes the made-up golden traces: synthetic.py DIR

Each function below that begins with make_ writes traces of one kind; its docstring says what is
special about them. Their contents are arithmetic, so a test can say what must come out:

    made-V-ENDIAN-LONG-PAGE[-COMPRESSION].dat   the same events in every shape of file; trace-cmd
                                                prints the same text for all of them
    made-….dat                                  one peculiarity each
"""
import itertools
import os
import struct
import sys

import tracedat
from tracedat import Trace
from usertrace import UserTrace

SECOND = 1_000_000_000


def demo_events(trace):
    """The event that most of the made-up traces consist of."""
    return trace.event("demo", "tick", [
        "int count", "unsigned long addr", "char comm[16]", "u64 big", "u16 small",
        "__data_loc char[] name"],
        '"count=%d func=%ps comm=%s big=%llu small=%u name=%s", REC->count, (void *)REC->addr, '
        "REC->comm, REC->big, REC->small, __get_str(name)")


def fill(trace, n_cpus=3, n_events=300):
    """Ticks on every CPU, a few records of other kinds, an instance."""
    tick, function, text = demo_events(trace), trace.ftrace("function"), trace.ftrace("print")
    trace.kallsyms = "".join(f"{0xc0000000 + 0x100 * i:08x} T func_{i}\n" for i in range(20))
    trace.cmdlines = {7: "worker", 8: "two words"}
    trace.option(tracedat.UNAME, "Linux demo 6.1.0 x86_64")
    trace.option(tracedat.VERSION, "1.0 synthetic")
    for cpu, i in itertools.product(range(n_cpus), range(n_events)):
        record = tick(pid=7 + cpu, flags=i % 32, preempt=i % 3, count=i - 3, comm=f"c{i}",
                      addr=0xc0000100 + i % 512, big=1 << 40 | i, small=65535 - i,
                      name="x" * (i % 90))
        trace.top.cpu(cpu).add(SECOND + i * 1_000_000 + cpu * 300, record)
    trace.top.cpu(1).add(5 * SECOND, function(pid=8, ip=0xc0000100, parent_ip=0xc0000210))
    page = trace.top.cpu(0).page(6 * SECOND, missed=17)
    page.event(5, text(pid=9, ip=0xc0000300, buf="hello there\n"))
    page.extend(1 << 30)
    page.event(7, tick(count=99), long_form=True)
    page.discarded(10, tick())
    page.event(20, tick(count=100))
    page.stamp(8 * SECOND)
    page.event(1, tick(count=101, name="y" * 200))
    trace.instance("foo", clock="mono").cpu(0).add(1_200_000_000, tick(count=3, name="aside"))
    return trace


def make_shapes(place):
    """Every version, byte order, size of long, size of page and compression."""
    orders = {"le": "<", "be": ">"}
    for order, long_size, page in itertools.product(orders, (4, 8), (4096, 8192, 65536)):
        for version, compression in ((6, "none"), (7, "none"), (7, "zstd"), (7, "zlib")):
            name = f"made-v{version}-{order}-{long_size}-{page}"
            name += "" if compression == "none" else "-" + compression
            fill(Trace(version, orders[order], long_size, page, compression)).write(place(name))


def make_many_cpus(place):
    """1500 CPUs, of which every third has one event."""
    for version in (6, 7):
        trace = Trace(version)
        tick = demo_events(trace)
        for cpu in range(0, 1500, 3):
            trace.top.cpu(cpu).add(1_000_000 + 10 * cpu, tick(count=cpu))
        trace.write(place(f"made-many-cpus-v{version}"))


def make_huge(place):
    """A file of more than 5 GB, nearly all of it a hole: offsets beyond 32 bits."""
    for version in (6, 7):
        trace = Trace(version)
        tick = demo_events(trace)
        trace.top.cpu(0).add(1000, tick(count=1))
        trace.top.cpu(1).add(2000, tick(count=2))
        trace.top.cpu(1).hole_bytes = 5 << 30
        trace.write(place(f"made-huge-v{version}"))


def make_latency(place):
    """The text of a latency tracer instead of pages."""
    for version, compression in ((6, "none"), (7, "none"), (7, "zstd"), (7, "zlib")):
        trace = Trace(version, compression=compression)
        demo_events(trace)
        lines = [f"  <idle>-0       {i % 4}d..1.. {i:4d}us : func_{i} <-caller_{i}\n"
                 for i in range(2000)]
        trace.latency_text = "# tracer: irqsoff\n#\n" + "".join(lines)
        trace.write(place(f"made-latency-v{version}" + compression.replace("none", "")))


def make_missed(place):
    """Lost events: a count, no count, no room for the count, a page that begins with a time."""
    trace = Trace()
    tick, cpu = demo_events(trace), trace.top.cpu(0)
    cpu.add(1 * SECOND, tick(count=0))
    cpu.add(2 * SECOND, tick(count=1), missed=1455)
    cpu.add(3 * SECOND, tick(count=2), missed=-1)
    page = cpu.page(4 * SECOND, missed=7)
    page.extend(1 << 28)
    page.event(0, tick(count=3))
    page = cpu.page(5 * SECOND, missed=8)
    page.stamp(5 * SECOND + 1000)
    page.event(0, tick(count=4))
    page = cpu.page(6 * SECOND, missed=9)
    while len(page.used) + 4096 // 16 < page.room:
        page.event(1, tick(count=5, name="n" * 150))
    page.event(1, bytes(page.room - len(page.used) - 8), long_form=True)
    trace.write(place("made-missed"))


def make_times(place):
    """Time records of every kind, alone on a page, at its end, and very large."""
    trace = Trace()
    tick = demo_events(trace)
    page = trace.top.cpu(0).page(SECOND)
    page.extend(0)
    page.event(0, tick(count=0))
    page.event((1 << 27) - 1, tick(count=1))
    page.extend((1 << 59) - 1)
    page.event(0, tick(count=2))
    page = trace.top.cpu(1).page(2 * SECOND)
    page.padding(64)
    page.stamp(3 * SECOND)
    page = trace.top.cpu(1).page((31 << 59) + 5)      # the upper bits of an absolute time
    page.stamp(7 * SECOND)
    page.event(3, tick(count=3))
    trace.top.cpu(2).page(4 * SECOND)                 # an empty page
    trace.write(place("made-times"))


def make_clocks(place):
    """Clocks and what options do to the time."""
    kinds = {"boot": [], "counter": [], "x86-tsc": [],
             "mono": [(tracedat.OFFSET, b"-500000000\0")],
             "global": [(tracedat.DATE, b"0x5f5e100\0")],
             "tsc2nsec": [(tracedat.TSC2NSEC, struct.pack("<IIQ", 5 << 20, 22, 0))]}
    for clock, options in kinds.items():
        for version in (6, 7):
            trace = Trace(version, clock=clock)
            tick = demo_events(trace)
            trace.options += options
            for i in range(20):
                trace.top.cpu(i % 2).add(SECOND + i * 1234567, tick(count=i))
            trace.write(place(f"made-clock-{clock}-v{version}"))
            if clock == "counter":
                trace.with_clock = False
                trace.write(place(f"made-clock-unsaid-v{version}"))


def make_instances(place):
    """Instances with names of several lengths, other clocks, another page size, no data."""
    for version in (6, 7):
        trace = Trace(version)
        tick = demo_events(trace)
        for i in range(10):
            trace.top.cpu(0).add(SECOND + i * 1000, tick(count=i))
        other = {"page_size": 8192} if version == 7 else {}
        trace.instance("a", clock="mono").cpu(1).add(SECOND + 500, tick(count=100))
        trace.instance("longer-name", **other).cpu(0).add(SECOND + 1500, tick(count=200))
        trace.instance("empty")
        trace.cmdlines = {0: "swapper"}
        trace.write(place(f"made-instances-v{version}"))


def make_processes(place):
    """Three processes, one of them sonde's own: their threads and command lines (option 0x5341), switches and wakeups."""
    trace = Trace(7)
    trace.cmdlines = {20: "prog", 21: "worker", 30: "sonde", 31: "sonde", 40: "other"}
    trace.option(0x5341, "process 1 old\n")                # of several the last counts
    trace.option(0x5341, "process 20 /bin/prog -v two\\x20words it's \nthread 21 20\nself 30\n"
                 "process 30 sonde record\nthread 31 30\nprocess 2\ncut 40 other --long\n")
    waking = trace.event("sched", "sched_waking", ["char comm[16]", "int pid", "int prio", "int target_cpu"],
                         '"comm=%s pid=%d prio=%d target_cpu=%03d", REC->comm, REC->pid, REC->prio, REC->target_cpu')
    switch = trace.event("sched", "sched_switch",
                         ["char prev_comm[16]", "int prev_pid", "int prev_prio", "long prev_state",
                          "char next_comm[16]", "int next_pid", "int next_prio"],
                         '"prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%d ==> next_comm=%s next_pid=%d next_prio=%d", '
                         "REC->prev_comm, REC->prev_pid, REC->prev_prio, REC->prev_state, REC->next_comm, REC->next_pid, "
                         "REC->next_prio")
    names = trace.cmdlines | {0: "swapper/0"}

    def wakes(at, who, whom):
        trace.top.cpu(0).add(SECOND + at * 1000, waking(pid=who, comm=names[whom], prio=120, target_cpu=0, field_pid=whom))

    def switches(at, prev, after):
        trace.top.cpu(0).add(SECOND + at * 1000, switch(pid=prev, prev_comm=names[prev], prev_pid=prev, prev_prio=120,
                                                        prev_state=0, next_comm=names[after], next_pid=after, next_prio=120))

    wakes(0, 0, 20)         # microseconds; prog waits for 10, its worker for 20, sonde for 30
    switches(10, 0, 20)
    wakes(20, 20, 30)
    wakes(30, 20, 21)
    switches(50, 20, 30)    # sonde ran: 21 waits a bit longer
    switches(51, 30, 21)
    wakes(60, 21, 40)
    wakes(65, 21, 31)
    switches(90, 21, 31)
    switches(100, 31, 40)
    trace.write(place("made-processes"))


def sched_switch(trace):
    return trace.event("sched", "sched_switch", [
        "char prev_comm[16]", "int prev_pid", "int prev_prio", "long prev_state",
        "char next_comm[16]", "int next_pid", "int next_prio"],
        '"prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%d ==> next_comm=%s next_pid=%d '
        'next_prio=%d", REC->prev_comm, REC->prev_pid, REC->prev_prio, (int)REC->prev_state, '
        "REC->next_comm, REC->next_pid, REC->next_prio")


def user_kernel(trace, worker):
    """What the kernel does below the worker's read_all(): functions, an interrupt, a switch."""
    top, entry = trace.top.cpu(0), trace.ftrace("funcgraph_entry")
    leave, switch = trace.ftrace("funcgraph_exit"), sched_switch(trace)
    irq = trace.event("irq", "irq_handler_entry", ["int irq", "__data_loc char[] name"],
                      '"irq=%d name=%s", REC->irq, __get_str(name)')
    irq_end = trace.event("irq", "irq_handler_exit", ["int irq", "int ret"],
                          '"irq=%d ret=%s", REC->irq, REC->ret ? "handled" : "unhandled"')
    trace.kallsyms += "ffffffff81000000 T vfs_read\nffffffff81000100 T schedule\n"
    vfs_read, schedule, at, pid = 0xffffffff81000000, 0xffffffff81000100, worker.now, worker.pid

    def left(time, func, depth, start):
        top.add(time, leave(pid=pid, func=func, depth=depth, calltime=start, rettime=time))

    top.add(at + 200, entry(pid=pid, func=vfs_read, depth=0))
    top.add(at + 400, irq(pid=pid, irq=9, name="disk"))
    top.add(at + 700, irq_end(pid=pid, irq=9, ret=1))
    top.add(at + 900, entry(pid=pid, func=schedule, depth=1))
    top.add(at + 1_000, switch(pid=pid, prev_comm="worker", prev_pid=pid, prev_prio=120,
                               prev_state=1, next_comm="swapper/0", next_pid=0, next_prio=120))
    top.add(at + 21_000, switch(pid=0, prev_comm="swapper/0", prev_pid=0, prev_prio=120,
                                prev_state=0, next_comm="worker", next_pid=pid, next_prio=120))
    left(at + 21_200, schedule, 1, at + 900)
    left(at + 21_500, vfs_read, 0, at + 200)
    worker.run(22_000)


def make_user(place):
    """Calls of two threads of a program, with the kernel's below them: one thread changes its CPU,
    one is still in a call at the end, and one call's beginning was lost."""
    trace = Trace(7, clock="mono_raw")
    user = UserTrace(trace, ["main", "parse", "next_token", "read_all", "work", "spin",
                             "std::vector<int>::push_back(int&&)"],
                     files={"read_all": "libio.so.1"})
    trace.cmdlines = {100: "demo", 101: "worker"}
    main = user.task(100, cpu=1, now=SECOND)
    main.enter("main").run(1_000).enter("parse").run(250)
    for i in range(3):
        main.call("next_token", 500 + 100 * i).run(50)
    main.cpu = 0
    main.run(300).call("std::vector<int>::push_back(int&&)", 1_500).run(100).leave().run(200)
    worker = user.task(101, cpu=0, now=SECOND + 1_500)
    worker.enter("work").run(100).enter("read_all").run(100)
    user_kernel(trace, worker)
    worker.leave().run(500)
    for depth in range(4):
        worker.enter("spin").run(100 * (depth + 1))
    for depth in range(4):
        worker.run(10).leave()
    worker.run(1_000).leave()
    user.lose(5)
    worker.run(2_000_000)
    worker.open = ["work", "parse"]
    worker.leave().run(1_000).call("next_token", 2_500_000).leave()
    main.now = worker.now + 1_000
    main.enter("parse").run(70_000).enter("read_all")
    user.finish()
    trace.write(place("made-user"))


def make_user_slower(place):
    """The same program as in made-user, in which one function has become slower and one is new."""
    trace = Trace(7, clock="mono_raw")
    user = UserTrace(trace, ["main", "parse", "next_token", "check"])
    trace.cmdlines = {200: "demo"}
    main = user.task(200, cpu=0, now=SECOND)
    main.enter("main").run(1_000).enter("parse").run(250)
    for i in range(3):
        main.call("next_token", 5_000 + 100 * i).run(50)
    main.call("check", 700).leave().run(100).leave()
    user.finish()
    trace.write(place("made-user-slower"))


def make_samples(place):
    """Samples of two threads for 2.4 s, 1000 a second; every fifth 100 ms a burst in the kernel; waits of 5 ms."""
    trace = Trace(7, clock="mono_raw")
    sample = trace.event("perf", "sample", ["u64 ip", "u64 period", "u32 event", "s32 tgid", "u32 n_bytes",
                                            "__data_loc u64[] stack"],
                         '"%s: %llu %ps", __print_symbolic(REC->event, { 0, "cpu-clock" }, { 1, "off-cpu" }), '
                         'REC->period, (void *)REC->ip')
    trace.option(0x5344, b"E 0 cpu-clock\nE 1 off-cpu\nF 1 - /usr/bin/demo\nF 2 - /usr/lib/libdemo.so\n")
    trace.cmdlines = {100: "demo", 101: "worker"}
    demo, lib, kernel = 1 << 48, 2 << 48, 0xffffffff81000000
    for at, name, file in ((demo + 0x1000, "main", "demo"), (demo + 0x2000, "work", "demo"),
                           (demo + 0x3000, "leaf", "demo"), (lib + 0x1000, "helper", "libdemo.so")):
        trace.kallsyms += f"{at:016x} t {name}\t[{file}]\n"
    trace.kallsyms += f"{kernel:016x} T vfs_read\n{kernel + 0x1000:016x} T schedule\n{kernel + 0x2000:016x} T end\n"
    main, work = demo + 0x1010, demo + 0x2010
    stacks = [[demo + 0x3004, work, main], [demo + 0x2020, main], [demo + 0x2024, main], [lib + 0x1004, work, main]]
    perf = trace.instance("perf", clock="mono_raw")

    def add(ms, pid, event, period, stack):
        perf.cpu(pid - 100).add(SECOND + ms * 1_000_000, sample(pid=pid, ip=stack[0], period=period, event=event,
                                                               tgid=100, n_bytes=0, stack=stack))
    for ms in range(2400):
        if ms // 100 % 5 == 0:
            add(ms, 101, 0, 1_000_000, [kernel + 16, work, main])
        add(ms, 100, 0, 1_000_000, stacks[ms % 4])
        if ms % 300 == 299:
            add(ms, 101, 1, 5_000_000, [kernel + 0x1010, work, main])
    trace.write(place("made-samples"))


def make_empty(place):
    """A sound file without an event."""
    for version in (6, 7):
        trace = Trace(version)
        demo_events(trace)
        trace.top.cpu(0)
        trace.write(place(f"made-empty-v{version}"))


def make_formats(place):
    """Formats that are hard to print: signs, arrays, division by zero, unknown parts and ids."""
    trace = Trace()
    signs = trace.event("odd", "signs", ["int a", "signed char b", "short c", "s64 d"],
                        '"a=%d b=%d c=%hd d=%lld neg=%s", REC->a, REC->b, REC->c, REC->d, '
                        'REC->a < 0 ? "yes" : "no"')
    arrays = trace.event("odd", "arrays", ["int list[4]", "__data_loc u32[] dyn", "u8 mac[6]"],
                         '"list=%s dyn=%s mac=%pM", __print_array(REC->list, 4, 4), '
                         '__print_array(__get_dynamic_array(dyn), __get_dynamic_array_len(dyn) / 4,'
                         ' 4), REC->mac')
    zero = trace.event("odd", "divides", ["int a", "int b"], '"%d", REC->a / REC->b')
    flags = trace.event("odd", "flags", ["unsigned long f", "int s"],
                        '"f=%s s=%s", __print_flags(REC->f, "|", {0x1, "ONE"}, {0x2, "TWO"}), '
                        '__print_symbolic(REC->s, {0, "zero"}, {5, "five"})')
    strange = trace.event("odd", "strange", ["int a"], '"%d", no_such_function(REC->a)')
    relative = trace.event("odd", "relative", ["int a", "__rel_loc char[] text"],
                           '"a=%d text=%s", REC->a, __get_rel_str(text)')
    cpu = trace.top.cpu(0)
    records = [signs(a=-1, b=-2, c=-3, d=-4), signs(a=5, b=6, c=7, d=8),
               arrays(list=[1, 2, 3, 4], dyn=[10, 20, 30], mac=bytes(range(6))),
               zero(a=7, b=2), flags(f=3, s=5), flags(f=0x14, s=6), strange(a=1),
               relative(a=1, text="behind it"), struct.pack("<HBBi", 4321, 0, 0, 1)]
    for i, record in enumerate(records):
        cpu.add(SECOND + i * 1000, record)
    trace.write(place("made-formats"))
    cpu.add(2 * SECOND, zero(a=7, b=0))
    trace.write(place("made-divide-by-zero"))


def damaged(name, place, break_page):
    """A page of ticks, one that break_page spoils, and another good one."""
    trace = Trace()
    tick, cpu = demo_events(trace), trace.top.cpu(0)
    for start in (1, 2, 3):
        page = cpu.page(start * SECOND)
        for i in range(5):
            page.event(1000, tick(count=start * 10 + i))
        if start == 2:
            break_page(page)
    trace.write(place(f"made-damaged-{name}"))


def make_damaged(place):
    """Files that are wrong in one place; everything else in them can be read."""
    def lie(page):
        page.commit = 5000

    def spoil(page):
        page.used[4 + 72:8 + 72] = b"\xff" * 4

    damaged("commit", place, lie)                     # more bytes used than the page has
    damaged("length", place, lambda p: (p.header(0, 1), p.word(0x7ffffff0)))
    damaged("zero-length", place, lambda p: (p.header(0, 1), p.word(0)))
    damaged("short-record", place, lambda p: p.event(1, b"\xe8\x03"))
    damaged("cut-header", place, lambda p: p.raw(b"\x1e\0"))
    damaged("record", place, spoil)
    whole = fill(Trace(7)).pack()
    fill(Trace(6)).write(place("made-cut-v6"), cut=60000)
    fill(Trace(7)).write(place("made-cut-v7"), cut=len(whole) - 3000)
    fill(Trace(7, compression="zstd")).write(place("made-cut-v7zstd"), cut=9000)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    makers = [maker for name, maker in globals().items() if name.startswith("make_")]
    for maker in makers:
        maker(lambda name: os.path.join(sys.argv[1], name + ".dat"))


if __name__ == "__main__":
    main()
