"""The cases in tests/cli: a command, what it prints, and how the two are compared.

A case is a text file NAME.t:

    # what this shows, in one line
    # covers: ID ID              ids of tools/mission.txt (optional)
    # needs: trace-cmd gdb       skipped where one of these commands is missing (optional)
    # not: asan tsan             builds that it is not run with (optional)

    $ sonde report $GOLDEN/tour.dat | head -n 2
    cpus=2
              sleep-1234  …

    # A comment stands after an empty line. All commands of a case share one shell.
    $ sonde report nosuch.dat
    > 2>&1 | cat                 continues the command
    sonde: nosuch.dat: … (re)
    [1]                          its exit status, when that is not 0

Standard output and error are compared together, line by line. In the expected lines
    …           alone on a line: any number of lines, also none
    …           within a line: any text
    … (glob)    the line is a pattern with * and ?
    … (re)      the line is a regular expression
    … (esc)     the line contains bytes as \\xNN (--accept writes it so for blanks at the end,
                control characters, and lines that would be taken for something else)
    … (no-eol)  the output ends here without a newline
Empty lines before the next command or comment do not count.
"""
import dataclasses
import fnmatch
import functools
import re

STATUS = re.compile(r"\[(\d+)\]$")
HEADER = re.compile(r"# (covers|needs|not):(.*)")


@dataclasses.dataclass
class Block:
    """One command with what it should print; tail holds the empty and comment lines after it."""
    command: list
    expected: list
    status: int
    tail: list


@dataclasses.dataclass
class Case:
    title: str
    headers: dict
    head: list
    blocks: list


def parse(text):
    """The Case in a file's text; ValueError says what is wrong with it."""
    lines = text.splitlines()
    starts = [i for i, line in enumerate(lines) if line.startswith("$ ")]
    if not starts:
        raise ValueError("has no line that starts with '$ '")
    head = lines[:starts[0]]
    if not head or not re.match(r"# \w", head[0]) or HEADER.match(head[0]):
        raise ValueError("the first line must say what the case shows: '# …'")
    headers = {m[1]: m[2].split() for m in map(HEADER.match, head) if m}
    blocks = [parse_block(lines[start:end]) for start, end in zip(starts, starts[1:] + [None])]
    return Case(head[0][2:], headers, head, blocks)


def parse_block(lines):
    n = 1
    while n < len(lines) and lines[n].startswith("> "):
        n += 1
    body, tail_at = lines[n:], len(lines) - n
    # The tail: from an empty line on, nothing but empty lines and comments.
    while tail_at and (not body[tail_at - 1] or body[tail_at - 1].startswith("#")):
        tail_at -= 1
    while tail_at < len(body) and body[tail_at]:
        tail_at += 1
    body, tail = body[:tail_at], body[tail_at:]
    found = STATUS.match(body[-1]) if body else None
    status = int(found[1]) if found else 0
    return Block([line[2:] for line in lines[:n]], body[:-1] if found else body, status, tail)


def script(case, salt):
    """The shell script that runs a case; after each command it prints the salt and the status."""
    parts = []
    for block in case.blocks:
        parts.append("\n".join(block.command) + f"\nprintf '{salt} %d\\n' $?\n")
    return "".join(parts)


def split_output(output, salt):
    """[(lines, status)] per command; fewer than commands if the shell ended early."""
    pieces = re.split(rf"{salt} (\d+)\n", output)
    return [(to_lines(text), int(status)) for text, status in zip(pieces[::2], pieces[1::2])]


def to_lines(text):
    lines = text.split("\n")
    if lines[-1]:
        lines[-1] += " (no-eol)"
    else:
        lines.pop()
    return lines


@functools.lru_cache(maxsize=None)
def line_pattern(expected):
    """The regular expression for one expected line."""
    eol = ""
    if expected.endswith(" (no-eol)"):
        expected, eol = expected[:-9], r" \(no-eol\)"
    if expected.endswith(" (re)"):
        body = expected[:-5]
    elif expected.endswith(" (glob)"):
        body = fnmatch.translate(expected[:-7])
    elif expected.endswith(" (esc)"):
        body = re.escape(unescape(expected[:-6]))
    else:
        body = ".*".join(re.escape(part) for part in expected.split("…"))
    return re.compile(f"(?:{body}){eol}", re.S)


def matches(expected, actual):
    """Whether the lines are those expected."""
    reach = {0}     # how many actual lines the expected ones so far can have used up
    for line in expected:
        if line == "…":
            reach = set(range(min(reach), len(actual) + 1)) if reach else reach
        else:
            reach = {n + 1 for n in reach
                     if n < len(actual) and line_pattern(line).fullmatch(actual[n])}
    return len(actual) in reach


def escape(line, last=True):
    """An actual line in the form that expects exactly it. Only the last one of a command could be
    taken for the empty lines and comments that follow."""
    eol = " (no-eol)" if line.endswith(" (no-eol)") else ""
    line = line[:len(line) - len(eol)]
    mistakable = (line.startswith(("$ ", "> ")) or STATUS.match(line) or "…" in line
                  or line.endswith((" ", "\t", " (re)", " (glob)", " (esc)", " (no-eol)"))
                  or (last and (line == "" or line.startswith("#"))))
    if line.replace("\t", "").isprintable() and not mistakable:
        return line + eol
    codes = line.encode("utf-8", "surrogateescape")
    text = "".join(chr(c) if 32 <= c < 127 and c != 92 else f"\\x{c:02x}" for c in codes)
    if line.startswith(("#", "$", ">", "[")):
        text = f"\\x{codes[0]:02x}" + text[1:]
    return text + " (esc)" + eol


def unescape(text):
    codes = re.sub(rb"\\x([0-9a-f]{2})", lambda m: bytes([int(m[1], 16)]), text.encode())
    return codes.decode("utf-8", "surrogateescape")


def common(expected, actual):
    """How many lines agree from the start on."""
    pairs = enumerate(zip(expected, actual))
    return next((n for n, (want, got) in pairs
                 if want == "…" or not line_pattern(want).fullmatch(got)),
                min(len(expected), len(actual)))


def merge(expected, actual):
    """The expected lines, with what differs in the middle replaced by the actual ones."""
    if matches(expected, actual):
        return expected
    first = common(expected, actual)
    last = common(expected[first:][::-1], actual[first:][::-1])
    middle = [escape(line, n == len(actual) - 1) for n, line in enumerate(actual)]
    return expected[:first] + middle[first:len(actual) - last] + expected[len(expected) - last:]


def accept(case, results):
    """The text of the case with the results in place of the expectations they do not meet."""
    lines = list(case.head)
    for block, (actual, status) in zip(case.blocks, results):
        first, *more = block.command
        lines += ["$ " + first] + ["> " + line for line in more]
        lines += merge(block.expected, actual)
        if status:
            lines.append(f"[{status}]")
        lines += block.tail
    return "\n".join(lines) + "\n"
