"""How long spans of a range are, by name, from `sonde report --json` alone: what api/stats?what=spans must tell.

Spans are matched plainly here, so only whole ones; those that touch a range count with their whole length. Names of system
calls and functions are the viewer's own matter, so groups are compared by their numbers.
"""
import collections

QUANTILES = (("p50", 5000), ("p95", 9500), ("p99", 9900))


def is_death(e):
    """A switch whose task leaves for ever: X or Z, and no bit below."""
    return e["event"] == "sched_switch" and e["fields"]["prev_state"] & 0x30 and not e["fields"]["prev_state"] & 0x0f


def nested(events, key, is_enter, name):
    """[(start, end, name, key)] of pairs that nest. Who dies leaves nothing: a later task may have its PID."""
    stacks, spans = collections.defaultdict(list), []
    for e in events:
        stack = stacks[key(e)]
        if e["event"] == "sched_switch":
            if is_death(e):
                stack.clear()
        elif is_enter(e):
            stack.append((e["ts"], name(e)))
        elif stack:
            start, text = stack.pop()
            spans.append((start, e["ts"], text, key(e)))
    return spans


def matched(events, first, field):
    """The same of pairs by a field: a first one that comes again begins anew."""
    begun, spans = {}, []
    for e in events:
        k = e["fields"].get(field)
        if e["event"] == first:
            begun[k] = e["ts"]
        elif k in begun:
            spans.append((begun.pop(k), e["ts"], k, 0))
    return spans


def numbers(spans):
    lengths = sorted(end - start for start, end, *_ in spans)
    n = len(lengths)
    row = {"n": n, "total": sum(lengths), "avg": sum(lengths) // n, "min": lengths[0], "max": lengths[-1]}
    return row | {name: lengths[(n * of + 9999) // 10000 - 1] for name, of in QUANTILES}


def kinds(trace, graph_calls):
    """(lanes, spans, whether names can be compared) of each kind of lane that a plain matching can tell."""
    of, names = trace.of, {(e.get("system"), e["event"]) for e in trace.events}
    hard = of("irq_handler_entry", "irq_handler_exit")
    if hard and not any(s in ("irq_vectors", "timer", "ipi") and n.endswith("_entry") for s, n in names):
        spans = nested(hard, lambda e: e["cpu"], lambda e: e["event"].endswith("entry"), lambda e: e["fields"]["name"])
        yield [f"irq:0:{cpu}" for cpu in trace.first], spans, True
    soft = of("softirq_entry", "softirq_exit")
    if soft and not of("timer_expire_entry", "tasklet_entry"):
        spans = nested(soft, lambda e: e["cpu"], lambda e: e["event"].endswith("entry"), lambda e: e["fields"]["vec"])
        yield [f"softirq:0:{cpu}" for cpu in trace.first], spans, True
    calls = nested(of("sys_enter", "sys_exit", "sched_switch"), lambda e: e["pid"], lambda e: e["event"] == "sys_enter",
                   lambda e: e["fields"]["id"])
    if calls:
        pids = sorted({s[3] for s in calls if s[3]})[:200]
        yield [f"sys:0:{pid}" for pid in pids], [s for s in calls if s[3] in pids], True
    graph = graph_calls(of("funcgraph_entry", "funcgraph_exit"))
    pids = sorted(pid for pid in graph if pid)[:200]
    if pids:
        yield [f"calls:0:{pid}" for pid in pids], [(*s, pid) for pid in pids for s in graph[pid]], False
    for first, second, field in (("softirq_raise", "softirq_entry", "vec"), ("sched_waking", "sched_wakeup", "pid")):
        systems = {e["event"]: e["system"] for e in of(first, second)}
        if len(systems) == 2:
            spec = f"pair:0:{systems[first]}/{first}:{systems[second]}/{second}:{field}"
            yield [spec], matched(of(first, second), first, field), True


def check_range(trace, lanes, spans, by_name, start, end):
    inside = [s for s in spans if s[0] <= end and (s[1] > start or s[0] >= start)]
    got, _ = trace.insight("spans", -1, start, end, ",".join(lanes))
    rows = [{k: r[k] for k in ("n", "total", "avg", "min", "max", "p50", "p95", "p99")} for r in got["rows"] if r["n"]]
    where = f"{lanes[0]} … {start} to {end}"
    if not inside:
        return [f"{where}: there is nothing, but {rows[:1]}"] if rows else []
    want = numbers(inside)
    if not rows or rows[0] != want:
        return [f"{where}: {rows[:1]} for {want}"]
    if sum(r["n"] for r in rows[1:]) != want["n"] or sum(r["total"] for r in rows[1:]) != want["total"]:
        return [f"{where}: the names are not all"]
    whole, longest = got["rows"][0], max(s[1] - s[0] for s in inside)
    if not any(s[0] == whole["max_at"] and s[1] - s[0] == longest for s in inside):
        return [f"{where}: the longest is not at {whole['max_at']}"]
    groups = collections.defaultdict(list)
    for s in inside:
        groups[s[2]].append(s)
    order = lambda row: sorted(row.items())
    wanted = sorted((numbers(g) for g in groups.values()), key=order)
    if by_name and sorted(rows[1:], key=order) != wanted:
        return [f"{where}: {len(rows) - 1} names for {len(wanted)}"]
    return []


def check_lengths(trace, graph_calls):
    """covers: V09 B07"""
    if trace.path.stem == "lost-events":
        return None                                     # a plain matching is wrong where events are missing
    problems, n = [], 0
    for lanes, spans, by_name in kinds(trace, graph_calls):
        longest = max(spans, key=lambda s: s[1] - s[0])
        middle = (longest[0] + longest[1]) // 2
        n += len(spans)
        for start, end in ((0, trace.end), (trace.end // 3, trace.end * 2 // 3), (middle, middle),
                           (longest[1], longest[1] + 1_000_000)):
            problems += check_range(trace, lanes, spans, by_name, start, end)
    return problems if n else None
