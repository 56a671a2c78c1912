"""How fast samples are shown: flame graphs against perf script and a stackcollapse, tables against perf report.

The samples are those of tests/samples/makesamples.c: a million with 20 000 different stacks, 8 to 28 deep, as a trace and,
by export --perf, as a perf.data. perf finds no symbols for them, which saves it time. stackcollapse-perf.pl and
flamegraph.pl are in no package of Debian or npm, so their part is done by awk, which takes less time than they do, and the
peer draws no picture. So both ratios are lower bounds.
"""
import pathlib
import subprocess

SAMPLES = 1000000

COLLAPSE = r"""
/^$/ { if (n) { s = comm; for (i = n; i > 0; i--) s = s ";" f[i]; c[s]++ } n = 0; next }
/^[^ \t]/ { comm = $1; n = 0; next }
{ sub(/^[ \t]+[0-9a-f]+ /, ""); sub(/ \([^)]*\)$/, ""); sub(/\+0x[0-9a-f]+$/, ""); f[++n] = $0 }
END { for (s in c) print s, c[s] }
"""


class Sampled:
    """A million samples as a trace and as a perf.data; made once."""

    def __init__(self, sonde, maker, cache, quick):
        self.dir = pathlib.Path(cache) / "samples"
        self.dir.mkdir(parents=True, exist_ok=True)
        wanted = SAMPLES // 10 if quick else SAMPLES
        self.trace, self.data = self.dir / f"{wanted}.dat", self.dir / f"{wanted}.data"
        if not self.data.exists():
            subprocess.run([maker, self.trace, str(wanted)], check=True)
            part = self.data.with_suffix(".part")
            subprocess.run([sonde, "export", "--perf", "-o", part, self.trace], check=True)
            part.rename(self.data)

    def flame_peer(self):
        """The words of a command that folds the stacks of the perf.data."""
        script = self.dir / "collapse.awk"
        script.write_text(COLLAPSE)
        return ["sh", "-c", f"perf script -i {self.data} 2>/dev/null | awk -f {script}"]
