"""What sonde says of a program in tests/foreign, as the rows of the file places.

    aarch64-gcc-O0 add_ints      0x400138 a=+12(%sp) b=+0(%sp) …   variables behind the prologue, or at the entry
    aarch64-gcc-O0 add_ints+4    …                                 inside of the prologue; a sentence if it is refused
    aarch64-gcc-O0 add_ints+60   …                                 at the last instruction, when the frame is gone
    aarch64-gcc-O0 add_ints:5    …                                 at a line
    aarch64-gcc-O0 add_ints%return($retval)  ret=$retval:s32       what the kernel would be given
    aarch64-gcc-O0 lines:add_ints  0 1 2 4                         the lines with a star

A variable that cannot be read is NAME=-.
"""
import json
import os
import pathlib
import re
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
SONDE = os.environ.get("SONDE", str(HERE.parent.parent / "build" / "sonde"))
FUNCTIONS = re.findall(r"^KEPT .*?(\w+)\(", (HERE / "shapes.c").read_text(), re.M)
RESULTS = ("add_ints%return($retval)", "many%return($retval)", "by_pointer%return($retval)", "depth%return($retval)",
           "give_pair%return($retval.first,$retval.second)", "mixed_struct%return($retval.whole)",
           "give_wide%return($retval.a)", "with_double%return($retval)")


def sonde(*argv):
    return subprocess.run([SONDE, "probe", *map(str, argv)], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)


def sink_line(function):
    """Which line of the function, counted from its first, is the first that sets sink; None."""
    text = (HERE / "shapes.c").read_text().split("\n")
    first = next(i for i, line in enumerate(text) if re.match(rf"KEPT .*\b{function}\(", line))
    last = text.index("}", first)
    return next((i - first for i in range(first, last) if "\tsink = " in text[i]), None)


def points(program, place):
    """([(address, {variable: place or None})], None) or ([], the first sentence of the refusal)."""
    done = sonde("vars", "--json", "-x", program, place)
    if done.returncode:
        return [], re.sub(r"^sonde: ", "", done.stderr.split("\n")[0])
    return [(int(p["address"], 16), {v["name"]: v.get("place") for v in p["variables"]})
            for p in json.loads(done.stdout)["points"] if not p["inlined_into"]], None


def given(program, definition):
    """{field: how it is read} of a definition, or the refusal."""
    done = sonde("add", "-D", "-x", program, definition)
    if done.returncode:
        return re.sub(r"^sonde: ", "", done.stderr.split("\n")[0])
    return dict(word.split("=", 1) for word in done.stdout.split() if "=" in word)


def questions(last):
    """The places to ask for. last: {function: offset of its last instruction}."""
    for function in FUNCTIONS:
        yield function
        yield f"{function}+4"
        yield f"{function}+{last[function]}"
        line = sink_line(function)
        if line is not None:
            yield f"{function}:{line}"
        yield f"lines:{function}"
    yield from RESULTS


def answer(program, question):
    if question.startswith("lines:"):
        return fmt_lines(program, question.split(":")[1])
    return fmt_given(given(program, question)) if "%" in question else fmt_points(*points(program, question))


def fmt_points(found, why):
    if why:
        return why
    return "; ".join(" ".join([f"{address:#x}", *(f"{name}={place or '-'}".replace(" ", "") for name, place in variables.items())])
                     for address, variables in found)


def fmt_given(fields):
    return fields if isinstance(fields, str) else " ".join(f"{k}={v}" for k, v in fields.items())


def fmt_lines(program, function):
    text = sonde("lines", "-s", HERE, "-x", program, function).stdout
    return " ".join(re.findall(r"^  \* +(\d+)", text, re.M))
