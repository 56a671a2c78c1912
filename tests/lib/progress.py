"""Shows how far a test run is: what is done, what failed, what runs now, how long it has taken.

On a terminal it is one line that is kept up to date below everything else. In a log it is a line every
half minute. Everything that a run prints goes through say(), so that the line is never in the middle
of other text. Threads may call all of it.
"""
import shutil
import sys
import threading

from clock import clock_text

LOG_SECONDS = 30
LINE_SECONDS = 1


class Progress:
    def __init__(self, clock, stream=sys.stderr):
        self.clock, self.stream = clock, stream
        self.on_terminal = stream.isatty()
        self.lock = threading.Lock()
        self.ended = threading.Event()
        self.total = self.done = 0
        self.count = {"ok": 0, "FAIL": 0, "skip": 0}
        self.running = {}       # name of a step: its results so far, and the newest of them

    def start(self):
        self.ended.clear()
        threading.Thread(target=self._tick, daemon=True).start()

    def stop(self):
        self.ended.set()
        with self.lock:
            self._clear()

    def begin(self, name):
        with self.lock:
            self.running[name] = [0, ""]

    def end(self, name, counts=True):
        with self.lock:
            self.running.pop(name, None)
            self.done += counts

    def result(self, step, word, name):
        with self.lock:
            self.count[word] += 1
            if step in self.running:
                self.running[step][0] += 1
                self.running[step][1] = name

    def say(self, text, stream=None):
        with self.lock:
            self._clear()
            print(text, file=stream or sys.stdout, flush=True)
            if self.on_terminal and not self.ended.is_set():
                self._draw()

    def line(self):
        now = ", ".join(name + (f" ({n}, after {last.split('/', 1)[-1]})" if n else "")
                        for name, (n, last) in self.running.items())
        where = f"{self.done} of {self.total} done, " if self.total else ""
        return f"{clock_text(self.clock.elapsed())}  {where}{self.count['FAIL']} failed; now: {now or '-'}"

    def _tick(self):
        while not self.ended.wait(LINE_SECONDS if self.on_terminal else LOG_SECONDS):
            with self.lock:
                if self.ended.is_set():
                    return
                self._draw()

    def _draw(self):
        if self.on_terminal:
            width = shutil.get_terminal_size().columns - 1
            self.stream.write("\r\033[K" + self.line()[:width])
        else:
            self.stream.write(self.line() + "\n")
        self.stream.flush()

    def _clear(self):
        if self.on_terminal:
            self.stream.write("\r\033[K")
            self.stream.flush()
