"""Traces of a size that can be chosen, one for each thing of which a trace can have many.

tests/bench/growth measures how the time of each command grows with them; tests/ceiling/suite runs
the commands at the ceilings of doc/ARCHITECTURE.md. SHAPES is the table of both.
"""
import struct

import tracedat

PAGE = 1 << 16
BASE = 0xffffffff81000000
WORDS = struct.Struct("<QQ")


class Bulk:
    """Fills the pages of a CPU quickly: records whose payload is whole words."""

    def __init__(self, cpu, start=1_000_000, step=1000):
        self.cpu, self.time, self.step, self.page, self.first = cpu, start, step, bytearray(), start

    def add(self, payload):
        n = len(payload)
        if len(self.page) + n + 8 > PAGE - 24:
            self.flush()
        delta = 0 if not self.page else self.step
        self.time += self.step
        if not self.page:
            self.first = self.time
        if n <= 112:
            self.page += struct.pack("<I", n // 4 | delta << 5) + payload
        else:
            self.page += struct.pack("<II", delta << 5, n + 4) + payload

    def flush(self):
        if self.page:
            self.cpu.raw_page((WORDS.pack(self.first, len(self.page)) + self.page).ljust(PAGE, b"\0"))
        self.page = bytearray()


def new_trace():
    return tracedat.Trace(version=6, page_size=PAGE)


def common(event, pid):
    return struct.pack("<HBBi", event.ident, 0, 0, pid)


def value_trace(n, pid=lambda i: 7, value=lambda i: i, name="value"):
    """n events with a number each."""
    t = new_trace()
    event = t.event("demo", name, ["u64 value"], '"value=%llu", REC->value')
    t.cmdlines = {7: "worker"}
    bulk = Bulk(t.top.cpu(0))
    for i in range(n):
        bulk.add(common(event, pid(i)) + struct.pack("<Q", value(i)))
    bulk.flush()
    return t


def values(n):
    return value_trace(n)


def texts(n):
    t = new_trace()
    event = t.event("demo", "word", ["char name[24]"], '"name=%s", REC->name')
    bulk = Bulk(t.top.cpu(0))
    for i in range(n):
        bulk.add(common(event, 7) + b"word %d" % i + bytes(24 - 5 - len(str(i))))
    bulk.flush()
    return t


def switch_record(event, prev, following):
    return (common(event, prev) + (b"t%d" % prev).ljust(16, b"\0") + struct.pack("<iiq", prev, 120, 1)
            + (b"t%d" % following).ljust(16, b"\0") + struct.pack("<ii", following, 120))


def tasks(n):
    """n tasks, each switched to once, all with a name."""
    t = new_trace()
    switch = t.event("sched", "sched_switch",
                     ["char prev_comm[16]", "pid_t prev_pid", "int prev_prio", "long prev_state",
                      "char next_comm[16]", "pid_t next_pid", "int next_prio"],
                     '"%s:%d [%d] %d ==> %s:%d [%d]", REC->prev_comm, REC->prev_pid, REC->prev_prio,'
                     ' REC->prev_state, REC->next_comm, REC->next_pid, REC->next_prio')
    t.cmdlines = "".join(f"{i} t{i}\n" for i in range(1, n + 1))
    bulk = Bulk(t.top.cpu(0))
    for i in range(1, n + 1):
        bulk.add(switch_record(switch, i, i % n + 1))
    bulk.flush()
    return t


def spans(n, n_open=False, groups=1):
    """n starts and, unless they stay open, n ends, tied by a number."""
    t = new_trace()
    start = t.event("demo", "start", ["u64 key", "u64 group"], '"key=%llu", REC->key')
    end = t.event("demo", "end", ["u64 key", "u64 group"], '"key=%llu", REC->key')
    t.cmdlines = {7: "worker"}
    bulk = Bulk(t.top.cpu(0))
    for i in range(n):
        bulk.add(common(start, 7) + struct.pack("<QQ", i, i % groups))
    for i in range(0 if n_open else n):
        bulk.add(common(end, 7) + struct.pack("<QQ", n - 1 - i, i % groups))
    bulk.flush()
    return t


def open_spans(n):
    return spans(n, n_open=True)


def grouped_spans(n):
    return spans(n, groups=n)


def symbols_text(n):
    return "".join(f"{BASE + i * 16:016x} T function_{i}\n" for i in range(n))


def functions(n):
    """n different functions, each called once, and each with a symbol."""
    t = new_trace()
    entry, leave = t.ftrace("funcgraph_entry"), t.ftrace("funcgraph_exit")
    t.kallsyms = symbols_text(n)
    bulk = Bulk(t.top.cpu(0))
    for i in range(n):
        bulk.add(common(entry, 7) + struct.pack("<Qi", BASE + i * 16, 0))
        bulk.add(common(leave, 7) + struct.pack("<QiIQQ", BASE + i * 16, 0, 0, 1000 * i, 1000 * i + 9))
    bulk.flush()
    return t


def calls(n):
    """n function events, each from another caller."""
    t = new_trace()
    event = t.ftrace("function")
    t.kallsyms = symbols_text(n)
    bulk = Bulk(t.top.cpu(0))
    for i in range(n):
        bulk.add(common(event, 7) + struct.pack("<QQ", BASE + i * 16, BASE + (n - i - 1) * 16))
    bulk.flush()
    return t


def open_calls(n):
    """n functions entered, none left, each deeper than the one before."""
    t = new_trace()
    entry = t.ftrace("funcgraph_entry")
    t.kallsyms = symbols_text(16)
    bulk = Bulk(t.top.cpu(0))
    for i in range(n):
        bulk.add(common(entry, 7) + struct.pack("<Qi", BASE + i % 16 * 16, i))
    bulk.flush()
    return t


def symbols(n):
    t = value_trace(100)
    t.kallsyms = symbols_text(n)
    return t


def symbols_backwards(n):
    t = calls(100)
    t.kallsyms = "".join(reversed(symbols_text(n).splitlines(True)))
    return t


def symbols_alike(n):
    """n names of one address, in n modules."""
    t = calls(100)
    t.kallsyms = "".join(f"{BASE:016x} T same\t[m{i}]\n" for i in range(n))
    return t


def stacks(n):
    """n events, each with a stack of its own."""
    t = new_trace()
    event = t.event("demo", "value", ["u64 value"], '"value=%llu", REC->value')
    stack = t.ftrace("kernel_stack")
    t.kallsyms = symbols_text(1000)
    t.cmdlines = {7: "worker"}
    bulk = Bulk(t.top.cpu(0))
    for i in range(n):
        bulk.add(common(event, 7) + struct.pack("<Q", 1))
        bulk.add(common(stack, 7) + struct.pack("<i4xQQQQ", 4, *(BASE + i // 1000 ** k % 1000 * 16 + 1
                                                              for k in range(4))))
    bulk.flush()
    return t


def switch_stacks(n):
    """n switches away from one task, each with a stack of its own."""
    t = tasks(2)
    switch = t.systems["sched"][0]
    stack = t.ftrace("kernel_stack")
    t.kallsyms = symbols_text(1000)
    t.top.cpus.clear()
    bulk = Bulk(t.top.cpu(0))
    for i in range(n):
        a, b = 1 + i % 2, 2 - i % 2
        bulk.add(switch_record(switch, a, b))
        bulk.add(common(stack, a) + struct.pack("<i4xQQQQ", 4, *(BASE + i // 1000 ** k % 1000 * 16 + 1
                                                              for k in range(4))))
    bulk.flush()
    return t


def allocations(n):
    """n allocations, each of another function, none freed."""
    t = new_trace()
    alloc = t.event("kmem", "kmalloc", ["unsigned long call_site", "const void * ptr", "size_t bytes_req",
                                        "size_t bytes_alloc"], '"call_site=%pS", (void *)REC->call_site')
    t.kallsyms = symbols_text(n)
    bulk = Bulk(t.top.cpu(0))
    for i in range(n):
        bulk.add(common(alloc, 7) + struct.pack("<QQQQ", BASE + i * 16, 4096 + i * 64, 8, 64))
    bulk.flush()
    return t


def formats(n):
    """n kinds of events, of each one event."""
    t = new_trace()
    bulk = Bulk(t.top.cpu(0))
    events = [t.event(f"system{i % 50}", f"event_{i}", ["u64 value"], '"value=%llu", REC->value', ident=100 + i)
              for i in range(n)]
    for event in events:
        bulk.add(common(event, 7) + struct.pack("<Q", 1))
    bulk.flush()
    return t


def systems(n):
    t = value_trace(100)
    for i in range(n):
        t.event(f"system{i}", "event", ["u64 value"], '"value=%llu", REC->value')
    return t


def fields(n):
    """One event with n fields, all of which are printed."""
    t = new_trace()
    names = [f"f{i}" for i in range(n)]
    event = t.event("demo", "wide", [f"u8 {name}" for name in names],
                    '"' + "%u" * n + '", ' + ", ".join(f"REC->{name}" for name in names))
    bulk = Bulk(t.top.cpu(0))
    for _ in range(20):
        bulk.add(common(event, 7) + bytes(-(-n // 4) * 4))
    bulk.flush()
    return t


def names_of_values(n):
    """One field with n names for its values; n events."""
    t = new_trace()
    event = t.event("demo", "named", ["u64 value"], '"%s", __print_symbolic(REC->value, '
                    + ", ".join(f'{{ {i}, "name {i}" }}' for i in range(n)) + ")")
    bulk = Bulk(t.top.cpu(0))
    for i in range(n):
        bulk.add(common(event, 7) + struct.pack("<Q", i))
    bulk.flush()
    return t


def printk_formats(n):
    """n formats of trace_printk(), each used once."""
    t = new_trace()
    event = t.ftrace("bprint")
    t.printk = "".join(f'0x{BASE + i * 64:x} : "format {i} %d\\n"\n' for i in range(n))
    bulk = Bulk(t.top.cpu(0))
    for i in range(n):
        bulk.add(common(event, 7) + struct.pack("<QQI", BASE, BASE + i * 64, i))
    bulk.flush()
    return t


def cpus(n):
    t = value_trace(10)
    event = t.systems["demo"][0]
    for i in range(n):
        bulk = Bulk(t.top.cpu(i), start=1_000_000 + i)
        for _ in range(10):
            bulk.add(common(event, 7) + struct.pack("<Q", i))
        bulk.flush()
    for cpu in t.top.cpus.values():
        cpu.pages = cpu.pages[-1:]
    return t


def instances(n):
    t = value_trace(10)
    event = t.systems["demo"][0]
    for i in range(n):
        bulk = Bulk(t.instance(f"i{i}").cpu(0), start=1_000_000 + i)
        for _ in range(10):
            bulk.add(common(event, 7) + struct.pack("<Q", i))
        bulk.flush()
    return t


def losses(n):
    """n pages of one event each, with events lost before each."""
    t = tracedat.Trace(version=6)
    event = t.event("demo", "value", ["u64 value"], '"value=%llu", REC->value')
    cpu = t.top.cpu(0)
    for i in range(n):
        cpu.page(1_000_000 + i * 1000, missed=i % 7).event(0, common(event, 7) + struct.pack("<Q", i))
    return t


def options(n):
    t = tracedat.Trace(version=7)
    for i in range(n):
        t.option(tracedat.CPUSTAT, f"CPU: {i}\nentries: 1\n")
    event = t.event("demo", "value", ["u64 value"], '"value=%llu", REC->value')
    t.top.cpu(0).add(1_000_000, event(value=1))
    return t


def wakeups(n):
    """n tasks that are woken and never run."""
    t = new_trace()
    event = t.event("sched", "sched_waking", ["char comm[16]", "pid_t pid", "int prio", "int target_cpu"],
                    '"comm=%s pid=%d prio=%d target_cpu=%03d", REC->comm, REC->pid, REC->prio, REC->target_cpu')
    bulk = Bulk(t.top.cpu(0))
    for i in range(1, n + 1):
        bulk.add(common(event, 7) + (b"t%d" % i).ljust(16, b"\0") + struct.pack("<iii", i, 120, 0))
    bulk.flush()
    return t


READERS = ["report T", "info T", "dump --all T", "check-events T", "list -i T -e", "report --json T",
           "export --chrome T", "export --perfetto -o O T", "convert -i T -o O"]
PROFILES = ["report --profile T", "report --profile --json T", "hist T", "hist -P T"]

# name: (maker, the first n to measure, the ceiling or None, commands)
SHAPES = {
    "values": (values, 1 << 18, 1 << 20, READERS + [
        "count -e value --by value T", "count -e value --by value --json T", "count -e value --by value --csv T",
        "count -e value --by value --sum value T", "count -e value --by value.log2 T",
        "report -F value:value>5 T", "report --profile T", "split -i T -o O -e 100", "split -i T -o O -m 1"]),
    "texts": (texts, 1 << 18, 1 << 20, ["count -e word --by name T", "count -e word --by $comm,name --json T",
                                       "report T"]),
    "tasks": (tasks, 1 << 16, 1 << 18, READERS + PROFILES + [
        "count -e sched_switch --by $task T", "count -e sched_switch --by next_comm T", "count -e sched_switch --by prev_pid,next_pid T", "report -w T"]),
    "wakeups": (wakeups, 1 << 16, 1 << 18, ["report -w T", "report --profile T", "export --chrome T",
                                           "count -e sched_waking --by $task T"]),
    "spans": (spans, 1 << 18, 1 << 20, ["latency -e start -e end --by-field key T",
                                       "latency -e start -e end --by-field key --json T", "latency -e start -e end T"]),
    "open-spans": (open_spans, 1 << 18, 1 << 20, ["latency -e start -e end --by-field key T", "latency -e start -e end T",
                                                 "latency -e start -e end --by-cpu T"]),
    "groups": (grouped_spans, 1 << 14, 1 << 16, ["latency -e start -e end --by-field key --by group T",
                                               "latency -e start -e end --by-field key --by group --json T",
                                               "latency -e start -e end --by-field key --by group --csv T"]),
    "functions": (functions, 1 << 18, 1 << 20, ["functions T", "functions --json T", "functions --csv T", "report T",
                                               "functions -s name T", "hist T", "export --chrome T",
                                               "report --profile T", "functions -l function_* T",
                                               "replay --kernel-only T", "graph --kernel-only T",
                                               "flame --kernel-only -o O T", "export --folded -o O T"]),
    "calls": (calls, 1 << 18, 1 << 20, ["report T", "count -e function --by ip,parent_ip T", "hist T", "info T",
                                       "report --profile T"]),
    "open-calls": (open_calls, 100_000, None, ["functions T", "report T", "export --chrome T",
                                              "export --perfetto -o O T", "hist T", "report --profile T"]),
    "symbols": (symbols, 1 << 18, 1 << 20, READERS + ["report -f T"]),
    "symbols-backwards": (symbols_backwards, 1 << 18, 1 << 20, ["report T", "report -f T"]),
    "symbols-alike": (symbols_alike, 1 << 18, 1 << 20, ["report T", "report -f T"]),
    "stacks": (stacks, 1 << 18, 1 << 20, PROFILES + ["report T"]),
    "switch-stacks": (switch_stacks, 1 << 18, 1 << 20, PROFILES),
    "allocations": (allocations, 1 << 18, None, ["mem T", "mem --json T"]),
    "formats": (formats, 15_000, 60_000, READERS + ["report -E T", "count -e * T", "report -F *:value==1 T"]),
    "systems": (systems, 15_000, 60_000, READERS),
    "fields": (fields, 3_500, None, READERS + ["report -R T"]),
    "names-of-values": (names_of_values, 50_000, None, ["report T", "count -e named --by value T"]),
    "printk-formats": (printk_formats, 100_000, None, ["report T", "report -P T"]),
    "cpus": (cpus, 1 << 10, 4096, READERS + PROFILES + ["split -i T -o O -e 100"]),
    "instances": (instances, 1_000, 4095, READERS + PROFILES + ["split -i T -o O -e 100"]),
    "losses": (losses, 50_000, None, READERS + PROFILES),
    "options": (options, 25_000, None, READERS + ["report --stat T"]),
}
