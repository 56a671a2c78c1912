"""Counted by the kernel: what it cannot read at once, what it cannot read at all, what it cuts."""
import json
import os
import pathlib

from programs import HERE, SONDE, Skip, Wrong, run

FAULT = {"(fault)": 1}


def counts(how, key, definition, *command):
    answer = json.loads(run(SONDE, "count", "-q", "--json", "--how", how, "--by", key, "-e", definition,
                            *command).stdout.splitlines()[-1])
    return {str(row[key]): row["count"] for row in answer["rows"]}


def check_cold(program, scratch):
    """By pointers of a program to what is in no memory yet."""
    want = {"cold->number": {str(1000 + i): 1 for i in range(6)}, "cold->part": {str(-i): 1 for i in range(6)},
            "holder->cold->number": {str(1000 + i): 1 for i in range(6)},
            "cold->text": {f"text {i}": 1 for i in range(6)}}
    for expression, rows in want.items():
        got = counts("bpf", "v", f"{program}:look(v={expression})", program, scratch)
        if got != rows | FAULT:
            raise Wrong(f"{expression}: {got}")
    got = counts("bpf", "v", f"{program}:look(v=crossing:string)", program, scratch)
    if sum(n for text, n in got.items() if text.startswith("bcd")) != 6 or got.get("(fault)") != 1:
        raise Wrong(f"across pages: {got}")


def test_counting(programs):
    if os.geteuid() or not pathlib.Path("/sys/kernel/tracing/uprobe_events").exists():
        raise Skip("uprobes need root and a kernel with them")
    scratch = programs.dir / "counting.bin"
    for cc, level in (("gcc", "-O0"), ("gcc", "-O2")):
        program = programs.make(f"counting-{cc}{level}", cc, level, HERE / "counting.c")
        check_cold(program, scratch)
        got = counts("bpf", "text", f"{program}:read_text(text)", program, scratch)
        if got != {"x" * 254: 1, "x" * 255: 1, "x" * 255 + "…": 3}:
            raise Wrong(f"long texts: {got}")
        whole = counts("program", "text", f"{program}:read_text(text)", program, scratch)
        if len(whole) != 5:
            raise Wrong(f"long texts: {whole}")
