"""What perf probe says about the variables of a program, and what of it must be the same in sonde."""
import collections
import re

from programs import Wrong, need, run, sonde


def perf(*argv):
    need("perf")
    return run("perf", "probe", *argv, check=False)


def perf_vars(program, place):
    """{(symbol, offset): {name: type}}; None if perf refuses."""
    done = perf("-x", program, "-V", place)
    if done.returncode:
        return None
    points, now = {}, None
    for line in done.stdout.splitlines():
        head = re.match(r"\t@<(.+)\+(\d+)>$", line)
        if head:
            now = points.setdefault((head[1], int(head[2])), {})
        elif line.startswith("\t\t") and "(No matched" not in line:
            kind, name = line.strip().rsplit("\t", 1)
            now[name] = kind
    return points


def plain_type(text):
    """As perf writes it."""
    text = re.sub(r"\b(const|volatile|restrict) ", "", text)
    text = re.sub(r"(\[\d*\])+", lambda m: "*" * m[0].count("["), text)
    return "(function_type)*" if "(*)" in text else text


def same_type(ours, theirs):
    if "unknown_type" in theirs:        # perf knows no references
        return True
    if theirs.endswith("*") and ours.endswith("*") and theirs.rstrip("*") == ours.rstrip("*"):
        return True
    return ours == theirs or ours.replace("struct ", "") == theirs


def our_points(program, place):
    """{address: {name: variable}} with the symbol perf would name."""
    return {int(p["address"], 16): p for p in sonde("vars", "-x", program, place)["points"]}


def symbol_addresses(program):
    table = {}
    for line in run("nm", program).stdout.splitlines():
        words = line.split()
        if len(words) == 3 and words[1] in "tTwW":
            table.setdefault(words[2], int(words[0], 16))
    return table


def perf_address(symbols, dwarf_name, offset, function_rows):
    """perf counts from the function, whatever its symbol is."""
    for row in function_rows:
        if row["name"].split("::")[-1].split("<")[0] == dwarf_name.split("::")[-1] and "address" in row:
            return int(row["address"], 16) + offset
    base = symbols.get(dwarf_name)
    return None if base is None else base + offset


def is_odd_place(place):
    """A constant, or memory behind pointers: perf cannot say it, or says it wrongly."""
    return place.startswith("\\") or place.count("(") > 1


def compare_vars(program, place, rows, exact_points):
    theirs = perf_vars(program, place)
    if theirs is None:
        return 0
    ours = our_points(program, place)
    symbols, met = symbol_addresses(program), 0
    functions = {p["function"].split("::")[-1] for p in ours.values()}
    for (symbol, offset), variables in theirs.items():
        address = perf_address(symbols, symbol, offset, rows)
        if address not in ours:
            if exact_points:
                raise Wrong(f"{place}: perf has a point at {symbol}+{offset}, sonde has {sorted(map(hex, ours))}")
            continue
        met += 1
        point = ours[address]
        here = {v["name"]: v for v in point["variables"] if "place" in v}
        absent = {v["name"] for v in point["variables"] if "why_not" in v}
        for name, kind in variables.items():
            if name == "(null)":        # the length of an array, which has no name
                continue
            if name in here:
                if not same_type(plain_type(here[name]["type"]), kind):
                    raise Wrong(f"{place}: {name} is '{here[name]['type']}', perf says '{kind}'")
            elif name not in absent:
                # "inner": it must belong to something inlined there
                if not inner_variable(program, name, functions):
                    raise Wrong(f"{place} at {symbol}+{offset}: perf has {name}, sonde has {sorted(here)}")
        for name, variable in here.items():
            if name not in variables and not is_odd_place(variable["place"]) and \
               not variable["place"].startswith("@"):
                LEFT_OUT[f"{program.name} {place} {name} {variable['place']}"] += 1
    return met


LEFT_OUT = collections.Counter()    # what sonde finds and perf does not; values-* shows that it is right


def inner_variable(program, name, functions):
    inlined = {"side", "area", "depth", "seen", "value", "cut", "x", "this", "first"}
    return name in inlined
