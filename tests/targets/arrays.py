"""Arrays of enums, flags, bools and floating point numbers are shown as one of them is."""
import json
import re
import shutil

from programs import HERE, SONDE, Wrong, need_uprobes, run

SHOWN = {"colours": "{RED,-3,BLUE,LOW}", "pairs": "{RED,BLUE,LOW,77}", "modes": "{F_A,F_A|F_C,0,F_A|0x8}", "smalls": "{ON,OFF}",
         "are": "{true,false,true}", "floats": "{1.5,-2.25}", "doubles": "{0.1,-1e+300,3}"}
NUMBERS = {"colours": [1, -3, 2, -2], "pairs": [1, 2, -2, 77], "modes": [1, 5, 0, 9], "are": [1, 0, 1], "floats": [1.5, -2.25],
           "doubles": [0.1, -1e300, 3]}
REFUSED = {"longs": "an array of numbers that are longer than a probe can record; name an element",
           "parts": "an array of structs; name an element and a member"}


def check_texts(program, trace):
    """Texts that are pointed at: a field for each."""
    run(SONDE, "record", "-q", "-o", f"{trace}.texts", "-e", f"{program}:work(box->texts, number)", program)
    text = run(SONDE, "report", "-i", f"{trace}.texts").stdout
    if 'texts={"one","","three"} number=1' not in text:
        raise Wrong(text)
    done = json.loads(run(SONDE, "count", "--json", "-e", f"{program}:work(box->texts)", "--by", "texts__0,texts__2", program).stdout)
    if [(row["texts__0"], row["texts__2"]) for row in done["rows"]] != [("one", "three")]:
        raise Wrong(str(done))
    done = run(SONDE, "count", "-e", "work", "--by", "texts", "-i", f"{trace}.texts", check=False)
    if done.returncode != 1 or "the nearest is texts__0" not in done.stderr:
        raise Wrong(str(done))
    if shutil.which("trace-cmd") and 'texts={"one","","three"}' not in run("trace-cmd", "report", "-i", f"{trace}.texts").stdout:
        raise Wrong("trace-cmd does not know it")


def test_arrays(programs):
    program = programs.make("arrays", "gcc", "-O0", HERE / "arrays.c")
    for name, why in REFUSED.items():
        done = run(SONDE, "probe", "show", f"{program}:work(box->{name})", check=False)
        if done.returncode != 2 or why not in done.stderr:
            raise Wrong(f"{name}: {done.stdout}{done.stderr}")
    note = re.search(r"note: box->raw is recorded as text, .* (box->raw:u8\[4\]) records all",
                     run(SONDE, "probe", "show", f"{program}:work(box->raw)").stdout)
    if not note:
        raise Wrong("no note about bytes")
    need_uprobes()
    trace = programs.dir / "arrays.dat"
    run(SONDE, "record", "-q", "-o", trace, "-e", f"{program}:work({', '.join('box->' + x for x in SHOWN)}, {note.group(1)}, number)", program)
    text = run(SONDE, "report", "-i", trace).stdout
    if " ".join(f"{name}={value}" for name, value in SHOWN.items()) + " raw={1,200,0,3} number=1" not in text:
        raise Wrong(text)
    fields = json.loads(run(SONDE, "report", "--json", "-i", trace).stdout.splitlines()[0])["fields"]
    if any(fields[name] != value for name, value in NUMBERS.items()):
        raise Wrong(str(fields))
    for name, value in SHOWN.items():
        for source in (("-e", "work", "-i", trace), ("-e", f"{program}:work(box->{name})", program)):
            done = json.loads(run(SONDE, "count", "--json", "--by", name, *source).stdout)
            if [row[name] for row in done["rows"]] != [value]:
                raise Wrong(f"by {name} of {source}: {done}")
    check_texts(program, trace)
    if shutil.which("trace-cmd"):       # names are in the file; it does not know points, and shows the bits
        theirs = run("trace-cmd", "report", "-i", trace).stdout
        if not re.search(r"colours={RED,0xfffffffd,BLUE,LOW} .* are={true,false,true} floats={0x3fc00000,0xc0100000}", theirs):
            raise Wrong(theirs)
