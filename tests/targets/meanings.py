"""Values that mean more than their bytes say: recorded, conditions on them, filters, keys; also as trace-cmd reads it."""
import json
import re
import shutil

from programs import HERE, SONDE, Wrong, need_uprobes, run

# Conditions of meanings.c, and of which of its six calls they hold.
CONDITIONS = {
    "box->colour == RED": [1, 3, 5], "colour != RED && !(number == 0)": [2, 4], "colour == 'BLUE'": [0, 2, 4],
    "box->mode & F_A|F_C": [1, 3, 4, 5], "weight > 0.25": [3, 4, 5], "weight >= 0.5": [3, 4, 5],
    "weight < -0.5": [0, 1], "weight <= -0.5": [0, 1, 2], "weight < 1": [0, 1, 2, 3], "weight > -2": [1, 2, 3, 4, 5],
    "weight == 1.5 || weight != 1.5 && port == 80": [0, 4], "port == 83": [3], "port != 83": [0, 1, 2, 4, 5],
    "letter == 'c'": [2], "part == 2.25": [0, 1, 2, 3, 4, 5],
    "low == -3 || low == 1": [0, 4], "low != -1": [0, 1, 3, 4, 5], "level == LOW": [1, 3, 5],
    "wide == -400000000002": [2], "tilt == LOW": [1, 3, 5], "tilt != -2": [0, 2, 4], "far == FAR": [0, 1, 2, 4, 5], "far == -7": [3],
    "whole < -2": [3, 4, 5], "top == TOP": [0, 1, 2, 3, 4, 5],
}
# The same questions to report -F.
FILTERS = {
    "colour == RED": [1, 3, 5], 'colour == "RED"': [1, 3, 5], "colour != BLUE": [1, 3, 5], 'colour =~ "^BL"': [0, 2, 4],
    "weight > 0.25": [3, 4, 5], "weight <= -0.5": [0, 1, 2], "port > 82": [3, 4, 5], "part == 2.25": [0, 1, 2, 3, 4, 5],
    "address == 0x7f000001 && port < 82": [0, 1], "low == -3": [0], "low < -1": [0, 1], "level == LOW": [1, 3, 5],
    "wide < -400000000003": [4, 5], "tilt == LOW": [1, 3, 5], "tilt < 0": [1, 3, 5], "far == FAR": [0, 1, 2, 4, 5], "far == -7": [3],
    "far < -7": [0, 1, 2, 4, 5], "whole == -2": [2], "top > 200": [0, 1, 2, 3, 4, 5],
}
ARGUMENTS = ("box->colour, box->mode, box->weight, box->part, box->port, box->address, box->numbers, box->shorts, box->signs, box->mac, box->letter, "
             "box->low, box->level, box->full, box->wide, box->tilt, box->far, box->whole, box->top, number")


def numbers_of(trace, *more):
    text = run(SONDE, "report", "-i", trace, *more).stdout
    return [int(n) for n in re.findall(r" number=(\d+)", text)]


def check_lines(trace):
    lines = [x for x in run(SONDE, "report", "-i", trace).stdout.splitlines() if " number=" in x]
    want = ("weight=1.5 part=2.25 port=84 address=2130706433 numbers={10,-20,30} shorts={-1,0,-300} signs={-1,5} mac={1,2,3,170,187,255} letter=101 "
            'low=1 level=HIGH full="DCBA" wide=-400000000004 tilt=HIGH far=FAR whole=-4 top=TOP number=4')
    if "colour=BLUE mode=F_C" not in lines[4] or want not in lines[4]:
        raise Wrong(lines[4])
    row = json.loads(run(SONDE, "report", "--json", "-i", trace).stdout.splitlines()[4])["fields"]
    if (row["weight"], row["part"], row["port"], row["address"]) != (1.5, 2.25, 84, 0x7f000001):
        raise Wrong(str(row))
    lows = [json.loads(x)["fields"]["low"] for x in run(SONDE, "report", "--json", "-i", trace).stdout.splitlines()]
    if [row[x] for x in ("wide", "tilt", "far", "whole", "top")] != [-400000000004, 5, -5000000000, -4, 255]:
        raise Wrong(str(row))
    if row["full"] != "DCBA":       # without a NUL, and something stands behind it
        raise Wrong(str(row))
    if row["mac"] != [1, 2, 3, 170, 187, 255] or lows != [-3, -2, -1, 0, 1, 2]:
        raise Wrong(f"{row} {lows}")
    if shutil.which("trace-cmd"):       # it does not know points, and shows the bits
        theirs = run("trace-cmd", "report", "-i", trace).stdout.splitlines()
        if not any('full="DCBA" wide=-400000000004 tilt=HIGH far=FAR whole=-4 top=TOP number=4' in x for x in theirs):
            raise Wrong("\n".join(theirs))
        if not any("weight=0x3ff8000000000000 part=0x40100000 port=84 address=2130706433" in x for x in theirs):
            raise Wrong("\n".join(theirs))


def check_counts(program, trace):
    for key, want in (("numbers", {"{10,-20,30}": 6}), ("shorts", {"{-1,0,-300}": 6}), ("mac", {"{1,2,3,170,187,255}": 6}),
                      ("part", {"2.25": 6}), ("colour", {"RED": 3, "BLUE": 3}),
                      ("port", {str(80 + i): 1 for i in range(6)}), ("low", {str(i - 3): 1 for i in range(6)}),
                      ("full", {"DCBA": 6}), ("level", {"LOW": 3, "HIGH": 2, "77": 1}),
                      ("wide", {str(-400000000000 - i): 1 for i in range(6)}), ("tilt", {"LOW": 3, "HIGH": 3}),
                      ("far", {"FAR": 5, "-7": 1}), ("whole", {str(-i): 1 for i in range(6)}), ("top", {"TOP": 6})):
        for source in (("-e", "work", "-i", trace), ("-e", f"{program}:work(box->{key})", program)):
            done = json.loads(run(SONDE, "count", "--json", "--by", key, *source).stdout)
            have = {str(row[key]): row["count"] for row in done["rows"]}
            if have != want:
                raise Wrong(f"by {key} of {source}: {have}")
    for way in ([], ["--how", "program"]):      # a text that is nowhere, by BPF where there is some
        text = run(SONDE, "count", *way, "--by", "text", "-e", f"{program}:work(box->text)", program).stdout
        if not re.search(r"^ +5  some .*\n +1  \(fault\) ", text, re.M):
            raise Wrong(text)
    text = run(SONDE, "count", "--only-command", "-e", f"{program}:work", program).stdout
    if not re.search(r"^ +6  in 1 row.*, in the command's first thread", text, re.M):
        raise Wrong(text)
    for name in ("getppid", "prctl"):     # what is done before it is started is not the command's
        done = json.loads(run(SONDE, "count", "--json", "--only-command", "-e", f"libc:{name}", program).stdout)
        if done["total"]:
            raise Wrong(f"{name}: {done}")
    text = run(SONDE, "latency", "--by", "numbers", "-e", f"{program}:work(box->numbers)", "-e",
               f"{program}:work%return", program).stdout
    if not re.search(r"^ +6 .* {10,-20,30}$", text, re.M):
        raise Wrong(text)


# Of the texts of meanings.c, one of which is nowhere; behind it another is recorded, which is the next one in the record.
TEXTS = {
    'text == "some"': [0, 1, 2, 3, 5], 'text ~ "so*"': [0, 1, 2, 3, 5], 'text != "some"': [4], '!(text == "some")': [4],
    'box->text == "DCBA"': [], 'full ~ "DCBA*" && text != "some"': [4], 'text == ""': [],
}


def check_texts(program, trace):
    events = []
    for i, text in enumerate(TEXTS):
        events += ["-e", f"t{i}={program}:work(box->text, box->full, number) if {text}"]
    run(SONDE, "record", "-o", trace, *events, program)
    for i, (text, want) in enumerate(TEXTS.items()):
        if numbers_of(trace, "-F", f"t{i}") != want:
            raise Wrong(f"if {text}: {numbers_of(trace, '-F', f't{i}')}")
    everything = run(SONDE, "report", "-R", "-i", trace).stdout + run(SONDE, "report", "--json", "-i", trace).stdout
    if "guard" in everything or not re.search(r' t2: .* text="\(fault\)" full="DCBA" number=4$',
                                              run(SONDE, "report", "-i", trace).stdout, re.M):
        raise Wrong(everything)
    if shutil.which("trace-cmd") and len(re.findall(r' t0: .* text="some" full="DCBA" number=\d$',
                                                    run("trace-cmd", "report", "-i", trace).stdout, re.M)) != 5:
        raise Wrong(run("trace-cmd", "report", "-i", trace).stdout)
    for words, want in (('text == "(fault)"', [4]), ('text == ""', []), ('text =~ "fau"', [4]), ('text != "some"', [4])):
        if numbers_of(trace, "-F", f"t2: {words}") != want:
            raise Wrong(f"-F {words}")
    for how in ([], ["--how", "program"]):
        for event in (["-e", f"{program}:work(box->text, number) if text == some"],
                      ["-e", f"{program}:work(box->text, number)", "-f", 'text == "some"']):
            done = json.loads(run(SONDE, "count", "--json", "--by", "text", *how, *event, program).stdout)
            if [(row["text"], row["count"]) for row in done["rows"]] != [("some", 5)]:
                raise Wrong(f"{how} {event}: {done['rows']}")


def test_meanings(programs):
    need_uprobes()
    program = programs.make("meanings", "gcc", "-O0", HERE / "meanings.c")
    trace = programs.dir / "meanings.dat"
    run(SONDE, "record", "-o", trace, "-e", f"{program}:work({ARGUMENTS})", program)
    check_lines(trace)
    for text, want in FILTERS.items():
        if numbers_of(trace, "-F", f"work: {text}") != want:
            raise Wrong(f"-F {text}: {numbers_of(trace, '-F', f'work: {text}')}")
    check_counts(program, trace)
    events = []
    for i, text in enumerate(CONDITIONS):
        events += ["-e", f"c{i}={program}:work({ARGUMENTS}) if {text}"]
    run(SONDE, "record", "-o", trace, *events, program)
    for i, (text, want) in enumerate(CONDITIONS.items()):
        if numbers_of(trace, "-F", f"c{i}") != want:
            raise Wrong(f"if {text}: {numbers_of(trace, '-F', f'c{i}')}")
    check_texts(program, trace)
    check_alone(program, trace)


def check_alone(program, trace):
    """--probe with nothing else: only this probe is recorded."""
    line = run(SONDE, "probe", "add", "-D", f"{program}:work").stdout.strip().splitlines()[-1]
    run(SONDE, "record", "-q", "-o", trace, "--probe", line, program)
    lines = run(SONDE, "report", "-i", trace).stdout.splitlines()
    if len([x for x in lines if " work: " in x]) != 6 or len(lines) != 7:
        raise Wrong(f"--probe {line}: {len(lines)} lines, {lines[:3]}")
