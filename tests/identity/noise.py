"""Records of noise for every event of a trace's formats.

The strongest test of the format compiler: whatever a kernel's print formats contain, the two
programs must make the same text of the same bytes. The noise is drawn from a fixed seed, so the
files, and with them what is remembered of trace-cmd's output, stay the same.

    zeros    every byte of a field 0, dynamic arrays empty
    small    numbers of one or two digits, texts of letters, addresses of symbols
    large    every bit drawn, texts of any length that fits
    edges    numbers around the limits of their type

Fields that count elements, divide, or say how deep a function was called stay within reason in all of
them: of other values trace-cmd dies, or prints what lies behind the record.
"""
import random
import re
import struct

KINDS = ("zeros", "small", "large", "edges")
FIELD = re.compile(rb"\tfield: ?([^;]+);\s*offset:(\d+);\s*size:(\d+);(?:\s*signed:(\d);)?")
LETTERS = "abcdefghijklmnopqrstuvwxyz_0123456789 /.:-"
SYMBOL_BASE, SYMBOL_STEP, N_SYMBOLS = 0xffffffff81000000, 0x40, 5000


def symbols():
    """kallsyms text that the addresses drawn below fall into."""
    return "".join(f"{SYMBOL_BASE + SYMBOL_STEP * i:x} T sym_{i}\n" for i in range(N_SYMBOLS))


def extra_symbols():
    """A file for --kallsyms, with addresses that no trace has symbols for."""
    return "".join(f"{0xd0000000 + 0x10 * i:x} t extra_{i}\n" for i in range(0x1000)) + (
        "c0000108 T inserted\nffffffff00000000 T high\n")


class Format:
    """What of a format text matters to fill a record."""

    def __init__(self, text):
        self.name = re.search(rb"name: *(\S+)", text)[1].decode()
        self.ident = int(re.search(rb"\nID: *(\d+)", text)[1])
        self.print_fmt = text.partition(b"print fmt:")[2].decode()
        self.fields = [(decl.decode(), int(offset), int(size))
                       for decl, offset, size, _ in FIELD.findall(text)]
        self.size = max([o + s for _, o, s in self.fields], default=8)
        self.counts = set(re.findall(r"__print_(?:hex|hex_str|array)\([^,]*, *REC->(\w+)",
                                     self.print_fmt)) | {"depth"}
        self.divisors = set(re.findall(r"[/%] *\(?REC->(\w+)", self.print_fmt))


class Noise:
    """Draws records of one kind."""

    def __init__(self, seed, kind, endian="<"):
        self.random, self.kind, self.endian = random.Random(f"{seed} {kind}"), kind, endian

    def number(self, form, size, decl):
        bits, name = 8 * size, decl.split()[-1]
        if name in form.counts:
            return self.random.randrange(4) if self.kind != "zeros" else 0
        if name in form.divisors:
            return 1 + self.random.randrange(7)
        if self.kind == "zeros":
            return 0
        if self.kind == "small":
            if size == 8 and ("*" in decl or "long" in decl) and self.random.random() < 0.5:
                return SYMBOL_BASE + self.random.randrange(SYMBOL_STEP * N_SYMBOLS)
            return self.random.randrange(100)
        if self.kind == "edges":
            return self.random.choice([1, 2**bits - 1, 2**(bits - 1), 2**(bits - 1) - 1, 255,
                                       2**bits - 2, 10, 0x12345678]) % 2**bits
        return self.random.getrandbits(bits)

    def text(self, room):
        n = min(room - 1, self.random.randrange({"small": 8, "edges": 2}.get(self.kind, 60)))
        return "".join(self.random.choices(LETTERS, k=max(n, 0))).encode() + b"\0"

    def raw(self, n):
        return bytes(n) if self.kind == "zeros" else self.random.randbytes(n)

    def tail(self, decl):
        """The bytes of a dynamic array."""
        if "char" in decl or "string" in decl:
            return self.text(200).ljust(4, b"\0") if self.kind != "zeros" else b"\0"
        return self.raw(self.random.choice([16, 24, 40])) if self.kind != "zeros" else b""

    def record(self, form, pid=1):
        data, tail = bytearray(form.size), b""
        for decl, offset, size in form.fields:
            loc = re.match(r"__(data|rel)_loc\b", decl)
            if loc:
                more = self.tail(decl)
                start = form.size + len(tail) - (offset + 4 if loc[1] == "rel" else 0)
                value = struct.pack(self.endian + "I", start & 0xffff | len(more) << 16)
                tail += more
            elif "[]" in decl:      # the rest of the record
                value, tail = b"", tail + self.tail(decl)
            elif "[" in decl and "char" in decl:
                value = self.text(size).ljust(size, b"\0") if self.kind != "zeros" else bytes(size)
            elif size in (1, 2, 4, 8) and "[" not in decl:
                value = self.number(form, size, decl).to_bytes(
                    size, "little" if self.endian == "<" else "big")
            else:
                value = self.raw(size)
            data[offset:offset + size] = value[:size]
        struct.pack_into(self.endian + "HBBi", data, 0, form.ident, 0, 0, pid)
        return bytes(data) + tail


def fill(trace, kind, seed=1, n_each=3):
    """Puts n_each records of every format into a trace that has formats."""
    noise, now = Noise(seed, kind, trace.endian), 1_000_000_000
    texts = [t for texts in [trace.ftrace_events, *trace.systems.values()] for t in texts]
    for text in texts:
        form = Format(text)
        for i in range(n_each):
            now += 1000
            trace.top.cpu(0).add(now, noise.record(form, 1 + i))
