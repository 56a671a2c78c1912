"""Print formats drawn at random from the grammar that kernels use, and a little beyond it.

What an expression means to libtraceevent is only nearly what it means in C: priorities, casts,
constants and signs have their peculiarities. So formats are drawn (from a fixed seed) and both
programs print the same records with them.

Left out is what makes trace-cmd die or read past the record, see doc/deviations.md: division by
what may be 0, negative widths, counts larger than an array.
"""
import pathlib
import random
import re

FIELDS = [  # declaration, what it may be used as
    ("u8 b", "n"), ("s16 h", "n"), ("int i", "n"), ("unsigned int u", "n"), ("s64 l", "n"),
    ("unsigned long ul", "n"), ("char c", "n"), ("bool flag", "n"), ("pid_t tid", "n"),
    ("char comm[16]", "t"), ("u8 mac[6]", "a6"), ("u8 ip4[4]", "a4"), ("u8 ip6[16]", "a16"),
    ("u32 list[4]", "i4"), ("__data_loc char[] name", "d"), ("__data_loc u32[] dyn", "e"),
    ("__rel_loc char[] rel", "r"), ("__data_loc unsigned long[] mask", "m"), ("void * ptr", "n"),
]
NUMBERS = [decl.split()[-1] for decl, use in FIELDS if use == "n"]
CONSTANTS = ["0", "1", "2", "7", "10", "0x10", "0xff", "255", "1UL", "0x80000000", "~0", "(1 << 4)",
             "'A'", "-1", "(-1)", "0xffffffffffffffff", "TIMER_SOFTIRQ", "010"]
BINARY = ["+", "-", "*", "|", "&", "<<", ">>", "==", "!=", "<", ">", "<=", ">=", "&&", "||"]
CASTS = ["u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "char", "short", "int", "long",
         "unsigned int", "unsigned char", "unsigned long", "unsigned short", "long long", "void *",
         "unsigned long long", "unsigned", "gfp_t"]
LENGTHS = ["", "", "", "l", "ll", "h", "hh", "z", "L"]
FLAGS = ["", "", "", "0", "-", "#", "#0", "-0"]
WIDTHS = ["", "", "", "1", "4", "08", "12", "20"]
PRECISIONS = ["", "", "", "", ".0", ".1", ".5", ".12"]
TEXTS = ['"yes"', '"no"', '""', '"a b"', '"per%cent"', '"tab\\\\t"', '"one" "two"']


class Grammar:
    def __init__(self, seed, foreign=False):
        """foreign: the other byte order, in which trace-cmd misreads a few things."""
        self.random, self.foreign = random.Random(f"grammar {seed}"), foreign

    def pick(self, options):
        return self.random.choice(options)

    def chance(self, percent):
        return self.random.randrange(100) < percent

    def number(self, depth=3):
        """An expression whose value is a number."""
        kind = self.random.randrange(100) if depth else self.random.randrange(45)
        if kind < 30:
            return "REC->" + self.pick(NUMBERS)
        if kind < 45:
            return self.pick(CONSTANTS)
        inner = lambda: self.number(depth - 1)  # noqa: E731
        if kind < 65:
            gap = self.pick([" ", " ", ""])
            return f"{inner()}{gap}{self.pick(BINARY)}{gap}{inner()}"
        if kind < 75:
            return f"({inner()})"
        if kind < 83:
            return f"({self.pick(CASTS)}){self.pick(['', ' '])}{self.pick([f'({inner()})', inner()])}"
        if kind < 88:
            return f"{self.pick(['!', '~', '-'])}{self.pick([f'({inner()})', 'REC->i'])}"
        if kind < 93:
            return f"{inner()} ? {inner()} : {inner()}"
        if kind < 95:
            return f"({inner()} {self.pick(['/', '%'])} {self.pick(['3', '7', '10'])})"
        return self.pick(["sizeof(int)", "sizeof(unsigned long)", "sizeof(long long)",
                          "sizeof(REC->h)", "(REC->list[2])", "(REC->mac[1])", "((u8)REC->list[1])",
                          "__get_dynamic_array_len(dyn)", "__builtin_expect(REC->i, 1)",
                          "sizeof(unsigned)", "(((u32 *)__get_dynamic_array(dyn))[0])",
                          "__get_dynamic_array_len(name)"])

    def rows(self):
        """The rows of __print_symbolic and __print_flags."""
        rows = []
        for i in range(self.random.randrange(1, 6)):
            value = self.pick([str(i), f"1 << {i}", f"(1 << {i})", f"0x{1 << i:x}", f"{i} + 1",
                               f"1UL << {i}", f"(1 << {i}) | 1", f"(u32)(1 << {i})", "-1", "0",
                               f"({i})", f"{i} - 1", "TIMER_SOFTIRQ", f"{i}U", "~0", "1 + 2 * 3"])
            rows.append("{ " + value + ", " + self.pick(['"N%d"' % i, '"A B"', '""']) + " }")
        return ", ".join(rows)

    def string(self, depth=2):
        """An argument for %s."""
        kind = self.random.randrange(100)
        if kind < 15:
            return "REC->comm"
        if kind < 25:
            return "__get_str(name)"
        if kind < 30:
            return "__get_rel_str(rel)"
        if kind < 40:
            return self.pick(TEXTS)
        if kind < 52:
            return f"__print_symbolic({self.number(2)}, {self.rows()})"
        if kind < 64:
            delim = self.pick(['"|"', '""', '", "', '"--"'])
            return f"__print_flags({self.number(2)}, {delim}, {self.rows()})"
        if kind < 70:
            call = self.pick(["__print_hex", "__print_hex_str"])
            what, n = self.pick([("REC->mac", "6"), ("REC->ip6", "16"), ("REC->list", "3"),
                                 ("__get_dynamic_array(dyn)", "__get_dynamic_array_len(dyn)")])
            return f"{call}({what}, {n})"
        if kind < 76 and not self.foreign:
            return self.pick(["__print_array(REC->list, 4, 4)", "__print_array(REC->mac, 6, 1)",
                              "__print_array(REC->mac, 3, 2)", "__print_array(REC->list, 2, 8)",
                              "__print_array(__get_dynamic_array(dyn), "
                              "__get_dynamic_array_len(dyn) / 4, sizeof(int))"])
        if kind < 81:
            return self.pick(["__get_bitmask(mask)", "__get_cpumask(mask)"])
        if kind < 85 and not self.foreign:
            return "REC->" + self.pick(["ul", "ptr", "i", "b", "l"])
        if depth:
            branch = lambda: self.string(depth - 1)  # noqa: E731
            return f"{self.number(1)} ? {branch()} : {self.pick([branch(), '(' + branch() + ')'])}"
        return '"end"'

    def pointer(self):
        """(conversion, argument) of %p and its kin."""
        kind = self.pick([("%p", None), ("%pS", None), ("%ps", None), ("%pF", None), ("%pf", None),
                          ("%pM", "mac"), ("%pm", "mac"), ("%pMF", "mac"), ("%pMR", "mac"),
                          ("%pI4", "ip4"), ("%pi4", "ip4"), ("%pI4h", "ip4"), ("%pI4l", "ip4"),
                          ("%pI4n", "ip4"), ("%pI4b", "ip4"), ("%pI6", "ip6"), ("%pI6c", "ip6"),
                          ("%pi6", "ip6"), ("%pU", "ip6"), ("%pUl", "ip6"), ("%pUL", "ip6"),
                          ("%pUb", "ip6"), ("%pUB", "ip6"), ("%pI4", "mac"), ("%pM", "i"),
                          ("%px", None), ("%pK", None), ("%16p", None), ("%-16p", None),
                          ("%pIS", "ip6"), ("%pISpc", "ip6"), ("%ph", "dyn"), ("%phC", "dyn"),
                          ("%phD", "dyn"), ("%phN", "dyn")])
        if self.foreign and kind[0].startswith("%pIS"):
            kind = ("%p", None)
        if kind[1] == "dyn":
            return kind[0], "__get_dynamic_array(dyn)"
        if kind[1]:
            return kind[0], self.pick(["REC->", "REC->", "(u8 *)REC->"]) + kind[1]
        return kind[0], self.pick(["(void *)REC->ul", "REC->ptr", "(void *)(REC->ul + 4)",
                                   "(void *)REC->ptr", "REC->ul"])

    def conversion(self):
        """A conversion with its arguments."""
        kind = self.random.randrange(100)
        spec = self.pick(FLAGS) + self.pick(WIDTHS) + self.pick(PRECISIONS)
        if kind < 45:
            return f"%{spec}{self.pick(LENGTHS)}{self.pick('dduuxxXoi')}", [self.number()]
        if kind < 52:
            star = self.pick(["*", ".*", "-*", "0*"])
            return f"%{star}{self.pick(['d', 'u', 'x', 's', 'ld', 'lu', 'llx', 'lld'])}", None
        if kind < 82:
            spec = self.pick(["", "", "", "10", "-10", ".3", "-12.4", "1"])
            return f"%{spec}s", [self.string()]
        if kind < 96:
            conversion, argument = self.pointer()
            return conversion, [argument]
        return self.pick(["%%", "%%d", "100%%"]), []

    def format(self):
        """The text after "print fmt: "."""
        text, arguments = "", []
        for i in range(self.random.randrange(1, 6)):
            conversion, values = self.conversion()
            if values is None:
                width = self.pick(["REC->b & 15", "5", "(REC->u & 7)", "8"])
                last = self.string(1) if conversion.endswith("s") else self.number(2)
                values = [width, last]
            text += self.pick(["", " ", "x", f"{i}=", "0x", "\\n", "\\t", "(", "\\\\", "a\\\"b"])
            text += conversion
            arguments += values
        text += self.pick(["", "", "\\n", ">", " end"])
        half = self.random.randrange(len(text) + 1)
        cut = self.chance(5) and not set("\\%") & set(text[max(half - 2, 0):half + 2])
        quoted = f'"{text[:half]}" "{text[half:]}"' if cut else f'"{text}"'
        return quoted + "".join(", " + a for a in arguments)


def records(event):
    """A few records that tell types and signs apart."""
    yield event(pid=1)
    yield event(pid=2, b=7, h=-2, i=-3, u=5, l=-7, ul=0xc0000123, c=65, flag=1, comm="worker/0",
                mac=bytes(range(0xa, 0x10)), ip4=bytes([10, 0, 2, 15]), ptr=0xc0000200,
                ip6=bytes([2, 0] + [0] * 13 + [1]), list=[1, 0x80000000, 3, 4], name="a name",
                dyn=[9, 8, 0xfffffff7], rel="relative", mask=[0xf00f, 1])
    yield event(pid=3, b=255, h=0x7fff, i=0x7fffffff, u=0xffffffff, l=1 << 62, ul=(1 << 64) - 1,
                c=-1, flag=255, comm="x" * 15, mac=b"\xff" * 6, ip4=b"\xff\0\xff\0",
                ip6=bytes(range(0xf0, 0x100)), ptr=0xffffffff81000000,
                list=[0xffffffff] * 4, name="n" * 40, dyn=[], rel="", mask=[1 << 63])


def fill_from(trace, formats):
    """An event for each format, a few records of each."""
    now = 1_000_000_000
    trace.kallsyms = "".join(f"{0xc0000000 + 0x100 * i:08x} T func_{i}\n" for i in range(20))
    trace.printk = '0xffffffffffffffff : "printk text"\n0x5 : "five\\n"\n'
    for i, text in enumerate(formats):
        event = trace.event("drawn", f"drawn_{i}", [decl for decl, _ in FIELDS], text)
        for record in records(event):
            now += 1000
            trace.top.cpu(0).add(now, record)


def fill(trace, seed, n_events, foreign=False):
    """n_events events with drawn formats, a few records of each."""
    grammar = Grammar(seed, foreign)
    fill_from(trace, [grammar.format() for _ in range(n_events)])


def odd_formats(foreign=False):
    """The formats of the file odd-formats, without comments."""
    with open(pathlib.Path(__file__).parent / "odd-formats") as file:
        lines = [line.rstrip("\n") for line in file if line.strip() and line[0] != "#"]
    misread = re.compile(r"__print_array|%pIS|%s\W.*, REC->[ihbl]\b")
    return [line for line in lines if not (foreign and misread.search(line))]


PRINTK = ["%d", "%u", "%x", "%lld", "%llx", "%lu", "%ld", "%s", "%s", "%5d", "%08x", "%p", "%pS",
          "%ps", "%pF", "%pf", "%%", "%zu", "%.3s", "%10s", "%*d", "%.*s", "%Lx", "%i", "%o", "%X",
          "%#x", "%px", "%5.2d", "%Zd", "%05lu", "%.6s"]


class Printk:
    """Formats of trace_printk() and buffers that fit them, packed as the kernel does."""

    def __init__(self, seed, endian, long_size):
        self.random = random.Random(f"printk {seed}")
        self.order, self.long_size = "little" if endian == "<" else "big", long_size

    def format(self):
        text = ""
        for _ in range(self.random.randrange(6)):
            text += self.random.choice([" ", "x=", "", "a ", "\\n", "\\t", "100%% "])
            text += self.random.choice(PRINTK)
        return text + self.random.choice(["\\n", "\\n", "", "\\n\\n", " end\\n"])

    def number(self, size):
        value = self.random.choice([0, 1, 5, 12, 0xc0000123, 0xffffffff, self.random.getrandbits(64)])
        return (value % (1 << 8 * size)).to_bytes(size, self.order)

    def buffer(self, text):
        out = b""
        for flags, letter in re.findall(r"%([-#0-9.*lLzZ]*)([a-zA-Z%])", text):
            for _ in range(flags.count("*")):
                out += bytes(-len(out) % 4) + self.random.randrange(14).to_bytes(4, self.order)
            if letter == "s":
                n = self.random.randrange(12)
                out += "".join(self.random.choices("abc XYZ/%", k=n)).encode() + b"\0"
            elif letter != "%":
                size = (self.long_size if letter == "p" or re.fullmatch(r".*[^l]?[lzZ]", flags)
                        and "ll" not in flags else 8 if "ll" in flags or "L" in flags else 4)
                out += bytes(-len(out) % 4) + self.number(size)
        return out


def fill_printk(trace, seed, n_formats):
    """trace_printk(), trace_puts() and trace_marker text."""
    draw = Printk(seed, trace.endian, trace.long_size)
    trace.kallsyms = "".join(f"{0xc0000000 + 0x100 * i:08x} T func_{i}\n" for i in range(20))
    bprint, bputs, text = (trace.ftrace(name) for name in ("bprint", "bputs", "print"))
    now, formats = 1_000_000_000, [draw.format() for _ in range(n_formats)]
    trace.printk = "".join(f'0x{0xd0000000 + 16 * i:x} : "{f}"\n' for i, f in enumerate(formats))
    for i, form in enumerate(formats):
        at = 0xd0000000 + 16 * i
        for record in (bprint(pid=7, ip=0xc0000104, fmt=at, buf=draw.buffer(form)),
                       bprint(pid=7, ip=0xd0000104, fmt=at, buf=draw.buffer(form)),
                       text(pid=7, ip=0xc0000304, buf=form), None if trace.endian == ">" else
                       bputs(pid=7, ip=0xc0000204, str=at)):
            now += 1000
            if record:
                trace.top.cpu(0).add(now, record)
    trace.top.cpu(0).add(now + 1000, bprint(pid=7, ip=0xc0000104, fmt=5, buf=b"abcd"))
