"""Probes that stay (probe add): of them the kernel knows the values, and what it says of them is all there is."""
import json
import os

from programs import HERE, SONDE, Wrong, need_uprobes, run

GROUP = f"standing{os.getpid()}"


def add(name, definition):
    """The probe's name, and what was said when it was added."""
    done = run(SONDE, "probe", "add", f"{GROUP}:{name}={definition}")
    return f"{GROUP}:{name}", done.stdout + done.stderr


def check_arrays(program, trace):
    """Their elements have sizes and signs, also where the kernel writes no numbers of them."""
    event, _ = add("arrays", f"{program}:work(box->numbers, box->shorts, box->signs, box->mac, hex=box->shorts:x16[3], "
                             "wide=box->numbers:s64[1])")
    run(SONDE, "record", "-q", "-o", trace, "-e", event, program)
    lines = [x for x in run(SONDE, "report", "-i", trace).stdout.splitlines() if " arrays: " in x]
    want = ("numbers={10,-20,30} shorts={-1,0,-300} signs={-1,5} mac={1,2,3,170,187,255} hex={0xffff,0x0,0xfed4} "
            f"wide={{{10 - (20 << 32)}}}")
    if len(lines) != 6 or not all(x.endswith(want) for x in lines):
        raise Wrong("\n".join(lines))
    row = json.loads(run(SONDE, "report", "--json", "-i", trace).stdout.splitlines()[0])["fields"]
    if [row["numbers"], row["shorts"], row["signs"], row["hex"]] != [[10, -20, 30], [-1, 0, -300], [-1, 5],
                                                                     [0xffff, 0, 0xfed4]]:
        raise Wrong(str(row))
    for key, text in (("numbers", "{10,-20,30}"), ("shorts", "{-1,0,-300}"), ("signs", "{-1,5}")):
        for source in (("-e", "arrays", "-i", trace), ("-e", event, program), ("--how", "program", "-e", event, program)):
            done = json.loads(run(SONDE, "count", "--json", "--by", key, *source).stdout)
            if [(row[key], row["count"]) for row in done["rows"]] != [(text, 6)]:
                raise Wrong(f"by {key} of {source}: {done['rows']}")


def check_meanings(program, trace):
    """What the kernel does not know is told when the probe is added; what it knows is right."""
    event, said = add("meanings", f"{program}:work(box->colour, box->mode, box->weight, box->port, box->low, one=box->shorts[2], "
                                  "two=box->signs[0], number)")
    want = ("for a permanent probe, the kernel shows colour as a number, mode as a number, weight as its bits, port with its bytes "
            "swapped, low without its sign (-1 as 31); record -e with the definition shows their meaning")
    if want not in said:
        raise Wrong(said)
    run(SONDE, "record", "-q", "-o", trace, "-e", event, program)
    lines = [x for x in run(SONDE, "report", "-i", trace).stdout.splitlines() if " meanings: " in x]
    if not lines[4].endswith(f"colour=7 mode=4 weight=0x3ff8000000000000 port={84 << 8} low=1 one=-300 two=-1 number=4"):
        raise Wrong("\n".join(lines))
    if "low=31 one=" not in lines[2]:
        raise Wrong("\n".join(lines))
    _, said = add("plain", f"{program}:work(number, one=box->shorts[2])")
    if "stays" in said:
        raise Wrong(said)


def test_standing(programs):
    need_uprobes()
    program = programs.make("meanings", "gcc", "-O0", HERE / "meanings.c")
    trace = programs.dir / "standing.dat"
    try:
        check_arrays(program, trace)
        check_meanings(program, trace)
    finally:
        run(SONDE, "probe", "del", f"{GROUP}:*", check=False)
