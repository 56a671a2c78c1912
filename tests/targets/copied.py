"""Globals of a library of which the program has copies: what is recorded is what the library itself sees."""
import re

from programs import HERE, SONDE, Wrong, need_uprobes, run

ARGUMENTS = "shared, own, other, both.b, word, kept, hidden"
LINKS = {"usual": [], "symbolic": ["-Wl,-Bsymbolic"], "full": ["-Wl,-z,now"]}
NOTE = "lonely is read in the library; a program that uses it may have a copy, which then has the valid value (copy relocation): " \
       "PROGRAM:FUNCTION(lonely) reads that"


def check(programs, cc, link, pie):
    name = f"copied-{cc}-{link}"
    library = programs.make(f"lib{name}.so", cc, "-O1", "-shared", "-fPIC", *LINKS[link], HERE / "copied.c")
    program = programs.make(f"{name}-{pie}", cc, "-O1", "-DPROGRAM", *pie.split("+"), HERE / "copied.c", library,
                            f"-Wl,-rpath,{programs.dir}")
    trace = programs.dir / "copied.dat"
    printed = run(SONDE, "record", "-q", "-o", trace, "-e", f"{library}:use({ARGUMENTS})", program).stdout
    want = [x for x in printed.splitlines() if x.startswith("shared=")]
    have = re.findall(r" use: .*?\) (shared=.*)", run(SONDE, "report", "-i", trace).stdout)
    if have != want or len(have) != 3:
        raise Wrong(f"{name} {pie}: {have}, not {want}")
    said = run(SONDE, "probe", "show", f"{library}:use(lonely, own, kept, hidden)").stdout
    if ("note: " + NOTE in said) != (link != "symbolic") or said.count("note:") > 1:
        raise Wrong(f"{name}: {said}")
    # clang does not say in the program what it only refers to
    if cc == "gcc" and "note:" in run(SONDE, "probe", "show", f"{program}:main(lonely)").stdout:
        raise Wrong(f"a note of the program's own {pie}")


def test_copied(programs):
    need_uprobes()
    for cc in ("gcc", "clang"):
        for pie in ("-fPIE+-pie", "-fno-pie+-no-pie"):
            for link in LINKS:
                check(programs, cc, link, pie)
