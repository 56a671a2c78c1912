"""Variables that do not live at all places of a function: recorded, counted, in filters and conditions; and $params."""
import json
import re

from programs import HERE, SONDE, Wrong, need_uprobes, run

NAMES = ("n", "c", "u", "colour", "is", "box", "low", "byte", "weight")
ARGUMENTS = "n, c, u, colour, is, box, box->low, box->byte, box->weight, common"
# Of which calls it holds, by their number; a call whose variables are gone is "x".
FILTERS = {
    "n != 5": "10 11 12", 'n == "?"': "x10 x11", "n < 0": "10", "colour == RED": "10", "colour != RED": "11 12", "u == 45": "10 11 12",
    "c < 45": "11 12", "weight > 1": "10 11 12", "is == true": "10 11 12", "low < 5": "10 11 12", "!(n == 0)": "10 x10 x11 12",
}
CONDITIONS = {"n != 5": "10 11 12", "n < 1": "10 11", "colour != RED": "11 12", "u == 45": "10 11 12", "c < 45": "11 12",
              "weight < 2": "10 11 12", "is != false": "10 11 12", "low != 4": "10 11 12", "box != 0": "10 11 12",
              "common == 11 || n == 1": "11 x11 12"}


def calls(trace, *more):
    text = run(SONDE, "report", "-i", trace, *more).stdout
    return " ".join(("x" if n == "?" else "") + c for n, c in re.findall(r" n=(\S+) .*common=(\d+)", text))


def check_counts(program, trace):
    for key, want in (("n", {"?": 2, "-1": 1, "0": 1, "1": 1}), ("c", {"?": 2, "45": 1, "44": 1, "43": 1}), ("u", {"45": 3, "?": 2}),
                      ("colour", {"?": 2, "BLUE": 2, "RED": 1}), ("is", {"true": 3, "?": 2}), ("low", {"-3": 3, "?": 2}),
                      ("weight", {"1.5": 3, "?": 2})):
        for source in (("-e", "gap_step", "-i", trace), ("-e", f"{program}:gap_step({ARGUMENTS})", program),
                       ("--how", "program", "-e", f"{program}:gap_step({ARGUMENTS})", program)):
            done = json.loads(run(SONDE, "count", "--json", "--by", key, *source).stdout)
            have = {str(row[key]): row["count"] for row in done["rows"]}
            if have != want:
                raise Wrong(f"by {key} of {source}: {have}")
    text = run(SONDE, "latency", "--by", "u", "-e", "gap_step", "-e", "gap_step", "-i", trace).stdout
    if not re.search(r"^ +\d+ .* \?$", text, re.M) or not re.search(r"^ +\d+ .* 45$", text, re.M):
        raise Wrong(text)


def test_gaps(programs):
    program = programs.make("gaps", "gcc", "-O2", HERE / "gaps.c")
    text = run(SONDE, "probe", "show", f"{program}:gap_step($params, common)").stdout
    if not re.search(r":0x\w+ common=%\w+:s32 common_2=%\w+:s32$", text, re.M) or \
            not all(f"note: {name} is left out: " in text for name in ("n", "c", "u", "colour", "is", "box")):
        raise Wrong(text)
    need_uprobes()
    trace = programs.dir / "gaps.dat"
    run(SONDE, "record", "-q", "-o", trace, "-e", f"{program}:gap_step({ARGUMENTS})", program)
    lines = [x for x in run(SONDE, "report", "-i", trace).stdout.splitlines() if " common=" in x]
    if len(lines) != 5 or not lines[1].endswith(" " + " ".join(f"{name}=?" for name in NAMES) + " common=10") or \
            not re.search(r" n=0 c=44 u=45 colour=BLUE is=true box=0x\w+ low=-3 byte=45 weight=1.5 common=11$", lines[2]):
        raise Wrong("\n".join(lines))
    raw = run(SONDE, "report", "-R", "-i", trace).stdout
    if " ".join(f"{name}=?" for name in NAMES) not in raw:
        raise Wrong(raw)
    fields = json.loads(run(SONDE, "report", "--json", "-i", trace).stdout.splitlines()[1])["fields"]
    if any(fields[name] is not None for name in NAMES) or fields["common"] != 10:
        raise Wrong(str(fields))
    for text, want in FILTERS.items():
        if calls(trace, "-F", f"gap_step: {text}") != want:
            raise Wrong(f"-F {text}: {calls(trace, '-F', f'gap_step: {text}')}")
    check_counts(program, trace)
    for text, want in CONDITIONS.items():
        run(SONDE, "record", "-q", "-o", trace, "-e", f"{program}:gap_step({ARGUMENTS}) if {text}", program)
        if calls(trace) != want:
            raise Wrong(f"if {text}: {calls(trace)}")
