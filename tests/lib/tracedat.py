"""Writes trace.dat files, versions 6 and 7, of any shape a test may want.

It shares nothing with the program under test: it was written from the description of the format
alone, so that a misunderstanding on one side shows. tests/golden/suite has trace-cmd read what it
writes. A small example:

    from tracedat import Trace
    t = Trace(version=7, compression="zstd", endian=">", long_size=4, page_size=8192)
    tick = t.event("demo", "tick", ["int count", "__data_loc char[] name"],
                   '"count=%d name=%s", REC->count, __get_str(name)')
    t.cmdlines[7] = "worker"
    t.top.cpu(0).add(1_000_000, tick(pid=7, count=1, name="first"))
    t.top.cpu(3).add(1_500_000, tick(pid=7, count=2, name="second"))
    t.instance("foo", clock="mono").cpu(0).add(1_200_000, tick(count=3, name="aside"))
    t.write("demo.dat")

A Cpu lays out its pages by itself: add() puts in time extends and begins pages as the kernel
would. For everything out of the ordinary there is page(), whose Page takes single records
(event, extend, stamp, padding, discarded, raw) and a count of missed events:

    page = t.top.cpu(0).page(2_000_000, missed=17)
    page.extend(1 << 30)
    page.event(5, tick(count=4, name="late"))

What one file holds, in the order it is written:

    version 6   head, header_page, header_event, ftrace formats, formats, kallsyms, printk,
                cmdlines, number of CPUs, options, then "flyrecord" with a table of (offset, size)
                and the pages of every CPU; then the same for each instance
    version 7   head with the offset of the first options; sections, each behind a 16-byte header:
                the same texts, options (a chain), per buffer its pages, at last the strings
"""
import ctypes
import io
import re
import struct
import zlib

MAGIC = b"\x17\x08\x44tracing"

# Options and, from STRINGS on, also ids of sections (version 7).
DATE, CPUSTAT, BUFFER, TRACECLOCK, UNAME, HOOK, OFFSET, CPUCOUNT, VERSION, PROCMAPS, TRACEID, \
    TIME_SHIFT, GUEST, TSC2NSEC, STRINGS, HEADER_INFO, FTRACE_EVENTS, EVENT_FORMATS, KALLSYMS, \
    PRINTK, CMDLINES, BUFFER_TEXT, BTF, LAST_BOOT_INFO, MODULES = range(1, 26)

COMMON = ["unsigned short common_type", "unsigned char common_flags",
          "unsigned char common_preempt_count", "int common_pid"]

# The ids and layouts that the kernel fixes for its own tracers.
FTRACE = {
    "function": (1, ["unsigned long ip", "unsigned long parent_ip"],
                 '" %ps <-- %ps", (void *)REC->ip, (void *)REC->parent_ip'),
    "kernel_stack": (4, ["int size", "unsigned long caller[]"],
                     '"\\t=> %ps\\n\\t=> %ps\\n", (void *)REC->caller[0], (void *)REC->caller[1]'),
    "print": (5, ["unsigned long ip", "char buf[]"], '"%ps: %s", (void *)REC->ip, REC->buf'),
    "bprint": (6, ["unsigned long ip", "const char * fmt", "u32 buf[]"],
               '"%ps: %s", (void *)REC->ip, REC->fmt'),
    "funcgraph_exit": (10, ["unsigned long func", "int depth", "unsigned int overrun",
                            "unsigned long long calltime", "unsigned long long rettime"],
                       '"<-- %ps (%d) (start: %llx  end: %llx) over: %u", (void *)REC->func, '
                       'REC->depth, REC->calltime, REC->rettime, REC->depth'),
    "funcgraph_entry": (11, ["unsigned long func", "int depth"],
                        '"--> %ps (%d)", (void *)REC->func, REC->depth'),
    "bputs": (14, ["unsigned long ip", "const char * str"],
              '"%ps: %s", (void *)REC->ip, REC->str'),
    "raw_data": (16, ["unsigned int id", "char buf[]"],
                 '"id:%04x %08x", REC->id, (int)REC->buf[0]'),
}

TYPE_BYTES = {"char": 1, "bool": 1, "u8": 1, "s8": 1, "__u8": 1, "__s8": 1, "short": 2, "u16": 2,
              "s16": 2, "__u16": 2, "__s16": 2, "int": 4, "unsigned": 4, "signed": 4, "u32": 4,
              "s32": 4, "__u32": 4, "__s32": 4, "pid_t": 4, "dev_t": 4, "gfp_t": 4, "u64": 8,
              "s64": 8, "__u64": 8, "__s64": 8, "ktime_t": 8}
SIGNED = {"char", "short", "int", "long", "signed", "s8", "s16", "s32", "s64", "__s8", "__s16",
          "__s32", "__s64", "pid_t", "ktime_t"}


class Field:
    """One field of an event, from its C declaration: "unsigned long ip", "char comm[16]",
    "__data_loc char[] name", "__rel_loc int[] list", "u32 buf[]" (rest of the record)."""

    def __init__(self, declaration, offset, long_size):
        self.declaration = declaration
        self.loc = re.match(r"__(data|rel)_loc\b", declaration)
        found = re.match(r"(.*?)(\w+)(?:\[(\d*)\])?$", declaration)
        words = re.sub(r"\[\]", "", found[1]).replace("*", " * ").split()
        self.name, count = found[2], found[3]
        self.element = self.element_size(words, long_size)
        self.signed = words[-1] in SIGNED and "unsigned" not in words and not self.loc
        self.open_ended = count == ""
        self.count = int(count) if count else None
        self.align = 4 if self.loc else self.element
        self.size = 4 if self.loc else self.element * (1 if count is None else int(count or 0))
        self.offset = (offset + self.align - 1) // self.align * self.align

    @staticmethod
    def element_size(words, long_size):
        if "*" in words:
            return long_size
        if words.count("long") == 2:
            return 8
        if "long" in words or "size_t" in words:
            return long_size
        return next((TYPE_BYTES[w] for w in reversed(words) if w in TYPE_BYTES), 4)

    def text(self):
        return (f"\tfield:{self.declaration};\toffset:{self.offset};\tsize:{self.size};"
                f"\tsigned:{int(self.signed)};\n")

    def pack(self, endian, value):
        """The bytes of a value: a number, a text, bytes, or a list of numbers."""
        if isinstance(value, str):
            value = value.encode() + b"\0"
        if isinstance(value, bytes):
            return value
        code = {1: "B", 2: "H", 4: "I", 8: "Q"}[self.element]
        numbers = value if isinstance(value, (list, tuple)) else [value]
        mask = (1 << 8 * self.element) - 1
        return b"".join(struct.pack(endian + code, n & mask) for n in numbers)


class Event:
    """A kind of event: its format text, and the bytes of its records when called."""

    def __init__(self, trace, name, ident, fields, print_fmt):
        self.name, self.ident, self.print_fmt = name, ident, print_fmt
        self.endian, self.fields, offset = trace.endian, [], 0
        for declaration in COMMON + fields:
            field = Field(declaration, offset, trace.long_size)
            offset = field.offset + field.size
            self.fields.append(field)
        self.fixed_bytes = offset

    def text(self):
        texts = [field.text() for field in self.fields]
        return (f"name: {self.name}\nID: {self.ident}\nformat:\n" + "".join(texts[:4]) + "\n"
                + "".join(texts[4:]) + f"\nprint fmt: {self.print_fmt}\n")

    def __call__(self, pid=0, flags=0, preempt=0, **values):
        """pid, flags and preempt are the common ones; field_pid is a field pid of the event's own."""
        values = {name.removeprefix("field_"): value for name, value in values.items()}
        values.update(common_type=self.ident, common_flags=flags, common_preempt_count=preempt,
                      common_pid=pid)
        data, tail = bytearray(self.fixed_bytes), b""
        for field in self.fields:
            packed = field.pack(self.endian, values.pop(field.name, 0))
            if field.loc:
                at = self.fixed_bytes + len(tail)
                start = at if field.loc[1] == "data" else at - field.offset - 4
                struct.pack_into(self.endian + "I", data, field.offset, start | len(packed) << 16)
                tail += packed
            elif field.open_ended:
                tail += packed
            else:
                packed = packed[:field.size].ljust(field.size, b"\0")
                data[field.offset:field.offset + field.size] = packed
        if values:
            raise ValueError(f"{self.name} has no field {', '.join(values)}")
        return bytes(data) + tail


class Page:
    """A sub-buffer of the ring buffer, record by record. missed: None, a count, or -1 (unknown)."""
    PADDING, TIME_EXTEND, TIME_STAMP = 29, 30, 31

    def __init__(self, trace, size, time, missed=None):
        self.trace, self.size, self.time, self.missed = trace, size, time, missed
        self.used = bytearray()
        self.commit = None      # set to lie about the number of bytes used
        self.room = size - 8 - trace.long_size

    def word(self, value):
        self.used += struct.pack(self.trace.endian + "I", value & 0xffffffff)

    def header(self, kind, delta):
        """The first word of a record; where the 5 bits of the kind are depends on endianness."""
        little = self.trace.endian == "<"
        self.word(kind | delta << 5 if little else kind << 27 | delta)

    def event(self, delta, payload, long_form=False):
        """A record; delta below 2^27 since the one before. long_form: with its own length word."""
        payload += bytes(-len(payload) % 4)
        if long_form or not 0 < len(payload) <= 112:
            self.header(0, delta)
            self.word(len(payload) + 4)
        else:
            self.header(len(payload) // 4, delta)
        self.used += payload

    def extend(self, delta):
        self.header(self.TIME_EXTEND, delta & (1 << 27) - 1)
        self.word(delta >> 27)

    def stamp(self, time):
        """An absolute time; its upper 5 bits stay those of the time before."""
        self.header(self.TIME_STAMP, time & (1 << 27) - 1)
        self.word(time >> 27 & 0xffffffff)

    def discarded(self, delta, payload):
        """An event that the kernel took back: padding of the same size, with a time."""
        payload += bytes(-len(payload) % 4)
        self.header(self.PADDING, delta)
        self.word(len(payload) + 4)
        self.used += payload

    def padding(self, length):
        """Padding without a time, length bytes in all."""
        self.header(self.PADDING, 0)
        self.word(length - 4)
        self.used += bytes(length - 8)

    def raw(self, data):
        self.used += data

    def pack(self):
        flags, count = 0, b""
        code = self.trace.endian + ("Q" if self.trace.long_size == 8 else "I")
        if self.missed is not None:
            flags = 1 << 31
            if self.missed >= 0 and len(self.used) + self.trace.long_size <= self.room:
                flags |= 1 << 30
                count = struct.pack(code, self.missed)
        if flags and self.trace.long_size == 8:
            flags |= 0xffffffff << 32       # the kernel's flag is a negative int
        commit = flags | (len(self.used) if self.commit is None else self.commit)
        head = struct.pack(self.trace.endian + "Q", self.time) + struct.pack(code, commit)
        return (head + self.used + count).ljust(self.size, b"\0")


class Cpu:
    """The pages of one CPU in one buffer."""

    def __init__(self, trace, page_size):
        self.trace, self.page_size = trace, page_size
        self.pages, self.last = [], 0
        self.hole_bytes = 0     # left free in front of the data, for files that are mostly hole

    def page(self, time, missed=None):
        """Begins a page and returns it."""
        self.pages.append(Page(self.trace, self.page_size, time, missed))
        self.last = time
        return self.pages[-1]

    def raw_page(self, data):
        """A page that is given as bytes (of any length, for a damaged file)."""
        self.pages.append(data)

    def add(self, time, payload, missed=None):
        """An event at an absolute time, put where the kernel would put it."""
        need = len(payload) + 3 & ~3
        need += 4 if 0 < need <= 112 else 8
        page = self.pages[-1] if self.pages and isinstance(self.pages[-1], Page) else None
        delta = time - self.last
        if delta >> 27:
            need += 8
        if page is None or missed is not None or len(page.used) + need > page.room:
            page, delta = self.page(time, missed), 0
        if delta >> 27:
            page.extend(delta)
            delta = 0
        page.event(delta, payload)
        self.last = time

    def pack(self):
        return b"".join(p.pack() if isinstance(p, Page) else p for p in self.pages)

    def write_to(self, out):
        out.write(self.pack())


class Buffer:
    """The top buffer (name "") or an instance."""

    def __init__(self, trace, name, clock, page_size):
        self.trace, self.name, self.clock, self.page_size = trace, name, clock, page_size
        self.cpus = {}

    def cpu(self, number):
        return self.cpus.setdefault(number, Cpu(self.trace, self.page_size))


class Trace:
    """A trace.dat to be. Everything may be changed until write()."""

    def __init__(self, version=7, endian="<", long_size=8, page_size=4096, compression="none",
                 clock="local"):
        self.version, self.endian, self.long_size = version, endian, long_size
        self.page_size, self.compression = page_size, compression
        self.compression_version = {"none": "", "zstd": "1.5.4", "zlib": "1.2.13"}[compression]
        self.chunk_pages = 10           # pages per compressed chunk
        self.ftrace_events = []         # Event objects or format texts
        self.systems = {}               # {system: [Event object or format text]}
        self.kallsyms = ""              # text as in /proc/kallsyms
        self.printk = ""                # text as in printk_formats
        self.cmdlines = {}              # {pid: comm}, or the whole text
        self.options = []               # [(id, bytes)] besides those that are made here
        self.n_cpus = None              # None: as many as have data
        self.latency_text = None        # text of a latency tracer instead of pages
        self.with_clock = True          # say which clock it was
        self.with_strings = True        # version 7: write the section with the descriptions
        self.short_size = False         # version 7: sizes 4 too small, as trace-cmd <= 3.1.6
        self.top = Buffer(self, "", clock, page_size)
        self.instances = []
        self.strings = b""
        self.next_id = 1000

    # What is in it.

    def event(self, system, name, fields, print_fmt, ident=None):
        """Defines an event; the result makes its records."""
        if ident is None:
            ident, self.next_id = self.next_id, self.next_id + 1
        event = Event(self, name, ident, fields, print_fmt)
        self.systems.setdefault(system, []).append(event)
        return event

    def ftrace(self, name):
        """One of the kernel's own events, see FTRACE."""
        ident, fields, print_fmt = FTRACE[name]
        event = Event(self, name, ident, fields, print_fmt)
        self.ftrace_events.append(event)
        return event

    def instance(self, name, clock="local", page_size=None):
        self.instances.append(Buffer(self, name, clock, page_size or self.page_size))
        return self.instances[-1]

    def option(self, ident, data):
        """Adds an option; a text gets its closing NUL."""
        self.options.append((ident, data.encode() + b"\0" if isinstance(data, str) else data))

    def num(self, code, *values):
        return struct.pack(self.endian + code, *values)

    # The texts, which both versions write in the same form.

    def header_info(self):
        size = self.long_size
        head = 8 + size
        page = (f"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
                f"\tfield: local_t commit;\toffset:8;\tsize:{size};\tsigned:1;\n"
                f"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
                f"\tfield: char data;\toffset:{head};\tsize:{self.page_size - head};\tsigned:1;\n")
        event = ("# compressed entry header\n\ttype_len    :    5 bits\n"
                 "\ttime_delta  :   27 bits\n\tarray       :   32 bits\n\n"
                 "\tpadding     : type == 29\n\ttime_extend : type == 30\n"
                 "\ttime_stamp : type == 31\n\tdata max type_len  == 28\n")
        return (b"header_page\0" + self.long_text("Q", page)
                + b"header_event\0" + self.long_text("Q", event))

    def long_text(self, code, text):
        data = text.encode() if isinstance(text, str) else text
        return self.num(code, len(data)) + data

    def formats(self, events):
        texts = [e if isinstance(e, (str, bytes)) else e.text() for e in events]
        return self.num("I", len(texts)) + b"".join(self.long_text("Q", t) for t in texts)

    def all_formats(self):
        return self.num("I", len(self.systems)) + b"".join(
            name.encode() + b"\0" + self.formats(events) for name, events in self.systems.items())

    def cmdline_text(self):
        if isinstance(self.cmdlines, dict):
            return "".join(f"{pid} {comm}\n" for pid, comm in self.cmdlines.items())
        return self.cmdlines

    def texts(self):
        """[(section id, description, bytes)] in the order of the file."""
        return [(HEADER_INFO, "headers", self.header_info()),
                (FTRACE_EVENTS, "ftrace events", self.formats(self.ftrace_events)),
                (EVENT_FORMATS, "events format", self.all_formats()),
                (KALLSYMS, "kallsyms", self.long_text("I", self.kallsyms)),
                (PRINTK, "printk", self.long_text("I", self.printk)),
                (CMDLINES, "command lines", self.long_text("Q", self.cmdline_text()))]

    def head(self):
        return (MAGIC + str(self.version).encode() + b"\0" + bytes([self.endian == ">"])
                + bytes([self.long_size]) + self.num("I", self.page_size))

    def cpu_count(self):
        if self.n_cpus is not None:
            return self.n_cpus
        return max([n for b in [self.top] + self.instances for n in b.cpus], default=-1) + 1

    # Writing.

    def write(self, path, cut=None):
        """Writes the file; cut leaves only so many of its first bytes."""
        with open(path, "wb") as out:
            self.write_to(out)
            if cut is not None:
                out.truncate(cut)

    def pack(self):
        out = io.BytesIO()
        self.write_to(out)
        return out.getvalue()

    def write_to(self, out):
        if self.version == 6:
            self.write_v6(out)
        else:
            self.write_v7(out)

    def skip_to(self, out, align, hole_bytes=0):
        out.seek(-(-(out.tell() + hole_bytes) // align) * align)

    def patch(self, out, at, data):
        here = out.tell()
        out.seek(at)
        out.write(data)
        out.seek(here)

    def clock_option(self):
        """In version 6 it announces a clock behind every table of CPUs, so none with a text."""
        if not self.with_clock or (self.version == 6 and self.latency_text is not None):
            return []
        return [(TRACECLOCK, f"[{self.top.clock}]".encode() + b"\0")]

    def write_v6(self, out):
        out.write(self.head())
        for _, _, data in self.texts():
            out.write(data)
        out.write(self.num("I", self.cpu_count()) + b"options  \0")
        for ident, data in self.clock_option() + self.options:
            out.write(self.num("HI", ident, len(data)) + data)
        places = []
        for instance in self.instances:
            name = instance.name.encode() + b"\0"
            out.write(self.num("HI", BUFFER, 8 + len(name)))
            places.append(out.tell())
            out.write(self.num("Q", 0) + name)
        out.write(self.num("H", 0))
        if self.latency_text is not None:
            out.write(b"latency  \0" + self.latency_text.encode())
            return
        self.write_v6_buffer(out, self.top)
        for place, instance in zip(places, self.instances):
            self.patch(out, place, self.num("Q", out.tell()))
            self.write_v6_buffer(out, instance)

    def write_v6_buffer(self, out, buffer):
        out.write(b"flyrecord\0")
        table_at, n_cpus = out.tell(), self.cpu_count()
        clock = f"[{buffer.clock}]".encode()
        out.write(bytes(16 * n_cpus))
        if self.clock_option():
            out.write(self.num("Q", len(clock)) + clock)
        for number in range(n_cpus):
            cpu = buffer.cpus.get(number) or Cpu(self, buffer.page_size)
            self.skip_to(out, buffer.page_size, cpu.hole_bytes)
            start = out.tell()
            cpu.write_to(out)
            self.patch(out, table_at + 16 * number, self.num("QQ", start, out.tell() - start))

    def write_v7(self, out):
        self.strings = b""
        out.write(self.head() + self.compression.encode() + b"\0"
                  + self.compression_version.encode() + b"\0")
        link_at = out.tell()    # where the offset of the next options goes
        out.write(self.num("Q", 0))
        options = []
        for ident, description, data in self.texts():
            options.append((ident, self.num("Q", out.tell())))
            self.write_section(out, ident, description, data)
        if not any(ident == CPUCOUNT for ident, _ in self.options):
            options.append((CPUCOUNT, self.num("I", self.cpu_count())))
        options += self.clock_option() + self.options
        if self.latency_text is not None:
            names = b"\0" + self.top.clock.encode() + b"\0"
            options.append((BUFFER_TEXT, self.num("Q", out.tell()) + names))
            self.write_latency(out)
        link_at = self.write_options(out, options, link_at)
        for buffer in ([self.top] if self.latency_text is None else []) + self.instances:
            option = self.write_v7_buffer(out, buffer)
            link_at = self.write_options(out, [(BUFFER, option)], link_at)
        if self.with_strings:
            self.write_section(out, STRINGS, "strings", None)

    def describe(self, description):
        """The string id of a description."""
        at = len(self.strings)
        self.strings += description.encode() + b"\0"
        return at if self.with_strings else 0xffffffff

    def write_section(self, out, ident, description, data, compress=True):
        text_at, flags = self.describe(description), 0
        data = self.strings if data is None else data
        if compress and self.compression != "none":
            packed = self.compress(data)
            data, flags = self.num("II", len(packed), len(data)) + packed, 1
        out.write(self.num("HHIQ", ident, flags, text_at, len(data)) + data)

    def write_latency(self, out):
        """Like pages, the text is compressed in chunks."""
        text = self.latency_text.encode()
        data = text if self.compression == "none" else self.chunks(text, 4096 * self.chunk_pages)
        flags = int(self.compression != "none")
        out.write(self.num("HHIQ", BUFFER_TEXT, flags, self.describe("buffer latency"), len(data)))
        out.write(data)

    def write_options(self, out, options, link_at):
        """Writes a section of options, links it to the chain; where the next link goes."""
        self.patch(out, link_at, self.num("Q", out.tell()))
        data = b"".join(self.num("HI", i, len(d)) + d for i, d in options)
        self.write_section(out, 0, "options", data + self.num("HIQ", 0, 8, 0), compress=False)
        return out.tell() - 8

    def write_v7_buffer(self, out, buffer):
        """Writes the pages of a buffer; the option that describes them."""
        start, packed = out.tell(), self.compression != "none"
        text_at = self.describe(f"buffer flyrecord {buffer.name}".rstrip())
        out.write(self.num("HHIQ", BUFFER, int(packed), text_at, 0))
        table, n_cpus = b"", 0
        for number, cpu in sorted(buffer.cpus.items()):
            data = cpu.pack()
            if packed:
                data = self.chunks(data, buffer.page_size * self.chunk_pages)
            else:
                self.skip_to(out, buffer.page_size, cpu.hole_bytes)
            size = len(data) - (4 if packed and self.short_size else 0)
            table += self.num("IQQ", number, out.tell(), size)
            out.write(data)
            n_cpus += 1
        self.patch(out, start + 8, self.num("Q", out.tell() - start - 16))
        names = buffer.name.encode() + b"\0" + buffer.clock.encode() + b"\0"
        return self.num("Q", start) + names + self.num("II", buffer.page_size, n_cpus) + table

    def chunks(self, data, size):
        pieces = [data[i:i + size] for i in range(0, len(data), size)]
        packed = [self.compress(piece) for piece in pieces]
        return self.num("I", len(pieces)) + b"".join(
            self.num("II", len(z), len(piece)) + z for z, piece in zip(packed, pieces))

    def compress(self, data):
        return zstd_compress(data) if self.compression == "zstd" else zlib.compress(data, 9)

    def decompress(self, data, size):
        return zstd_decompress(data, size) if self.compression == "zstd" else zlib.decompress(data)


# zstd frames are made by the library itself; Python 3.11 has no module for them.

def zstd_call(name, room, data, *more):
    lib = ctypes.CDLL("libzstd.so.1")
    call = getattr(lib, name)
    call.restype = ctypes.c_size_t
    target = ctypes.create_string_buffer(room)
    size = call(target, ctypes.c_size_t(room), data, ctypes.c_size_t(len(data)), *more)
    if lib.ZSTD_isError(ctypes.c_size_t(size)):
        raise ValueError(f"{name} failed")
    return target.raw[:size]


def zstd_compress(data, level=3):
    return zstd_call("ZSTD_compress", len(data) + len(data) // 128 + 1024, data, level)


def zstd_decompress(data, size):
    return zstd_call("ZSTD_decompress", size, data)
