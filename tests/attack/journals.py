"""Mutated journals: the next sonde reads what a dead one left in its directory, and undoes it."""
import os

from mutate import mutate
from target import NOBODY, Finding, environment, run, unprivileged

FILES = {
    "README": "", "trace": "", "tracing_on": "1\n", "current_tracer": "nop\n", "available_tracers": "function nop\n",
    "set_event": "", "trace_clock": "[local] global\n", "buffer_size_kb": "1408\n", "kprobe_events": "",
    "uprobe_events": "", "dynamic_events": "", "trace_marker": "", "available_events": "sched:sched_switch\n",
    "events/enable": "0\n", "events/sched/enable": "0\n", "events/sched/sched_switch/enable": "0\n",
    "events/sched/sched_switch/filter": "none\n", "events/sched/sched_switch/trigger": "",
    "events/sched/sched_switch/format": "name: sched_switch\nID: 3\nformat:\n\nprint fmt: \"x\"\n",
    "options/stacktrace": "0\n", "per_cpu/cpu0/stats": "", "instances/sonde.1234/trace": "",
}
JOURNAL = (b"instance sonde.1234\ntop 1234\nlive {work}/trace.dat\nprobe sonde_1234/vfs_read\nmarks 4711 360012\n"
           b"file - set_event 20\nsched:sched_switch\n\nfile sonde.1234 tracing_on 2\n1\n"
           b"file - events/sched/sched_switch/filter 16\nprev_prio < 100\n\n")


def make_tracing(place):
    """A directory that looks like the kernel's, and belongs to the program under attack."""
    for name, text in FILES.items():
        path = place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    if not os.geteuid():
        for top, dirs, files in os.walk(place):
            for name in [top] + [os.path.join(top, n) for n in dirs + files]:
                os.chown(name, NOBODY, NOBODY)


class Journals:
    def __init__(self, work):
        self.tracing, self.run_dir = work / "tracing", work / "run"
        self.run_dir.mkdir(mode=0o700)
        make_tracing(self.tracing)
        if not os.geteuid():
            os.chown(self.run_dir, NOBODY, NOBODY)

    def attack(self, work, chance):
        bad = mutate(JOURNAL.replace(b"{work}", bytes(work)), chance)
        path = self.run_dir / "journal.4242"
        for old in self.run_dir.iterdir():
            old.unlink(missing_ok=True)  # a guardian may still remove its own
        path.write_bytes(bad)
        if not os.geteuid():
            os.chown(path, NOBODY, NOBODY)
        (work / "bad.journal").write_bytes(bad)
        try:
            run(chance.choice((["stream", "-e", "sched", "true"], ["count", "-e", "sched:sched_switch", "true"])),
                prefix=unprivileged(), env=environment(SONDE_TRACEFS=self.tracing, SONDE_RUN_DIR=self.run_dir))
        except Finding as finding:
            raise Finding(f"{finding}\ninput: {work / 'bad.journal'}") from None


def journals(work):
    return Journals(work)
