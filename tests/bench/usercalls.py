"""What tracing the functions of a program costs, against uftrace: tests/bench/user/fib.c and json.c, built in each style.

A program prints how many calls it made and the CPU time of its own thread for one call, so what other threads
do does not count. The figure is what a traced call takes more than an untraced one; rounds of both tracers
alternate.
"""
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
FLAGS = ["-O2", "-fno-inline", "-fno-ipa-cp", "-fno-partial-inlining", "-fno-optimize-sibling-calls"]
# style: (what the compiler needs, what uftrace needs)
STYLES = {
    "pg": (["-pg"], []),
    "fentry": (["-pg", "-mfentry"], []),
    "patchable": (["-fpatchable-function-entry=5"], ["-P", "."]),
    "plain": ([], ["-P", "."]),
}
ROUNDS = 7


class Programs:
    """Programs and recordings, in a directory of the cache."""

    def __init__(self, sonde, cache):
        if not shutil.which("uftrace"):
            sys.exit("the figures user-* need uftrace")
        self.sonde, self.dir = sonde, cache / "user"
        self.dir.mkdir(parents=True, exist_ok=True)

    def build(self, name, style, more=()):
        program = self.dir / f"{name}-{style}{''.join(more)}"
        subprocess.run(["gcc", *FLAGS, *STYLES[style][0], *more, "-o", program, HERE / f"user/{name}.c"], check=True)
        return program

    def run(self, *command):
        """(calls, ns of CPU time for one call) as the program says."""
        done = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              check=True, cwd=self.dir)
        words = done.stdout.split()
        return int(words[0]), float(words[1])

    def ours(self, program, argument, *options):
        return self.run(self.sonde, "record", "-q", "-u", *options, "-o", self.dir / "ours.dat", "--", program, argument)

    def theirs(self, program, argument, style, *options):
        return self.run("uftrace", "record", "--no-libcall", "--no-event", "-d", self.dir / "theirs", *STYLES[style][1],
                        *options, program, argument)

    def cost(self, name, style, argument):
        """Nanoseconds that a call takes more: ours, uftrace's."""
        program, plain = self.build(name, style), self.build(name, "plain")
        rounds = []
        for _ in range(ROUNDS):
            alone = self.run(plain, argument)[1]
            rounds.append((self.ours(program, argument)[1] - alone, self.theirs(program, argument, style)[1] - alone))
        return tuple(statistics.median(column) for column in zip(*rounds))

    def values(self, argument):
        """The same with the argument and the return value of fib."""
        program, plain = self.build("fib", "pg", ["-g"]), self.build("fib", "plain")
        rounds = []
        for _ in range(ROUNDS):
            alone = self.run(plain, argument)[1]
            rounds.append((self.ours(program, argument, "--arg", "fib@arg1/d32", "--retval", "fib@retval/d32")[1] - alone,
                           self.theirs(program, argument, "pg", "-A", "fib@arg1/d32", "-R", "fib@retval/d32")[1] - alone))
        return tuple(statistics.median(column) for column in zip(*rounds))

    def alternate(self, ours, theirs):
        """Medians of both, in turns."""
        return tuple(statistics.median(column) for column in zip(*((ours(), theirs()) for _ in range(ROUNDS))))

    def unselected(self, argument, *options):
        """ns that a call takes more if its function is not recorded, by these options of record."""
        plain = self.build("fib", "plain")
        record = self.sonde, "record", "-q", *options, "-o", self.dir / "ours.dat", "--"
        traced, alone = self.alternate(lambda: self.run(*record, plain, argument)[1], lambda: self.run(plain, argument)[1])
        return traced - alone

    def budget(self):
        """Seconds of CPU time of a Python program with --budget 5 %, and without sonde."""
        command = "/usr/bin/python3", HERE / "user/parse.py"
        traced, alone = self.alternate(lambda: self.ours(*command, "--budget", "5%")[1], lambda: self.run(*command)[1])
        return traced / 1000, alone / 1000

    def floor(self, argument):
        """The cost of fib, and of the least that any tracer of this kind does (floor.S)."""
        plain, least = self.build("fib", "plain"), self.dir / "fib-floor"
        source = least.with_suffix(".s")
        subprocess.run(["gcc", *FLAGS, "-fno-pie", "-S", "-o", source, HERE / "user/fib.c"], check=True)
        source.write_text(source.read_text().replace("call\tfib\n", "call\ttraced_fib\n"))
        subprocess.run(["gcc", "-no-pie", "-o", least, source, HERE / "user/floor.S"], check=True)
        rounds = []
        for _ in range(ROUNDS):
            alone = self.run(plain, argument)[1]
            rounds.append((self.ours(plain, argument)[1] - alone, self.run(least, argument)[1] - alone))
        return tuple(statistics.median(column) for column in zip(*rounds))

    def start(self, n_functions):
        """Seconds that tracing adds from exec() to main(), and to a command that starts a shell and the program twice.

        The first is of the second start: record analyses the program of its command before it starts it, but here it
        cannot know it.
        """
        program, launch = self.dir / f"start-{n_functions}", self.dir / "start"
        many = self.dir / "many.s"
        many.write_text(".text\n" + "".join(
            f".globl many_{i}\n.type many_{i},@function\n.balign 16\nmany_{i}: push %rbp\nmov %rsp,%rbp\n"
            f"lea {i}(%rdi),%rax\npop %rbp\nret\n.size many_{i},.-many_{i}\n" for i in range(n_functions))
            + '.section .note.GNU-stack,"",@progbits\n')
        for target in program, launch:
            subprocess.run(["gcc", "-O2", "-o", target, HERE / "user/start.c", *([many] if target == program else [])],
                           check=True)

        def took(*command):
            begin = time.monotonic()
            done = subprocess.run([*map(str, command), "sh", "-c", f"{launch} {program}; {launch} {program}"],
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True, cwd=self.dir)
            whole = time.monotonic() - begin
            before, after = map(float, done.stdout.split()[2:])
            return (after - before) / 1e6, whole

        record = self.sonde, "record", "-q", "-u", "-o", self.dir / "ours.dat", "--"
        rounds = [(took(*record), took()) for _ in range(3 * ROUNDS)]
        return tuple(statistics.median(ours[i] - alone[i] for ours, alone in rounds) for i in (0, 1))

    def threads(self, n_threads, seconds, millions):
        """What rate.c says: (calls, seconds, MB of the program, MB of its parent), and what sonde says."""
        program = self.dir / "rate"
        subprocess.run(["gcc", "-O2", "-pthread", "-o", program, HERE / "user/rate.c"], check=True)
        arguments = [program, n_threads, seconds, millions]

        def words(*command):
            done = subprocess.run([str(c) for c in (*command, *arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  text=True, check=True, cwd=self.dir)
            calls, took, own_kb, parent_kb = map(float, done.stdout.split())
            return calls, took, own_kb / 1024, parent_kb / 1024, done.stderr

        return words(self.sonde, "record", "-u", "-o", self.dir / "ours.dat", "--"), words()

    def memory(self, n_threads):
        """MB that tracing takes, in both processes, and what is allowed."""
        ours, alone = self.threads(n_threads, 1, 4)
        return ours[2] + ours[3] - alone[2], 16 + 4 * n_threads

    def rate(self):
        """Millions of calls a second, on two threads for 30 s; 0: some were lost."""
        ours, _ = self.threads(2, 30, 6)
        return ours[0] / ours[1] / 1e6 if "none lost" in ours[4] else 0

    def bytes(self):
        """For a call on the disk: ours, uftrace's."""
        program = self.build("fib", "pg")
        n = self.ours(program, "30")[0]
        self.theirs(program, "30", "pg")
        return ((self.dir / "ours.dat").stat().st_size / n,
                sum(p.stat().st_size for p in (self.dir / "theirs").glob("*.dat")) / n)

    def reading(self, ours, theirs):
        """Seconds to read 2.7 million calls: ours, uftrace's."""
        self.bytes()

        def wall(*command):
            start = time.monotonic()
            subprocess.run([str(c) for c in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
            return time.monotonic() - start

        rounds = [(wall(self.sonde, *ours, self.dir / "ours.dat"), wall("uftrace", *theirs, "-d", self.dir / "theirs"))
                  for _ in range(ROUNDS)]
        return tuple(statistics.median(column) for column in zip(*rounds))


def counter_ns(cache):
    """One read of the processor's counter."""
    program = cache / "user/counter"
    program.parent.mkdir(parents=True, exist_ok=True)
    source = program.with_suffix(".c")
    source.write_text("#include <stdio.h>\n#include <time.h>\n#include <x86intrin.h>\n"
                      "static double ns(void) { struct timespec t; clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);"
                      " return t.tv_sec * 1e9 + t.tv_nsec; }\n"
                      "int main(void) { unsigned long sum = 0; double a = ns();"
                      " for (int i = 0; i < 20000000; i++) sum += __rdtsc();"
                      " printf(\"%.3f\\n\", (ns() - a) / 20000000); return sum == 0; }\n")
    subprocess.run(["gcc", "-O2", "-o", program, source], check=True)
    return min(float(subprocess.run([program], stdout=subprocess.PIPE, text=True, check=True).stdout) for _ in range(5))
