"""Which lanes of a trace finding.c tries: every kind that the trace can have.

A span that is asked for by time (at, nearest, next, previous), the listing of a part and the exact records of tiles
must all be spans of the lane's whole listing.
"""
import collections


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
