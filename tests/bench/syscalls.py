"""What tracing the system calls of dd costs: two calls for each byte, so the calls are all that it does."""
import subprocess
import sys

from compare import Failed

DD = ["dd", "if=/dev/zero", "of=/dev/null", "bs=1"]
# Runs dd, and prints the CPU time that it alone took: what other programs do at that time does not count.
CPU_OF_DD = ("import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stderr=subprocess.DEVNULL); "
             "usage = resource.getrusage(resource.RUSAGE_CHILDREN); print(usage.ru_utime + usage.ru_stime)")


class TracedDd:
    """sonde: the program; medians and seconds: of tests/bench/run."""

    def __init__(self, sonde, runs, medians, seconds):
        self.tracer = [sonde, "trace", "-o", "/dev/null"]
        self.runs, self.medians, self.seconds = runs, medians, seconds

    def bare(self):
        """A million system calls, decoded and printed, against the same calls alone."""
        dd = [*DD, "count=500000"]
        return self.medians(self.runs, lambda: self.seconds([*self.tracer, "-q", *dd]), lambda: self.seconds(dd))

    def cpu(self):
        """What the program pays: its CPU time with all calls decoded and printed, none lost, and alone."""
        return self.medians(self.runs, lambda: self.cpu_of_dd(*self.tracer), self.cpu_of_dd)

    def strace(self):
        """A tenth of that, because strace takes so long."""
        dd = [*DD, "count=50000"]
        return self.medians(3, lambda: self.seconds([*self.tracer, "-q", *dd]),
                            lambda: self.seconds(["strace", "-f", "-o", "/dev/null", *dd]))

    @staticmethod
    def cpu_of_dd(*tracer):
        command = [*tracer, sys.executable, "-S", "-c", CPU_OF_DD, *DD, "count=500000"]
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=True)
        if "lost" in done.stderr:
            raise Failed(done.stderr.strip())
        return float(done.stdout)
