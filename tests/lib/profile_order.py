"""Puts what trace-cmd report --profile prints in any order into one order; standard input to output.

Events of a task with equal times, and groups of tasks, stand there in the order of addresses in
trace-cmd's memory, different in every run. Here neighbours of one kind with equal times are sorted by
their text, each with the stacks below it, and groups by their name.
"""
import itertools
import re
import sys

EVENT = re.compile(r"  Event: (\w+):.* \(\d+\)(?: Total: (\d+).*)?$")
BLOCK = re.compile(r"^(?=\ngroup: |\ntask: )", re.M)


def sort_events(text):
    blocks = []
    for line in text.splitlines(True):
        match = EVENT.match(line.rstrip("\n"))
        if match or not blocks or not line.startswith("  "):
            blocks.append((match.groups() if match else None, [line]))
        else:
            blocks[-1][1].append(line)
    for key, run in itertools.groupby(blocks, lambda block: block[0]):
        run = ["".join(lines) for _, lines in run]
        yield from sorted(run) if key else run


def main():
    tasks = BLOCK.split(sys.stdin.read())
    groups = sorted(t for t in tasks if t.startswith("\ngroup: "))
    texts = (groups.pop(0) if t.startswith("\ngroup: ") else t for t in tasks)
    for text in texts:
        sys.stdout.write("".join(sort_events(text)))


if __name__ == "__main__":
    main()
