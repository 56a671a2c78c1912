"""Counted by the kernel: what it cannot read at once, what it cannot read at all, what it cuts."""
import fcntl
import json
import os
import pathlib
import pty
import re
import shutil
import struct
import subprocess
import termios

from programs import HERE, SONDE, Skip, Wrong, need, need_uprobes, run

FAULT = {"(fault)": 1}


def counts(how, key, definition, *command):
    answer = json.loads(run(SONDE, "count", "-q", "--json", "--how", how, "--by", key, "-e", definition,
                            *command).stdout.splitlines()[-1])
    return {str(row[key]): row["count"] for row in answer["rows"]}


def check_cold(program, scratch):
    """By pointers of a program to what is in no memory yet."""
    want = {"cold->number": {str(1000 + i): 1 for i in range(6)}, "cold->part": {str(-i): 1 for i in range(6)},
            "holder->cold->number": {str(1000 + i): 1 for i in range(6)},
            "cold->text": {f"text {i}": 1 for i in range(6)}}
    for expression, rows in want.items():
        got = counts("bpf", "v", f"{program}:look(v={expression})", program, scratch)
        if got != rows | FAULT:
            raise Wrong(f"{expression}: {got}")
    got = counts("bpf", "v", f"{program}:look(v=crossing:string)", program, scratch)
    if sum(n for text, n in got.items() if text.startswith("bcd")) != 6 or got.get("(fault)") != 1:
        raise Wrong(f"across pages: {got}")


def test_counting(programs):
    need_uprobes()
    scratch = programs.dir / "counting.bin"
    for cc, level in (("gcc", "-O0"), ("gcc", "-O2")):
        program = programs.make(f"counting-{cc}{level}", cc, level, HERE / "counting.c")
        check_cold(program, scratch)
        got = counts("bpf", "text", f"{program}:read_text(text)", program, scratch)
        if got != {"x" * 254: 1, "x" * 255: 1, "x" * 255 + "…": 3, "y" * 255 + "…": 1}:
            raise Wrong(f"long texts: {got}")
        whole = counts("program", "text", f"{program}:read_text(text)", program, scratch)
        if len(whole) != 6:
            raise Wrong(f"long texts: {whole}")
        said = run(SONDE, "record", "-o", programs.dir / "large.dat", "-e", f"{program}:read_text(a=text, b=text)", program, scratch)
        if "1 hit of read_text is not recorded" not in said.stderr or ": 5 events, " not in said.stderr \
                or "none lost" in said.stderr or "1 probe hit missed" not in said.stderr:
            raise Wrong(said.stdout + said.stderr)


def total(*argv):
    return json.loads(run(SONDE, "count", "-q", "--json", *argv).stdout.splitlines()[-1])["total"]


def test_bare(programs):
    """A part of a program was built without debug information: its functions are meant, too."""
    need_uprobes()
    need("gcc")
    with_info, without = programs.dir / "bare-a.c", programs.dir / "bare-b.c"
    with_info.write_text("""int work_b(int n); volatile int kept;
static __attribute__((noinline)) int same(int n) { kept = n; return n; }
__attribute__((noinline)) int work_a(int n) { kept = n; return same(n) + work_b(n); }
int main(void) { for (int i = 0; i < 5; i++) work_a(i); return 0; }
""")
    without.write_text("""volatile int other;
static __attribute__((noinline)) int same(int n) { other = n; return n; }
__attribute__((noinline)) int work_b(int n) { other = n; return same(n); }
""")
    bare = programs.dir / "bare-b.o"
    run("gcc", "-O1", "-g0", "-c", "-o", bare, without)
    program = programs.make("bare", "gcc", "-O1", with_info, bare)
    for what, want in (("work_*", 10), ("same", 10), ("work_*(n)", 5), ("same(n)", 5)):
        got = total("-e", f"{program}:{what}", program)
        if got != want:
            raise Wrong(f"{what}: {got}, not {want}")
    shown = run(SONDE, "probe", "show", f"{program}:same(n)").stdout
    if "1 function of that name is left out: built without debug information" not in shown:
        raise Wrong(shown)


LARGE = """#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) int many(const char *s, int n) { asm volatile("" :: "r"(s), "r"(n) : "memory"); return n; }
int main(int c, char **v)
{
	static char text[5000];

	memset(text, 'y', atoi(v[1]));
	if (c > 2 && !fork()) {
		for (int i = 0; i < 9; i++) many("child", i);
		_exit(0);
	}
	for (int i = 0; i < 20; i++) many(text, i);
	many("short", -1);
	while (wait(0) > 0) {}
	return 0;
}
"""


def test_large(programs):
    """Hits whose text fits into no event: the end tells how many, whoever takes the events, and what else is recorded."""
    need_uprobes()
    source = programs.dir / "large.c"
    source.write_text(LARGE)
    program = programs.make("large", "gcc", "-O1", source)
    what, file = f"{program}:many(s, n)", programs.dir / "large.dat"
    for way in (("record", "-o", file), ("record", "-o", file, "-F", "-c"), ("record", "-o", file, "-F"),
                ("record", "-o", file, "-e", "sched"), ("stream",), ("count", "--how", "program", "--by", "n")):
        said = run(SONDE, *way, "-e", what, program, "4094")
        if "20 hits of many are not recorded" not in said.stderr:
            raise Wrong(f"{way}: {said.stdout}{said.stderr}")
        if way[0] == "record" and "20 probe hits missed" not in said.stdout + said.stderr:
            raise Wrong(f"{way}: {said.stdout}{said.stderr}")
        if ("-c includes" in said.stderr) != (way[-1] == "-F"):
            raise Wrong(f"{way}: {said.stderr}")
        for command in ((program, "3000"), (program, "3000", "fork")) if "-F" not in way else ((program, "3000"),):
            said = run(SONDE, *way, "-e", what, *command)
            if "not recorded" in said.stderr:
                raise Wrong(f"{way}: {said.stderr}")
    said = run(SONDE, "record", "-o", file, "-e", f"{what} if n < 3", program, "4094")
    if "not recorded" in said.stderr:
        raise Wrong(f"with a condition: {said.stderr}")
    said = run(SONDE, "latency", "--how", "program", "-T", what, "--by", "s", program, "4094")
    if "20 hits of many are not recorded" not in said.stderr:
        raise Wrong(said.stdout + said.stderr)


VARIANTS = """#define ALONE __attribute__((noinline))
volatile int sink;
struct Root { ALONE Root() { sink = 1; } ALONE virtual ~Root() { sink = 2; } };
struct Left : virtual Root { ALONE Left() { sink = 3; } ALONE ~Left() override { sink = 4; } };
struct Leaf : Left { ALONE Leaf() { sink = 5; } ALONE ~Leaf() override { sink = 6; } };
int go() { for (int i = 0; i < 10; i++) delete new Leaf; for (int i = 0; i < 3; i++) { Left left; } return 0; }
"""


def test_variants(programs):
    """Constructors and destructors come in variants that call one another: each object is counted once."""
    need_uprobes("x86_64")
    source, main = programs.dir / "variants.cc", programs.dir / "variants-main.cc"
    source.write_text(VARIANTS)
    main.write_text("int go(); int main() { return go(); }\n")
    for cc in ("g++", "clang++"):
        need(cc)
        library = programs.make(f"libvariants-{cc}.so", cc, "-O0", "-fPIC", "-shared", source)
        builds = [(programs.make(f"variants-{cc}{level}", cc, level, source, main),) * 2 for level in ("-O0", "-O2")]
        builds.append((library, programs.make(f"variants-{cc}-library", cc, main, library, f"-Wl,-rpath,{programs.dir}")))
        for target, program in builds:
            for what, want in (("Leaf::~Leaf", 10), ("Left::~Left", 13), ("Root::~Root", 13), ("Left::Left", 13),
                               ("Leaf::Leaf", 10), ("Leaf::~Leaf%return", 10)):
                got = total("-e", f"{target}:{what}", program)
                if got != want:
                    raise Wrong(f"{target}:{what}: {got}, not {want}")
        shown = run(SONDE, "probe", "show", f"{builds[0][0]}:Leaf::~Leaf").stdout
        if "of Leaf::~Leaf left out" not in shown:
            raise Wrong(shown)


THREADS = """#include <pthread.h>
#include <unistd.h>
volatile int kept;
__attribute__((noinline)) void tick(int who) { kept = who; }
static void *other(void *arg) { for (;;) { tick(1); usleep(5000); } return arg; }
int main(void) { pthread_t t; pthread_create(&t, 0, other, 0); for (int i = 0; i < 4000; i++) { tick(0); usleep(5000); } return 0; }
"""


def test_tasks(programs):
    """-P is one thread, with -c all of the process; a file that was replaced is not the one that runs."""
    need_uprobes()
    source = programs.dir / "threads.c"
    source.write_text(THREADS)
    program = programs.make("threads", "gcc", "-O1", "-pthread", source)
    process = subprocess.Popen([program])
    try:
        ask = ("-P", process.pid, "--by", "who", "-e", f"{program}:tick(who)", "sleep", "0.3")
        one, both = run(SONDE, "count", *ask).stdout, run(SONDE, "count", "-c", *ask).stdout
        if "in 1 row" not in one or "in the threads of -P only (-c: in all)" not in one:
            raise Wrong(one)
        if "in 2 rows" not in both or "-c: in all" in both:
            raise Wrong(both)
        copy = programs.dir / "threads-copy"
        shutil.copy(program, copy)
        copy.rename(program)
        told = run(SONDE, "count", *ask)
        if f"probe /proc/{process.pid}/exe instead" not in told.stderr:
            raise Wrong(told.stdout + told.stderr)
        if total("-P", process.pid, "-e", f"/proc/{process.pid}/exe:tick", "sleep", "0.3") < 5:
            raise Wrong("the file that runs is not probed by /proc/PID/exe")
        process.kill()          # and is not waited for yet
        run(SONDE, "count", "-q", "-P", process.pid, "-e", f"{program}:tick")
    finally:
        process.kill()
        process.wait()
    check_container(program)
    check_powers(program)
    check_first(program)


def check_first(program):
    """The first thing that is the command's is execve(), not the end of what it waited in for us."""
    trace = program.with_suffix(".first")
    run(SONDE, "record", "-q", "-F", "-o", trace, "-e", "raw_syscalls", "true")
    first = json.loads(run(SONDE, "report", "--json", "-i", trace).stdout.splitlines()[0])
    if first["event"] != "sys_enter" or first["fields"]["id"] != {"x86_64": 59}.get(os.uname().machine, 221):
        raise Wrong(str(first))


def check_powers(program):
    """The command has what we have, also where it was first tried otherwise (by BPF, by hist) to answer the question."""
    look = ("grep", "-h", "CapEff", "/proc/self/status")
    own = run(*look).stdout
    for words in (("count", "-e", "sched_switch"), ("count", "-e", "sched_switch", "--in-program"),
                  ("count", "-e", f"{program}:tick", "--by", "__probe_ip"), ("count", "-e", "sched_switch", "-f", "prev_pid > 0"),
                  ("latency", "-C", "boot", "-e", "sched_waking", "-e", "sched_switch"),
                  ("latency", "-e", "sched_waking", "-e", "sched_switch"), ("stream", "-e", f"{program}:tick")):
        done = run(SONDE, *words[:1], "-q", *words[1:], *look)
        if own not in done.stdout:
            raise Wrong(f"{words}: {done.stdout}")


def check_container(program):
    """In a pid namespace the kernel's numbers of tasks are not known: who chooses by them is told so."""
    need("unshare")
    inside = ("unshare", "-p", "-f", "--mount-proc", SONDE)
    for words in (("count", "--only-command"), ("count", "-P", "1"), ("record", "-F", "-o", os.devnull)):
        done = run(*inside, *words, "-e", f"{program}:tick", "true", check=False)
        if done.returncode != 1 or "this is a pid namespace" not in done.stderr:
            raise Wrong(f"{words}: {done.returncode} {done.stderr}")
    run(*inside, "count", "-q", "-e", f"{program}:tick", "true")


COMPARED = """#include <arpa/inet.h>
#include <linux/types.h>
struct values { __be16 b16; unsigned short h16; __be32 b32; unsigned h32; __be64 b64; long number; signed part : 6; short small; };
__attribute__((noinline, noclone)) void begin(struct values *v) { __asm__ volatile("" ::"r"(v) : "memory"); }
__attribute__((noinline, noclone)) void end(struct values *v) { __asm__ volatile("" ::"r"(v) : "memory"); }
int main(void)
{
	for (int k = -3; k < 4; k++) {
		struct values v = {htons(k * 300), k * 300, htonl(k * 70000), k * 70000, __builtin_bswap64(k), k, k, k};

		begin(&v);
		end(&v);
	}
	return 0;
}
"""


def test_compared(programs):
    """--by-field compares numbers, however many bytes they have and in which order."""
    need_uprobes()
    source = programs.dir / "compared.c"
    source.write_text(COMPARED)
    program = programs.make("compared", "gcc", "-O1", source)
    for how in ("bpf", "program"):
        for a, b in (("b16", "h16"), ("h16", "b16"), ("b32", "h32"), ("b64", "number"), ("b16", "b16"), ("part", "number"),
                     ("small", "part"), ("number", "small")):
            answer = json.loads(run(SONDE, "latency", "-q", "--json", "--how", how, "-e", f"{program}:begin(v->{a})", "-e",
                                    f"{program}:end(v->{b})", "--by-field", f"{a}={b}", program).stdout.splitlines()[-1])
            if answer["count"] != 7 or answer["unmatched"]["alone"]:
                raise Wrong(f"{a}={b} by {how}: {answer['count']} measured, {answer['unmatched']}")
        ends = ("-e", f"{program}:begin(v->number)", "-e", f"{program}:end(v->small)", "--by-field")
        for words in ("$pid", "common_pid=$pid"):     # the task, which is one
            answer = json.loads(run(SONDE, "latency", "-q", "--json", "--how", how, *ends, words, program).stdout.splitlines()[-1])
            if answer["count"] != 7:
                raise Wrong(f"{words} by {how}: {answer}")
        done = run(SONDE, "latency", "--how", how, *ends, "pid", program, check=False)     # not meant so
        if not done.returncode or "has no field 'pid'" not in done.stderr:
            raise Wrong(f"pid by {how}: {done.stdout}{done.stderr}")


FILTERED = """#include <arpa/inet.h>
#include <linux/types.h>
enum colour { RED = -1, GREEN = 3, BLUE = 7 };
enum flags { READ = 1, WRITE = 2, RUN = 4 };
struct values { double real; float half; _Bool yes; enum colour colour; enum flags flags; signed part : 5; __be16 port; char letter; };
__attribute__((noinline, noclone)) void look(struct values *v) { __asm__ volatile("" ::"r"(v) : "memory"); }
int main(void)
{
	for (int k = 0; k < 6; k++) {
		struct values v = {k * 1.5, k * -0.25f, k & 1, k % 3 == 0 ? RED : k % 3 == 1 ? GREEN : BLUE, k, -k, htons(300 * k), 'a' + k};

		look(&v);
	}
	return 0;
}
"""


def test_filters(programs):
    """-f behind a definition means what it means behind if, wherever it is counted."""
    need_uprobes()
    source = programs.dir / "filtered.c"
    source.write_text(FILTERED)
    program, trace = programs.make("filtered", "gcc", "-O1", source), programs.dir / "filtered.dat"
    for text, want in (("real > 2", 4), ("real == 1.5", 1), ("half < -0.5", 3), ("yes == true", 3), ("colour == RED", 2),
                       ("flags & WRITE", 2), ("part == -2", 1), ("port == 300", 1), ("port != 300", 5), ("letter == 'c'", 1),
                       ("v->colour == BLUE && common_pid > 0", 2)):
        field = text.replace("v->", "").split()[0]
        for ask in (("count", "--how", "bpf"), ("count", "--how", "program")):
            got = json.loads(run(SONDE, *ask, "-q", "--json", "-e", f"{program}:look(v->{field})", "-f", text, program).stdout)
            if got["total"] != want:
                raise Wrong(f"{ask} -f '{text}': {got['total']}, not {want}")
        run(SONDE, "record", "-q", "-o", trace, "-e", f"{program}:look(v->{field})", "-f", text, program)
        got = run(SONDE, "report", "-i", trace).stdout.count(" look: ")
        if got != want:
            raise Wrong(f"record -f '{text}': {got}, not {want}")
    for text, words in (("real > nothing", "real > nothing"), ("reel > 2", "the nearest field is real"), ("port > 300", "big endian")):
        done = run(SONDE, "record", "-o", trace, "-e", f"{program}:look(v->real, v->port)", "-f", text, program, check=False)
        if not done.returncode or words not in done.stderr or "^" not in done.stderr or "sonde_" in done.stderr:
            raise Wrong(f"-f '{text}': {done.stdout}{done.stderr}")


UNREAD = """__attribute__((noinline)) int name(const char *s, int n) { __asm__ volatile("" ::"r"(s) : "memory"); return n; }
int main(void) { name("", 0); name("a", 1); name((char *)0, 2); name((char *)8, 3); name("apple", 4); return 0; }
"""


def test_unread(programs):
    """A text that cannot be read is equal to none, not to an empty one, and like no pattern."""
    need_uprobes()
    source = programs.dir / "unread.c"
    source.write_text(UNREAD)
    program = programs.make("unread", "gcc", "-O1", source)
    for text, want in (('s == ""', 1), ('s != ""', 4), ('s ~ "*"', 3), ('!(s ~ "*")', 2), ('s == "(fault)"', 0), ('s ~ "(*"', 0),
                       ('!(s == "")', 4), ('s ~ "!*"', 2), ('s ~ "!a*"', 3), ('s ~ "*[el]*"', 1), ('s ~ "*p*"', 1), ('s ~ "?"', 1)):
        for how in ("bpf", "program"):
            for words in ((f"{program}:name(s)", "-f", text), (f"{program}:name(s) if {text}",)):
                got = total("--how", how, "-e", *words, program)
                if got != want:
                    raise Wrong(f"{words} by {how}: {got}, not {want}")
    for text, want in (('c ~ "*nre*"', 5), ('c == "unread"', 5), ('c != "unread"', 0), ('c ~ "!*d*"', 0)):     # never unreadable
        got = total("--how", "bpf", "-e", f"{program}:name(c=$comm:string)", "-f", text, program)
        if got != want:
            raise Wrong(f"{text}: {got}, not {want}")


TURNS = """#include <unistd.h>
volatile int kept;
__attribute__((noinline)) void work(int n) { kept = n; }
__attribute__((noinline)) void rest(int n) { kept = -n; }
int main(void) { for (int i = 0; i < 40000; i++) { work(i); rest(i); usleep(500); } return 0; }
"""


def test_moments(programs):
    """However long it takes to attach the programs to two probes: both count from one moment to another."""
    need_uprobes()
    source = programs.dir / "turns.c"
    source.write_text(TURNS)
    program = programs.make("turns", "gcc", "-O1", source)
    process = subprocess.Popen([program])
    try:
        for ends in (("work", "rest"), ("rest", "work")):
            answer = json.loads(run(SONDE, "latency", "-q", "--json", "--how", "bpf", "-e", f"{program}:{ends[0]}",
                                    "-e", f"{program}:{ends[1]}", "sleep", "0.2").stdout.splitlines()[-1])
            odd = answer["unmatched"]
            if answer["count"] < 10 or odd["open"] > 1 or odd["alone"] > 1 or odd["again"]:
                raise Wrong(f"{ends}: {answer['count']} measured, {odd}")
    finally:
        process.kill()
        process.wait()


def on_terminal(n_lines, *argv):
    """What is written to a terminal of so many lines, one screen after the other."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", n_lines, 100, 0, 0))
    process = subprocess.Popen([str(a) for a in argv], stdin=theirs, stdout=theirs, stderr=subprocess.DEVNULL)
    os.close(theirs)
    text = b""
    try:
        while piece := os.read(ours, 65536):
            text += piece
    except OSError:     # nobody writes any more
        pass
    os.close(ours)
    process.wait()
    return text.decode().replace("\r", "").split("\033[H\033[J")


def test_screen(programs):
    """While latency measures, the groups that were asked for are on a small screen, too; in the end all is in its order."""
    need_uprobes()
    source = programs.dir / "turns.c"
    source.write_text(TURNS)
    program = programs.make("turns", "gcc", "-O1", source)
    process = subprocess.Popen([program])
    try:
        ask = (SONDE, "latency", "--no-pager", "-e", f"{program}:work", "-e", f"{program}:rest", "--by", "$comm")
        for way in ((), ("--in-program",)):
            screens = on_terminal(12, *ask, *way, "-I", "0.2", "sleep", "1")
            if len(screens) < 4 or not any(re.search(r" turns\n", s) for s in screens[1:-1]):
                raise Wrong(f"{screens}")
            if not re.search(r"duration .* turns\n", screens[-1], re.S):
                raise Wrong(screens[-1])
        if len(on_terminal(24, *ask, "-I", "0", "sleep", "0.5")) > 2:
            raise Wrong("-I 0 shows more than the end")
    finally:
        process.kill()
        process.wait()


def check_series(ask, out):
    for form in ("--csv", "--json"):
        out.write_text("what stood there before\n")
        run(SONDE, *ask, "-q", "-I", "0.2", form, "-o", out, "sleep", "1")
        lines = out.read_text().splitlines()
        if len(lines) < 4 or "before" in lines[0]:
            raise Wrong(f"{ask} {form}: {lines}")
        times = [json.loads(x)["time"] for x in lines] if form == "--json" else [float(x.split(",")[0]) for x in lines[1:]]
        if times != sorted(times) or (form == "--csv" and not lines[0].startswith("time,")):
            raise Wrong(f"{ask} {form}: {lines}")


def test_series(programs):
    """One result after the other, with -I, goes into the file of -o as it goes to standard output."""
    need_uprobes()
    source, out = programs.dir / "turns.c", programs.dir / "series"
    source.write_text(TURNS)
    program = programs.make("turns", "gcc", "-O1", source)
    asks = (["count", "-e", f"{program}:work"], ["count", "--how", "program", "-e", f"{program}:work"],
            ["latency", "-e", f"{program}:work", "-e", f"{program}:rest"])
    process = subprocess.Popen([program])
    try:
        for ask in asks:
            check_series(ask, out)
    finally:
        process.kill()
        process.wait()


def test_gone(programs):
    """Without a command it ends with the tasks of -P; with -c when all that they started have ended, too."""
    if os.geteuid() or not pathlib.Path("/sys/kernel/tracing/events/sched").exists():
        raise Skip("it needs root and a kernel with events")
    done = programs.dir / "gone.done"
    for what in (("count",), ("record", "-o", programs.dir / "gone.dat")):
        done.unlink(missing_ok=True)
        process = subprocess.Popen(["bash", "-c", f"sleep 3; (sleep 1.5; touch {done}) & sleep 0.1"])
        said = run(SONDE, *what, "-c", "-P", process.pid, "-e", "sched_process_exit")     # or it goes on for ever
        process.wait()
        if not done.exists():
            raise Wrong(f"{what} ended before the child did: {said.stdout}{said.stderr}")
    if pathlib.Path("/sys/kernel/tracing/uprobe_events").exists():
        check_outlived(programs)


OUTLIVED = """#include <pthread.h>
#include <unistd.h>
volatile int kept;
__attribute__((noinline)) void tick(int who) { kept = who; }
static void *other(void *who) { for (int i = 0; i < 50; i++) { tick(*(int *)who); usleep(10000); } return 0; }
int main(int n, char **args)
{
	static int who = 1;
	pthread_t thread;

	(void)args;
	sleep(3);
	tick(0);
	if (n == 1) {
		pthread_create(&thread, 0, other, &who);
		pthread_exit(0);
	}
	if (!fork() && !fork()) other(&who);
	return 0;
}
"""


def check_outlived(programs):
    """A thread, or the child of a child, goes on for half a second when those before it have ended at once: it is waited for."""
    source = programs.dir / "outlived.c"
    source.write_text(OUTLIVED)
    program, trace = programs.make("outlived", "gcc", "-O1", "-pthread", source), programs.dir / "outlived.dat"
    for how in ("bpf", "program", None):
        processes = [subprocess.Popen([program, *words]) for words in ((), ("child",))]
        tasks = ("-c", "-P", ",".join(str(p.pid) for p in processes))
        if how:
            got = counts(how, "who", f"{program}:tick(who)", *tasks)
        else:
            run(SONDE, "record", "-q", "-o", trace, "-e", f"{program}:tick(who)", *tasks)
            said = run(SONDE, "report", "-i", trace).stdout
            got = {who: said.count(f" who={who}") for who in "01"}
        for process in processes:
            process.wait()
        if got != {"0": 2, "1": 100}:
            raise Wrong(f"by {how}: {got}")


I386 = """static volatile int kept;
__attribute__((noinline)) int work(int n) { kept = n; return n; }
void _start(void)
{
	for (int i = 0; i < 7; i++) work(i);
	__asm__ volatile("int $0x80" :: "a"(1), "b"(0));
	for (;;);
}
"""


def test_i386(programs):
    """Programs of 32 bits: passed places are seen, arguments are refused."""
    need_uprobes("x86_64")
    source, program = programs.dir / "i386.c", programs.dir / "i386"
    source.write_text(I386)
    flags = ("-m32", "-O1", "-g", "-static", "-nostdlib", "-ffreestanding", "-fno-pic", "-no-pie", "-o", program, source)
    if all(run(cc, *more, *flags, check=False).returncode for cc, *more in (("gcc",), ("clang",), ("clang", "-fuse-ld=lld"))
           if shutil.which(cc)) or run(program, check=False).returncode:
        raise Skip("no compiler makes programs of 32 bits here, or the kernel does not run them")
    for what in ("work", "work%return"):
        got = total("-e", f"{program}:{what}", program)
        if got != 7:
            raise Wrong(f"{what}: {got}")
    done = run(SONDE, "count", "-e", f"{program}:work(n)", program, check=False)
    if not done.returncode or "omit the arguments" not in done.stderr:
        raise Wrong(done.stdout + done.stderr)


def check_warning(programs):
    """Who counts and measures in the kernel is told, too, of a probe that costs too much."""
    source = programs.dir / "hot.c"
    source.write_text("""#include <time.h>
volatile int kept;
__attribute__((noinline)) int tick(int n) { kept = n; return n; }
int main(void) { for (time_t end = time(0) + 4; time(0) < end;) tick(1); return 0; }
""")
    program = programs.make("hot", "gcc", "-O1", source)
    for ask in (["count", "-e", f"{program}:tick(n)"],
                ["latency", "-e", f"{program}:tick", "-e", f"{program}:tick%return"]):
        for _ in range(3):  # when others have the machine, hits are rarer
            said = run(SONDE, *ask, program)
            n_hits = int(re.search(r"^ *(\d+) +(in 1 row|measured by)", said.stdout, re.M)[1])
            if re.search(r"tick is hit \d+ times a second, which costs about \d+ % of a CPU", said.stderr):
                break
            if n_hits > 4 * 60000:
                raise Wrong(f"{ask[0]}: {said.stdout}{said.stderr}")
        said = run(SONDE, ask[0], "-q", *ask[1:], program)
        if said.stderr:
            raise Wrong(f"{ask[0]} -q: {said.stderr}")


def test_cost(programs):
    """Entry and return of a function are one breakpoint, whose cost is counted once."""
    need_uprobes()
    source = programs.dir / "busy.c"
    source.write_text("""volatile int kept;
__attribute__((noinline)) int tick(int n) { kept = n; return n; }
int main(void) { for (int i = 0; i < 50000; i++) tick(i); return 0; }
""")
    program = programs.make("busy", "gcc", "-O1", source)
    said = run(SONDE, "record", "-o", programs.dir / "busy.dat", "-e", f"{program}:tick(n)", "-e",
               f"{program}:tick%return($retval)", program)
    if "overhead" not in said.stderr or "in other processes" in said.stderr:
        raise Wrong(said.stdout + said.stderr)
    check_warning(programs)
