"""Results of functions: in which register, or where in memory, a struct is returned, and what of it cannot be read."""
import re

from programs import HERE, SONDE, Wrong, need_uprobes, run

# What is recorded, and by how much it differs from what the function was called with.
VALUES = {
    "double_long": {"l": 0}, "long_double": {"l": 0}, "float_int": {"f": 0, "i": 0}, "longs": {"a": 0, "b": 1},
    "int_long": {"i": 0, "l": 1}, "packed": {"l": 0}, "mixed": {"i": 0, "f": 1}, "either": {"l": 0}, "nested": {"i": 0},
    "large": {"a": 0, "b": 1, "c": 2}, "plain": {"v": 0}, "copied": {"v": 0}, "ended": {"v": 0}, "kept": {"c.v": 0},
}
IN_FLOATING_POINT = ("double_long.d", "long_double.d", "floats.f", "floats.g", "doubles.a", "doubles.b", "one.d",
                     "mixed.d", "nested.o.d")


def check(programs, cc, level):
    program = programs.make(f"results-{cc}-{level}", cc, level, HERE / "results.cc")
    trace = programs.dir / "results.dat"
    events = ["-e", f"{program}:r_unique%return(v=*$retval)", "-e", f"{program}:p_round(n)", "-e",
              f"{program}:p_round%return($retval)"]
    for name, members in VALUES.items():
        events += ["-e", f"{program}:r_{name}%return({', '.join(f'm{i}=$retval.{m}' for i, m in enumerate(members))})"]
    run(SONDE, "record", "-q", "-o", trace, *events, program)
    text = run(SONDE, "report", "-i", trace).stdout
    for name, members in {**VALUES, "unique": {"": 0}}.items():
        have = re.findall(rf" r_{name}__return: .*\) (.*)", text)
        want = [" ".join(f"{'v' if not m else f'm{i}'}={n + more}" for i, (m, more) in enumerate(members.items()))
                for n in (100, 101, 102)]
        if have != want:
            raise Wrong(f"{cc} {level} {name}: {have}, not {want}")
    text = run(SONDE, "latency", "-i", trace, "-T", "p_round").stdout
    if "\n3 measured" not in text:
        raise Wrong(text)


def test_results(programs):
    need_uprobes()
    for cc, level in (("g++", "-O0"), ("g++", "-O2"), ("clang++", "-O0"), ("clang++", "-O2")):
        check(programs, cc, level)
    program = programs.make("results-g++--O2", "g++", "-O2", HERE / "results.cc")
    for what in IN_FLOATING_POINT:
        name, member = what.split(".", 1)
        done = run(SONDE, "probe", "show", f"{program}:r_{name}%return($retval.{member})", check=False)
        if done.returncode != 1 or "in a floating point register" not in done.stderr:
            raise Wrong(f"{what}: {done.stdout}{done.stderr}")
