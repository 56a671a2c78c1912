"""Which lanes of a trace finding.c tries: every kind that the trace can have.

A span that is asked for by time (at, nearest, next, previous), the listing of a part and the exact records of tiles
must all be spans of the lane's whole listing.
"""
import collections
import json
import os
import subprocess

OPEN = 8 | 16           # flags of a span that is cut


def specs_of(trace):
    names = collections.Counter((e.get("system"), e["event"]) for e in trace.events if e.get("system"))
    common = [name for name, _ in names.most_common(2)]
    pids = [pid for pid, _ in collections.Counter(e["pid"] for e in trace.events).most_common(4) if pid][:3]
    specs = [f"{kind}:0:{cpu}" for kind in ("cpu", "irq", "softirq", "cpucalls", "all") for cpu in trace.first]
    specs += [f"{kind}:0:{pid}" for kind in ("task", "calls", "sys", "vcpu") for pid in pids]
    specs += [f"event:0:{system}/{name}" for system, name in common]
    specs += [f"pair:0:{system}/{name}:{system}/{name}:cpu" for system, name in common]
    for system, name in common:
        fields = next(e for e in trace.events if e["event"] == name).get("fields") or {}
        numbers = [key for key, value in fields.items() if isinstance(value, int)]
        specs += [f"field:0:{system}/{name}:{field}" for field in numbers[:1]]
    return specs


def check_lanes(trace, specs):
    problems, counts = [], {}
    for line in trace.lanesof("finding", *specs):
        spec, _, number = line.rpartition(" ")
        if spec in specs:
            counts[spec] = int(number)
        else:
            problems.append(line)
    if sorted(counts) != sorted(set(specs)):
        problems.append(f"only {len(counts)} of {len(specs)} lanes were tried")
    return problems if any(counts.values()) else ["no lane has a span"]


def check_finding(trace):
    return check_lanes(trace, specs_of(trace))


def windowed(trace, most, *argv):
    """What lanesof prints if so many events are gathered for one lane at a time; None: it fails."""
    done = subprocess.run([trace.program, trace.path, *map(str, argv)], capture_output=True, text=True,
                          env=os.environ | {"LANESOF_EVENTS_MAX": str(most)}, check=False)
    return done.stdout.splitlines() if not done.returncode else None


def shape(line):
    s = json.loads(line)
    return s and {key: s[key] for key in ("start", "end", "row", "flags", "label")}


def check_window(trace, spec, whole, most):
    got = [shape(line) for line in windowed(trace, most, "lane", spec) or []]
    if not got:
        return [f"{spec}: nothing, with {most} events at a time"]
    if spec.startswith("pair:"):        # which row one gets depends on what was under way when its window began
        got, whole = ([s | {"row": 0} for s in spans] for spans in (got, whole))
    key = lambda s: (s["start"], s["row"], s["label"], s["end"])
    cut = {key(s)[:3] for s in got if s["flags"] & OPEN}
    wanted = [s for s in whole if key(s)[:3] not in cut and not s["flags"] & OPEN]
    n_open = len(whole) - sum(not s["flags"] & OPEN for s in whole)
    got = [s for s in got if key(s)[:3] not in cut]
    if len(cut) > n_open + len(whole) / 10 or sorted(got, key=key) != sorted(wanted, key=key):
        one, other = ({key(s) + (s["flags"],) for s in spans} for spans in (got, wanted))
        odd = sorted(one - other)[:1], sorted(other - one)[:1]
        return [f"{spec}: {len(got)} spans in windows, {len(wanted)} in the whole; {len(cut)} cut: {odd}"]
    if spec.startswith("pair:"):
        return []
    times = [s["start"] + 1 for s in whole[::max(1, len(whole) // 20)] if s["row"] == 0 and s["end"] > s["start"] + 2]
    for step in ("at", "next", "previous"):
        one, other = ([shape(line) for line in lines] for lines in
                      (trace.lanesof("at", spec, 0, step, *times), windowed(trace, most, "at", spec, 0, step, *times)))
        wrong = [(a, b) for a, b in zip(one, other) if a != b and not (b and b["flags"] & OPEN)]
        if wrong or len(one) != len(other):
            return [f"{spec} {step}: {wrong[:1]} in windows"]
    return []


def check_wide_tiles(trace, spec, most):
    """Tiles that are wider than a window cover what those of the whole lane cover, row by row and stripe by stripe."""
    level, stripe = max(0, trace.end.bit_length() - 10), 32
    tiles = [lines and [json.loads(line) for line in lines] for lines in
             (trace.lanesof("tiles", spec, level, 1), windowed(trace, most, "tiles", spec, level, 1))]
    if not all(tiles):
        return [f"{spec}: no tile of all, with {most} events at a time"]
    areas = []
    for records in tiles:
        areas.append(collections.Counter())
        for x0, x1, _, weight, row, _ in records:
            # whether a long call is one record or several does not matter
            for k in range(int(x0) // stripe, int(max(x0, x1 - 1e-6)) // stripe + 1):
                part = min(x1, (k + 1) * stripe) - max(x0, k * stripe)
                areas[-1][0 if spec.startswith("pair:") else row, k] += part * weight / 65535
    if [r[4] for r in tiles[1]] != sorted(r[4] for r in tiles[1]):
        return [f"{spec}: rows of a wide tile are not in order"]
    # which row a pair gets, and whose turn a CPU's functions are, depends on where the window begins
    if spec.split(":")[0] in ("pair", "cpucalls"):
        areas = [{"all": sum(a.values())} for a in areas]
    # the bucket at an edge may be filled by what another window knows
    wrong = [(k, areas[0].get(k, 0), areas[1].get(k, 0)) for k in areas[0] | areas[1]
             if abs(areas[0].get(k, 0) - areas[1].get(k, 0)) > (0.05 * areas[0][k] if k == "all" else 1)]
    return [f"{spec}: of row, stripe {wrong[0][0]} a wide tile covers {wrong[0][2]:.3f}, the lane {wrong[0][1]:.3f}; "
            f"{len(wrong)} of {len(areas[0])} are wrong"] if wrong else []


def check_windows(trace):
    """A lane of more events than are gathered at once: its windows together have the spans of the whole."""
    if trace.path.stem == "lost-events" or trace.cut:
        return None                             # what was left open by a loss is under way in all windows behind it
    problems, n, kinds = [], 0, {"irq", "softirq", "cpucalls", "calls", "sys", "pair"}
    for spec in specs_of(trace):
        if spec.split(":")[0] not in kinds:
            continue
        whole = [shape(line) for line in trace.lanesof("lane", spec, check=False)]
        if len(whole) < 200:
            continue
        most = len(whole) // 4
        if windowed(trace, most, "time", spec) is not None:
            problems.append(f"{spec}: all of it can be had, with {most} events at a time")
        problems += check_window(trace, spec, whole, most) + check_wide_tiles(trace, spec, most)
        all_of, parts = (json.loads(lines[1]) for lines in (trace.lanesof("spans", -1, 0, 1 << 47, spec),
                                                            windowed(trace, most, "spans", -1, 0, 1 << 47, spec)))
        one, other = (answer["rows"][0]["n"] + answer["rows"][0]["cut"] for answer in (all_of, parts))
        # one that nobody saw begin may have no window that it begins in
        if abs(one - other) > all_of["rows"][0]["cut"] or "parts_of" in all_of or not parts.get("parts_of"):
            problems.append(f"{spec}: statistics of windows {parts['rows'][0]}, of the whole {all_of['rows'][0]}")
        kinds.remove(spec.split(":")[0])        # one of each
        n += 1
    return problems if n else None
