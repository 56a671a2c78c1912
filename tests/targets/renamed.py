"""Functions that the compiler changed (.isra, .part), complex numbers, and what bash's readline returns."""
import os
import pty
import re
import subprocess
import time

from programs import SONDE, Skip, Wrong, need, need_uprobes, run

RENAMED = """#include <stdio.h>
#include <stdlib.h>
struct pair { int a, b, c; };
static __attribute__((noinline)) int sum(struct pair *p, int unused, int n)
{
	return p->a * n + p->b;
}
static int heavy(int n)
{
	if (n < 0)
		return -1;
	for (int i = 0; i < n; i++)
		printf("%d %d\\n", i, rand());
	for (int i = 0; i < n; i++)
		printf("%d %d\\n", i, rand() * n);
	return n;
}
int one(int n) { return heavy(n); }
int two(int n) { return heavy(n + 1); }
int main(int argc, char **argv)
{
	struct pair p = {argc, 2, 3};
	int r = sum(&p, 1, 5) + sum(&p, 2, argc + 6);

	return one(argc + 1) + two(argc + 1) + r == 0;
}
"""

COMPLEX = """#include <complex.h>
struct both { float _Complex z; long l; };
__attribute__((noinline)) float _Complex turn(float _Complex z, int n) { return z * n; }
__attribute__((noinline)) double _Complex turn_more(double _Complex z, int n) { return z * n; }
__attribute__((noinline)) struct both wrap(long l) { struct both b = {1.5f + 2.0f * I, l}; return b; }
int main(void) { return crealf(turn(wrap(77).z, 3)) + creal(turn_more(2, 4)) == 0; }
"""


def make(programs, name, text, *flags):
    source = programs.dir / f"{name}.c"
    source.write_text(text)
    return programs.make(name, "gcc", *flags, source)


def record(programs, program, *definitions):
    """What each event says, in order."""
    trace = programs.dir / "renamed.dat"
    run(SONDE, "record", "-q", "-o", trace, *[w for d in definitions for w in ("-e", d.replace("PROGRAM", str(program)))], program)
    return re.findall(r": (\w+): +\([^)]*\) (.*)", run(SONDE, "report", "-i", trace).stdout)


def test_renamed(programs):
    need_uprobes()
    program = make(programs, "renamed", RENAMED, "-O2")
    symbols = run("nm", program).stdout
    if ".isra.0" not in symbols or "heavy.part.0" not in symbols:
        raise Skip("this gcc makes no .isra and .part of the program")
    have = record(programs, program, "PROGRAM:sum(n)", "s=PROGRAM:sum%return($retval)", "h=PROGRAM:heavy.part.0(n)",
                  "r=PROGRAM:heavy.part.0%return($retval)")
    want = [("sum", "n=5"), ("s", "ret=7"), ("sum", "n=7"), ("s", "ret=9"), ("h", "n=2"), ("r", "ret=2"), ("h", "n=3"),
            ("r", "ret=3")]
    if have != want:
        raise Wrong(f"{have}, not {want}")


def test_complex(programs):
    """They are returned where no probe reads, alone or in a struct, and do not take the place of what is beside them."""
    program = make(programs, "complex", COMPLEX, "-O0")
    for text, words in {"turn%return($retval)": "returns a floating point number",
                        "turn_more%return($retval)": "returns a floating point number",
                        "wrap%return($retval.z)": "in a floating point register"}.items():
        done = run(SONDE, "probe", "show", f"{program}:{text}", check=False)
        if done.returncode != 1 or words not in done.stderr:
            raise Wrong(f"{text}: {done.stdout}{done.stderr}")
    need_uprobes()
    have = record(programs, program, "PROGRAM:wrap%return($retval.l)")
    if have != [("wrap__return", "l=77")]:
        raise Wrong(f"{have}")


def test_readline(programs):
    """What is typed into bash, at a terminal."""
    need_uprobes()
    need("bash")
    trace = programs.dir / "readline.dat"
    ours, theirs = pty.openpty()
    words = [SONDE, "record", "-q", "-o", trace, "-e", "bash:readline%return($retval:ustring)", "bash", "--norc", "-i"]
    process = subprocess.Popen(words, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True)
    os.close(theirs)
    said = b""
    try:
        for typed in (b"echo some words\n", b"exit\n"):
            before = len(said)
            while b"# " not in said[before:] and b"$ " not in said[before:]:     # the prompt
                said += os.read(ours, 4096)
            time.sleep(0.1)
            os.write(ours, typed)
        while True:
            said += os.read(ours, 4096)
    except OSError:     # the other end is closed
        pass
    finally:
        os.close(ours)
        process.wait(timeout=60)
    text = run(SONDE, "report", "-i", trace).stdout
    have = re.findall(r" readline__return: .*\) (.*)", text)
    if have != ['ret="echo some words"', 'ret="exit"']:
        raise Wrong(f"{have}: {text}{said.decode(errors='replace')}")
