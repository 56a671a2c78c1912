"""What each step of a test run took, by step and by phase.

A step is one program that tests/run started: a build, a unit program, a cli case, a suite. Its phase is
the kind of work: builds, golden traces, checks, unit, cli, suites, lab. Phases overlap, because two
steps run at a time; the CPU times add up, the times on the clock do not.
"""
import re
import time


def clock_text(seconds):
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


class Clock:
    def __init__(self):
        self.began = time.monotonic()
        self.steps = []     # (seconds, seconds of CPU time, when it began, name)
        self.parts = []     # (seconds, CPU, name) of tests inside suites
        self.phases = {}    # name: [steps, CPU, first began, last ended]

    def elapsed(self):
        return time.monotonic() - self.began

    def add(self, phase, name, began, cpu):
        took, began = time.monotonic() - began, began - self.began
        self.steps.append((took, cpu, began, name))
        row = self.phases.setdefault(phase, [0, 0.0, began, 0.0])
        row[0] += 1
        row[1] += cpu
        row[2] = min(row[2], began)
        row[3] = max(row[3], began + took)

    def add_part(self, name, seconds, cpu):
        self.parts.append((seconds, cpu, name))

    def add_measured(self, name, detail):
        """Takes what a suite says a test took; whether it said so."""
        found = re.match(r"([\d.]+) s, ([\d.]+) s of CPU time", detail or "")
        if found:
            self.add_part(name, float(found[1]), float(found[2]))
        return bool(found)

    def phase_table(self):
        """When each phase began and ended, and its CPU time. Half of the sum is the least that two
        cores need."""
        rows = [f"{'phase':<14} {'steps':>5} {'CPU s':>8} {'from':>6} {'to':>6}"]
        for name, (n_steps, cpu, first, last) in self.phases.items():
            rows.append(f"{name:<14} {n_steps:5} {cpu:8.1f} {clock_text(first):>6} {clock_text(last):>6}")
        cpu = sum(row[1] for row in self.phases.values())
        n_steps = sum(row[0] for row in self.phases.values())
        rows.append(f"{'all':<14} {n_steps:5} {cpu:8.1f} {'0:00':>6} {clock_text(self.elapsed()):>6}")
        return "\n".join(rows)

    def step_table(self, n_rows):
        """The steps that took longest. A step whose time is more than its CPU time waited, for the
        other steps or for itself."""
        steps, parts = (sorted(rows, reverse=True) for rows in (self.steps, self.parts))
        return "\n".join(["       s    CPU s    began what",
                          *("%8.1f %8.1f %8.1f %s" % step for step in steps[:n_rows]),
                          *("%8.1f %8.1f          %s" % part for part in parts[:n_rows])])
