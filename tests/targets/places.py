"""Where probes may go and where not: pieces of functions, functions chosen at start, versions, insides of instructions."""
import json
import os
import re

from programs import SONDE, Skip, Wrong, need, need_uprobes, run, sonde

COLD = """#include <stdio.h>
#include <stdlib.h>
__attribute__((noinline, cold)) void bad(long *p)
{
	asm volatile("" : : "r"(p) : "memory");
}
namespace n {
__attribute__((noinline)) long work(long *a, int i)
{
	long own[2] = {i, i};

	asm volatile("" : : "r"(own) : "memory");
	if (__builtin_expect(i % 7 == 3, 0)) {
		bad(own);
		a[1] += i;
		bad(a);
	}
	return own[0] + own[1];
}
}
extern "C" __attribute__((noinline)) long plain(long *a, int i)
{
	long own[2] = {i, i};

	asm volatile("" : : "r"(own) : "memory");
	if (__builtin_expect(i % 7 == 3, 0)) {
		bad(own);
		a[0] += i;
		bad(a);
	}
	return own[0] + own[1];
}
int main(int argc, char **argv)
{
	long a[2] = {0}, sum = 0;

	for (int i = 0; i < 14; i++)
		sum += n::work(a, i) + plain(a, i);
	printf("%ld\\n", sum);
	return argc - 1;
}
"""

ONCE = """#include <stdio.h>
#include <string.h>
static const char *kind(int v)
{
	switch (v % 5) {
	case 0:
		return "zero";
	case 1:
	case 2:
		v *= 2;
		break;
	case 3:
		v++;
		/* fall through */
	default:
		v--;
	}
	return v > 10 ? "big" : "small";
}
static unsigned mix(unsigned x)
{
	int n = 0;
	do {
		x ^= x >> 3;
		n++;
	} while (n < (int)(x % 4));
	return x;
}
int main(void)
{
	unsigned seed = 1;
	int big = 0;

	for (int i = 0; i < 200; i++) {
		seed = seed * 1103515245 + 12345;
		if (!strcmp(kind(i), "big"))
			big++;
		else
			continue;
		seed += mix(i) & 1;
	}
	while (big > 3)
		big /= 2;
	printf("%u %d\\n", seed, big);
	return 0;
}
"""

CHOSEN = """#include <stdio.h>
static int by_one(int x) { asm volatile("" : "+r"(x)); return x + 1; }
static int by_two(int x) { asm volatile("" : "+r"(x)); return x + 2; }
static volatile int kind;
static int (*resolve_step(void))(int) { return kind ? by_one : by_two; }
int step(int x) __attribute__((ifunc("resolve_step")));
int main(void)
{
	int sum = 0;

	for (int i = 0; i < 25; i++)
		sum += step(i);
	printf("%d\\n", sum);
	return 0;
}
"""

CALLS = """static volatile int kept;
__attribute__((noinline)) int call_one(int x) { return kept += x; }
__attribute__((noinline)) int call_two(int y) { return kept -= y; }
int main(void)
{
	for (int i = 0; i < 6; i++)
		call_one(i % 2) + call_two(i);
	return 0;
}
"""

RUST = """#[derive(Debug, Clone, Copy)] pub enum Kind { A, B(u32), C { x: i64 } }
#[inline(never)] fn take<T: std::fmt::Debug>(kind: T, n: u32) -> usize {
    format!("{:?}{}", kind, n).len()
}
fn main() {
    for (i, kind) in [Kind::A, Kind::B(1), Kind::C { x: 2 }].iter().enumerate() { take(*kind, 7 + i as u32); }
}
"""

TWINS = ("""static __attribute__((noipa)) int helper(int q) { asm volatile(""); return q + 1; }
int one(int x) { return helper(x) + 1; }
""", """static __attribute__((noipa)) int helper(const char *name) { asm volatile(""); return name[0]; }
int one(int x);
int main(void) { return one(1) + helper("x") == 0; }
""")

VERSIONS = """#include <stdio.h>
__attribute__((noinline)) int old_wait(int x) { return printf("old %d\\n", x); }
__attribute__((noinline)) int new_wait(int x) { return printf("new %d\\n", x); }
__asm__(".symver old_wait,wait_for@ONE_1.0");
__asm__(".symver new_wait,wait_for@@ONE_2.0");
"""


def counted(program, *definitions):
    """{event: hits} while the program runs."""
    need_uprobes()
    words = [w for d in definitions for w in ("-e", f"{program}:{d}")]
    done = json.loads(run(SONDE, "count", "--json", "--by", "$event", *words, program).stdout.splitlines()[-1])
    return {row["$event"]: row["count"] for row in done["rows"]}


def show(program, definition):
    done = run(SONDE, "probe", "show", "-x", program, definition, check=False)
    return done.stdout + done.stderr


def expect(program, answers):
    for text, words in answers.items():
        if words not in show(program, text):
            raise Wrong(f"{text}: '{words}' is not in {show(program, text)}")


def places(program, definition):
    return len(set(re.findall(r":0x[0-9a-f]+$", show(program, definition), re.M)))


def test_pieces(programs):
    """What the compiler took out of a function is neither its entry nor has it a return; the program stays whole."""
    source = programs.dir / "cold.cc"
    source.write_text(COLD)
    bare = programs.make("cold", "g++", "-O2", "-g0", source)
    if "plain.cold" not in run("nm", bare).stdout:
        raise Skip("this compiler takes no cold parts out")
    right = run(bare).stdout
    for program in (bare, programs.make("cold-g", "g++", "-O2", source)):
        for text in ("n::work", "plain", "plain*", "n::work%return", "plain%return", "pla*%return", "all=*plain*%return"):
            if places(program, text) != 1:
                raise Wrong(f"{program.name}: {text}: {show(program, text)}")
        expect(program, {"plain.cold%return": "omit .cold", "plain.cold": "the kernel is given"})
        trace = programs.dir / "cold.dat"
        done = run(SONDE, "record", "-o", trace, "-e", f"{program}:n::work%return", "-e", f"{program}:pl*%return", program)
        if not done.stdout.startswith(right):
            raise Wrong(f"{program.name}: it printed {done.stdout} instead of {right}")
        if counted(program, "n::work", "plain") != {"n_work": 14, "plain": 14}:
            raise Wrong(f"{program.name}: {counted(program, 'n::work', 'plain')}")


def test_chosen(programs):
    """A function that is chosen when the program starts (IFUNC): all that can be chosen are probed, and it is said."""
    source = programs.dir / "chosen.c"
    source.write_text(CHOSEN)
    for name, flags in (("chosen", ["-O2"]), ("chosen-g0", ["-O2", "-g0"]), ("chosen-fixed", ["-O2", "-no-pie", "-fno-pie"]),
                        ("chosen-O0", ["-O0"])):
        program = programs.make(name, "gcc", *flags, source)
        if "x86-64" not in run("file", "-L", program, check=False).stdout:
            raise Skip("resolvers are only read on x86-64")
        expect(program, {"step": "step is selected when a program starts (IFUNC): all 2 candidates are probed, as by_"})
        if places(program, "step") != 2 or counted(program, "step") != {"step": 25}:
            raise Wrong(f"{name}: {show(program, 'step')} {counted(program, 'step')}")
    expect(programs.dir / "chosen-O0", {"step(x)": "int (DWARF)"})


def test_versions(programs):
    """A version does not belong to the name, but can choose."""
    need("objcopy")
    source, script = programs.dir / "versions.c", programs.dir / "versions.map"
    source.write_text(VERSIONS)
    script.write_text("ONE_1.0 { };\nONE_2.0 { } ONE_1.0;\n")
    library = programs.make("libversions.so", "gcc", "-O2", "-shared", "-fPIC", f"-Wl,--version-script={script}", source)
    for text, n in {"wait_for": 2, "wait_for@@ONE_2.0": 1, "wait_for@ONE_1.0": 1, "wait_for@ONE_2.0(x)": 1}.items():
        if places(library, text) != n:
            raise Wrong(f"{text}: {show(library, text)}")
    expect(library, {"wait_for@ONE_3.0": "its versions are ONE_", "wait_fr": "did you mean 'wait_for'?",
                     "wait_for@@": "the source file is missing after '@'", "wait_for(x)": "int (DWARF)"})
    names = [row["name"] for row in sonde("funcs", "-x", library)["functions"]]
    if "wait_for" not in names or any("@" in n for n in names):
        raise Wrong(f"{names}")


def test_insides(programs):
    """An address inside of an instruction, and an offset before variables are stored."""
    program = programs.c("gcc", "0", "pie")
    stripped = programs.dir / "stripped"
    run("strip", "-o", stripped, program)
    text = run("objdump", "-d", "--insn-width=15", "--disassemble=add_ints", program).stdout
    rows = [(int(a, 16), len(code.split())) for a, code in re.findall(r"^ +([0-9a-f]+):\t([0-9a-f ]+)\t", text, re.M)]
    body = int(re.search(r":0x([0-9a-f]+)$", show(program, "add_ints(a)"), re.M)[1], 16)
    for address, length in rows:
        for where in (program, stripped):
            expect(where, {f"0x{address:x}": "the kernel is given"})
            if length > 1:
                expect(where, {f"0x{address + 1:x}": f"the nearest instructions begin at 0x{address:x} and 0x{address + length:x}"})
        offset = address - rows[0][0]
        words = "not stored yet; they are stored from +" if 0 < offset and address < body else "the kernel is given"
        expect(program, {f"add_ints+{offset}(a)": words, f"add_ints+{offset}": "the kernel is given"})


def test_by_name(programs):
    """Patterns of a program in PATH; a function measured by what it was called with."""
    source = programs.dir / "calls.c"
    source.write_text(CALLS)
    program = programs.make("place_calls", "gcc", "-O1", source)
    counted(program, "call_one")     # or this is skipped
    env = {**os.environ, "PATH": f"{programs.dir}:{os.environ['PATH']}"}

    def ask(*argv):
        done = run(SONDE, *argv, program, check=False, env=env)
        return done.stdout + done.stderr

    text = ask("count", "--by", "$event", "-e", "place_calls:call_*")
    if not re.search(r"^ +6  call_one ", text, re.M) or not re.search(r"^ +6  call_two ", text, re.M):
        raise Wrong(text)
    text = ask("count", "-e", "place_calls:cal_*")
    if "there is no function 'cal_*' in" not in text:
        raise Wrong(text)
    for target in (f"{program}:call_one(x)", "place_calls:call_o*(x)"):
        answer = json.loads(ask("latency", "--json", "--by", "x", "-T", target).splitlines()[-1])
        rows = answer["groups"]
        if answer["function"] != target:
            raise Wrong(f"{target}: {answer['function']}")
        if sorted((g["x"], g["count"]) for g in rows) != [(0, 3), (1, 3)]:
            raise Wrong(f"{target}: {rows}")
    text = ask("latency", "-T", "place_calls:call_one%return")
    if "omit '%return'" not in text:
        raise Wrong(text)


def test_twins(programs):
    """Static functions of one name: those are probed that have what is to be recorded."""
    sources = [programs.dir / f"twins{i}.c" for i in range(2)]
    for source, text in zip(sources, TWINS):
        source.write_text(text)
    program = programs.make("twins", "gcc", "-O2", *sources)
    bare = programs.make("twins-g0", "gcc", "-O2", "-g0", *sources)
    for where, text, n in ((program, "helper", 2), (bare, "helper", 2), (program, "helper(q)", 1), (program, "helper(name)", 1),
                           (program, "helper@twins1.c", 1)):
        if places(where, text) != n:
            raise Wrong(f"{where.name}: {text}: {show(where, text)}")
    expect(program, {"helper(q)": "'helper@twins1.c' is left out", "helper(nothing)": "there is no variable 'nothing'"})


RESULTS = """volatile int kept;
__attribute__((noinline)) int get_one(int n) { kept = n; return n; }
__attribute__((noinline)) void get_none(int n) { kept = n; }
__attribute__((noinline)) double get_real(int n) { kept = n; return n; }
int main(void) { for (int i = 0; i < 5; i++) { get_one(i); get_none(i); kept = (int)get_real(i); } return 0; }
"""


def test_resultless(programs):
    """Of a pattern, functions whose result cannot be had are left out."""
    source = programs.dir / "resultless.c"
    source.write_text(RESULTS)
    program = programs.make("resultless", "gcc", "-O1", source)
    expect(program, {"get_*%return($retval)": "2 of 3 functions that fit 'get_*' are left out, without what is to be recorded: "
                     "get_none, get_real", "get_none%return($retval)": "get_none returns nothing (void)"})
    for text, want in (("get_*%return($retval)", 5), ("get_*%return($retval) if ret == 3", 1), ("get_*%return", 15)):
        rows = counted(program, text)
        if sum(rows.values()) != want:
            raise Wrong(f"{text}: {rows}, not {want}")


def test_once(programs):
    """An address is given to the kernel once, though a line begins there and an inlined copy as well."""
    source = programs.dir / "once.c"
    source.write_text(ONCE)
    first = ONCE.split("\n").index("static unsigned mix(unsigned x)") + 1
    for cc in ("gcc", "clang"):
        for level in "123":
            program = programs.make(f"once-{cc}-{level}", cc, f"-O{level}", source)
            for line in range(1, ONCE.count("\n")):
                given = re.findall(r"^  p:.*", show(program, f"once.c:{line}"), re.M)
                if len(given) > len(set(given)):
                    raise Wrong(f"{program.name}: line {line}: {given}")
    program = programs.dir / "once-gcc-2"
    if "mix_L" not in show(program, f"once.c:{first}"):
        raise Wrong(show(program, f"once.c:{first}"))


TREE = """#include <stdio.h>
#include <stdlib.h>
struct node { int key; struct node *l, *r; };
static struct node *insert(struct node *n, int k)
{
	if (!n) {
		n = calloc(1, sizeof *n);
		n->key = k;
		return n;
	}
	if (k < n->key)
		n->l = insert(n->l, k);
	else if (k > n->key)
		n->r = insert(n->r, k);
	return n;
}
int main(void)
{
	struct node *t = NULL;
	unsigned seed = 1;

	for (int i = 0; i < 200; i++) {
		seed = seed * 1103515245 + 12345;
		t = insert(t, seed >> 16 & 255);
	}
	printf("%d\\n", t->key);
	return 0;
}
"""


def test_unclear(programs):
    """Copies whose code does not say where a line begins are told of, if the line is counted without them."""
    source = programs.dir / "tree.c"
    source.write_text(TREE)
    line = TREE.split("\n").index("\t\tn = calloc(1, sizeof *n);") + 1
    plain, whole = (programs.make(name, "gcc", *flags, source)
                    for name, flags in (("tree", ("-O0",)), ("tree-whole", ("-O3", "-flto"))))
    text = f"tree.c:{line}"
    want, got = (sum(counted(p, text).values()) for p in (plain, whole))
    note = "copies are not probed: they have the line, too" in show(whole, text)
    if (got < want) != note or "not probed" in show(plain, text):
        raise Wrong(f"{got} of {want}: {show(whole, text)}")


ROLLED = """volatile int kept, other;
static inline int mix(int n, int k)
{
	int t = n * k + kept;
	kept = t;
	return t ^ n;
}
int main(void)
{
	int sum = 0;
	for (int i = 0; i < 3; i++) {
		other = sum;
		sum += mix(i + other, sum);
		other = sum;
	}
	return sum == 77;
}
"""


def test_unrolled(programs):
    """A copy that clang made several of, in one piece of debug information, is told of; and of gcc."""
    source = programs.dir / "rolled.c"
    source.write_text(ROLLED)
    for cc, level in (("gcc", "-O3"), ("clang", "-O1"), ("clang", "-O2")):
        program = programs.make(f"rolled-{cc}{level}", cc, level, source)
        got = sum(counted(program, "mix").values())
        if (got < 3) != ("in several pieces" in show(program, "mix")):
            raise Wrong(f"{cc} {level}: {got} of 3: {show(program, 'mix')}")
        if got < 3 and sum(counted(program, "rolled.c:4").values()) < 3:
            raise Wrong(f"{cc} {level}: line 4")


def test_rust(programs):
    """A parameter that is passed by its address does not keep the others from being read behind the prologue."""
    need("rustc")
    source, program = programs.dir / "taken.rs", programs.dir / "taken"
    source.write_text(RUST)
    run("rustc", "-g", "-o", program, source, cwd=programs.dir)
    counted(program, "take")     # or this is skipped
    trace = programs.dir / "taken.dat"
    run(SONDE, "record", "-o", trace, "-e", f"{program}:take(n)", program)
    have = re.findall(r" n=(\d+)", run(SONDE, "report", "-i", trace).stdout)
    if have != ["7", "8", "9"]:
        raise Wrong(f"{have}: {show(program, 'take(n)')}")
