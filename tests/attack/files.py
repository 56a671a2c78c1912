"""Mutated files: traces for every command that reads one, programs for what looks into programs."""
import pathlib
import shutil
import subprocess

from mutate import mutate
from target import GOLDEN, ROOT, Finding, environment, run, unprivileged

TRACE_WAYS = (
    "report", "report -R", "report -l --ts-diff --debug", "report --json", "report --csv", "report -w",
    "report --stat", "report --profile", "report -F .*:COMM!=x --tgid", "report --raw-ts --nodate", "info -a",
    "hist -i", "hist -P -i", "mem -i", "dump --all -i", "list -e -F --full", "list -f", "list", "check-events",
    "count --by $comm -i", "count -e .* --by $comm,$cpu -i", "functions -i",
    "latency -e sched_switch,sched_wakeup --by-field next_pid=pid -i", "recipe wakeup -i",
    "export --chrome -o {out} -i", "export --perfetto -o {out} -i", "export --svg -o {out} -i",
    "export --html -o {out} -i", "convert {out} -i", "convert --file-version 6 {out} -i",
    "convert --compression zstd {out} -i", "split -o {out} -e 40 -i", "split -r -e 100 -o {out} -i",
    "restore -o {out}", "replay", "replay --json -f +task,module,cpu", "replay -t 1us -C main", "graph", "graph --json",
    "flame -o {out}", "functions -f all", "states", "why", "export --folded -o {out} -i", "export --graphviz -o {out} -i",
    "export --mermaid -o {out} -i", "export --uftrace {out} -i",
)
DIRECTORY_WAYS = (
    "replay --no-pager", "replay --no-pager -f all --column-view", "replay --no-pager -t 1us --format html",
    "report --no-pager", "report --no-pager --task", "report --no-pager --diff {file}", "report -f all --avg-total",
    "graph --no-pager", "graph --no-pager main", "dump --no-pager", "dump --chrome", "dump --flame-graph",
    "dump --graphviz", "dump --mermaid", "info --no-pager", "info --symbols", "script -S {script}",
    "replay --srcline --no-merge -F main -N read_all", "graph --task",
)
TRACE_BYTES = 3 << 20   # larger ones take too long with sanitizers
PROGRAM_WAYS = ("probe funcs -v -x", "probe vars -x {file} main", "probe vars --externs -x {file} work",
                "probe lines -x {file} main", "probe lines -x {file} work", "probe funcs --marks -x",
                "probe add -D -x {file} main", "probe add -D -x {file} work($params)")


class Files:
    """One kind of file: its examples, and the commands that read it."""

    def __init__(self, examples, ways, ending):
        self.examples, self.ways, self.ending = examples, ways, ending

    def attack(self, work, chance):
        example = chance.choice(self.examples)
        path = work / f"bad{self.ending}"
        path.write_bytes(mutate(example, chance))
        path.chmod(0o644)
        out = work / "out"
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir()
        out.chmod(0o777)
        line = chance.choice(self.ways)
        if "{file}" not in line:
            line += " {file}"
        words = [w.format(file=path, out=out / "made") for w in line.split()]
        try:
            run(words, prefix=unprivileged(), env=environment(HOME=out, XDG_CACHE_HOME=out))
        except Finding as finding:
            raise Finding(f"{finding}\ninput: {path}") from None


def traces(_work):
    examples = [p.read_bytes() for p in sorted(GOLDEN.glob("*.dat")) if p.stat().st_size < TRACE_BYTES]
    return Files(examples, TRACE_WAYS, ".dat")


def program_examples(work):
    """With debug information of two compilers and two forms."""
    examples = []
    source = pathlib.Path(ROOT / "tests/attack/program.c")
    for compiler in ("gcc", "clang"):
        for flags in (["-g", "-O0"], ["-g", "-O2", "-gdwarf-4"], ["-g", "-O2", "-gz"], ["-O1"]):
            if shutil.which(compiler):
                path = work / "example"
                subprocess.run([compiler, *flags, "-o", path, source, "-no-pie"], check=True)
                examples.append(path.read_bytes())
    return examples


def programs(work):
    return Files(program_examples(work), PROGRAM_WAYS, ".elf")
