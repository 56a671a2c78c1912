"""Whether `sonde diff` finds a slow function, and how often it reports one where nothing has changed.

The program has 1000 functions that do about the same work; one of them can take a tenth longer. What is measured
is the answer, not a time: the rank of that function, the number of pairs with a false report.
"""
import json
import pathlib
import subprocess

N_FUNCTIONS, SLOW = 1000, 512
SECONDS, SECONDS_SAME, PAIRS = 30, 10, 20

HEAD = """#include <stdint.h>
#include <stdlib.h>
#include <time.h>
static volatile uint64_t sink;
static int is_slow;
static void work(uint64_t x, int n)
{
	for (int i = 0; i < n; i++)
		x = x * 6364136223846793005u + 1442695040888963407u;
	sink = x;
}
"""
TAIL = """
int main(int argc, char **argv)
{
	double seconds = atof(argv[1]), passed;
	struct timespec begin, now;
	uint64_t x = 1;

	is_slow = argc > 2;
	clock_gettime(CLOCK_MONOTONIC, &begin);
	do {
		for (int i = 0; i < 20000; i++) {
			x = x * 6364136223846793005u + 1442695040888963407u;
			functions[(x >> 33) % (sizeof(functions) / sizeof(*functions))](x);
		}
		clock_gettime(CLOCK_MONOTONIC, &now);
		passed = (double)(now.tv_sec - begin.tv_sec) + (double)(now.tv_nsec - begin.tv_nsec) / 1e9;
	} while (passed < seconds);
	return 0;
}
"""


class Recordings:
    def __init__(self, sonde, cache):
        self.sonde, self.dir = sonde, pathlib.Path(cache) / "slower"
        self.dir.mkdir(parents=True, exist_ok=True)
        self.program = self.dir / "program"
        source = self.dir / "program.c"
        source.write_text(HEAD + "".join(self.function(i) for i in range(N_FUNCTIONS)) +
                          "static void (*const functions[])(uint64_t) = {" +
                          ",".join(f"f{i}" for i in range(N_FUNCTIONS)) + "};" + TAIL)
        subprocess.run(["gcc", "-O2", "-o", self.program, source], check=True)

    @staticmethod
    def function(i):
        n = 100 + i * 37 % 200
        n = f"{n} + (is_slow ? {n // 10} : 0)" if i == SLOW else n
        return f"__attribute__((noinline)) void f{i}(uint64_t x) {{ work(x, {n}); }}\n"

    def record(self, name, seconds, *slow):
        path = self.dir / name
        subprocess.run([self.sonde, "record", "-q", "-uf*", "-o", path, "--", self.program, str(seconds), *slow], check=True)
        return path

    def differences(self, before, after):
        done = subprocess.run([self.sonde, "diff", "--json", before, after], check=True, stdout=subprocess.PIPE)
        return json.loads(done.stdout)["differences"]

    def rank(self):
        """The row of the slow function, from 1 on; 0: it is not there."""
        rows = self.differences(self.record("before.dat", SECONDS), self.record("after.dat", SECONDS, "slow"))
        names = [row["name"] for row in rows]
        return names.index(f"f{SLOW}") + 1 if f"f{SLOW}" in names else 0

    def false_pairs(self):
        before, n = self.record("same-0.dat", SECONDS_SAME), 0
        for i in range(PAIRS):
            after = self.record(f"same-{(i + 1) % 2}.dat", SECONDS_SAME)
            n += bool(self.differences(before, after))
            before = after
        return n
