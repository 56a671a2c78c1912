"""A small kernel that is made up: its types as BTF, its symbols, a tracing directory that knows probes.

    python3 tests/lib/btf.py DIR

writes DIR/btf/vmlinux, DIR/kallsyms, DIR/tracing/…; SONDE_BTF, SONDE_KALLSYMS and SONDE_TRACEFS name them.
The functions are those of FUNCTIONS below, with parameters that look like those of a real kernel.
"""
import pathlib
import struct
import sys

INT, PTR, ARRAY, STRUCT, ENUM, TYPEDEF, CONST, FUNC, PROTO = 1, 2, 3, 4, 6, 8, 10, 12, 13


class Btf:
    """Types are added in order and named by their number; 0 is void."""

    def __init__(self):
        self.strings, self.types, self.n = b"\0", b"", 0

    def text(self, s):
        if not s:
            return 0
        at = len(self.strings)
        self.strings += s.encode() + b"\0"
        return at

    def add(self, name, kind, third, *words, vlen=0):
        self.types += struct.pack("<III", self.text(name), kind << 24 | vlen, third)
        self.types += b"".join(struct.pack("<I", w & 0xffffffff) for w in words)
        self.n += 1
        return self.n

    def integer(self, name, n_bytes, signed=False):
        return self.add(name, INT, n_bytes, (1 << 24 if signed else 0) | n_bytes * 8)

    def pointer(self, to):
        return self.add("", PTR, to)

    def struct(self, name, n_bytes, *members):
        words = [w for member, kind, offset in members for w in (self.text(member), kind, offset * 8)]
        return self.add(name, STRUCT, n_bytes, *words, vlen=len(members))

    def enum(self, name, *values):
        words = [w for member, value in values for w in (self.text(member), value)]
        return self.add(name, ENUM, 4, *words, vlen=len(values))

    def function(self, name, result, *params):
        words = [w for param, kind in params for w in (self.text(param), kind)]
        proto = self.add("", PROTO, result, *words, vlen=len(params))
        return self.add(name, FUNC, proto, vlen=1)

    def pack(self):
        n, m = len(self.types), len(self.strings)
        return struct.pack("<HBBIIIII", 0xeb9f, 1, 0, 24, 0, n, n, m) + self.types + self.strings


def make_types():
    b = Btf()
    i32, u64, s64, char = (b.integer("int", 4, True), b.integer("long unsigned int", 8),
                           b.integer("long int", 8, True), b.integer("char", 1, True))
    u32 = b.integer("unsigned int", 4)
    text = b.pointer(b.add("", CONST, char))
    size_t, ssize_t = b.add("size_t", TYPEDEF, u64), b.add("ssize_t", TYPEDEF, s64)
    qstr = b.struct("qstr", 16, ("hash", u32, 0), ("len", u32, 4), ("name", text, 8))
    dentry = b.struct("dentry", 64, ("d_flags", u32, 0), ("d_name", qstr, 32))
    path = b.struct("path", 16, ("mnt", b.pointer(0), 0), ("dentry", b.pointer(dentry), 8))
    mode = b.enum("rw_hint", ("HINT_NONE", 1), ("HINT_SHORT", 2), ("HINT_LONG", 3))
    sizes = b.add("", ARRAY, 0, i32, u32, 4)
    file = b.struct("file", 128, ("f_flags", u32, 0), ("f_hint", mode, 4), ("f_path", path, 16),
                    ("f_sizes", sizes, 40))
    files = b.pointer(file)
    work = b.struct("work_struct", 32, ("data", u64, 0))
    kvm = b.struct("kvm", 64, ("userspace_pid", i32, 8))
    b.struct("irqfd", 96, ("kvm", b.pointer(kvm), 0), ("inject", work, 16))
    b.function("vfs_read", ssize_t, ("file", files), ("buf", b.pointer(char)), ("count", size_t),
               ("pos", b.pointer(s64)))
    b.function("vfs_write", ssize_t, ("file", files), ("count", size_t))
    b.function("irqfd_inject", 0, ("work", b.pointer(work)))
    b.function("do_nothing", 0)
    b.function("inlined_one", i32, ("x", i32))
    b.function("cut_one", i32, ("x", i32))
    b.function("glob_one", i32, ("x", i32))
    b.function("glob_two", i32, ("y", i32), ("x", i32))
    b.function("glob_bare", 0)
    b.function("glob_black", i32, ("x", i32))
    b.function("glob_hidden", i32, ("x", i32))
    b.function("glob_gone", i32, ("x", i32))
    b.function("twin_made", i32, ("x", i32))
    return b.pack()


SYMBOLS = ["vfs_read", "vfs_write", "irqfd_inject", "do_nothing", "no_types_known", "glob_one", "glob_two",
           "glob_bare", "glob_black", "glob_hidden", "cut_one.constprop.0"]
HOOKS = [name for name in SYMBOLS if name != "glob_hidden"] + ["twin_made"]
README = r"""
  dynamic_events - Create/append/remove/show the generic dynamic events
	   Format: p[:[<group>/][<event>]] <place> [<args>]
	           r[maxactive][:[<group>/][<event>]] <place> [<args>]
	 fetcharg: $stack<index>, $stack, $retval, $comm, $arg<N>,
	           +|-[u]<offset>(<fetcharg>), \imm-value, \"imm-string"
	     type: s8/16/32/64, u8/16/32/64, x8/16/32/64, string, symbol,
	           b<bit-width>@<bit-offset>/<container-size>, ustring, <type>\[<array-size>\]
"""


def make(place):
    tracing = place / "tracing"
    for name in ("events/sched/sched_switch", "instances"):
        (tracing / name).mkdir(parents=True)
    (place / "btf").mkdir()
    (place / "btf/vmlinux").write_bytes(make_types())
    lines = [f"{0xffffffff81000000 + 4096 * i:016x} T {name}\n" for i, name in enumerate(SYMBOLS)]
    lines.append("ffffffff82000000 D some_data\n")
    lines += ["ffffffff80ff0000 T _text\n", "ffffffff81100010 t twin_made\n", "ffffffff81100020 t twin_made_not\n",
              "ffffffff81200010 t twin_made\n", "ffffffffc0000010 t twin_made\t[module]\n"]
    (place / "kallsyms").write_text("".join(lines))
    (place / "blacklist").write_text("0xffffffff81008000-0xffffffff81008010\tglob_black\n")
    for name, text in (("available_filter_functions", "".join(f"{name}\n" for name in HOOKS)), ("trace_clock", "[local]\n"), ("README", README), ("dynamic_events", ""),
                       ("kprobe_events", ""), ("uprobe_events", ""),
                       ("events/sched/sched_switch/format",
                        "name: sched_switch\nID: 1\nformat:\n"
                        "\tfield:char next_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
                        "\tfield:int next_pid;\toffset:24;\tsize:4;\tsigned:1;\n\nprint fmt: \"\"\n")):
        (tracing / name).write_text(text)


if __name__ == "__main__":
    make(pathlib.Path(sys.argv[1]))
