"""Files made to be difficult: lies in every length, and amounts that a careless program multiplies.

Each function below makes its file and says what must come of it. SECONDS and MEMORY_MB of running.py
hold for all of them. Where a file has events that can be read, they must be there.
"""
import re
import struct
import zlib

import tracedat
from running import GOLDEN, sane, sonde
from tracedat import Trace

SECOND = 1_000_000_000


def simple(version=7, n=20, **more):
    """A small healthy trace: (trace, its event)."""
    trace = Trace(version, **more)
    tick = trace.event("demo", "tick", ["int count"], '"count=%d", REC->count')
    for i in range(n):
        trace.top.cpu(0).add(SECOND + i * 1000, tick(pid=7, count=i))
    return trace, tick


def counts(text):
    return [int(n) for n in re.findall(r"count=(-?\d+)", text)]


def check(path, *, options=(), statuses=(0, 1), events=None, says=None, most=1 << 24):
    """What is wrong with the report of a file; events: how many, or which, must be in it."""
    r = sonde("report", *options, path, most=most)
    trouble = sane(r, statuses)
    if trouble:
        return trouble
    found = counts(r.out)
    if isinstance(events, int) and len(found) != events:
        return f"{len(found)} events, not {events}\n{r.err}"
    if isinstance(events, (list, range)) and not set(events) <= set(found):
        return f"events {sorted(set(events) - set(found))[:5]} are missing\n{r.err}"
    if says and says not in r.err:
        return f"it does not say '{says}':\n{r.err[:2000]}"
    return ""


def patched(trace, work, changes):
    """A file with bytes put over others: [(offset, bytes)]."""
    data = bytearray(trace.pack())
    for at, new in changes:
        data[at:at + len(new)] = new
    path = work / "patched.dat"
    path.write_bytes(data)
    return path


def first_trouble(results):
    return next((f"{name}: {trouble}" for name, trouble in results if trouble), "")


# Lies about sizes and numbers.

def damaged_pages(work):
    """A wrong length or commit in one sub-buffer leaves the others."""
    names = ("commit", "length", "zero-length", "short-record", "cut-header", "record")
    return first_trouble(
        (name, check(GOLDEN / f"made-damaged-{name}.dat", options=["-R"],
                     events=list(range(10, 15)) + list(range(30, 35))))
        for name in names)


def page_size_lies(work):
    def trials():
        for version in (6, 7):
            trace, _ = simple(version)
            for size in (0, 1, 17, 63, 64, 4095, 1 << 27, 1 << 31, 0xffffffff):
                path = patched(trace, work, [(14, struct.pack("<I", size))])
                yield f"version {version}, {size}", check(path)
    return first_trouble(trials())


def buffer_page_size_lies(work):
    def trials():
        for packing in ("none", "zstd"):
            trace, _ = simple(compression=packing)
            data = trace.pack()
            at = data.rfind(b"\0local\0") + 7
            for size in (0, 1, 64, 1 << 20, 1 << 27, 1 << 31):
                yield f"{packing}, {size}", check(
                    patched(trace, work, [(at, struct.pack("<I", size))]))
    return first_trouble(trials())


def cpu_count_lies(work):
    def trials():
        trace, _ = simple(6)
        at = trace.pack().find(b"options  \0") - 4
        for n in (0, 2, 1024, 1 << 20, 0x7fffffff, 0xffffffff):
            # the table begins with the one true CPU
            yield f"version 6, {n}", check(patched(trace, work, [(at, struct.pack("<I", n))]),
                                           events=range(20) if n else None)
        trace, _ = simple(7)
        at = trace.pack().rfind(b"\0local\0") + 11
        for n in (2, 1 << 20, 0xffffffff):
            yield f"version 7, {n}", check(patched(trace, work, [(at, struct.pack("<I", n))]),
                                           statuses=(1,))
        for cpu in (1 << 17, 1 << 20, 0xffffffff):
            yield f"CPU {cpu}", check(patched(trace, work, [(at + 4, struct.pack("<I", cpu))]))
    return first_trouble(trials())


def option_loops(work):
    """A chain of options that goes back to its start, to itself, nowhere."""
    trace, _ = simple()
    data = trace.pack()
    head = data.find(b"none\0\0") + 6
    first = struct.unpack_from("<Q", data, head)[0]
    done = data.find(struct.pack("<HI", 0, 8), first) + 6

    def trials():
        for to in (first, done, 1, head, len(data), 1 << 63, first + 1):
            yield f"to {to}", check(patched(trace, work, [(done, struct.pack("<Q", to))]),
                                    statuses=(1,), events=range(20))
        for to in (0, 5, len(data) - 3, 1 << 62):
            yield f"first at {to}", check(patched(trace, work, [(head, struct.pack("<Q", to))]),
                                          statuses=(1,), events=range(20))
    return first_trouble(trials())


def section_size_lies(work):
    def trials():
        trace, _ = simple()
        data = trace.pack()
        at = data.find(b"none\0\0") + 14
        while at + 16 <= len(data):
            size = struct.unpack_from("<Q", data, at + 8)[0]
            for lie in (0, size + 1, len(data), 1 << 63, (1 << 64) - 1):
                yield f"section at {at}: {lie}", check(
                    patched(trace, work, [(at + 8, struct.pack("<Q", lie))]))
            at += 16 + size
    return first_trouble(trials())


def wrong_lengths_v6(work):
    """A length in the texts is wrong: the events behind them are still found."""
    trace, _ = simple(6)
    trace.kallsyms = "c0000000 T start\n" * 50
    data = trace.pack()
    at = data.find(b"c0000000 T start") - 4
    return first_trouble(
        (str(lie), check(patched(trace, work, [(at, struct.pack("<I", lie))]), statuses=(1,),
                         events=range(20), says="cannot read"))
        for lie in (5, 1000, 1 << 20, 0xffffffff))


def overlapping_cpus(work):
    """Twenty thousand CPUs that all name the same bytes: no more than twice the file is read."""
    trace, _ = simple(n=4000)
    data = bytearray(trace.pack())
    at = data.rfind(b"\0local\0") + 15
    _, offset, size = struct.unpack_from("<IQQ", data, at)
    first = struct.unpack_from("<Q", data, data.find(b"none\0\0") + 6)[0]
    done = data.find(struct.pack("<HI", 0, 8), first) + 6
    option = data[at - 23:at - 4] + struct.pack("<I", 20000) + b"".join(
        struct.pack("<IQQ", n, offset, size) for n in range(20000))
    options = struct.pack("<HI", 3, len(option)) + option + struct.pack("<HIQ", 0, 8, 0)
    data[done:done + 8] = struct.pack("<Q", len(data))      # the chain goes on at the end
    data += struct.pack("<HHIQ", 0, 0, 0xffffffff, len(options)) + options
    path = work / "overlap.dat"
    path.write_bytes(data)
    r = sonde("report", path)
    n = len(counts(r.out))
    return sane(r, (1,)) or ("" if 4000 <= n <= 20000 else f"{n} events of 4000\n{r.err}")


def unfinished(work):
    """A recorder that was killed: no directory, sizes of 0, and a gap."""
    def trials():
        for packing in ("none", "zstd"):
            trace, tick = simple(n=3000, compression=packing)
            for i in range(300):
                trace.top.cpu(2).add(5 * SECOND + i, tick(count=10000 + i))
            trace.option(tracedat.CPUSTAT, "CPU: 0\nentries: 2990\noverrun: 0\nread events: 10\n")
            trace.option(tracedat.CPUSTAT, "CPU: 1\nentries: 0\noverrun: 0\nread events: 0\n")
            trace.option(tracedat.CPUSTAT, "CPU: 2\nentries: 300\noverrun: 0\nread events: 0\n")
            data = trace.pack()
            section = data.rfind(struct.pack("<HHI", 3, int(packing != "none"),
                                             trace.strings.find(b"buffer flyrecord")))
            end = section + 16 + struct.unpack_from("<Q", data, section + 8)[0]
            path = work / "unfinished.dat"
            path.write_bytes(data[:section + 8] + bytes(8) + data[section + 16:end])
            r = sonde("report", path)
            trouble = sane(r, (1,))
            lines = [m.groups() for m in re.finditer(r"\[(\d+)\].*count=(\d+)", r.out)]
            wrong = [m for m in lines if (int(m[0]) == 2) != (int(m[1]) >= 10000)]
            if not trouble and (len(lines) != 3300 or wrong):
                trouble = f"{len(lines)} events, {len(wrong)} on the wrong CPU\n{r.err}"
            yield packing, trouble
    return first_trouble(trials())


# Amounts.

def rle_frame(n_bytes):
    """A zstd frame of so many zeros, 4 bytes for each 128 KB."""
    frame, block = b"\x28\xb5\x2f\xfd\x00\x58", 1 << 17
    n_blocks = -(-n_bytes // block)
    for i in range(n_blocks):
        size = min(block, n_bytes - i * block)
        frame += (size << 3 | 1 << 1 | (i == n_blocks - 1)).to_bytes(3, "little") + b"\0"
    return frame


def zlib_frame(n_bytes):
    packer, frame = zlib.compressobj(1), b""
    for _ in range(n_bytes >> 20):
        frame += packer.compress(bytes(1 << 20))
    return frame + packer.flush()


def bomb_section(work):
    """A gigabyte of zeros as kernel symbols."""
    def trials():
        for name, frame in (("zstd", rle_frame(1 << 30)), ("zlib", zlib_frame(1 << 30))):
            for plain in (1 << 30, 48 << 20, 4096):
                trace, _ = simple(compression=name)
                trace.top.cpu(0).add(9 * SECOND, trace.ftrace("function")(ip=1, parent_ip=2))
                pack = trace.write_section

                def write(out, ident, description, data, compress=True):
                    if ident != tracedat.KALLSYMS:
                        return pack(out, ident, description, data, compress)
                    body = struct.pack("<II", len(frame), plain) + frame
                    return out.write(struct.pack("<HHIQ", ident, 1, 0, len(body)) + body)

                trace.write_section = write
                path = work / "bomb.dat"
                trace.write(path)
                yield f"{name}, stated {plain}", check(path, statuses=(1,), events=range(20))
    return first_trouble(trials())


def bomb_chunks(work):
    """Chunks that unpack to a gigabyte each, or to 4 MB on each of many CPUs."""
    def trials():
        for plain, n_cpus in ((1 << 30, 2), (4 << 20, 300), (1 << 20, 2000)):
            trace, tick = simple(compression="zstd", n=0)
            frame = rle_frame(plain)
            for cpu in range(n_cpus):
                trace.top.cpu(cpu).add(SECOND, tick(count=cpu))
            trace.chunks = lambda data, size: struct.pack("<I", 3) + 3 * (
                struct.pack("<II", len(frame), plain) + frame)
            path = work / "bomb.dat"
            trace.write(path)
            yield f"{n_cpus} CPUs of {plain}", check(path)
    return first_trouble(trials())


def held_chunks(work):
    """Every record in a chunk of its own, which is large: batches must not hold them all."""
    trace, tick = simple(compression="zstd", n=0)
    for cpu in range(16):
        for i in range(60):
            page = trace.top.cpu(cpu).page(SECOND + 1000 * i + cpu)
            page.event(0, tick(count=i))
            for _ in range(1000):
                trace.top.cpu(cpu).raw_page(bytes(4096))
    trace.chunk_pages = 1001
    path = work / "held.dat"
    trace.write(path)
    return check(path, statuses=(0,), events=16 * 60)


def large_chunks(work):
    """More in chunks than fits into memory at once, as 400 CPUs with large sub-buffers have it."""
    trace, tick = simple(compression="zstd", page_size=65536, n=0)
    for cpu in range(400):
        for i in range(12):
            page = trace.top.cpu(cpu).page(SECOND + 1000 * i + cpu)
            page.event(0, tick(count=i))
    path = work / "large.dat"
    trace.write(path)
    return check(path, statuses=(0,), events=400 * 12)


def many_formats(work):
    trace, _ = simple()
    texts = [f"name: made_{i}\nID: {2000 + i}\nformat:\n\tfield:unsigned short common_type;\toffset:0;"
             f"\tsize:2;\tsigned:0;\n\n\tfield:int a;\toffset:8;\tsize:4;\tsigned:1;\n\n"
             f'print fmt: "%d", REC->a\n' for i in range(100000)]
    trace.systems["many"] = texts
    path = work / "formats.dat"
    trace.write(path)
    trouble = check(path, statuses=(0,), events=20)
    trace.systems["more"] = texts * 3
    trace.write(path)
    return trouble or check(path, statuses=(1,), events=20, says="more events than fit")


def many_symbols(work):
    def trials():
        for order in (1, -1):
            trace, _ = simple()
            function = trace.ftrace("function")
            for i in range(100):
                trace.top.cpu(1).add(2 * SECOND + i, function(ip=0xffff0000 + 4096 * i,
                                                             parent_ip=0xffff0000 + i))
            numbers = range(1_000_000)[::order]
            trace.kallsyms = "".join(f"{0xffff0000 + 16 * i:016x} T function_{i}\n" for i in numbers)
            path = work / "symbols.dat"
            trace.write(path)
            yield f"order {order}", check(path, statuses=(0,), events=20)
    return first_trouble(trials())


def names_in_formats(work):
    """Thousands of names in a format, each to be looked up among a million symbols."""
    trace, _ = simple()
    trace.kallsyms = "".join(f"{16 * i:016x} T function_{i}\n" for i in range(1_000_000))
    for k in range(100):
        event = trace.event("demo", f"names_{k}", ["int a"],
                            '"' + "%d " * 100 + '", ' + ", ".join(f"n{k}_{i}" for i in range(100)))
        trace.top.cpu(0).add(3 * SECOND + k, event(a=1))
    path = work / "names.dat"
    trace.write(path)
    return check(path, statuses=(0,), events=20)


def deep_formats(work):
    """Print formats that nest, join, list and repeat without end."""
    n = 10000
    formats = {
        "parens": '"%d", ' + "(" * n + "REC->a" + ")" * n,
        "casts": '"%d", ' + "(int)" * n + "REC->a",
        "unary": '"%d", ' + "!" * n + "REC->a",
        "sums": '"%d", REC->a' + " + 1" * n,
        "choices": '"%d", ' + "REC->a ? 1 : " * n + "2",
        "index": '"%d", REC->a' + "[1]" * n,
        "calls": '"%s", ' + '__print_flags(REC->a, "|", {1, "x"}), ' * n,
        "names": '"%s", __print_symbolic(REC->a' + "".join(f", {{{i}, \"n{i}\"}}"
                                                           for i in range(n)) + ")",
        "strings": " ".join(['"x"'] * n * 10) + ", REC->a",
        "words": '"%d", ' + "unsigned " * n * 10,
        "texts": '"' + "%%%q" * n * 10 + '"',
        "widths": '"' + "%999999999d%-99999.99999x%.2147483647s" * 30 + '", '
                  + ", ".join(["REC->a", "REC->a", "REC->a"] * 30),
        "stars": '"%*d%.*s", 2147483647, REC->a, -2147483647, REC->a',
        "brackets": '"%d", REC->a[' + "REC->a[" * n + "0" + "]" * n + "]",
    }
    trace, _ = simple()
    for name, print_fmt in formats.items():
        event = trace.event("deep", name, ["int a"], print_fmt)
        for i in range(5):
            trace.top.cpu(1).add(2 * SECOND, event(a=i))
    fields = [f"int f{i}" for i in range(20000)]
    event = trace.event("deep", "fields", fields, '"%d", REC->f1')
    trace.top.cpu(1).add(3 * SECOND, event.fields and bytes(8) + b"\1\0\0\0" * 100)
    path = work / "deep.dat"
    trace.write(path)
    return first_trouble((" ".join(options), check(path, options=options, statuses=(0,), events=20))
                         for options in ([], ["-R"], ["--json"], ["-N"]))


def texts_without_end(work):
    """Strings that no NUL ends, and dynamic arrays that lie outside their record."""
    trace, _ = simple()
    event = trace.event("demo", "text", ["char a[16]", "__data_loc char[] b", "__rel_loc char[] c",
                                         "__data_loc u32[] d"],
                        '"%s %s %s %s %s", REC->a, __get_str(b), __get_rel_str(c), '
                        "__print_array(__get_dynamic_array(d), __get_dynamic_array_len(d) / 4, 4), "
                        "__get_bitmask(d)")
    good = bytearray(event(a=b"x" * 16, b="text", c="text", d=[1, 2]))
    for place in (0, 8, 40, 65535):
        for size in (0, 1, 4, 4000, 65535):
            for at in (24, 28, 32):
                bad = bytearray(good)
                struct.pack_into("<I", bad, at, place | size << 16)
                trace.top.cpu(0).add(2 * SECOND, bytes(bad))
    for cut in range(4, len(good), 4):
        trace.top.cpu(0).add(3 * SECOND, bytes(good[:cut]))
    path = work / "texts.dat"
    trace.write(path)
    return first_trouble((" ".join(options), check(path, options=options, statuses=(0,), events=20))
                         for options in ([], ["-R"], ["--json"], ["-l"]))


def many_pids(work):
    """A million pids, with names that events give them; then pids that fall together when hashed."""
    def trials():
        for step in (1, 1 << 12, 0x9e3779b1):
            trace, _ = simple()
            switch = trace.event("sched", "sched_wakeup", ["char comm[16]", "pid_t pid", "int prio"],
                                 '"%s", REC->comm')
            sample, pages, room = switch(comm="name", prio=5), [], 4096 - 16
            per_page = room // (len(sample) + 4)
            head = struct.pack("<I", len(sample) // 4)
            for first in range(0, 400_000, per_page):
                used = b"".join(
                    head + sample[:4] + struct.pack("<I", (first + i) * step & 0x7fffffff)
                    + sample[8:24] + struct.pack("<I", (first + i) * step + 1 & 0x7fffffff)
                    + sample[28:] for i in range(per_page))
                pages.append((struct.pack("<QQ", SECOND + first, len(used)) + used).ljust(4096, b"\0"))
            trace.top.cpu(3).raw_page(b"".join(pages))
            trace.cmdlines = "".join(f"{i} task{i}\n" for i in range(1_200_000)) if step == 1 else {}
            path = work / "pids.dat"
            trace.write(path)
            for options in ([], ["-w"]):
                yield f"step {step} {options}", check(path, options=options, statuses=(0,), events=20)
    return first_trouble(trials())


def everything_at_once(work):
    """Each amount near its ceiling, in one file."""
    def trials():
        for packing in ("none", "zstd"):
            trace, _ = simple(compression=packing)
            trace.kallsyms = "".join(f"{0xffff0000 + 16 * i:x} T f{i}\n"
                                     for i in reversed(range(1_000_000)))
            trace.cmdlines = "".join(f"{i} task{i}\n" for i in range(1_000_000))
            trace.systems["many"] = [
                f"name: made_{i}\nID: {2000 + i}\nformat:\n\tfield:unsigned short common_type;"
                f"\toffset:0;\tsize:2;\tsigned:0;\n\n\tfield:int a;\toffset:4;\tsize:4;\tsigned:1;"
                f'\n\nprint fmt: "%d %ps", REC->a, (void *)REC->a\n' for i in range(60000)]
            one = struct.Struct("<IHHI")
            for cpu in range(1, 9):
                used = b"".join(one.pack(2, 2000 + (7 * i + cpu) % 60000, 0, i << 3 | cpu)
                                for i in range(340 * 100))
                trace.top.cpu(cpu).raw_page(b"".join(
                    (struct.pack("<QQ", SECOND, 4080) + used[at:at + 4080]).ljust(4096, b"\0")
                    for at in range(0, len(used), 4080)))
            path = work / "everything.dat"
            trace.write(path)
            yield packing, check(path, events=range(20), most=1 << 26)
    return first_trouble(trials())


def many_cpus(work):
    names = ("made-many-cpus-v6", "made-many-cpus-v7")
    return first_trouble((n, check(GOLDEN / f"{n}.dat", statuses=(0,), events=500)) for n in names)


def too_many_cpus(work):
    """Data on 40 000 CPUs is more than any machine has; what fits is shown."""
    trace, tick = simple(page_size=64, n=0)
    for cpu in range(40000):
        trace.top.cpu(cpu).add(SECOND + cpu, tick(count=cpu))
    path = work / "cpus.dat"
    trace.write(path)
    return check(path, statuses=(1,), events=range(30000), says="CPUs")


def many_instances(work):
    """Three thousand buffers."""
    def trials():
        for version in (6, 7):
            trace, tick = simple(version, page_size=64)
            for i in range(3000):
                trace.instance(f"instance{i}").cpu(0).add(2 * SECOND + i, tick(count=100 + i))
            path = work / "instances.dat"
            trace.write(path)
            yield f"version {version}", check(path, statuses=(1,), events=range(20), says="buffers")
    return first_trouble(trials())


def many_options(work):
    def trials():
        for version in (6, 7):
            trace, _ = simple(version)
            trace.options = [(tracedat.CPUSTAT, b"CPU: 1\nentries: 1\nread events: 1\n\0")] * 500_000
            path = work / "options.dat"
            trace.write(path)
            yield f"version {version}", check(path)
    return first_trouble(trials())


def beyond_4gb(work):
    """Offsets of more than 32 bits, in files that are mostly hole."""
    names = ("made-huge-v6", "made-huge-v7")
    return first_trouble((n, check(GOLDEN / f"{n}.dat", statuses=(0,), events=2)) for n in names)


def empty_pages(work):
    """A hundred megabytes of nothing, and sub-buffers that hold no event."""
    trace, _ = simple(6)
    trace.top.cpu(1).raw_page(bytes(100 << 20))
    page = trace.top.cpu(2).page(SECOND)
    page.extend(5)
    page.padding(64)
    path = work / "nothing.dat"
    trace.write(path)
    return check(path, statuses=(0,), events=20)


def strange_times(work):
    """Times at the edges of 64 bits and backwards, offsets that overflow."""
    def trials():
        for ident, text in ((tracedat.DATE, "0x7fffffffffffffff"), (tracedat.OFFSET, str(-1 << 63)),
                            (tracedat.OFFSET, "9" * 60)):
            trace, tick = simple()
            for time in (0, (1 << 64) - 1, 1 << 63, 5):
                trace.top.cpu(1).page(time).event((1 << 27) - 1, tick(count=50))
            trace.option(ident, text)
            trace.option(tracedat.TSC2NSEC, struct.pack("<IIQ", 0xffffffff, 255, 1))
            path = work / "times.dat"
            trace.write(path)
            for options in ([], ["--align-ts"], ["--ts2secs", "1"], ["--ts-diff", "-t"]):
                yield f"{text} {options}", check(path, options=options, events=range(20))
    return first_trouble(trials())


def no_trace(work):
    """Other files: said to be none."""
    def trials():
        for name, data in (("text", b"hello\n" * 99), ("magic", tracedat.MAGIC),
                           ("version", tracedat.MAGIC + b"99\0" + bytes(99)),
                           ("long-version", tracedat.MAGIC + b"7" * 5000),
                           ("head", simple()[0].pack()[:20]), ("elf", b"\x7fELF" + bytes(999))):
            path = work / "other.dat"
            path.write_bytes(data)
            r = sonde("report", path)
            yield name, sane(r, (1,)) or ("" if "other.dat" in r.err else r.err)
    return first_trouble(trials())


def tests():
    for test in (damaged_pages, page_size_lies, buffer_page_size_lies, cpu_count_lies, option_loops,
                 section_size_lies, wrong_lengths_v6, overlapping_cpus, unfinished, bomb_section,
                 bomb_chunks, held_chunks, large_chunks, many_formats, many_symbols,
                 names_in_formats, deep_formats, texts_without_end, many_pids, everything_at_once,
                 many_cpus, too_many_cpus, many_instances, many_options, beyond_4gb, empty_pages,
                 strange_times, no_trace):
        yield "hostile-" + test.__name__.replace("_", "-"), test
