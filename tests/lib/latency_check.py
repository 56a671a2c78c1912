"""What sonde latency, functions and count must find, computed from the lines of sonde report --json.

    sonde report --json FILE | python3 latency_check.py latency A B HOW FIELD_A FIELD_B GROUP RESULT.json
    sonde report --json FILE | python3 latency_check.py functions RESULT.json
    sonde report --json FILE | python3 latency_check.py count EVENTS KEYS RESULT.json

Nothing here is taken from sonde's own code: a dictionary, subtraction, sorting. HOW is thread, cpu or field.
Percentiles may be told too high by one part in 128.
"""
import collections
import json
import sys


def events():
    for line in sys.stdin:
        yield json.loads(line)


def value(event, key):
    field = event["fields"].get(key.lstrip("$")) if not key.startswith("$") else None
    if field is not None:
        return field
    return {"comm": event["comm"], "pid": event["pid"], "cpu": event["cpu"],
            "event": event["event"], "task": f"{event['comm']}-{event['pid']}"}[key.lstrip("$")]


def spread(times):
    times = sorted(times)
    n = len(times)
    return {"count": n, "total": sum(times), "min": times[0], "max": times[-1],
            "avg": sum(times) // n,
            "percentiles": {p: times[-(-n * int(float(p) * 100) // 10000) - 1]
                            for p in ("50", "90", "95", "99", "99.9")}}


def same(found, wanted, where):
    for key in ("count", "total", "min", "max", "avg"):
        assert found[key] == wanted[key], (where, key, found[key], wanted[key])
    for p, exact in wanted["percentiles"].items():
        assert exact <= found["percentiles"][p] <= exact + exact / 128 + 1, (where, p)
    for bucket in found["histogram"]:
        assert bucket["count"] > 0
    assert sum(b["count"] for b in found["histogram"]) == wanted["count"]


def latency(first, last, how, field_a, field_b, group, path):
    found = json.load(open(path))
    starts, times, groups = {}, [], collections.defaultdict(list)
    alone = again = 0
    for e in events():
        who = e["pid"] or -1 - e["cpu"]
        if e["event"] == last:
            key = who if how == "thread" else e["cpu"] if how == "cpu" else e["fields"][field_b]
            if key in starts:
                ts, label = starts.pop(key)
                times.append((e["ts"] - ts, e["ts"]))
                if group != "-":
                    groups[value(e, group) if label is None else label].append(e["ts"] - ts)
            else:
                alone += 1
        if e["event"] == first:
            key = who if how == "thread" else e["cpu"] if how == "cpu" else e["fields"][field_a]
            again += key in starts
            label = e["fields"].get(group) if not group.startswith("$") else None
            starts[key] = e["ts"], label
    same(found, spread([t for t, _ in times]), "all")
    assert found["unmatched"]["open"] == len(starts), (found["unmatched"], len(starts))
    assert found["unmatched"]["alone"] == alone
    assert found["unmatched"]["again"] == again
    worst = sorted(times, key=lambda t: (-t[0], t[1]))[:len(found["worst"])]
    assert [(w["took"], w["to"]) for w in found["worst"]] == worst, worst
    for row in found["groups"]:
        same(row, spread(groups.pop(row[group])), row[group])
    assert not groups, groups
    print(len(times), "times", len(found["groups"]), "groups")


def functions(path):
    found = {f["function"]: f for f in json.load(open(path))["functions"]}
    rows = collections.defaultdict(lambda: [0, 0, 0, 0])
    inner = collections.defaultdict(lambda: collections.defaultdict(int))
    open_calls = collections.defaultdict(dict)      # depth: function; a call inside itself adds nothing to the total
    for e in events():
        who, f = e["pid"] or -1 - e["cpu"], e["fields"]
        if e["event"] == "funcgraph_entry":
            open_calls[who] = {d: o for d, o in open_calls[who].items() if d < f["depth"]}
            open_calls[who][f["depth"]] = f["func"]
            inner[who][f["depth"] + 1] = 0
            if not f["depth"]:
                inner[who][0] = 0
        elif e["event"] == "funcgraph_exit":
            time = f["rettime"] - f["calltime"]
            own = max(time - inner[who].pop(f["depth"] + 1, 0), 0)
            inner[who][f["depth"]] += time
            row = rows[f["func"]]
            row[0] += 1
            if f["func"] not in [o for d, o in open_calls[who].items() if d < f["depth"]]:
                row[1] += time
            row[2] += own
            row[3] = max(row[3], time)
    wanted = collections.defaultdict(list)
    for row in rows.values():
        wanted[row[0], row[1], row[2], row[3]].append(row)
    have = collections.Counter((f["calls"], f["total"], f["self"], f["max"])
                               for f in json.load(open(path))["functions"])
    assert have == collections.Counter({k: len(v) for k, v in wanted.items()})
    print(sum(r[0] for r in rows.values()), "calls", len(rows), "functions", len(found), "names")


def count(names, keys, path):
    found = json.load(open(path))
    wanted = collections.Counter()
    for e in events():
        if e["event"] in names.split(","):
            wanted[tuple(str(value(e, k)) for k in keys.split(","))] += 1
    have = {tuple(str(row[k]) for k in keys.split(",")): row["count"] for row in found["rows"]}
    assert have == wanted, set(have.items()) ^ set(wanted.items())
    assert found["total"] == sum(wanted.values())
    assert [r["count"] for r in found["rows"]] == sorted(wanted.values(), reverse=True)
    print(sum(wanted.values()), "events", len(wanted), "rows")


{"latency": latency, "functions": functions, "count": count}[sys.argv[1]](*sys.argv[2:])
