"""Parameters at the entry of functions that keep to the calling convention, and of functions that do not."""
import re

from programs import HERE, SONDE, Wrong, need_uprobes, run

WANTED = {"moved_up": "k,n", "always": "k,n", "eight": "*g,n", "larger": "k,n"}
BUILDS = [("gcc", "-O0"), ("gcc", "-O2"), ("clang", "-O0"), ("clang", "-O1"), ("clang", "-O2"), ("clang", "-Os"),
          ("clang", "-O0", "-fsanitize=address")]


def refused(program, definition):
    done = run(SONDE, "probe", "show", definition, check=False)
    return done.returncode and "cannot be read here: " in done.stderr and done.stderr


def check_values(program, name, definition, trace):
    printed = run(SONDE, "record", "-q", "-o", trace, "-e", definition, program).stdout
    printed = re.findall(rf"^{name} (.*)", printed, re.M)
    text = run(SONDE, "report", "-i", trace).stdout
    recorded = re.findall(rf" {name}(?:_L\d+)?: +\(\w+\) (.*)", text)
    if len(printed) != 3 or recorded != printed:
        raise Wrong(f"{definition}: printed {printed}, recorded {recorded}")


def test_passed(programs):
    need_uprobes()
    trace = programs.dir / "passed.dat"
    for cc, *flags in BUILDS:
        kind, is_optimised = "".join((cc, *flags)), "-O0" not in flags
        program = programs.make(f"passed-{kind}", cc, *flags, HERE / "passed.c")
        for name, arguments in WANTED.items():
            definition = f"{program}:{name}({arguments})"
            why = refused(program, definition)
            if why:
                if (name == "always" and cc == "clang" and is_optimised) or (name == "larger" and len(flags) > 1):
                    continue
                raise Wrong(f"{program.name}: {why}")
            check_values(program, name, definition, trace)
        if len(flags) > 1:      # what is passed by address is refused there
            continue
        program = programs.make(f"passed-cc-{kind}", {"gcc": "g++", "clang": "clang++"}[cc], *flags, HERE / "passed.cc")
        for line in ("", ":1", ":2", ":3"):
            check_values(program, "by_address", f"{program}:by_address{line}(h.a)", trace)
