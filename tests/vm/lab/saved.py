"""Booted guests, saved to the user's cache, so that the next ones need not boot.

    ~/.cache/sonde/lab/
        saved-KERNEL-…-KEY.zst    QEMU's migration stream of a guest just before it mounts the host's files

Why at that moment: QEMU refuses to save a guest that has mounted a 9p share. What comes before is the
same for every guest of a kind: the kernel's start, the modules, the first look at tracefs. What comes
after is a second of CPU time: mounting, the agent's shell.

    guest (../guest/init)                       host (here, guest.py)
    opens ttyS1, writes "ready", reads  ──────► first time: saves the guest, lets it go on
    sets its clock, mounts, starts the agent ◄─ writes a line: the time

KEY is of all that the saved guest depends on: the kernel, the ram disk, QEMU, its options. Another key
makes a new file and removes the old one of that kind. The kernel stays where it was placed at random when the
guest was saved: another place on every machine, and after every change to the lab.

Not saved: guests under KVM, which boot in a second; guests with a disk or with parameters of their own; those of
the kernel that is built here, which nobody has tried.
SONDE_LAB_BOOT=1 in the environment boots as if nothing was saved.

Debian's kernel 6.1, two CPUs, emulated: 7.9 s of CPU time from QEMU's start until the agent answers when it
boots, 1.2 s when it is loaded, and 1 s more than a boot when it is saved (36 MB in the cache).
"""

import contextlib
import glob
import hashlib
import json
import os
import select
import shlex
import shutil
import socket
import subprocess
import time

from .cache import cache_dir

SAVE_LIMIT_S = 120
TOO_OLD_DAYS = 30


class Line:
    """Our end of a pair of sockets whose other end is QEMU's; what comes is read by lines."""

    def __init__(self):
        self.ours, self.theirs = socket.socketpair()
        self.text = b""

    def option(self, name):
        return ["-chardev", f"socket,id={name},fd={self.theirs.fileno()}"]

    def write(self, text):
        self.ours.sendall(text.encode())

    def read(self, deadline):
        """The next line, or None: the guest ended, or the time is over."""
        while b"\n" not in self.text:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.ours], [], [], left)[0]:
                return None
            more = self.ours.recv(4096)
            if not more:
                return None
            self.text += more
        line, _, self.text = self.text.partition(b"\n")
        return line.decode("utf-8", "replace").strip()

    def started(self):
        """QEMU has its own copy of the other end; with ours closed, its end is seen."""
        self.theirs.close()

    def close(self):
        self.ours.close()
        self.theirs.close()


class Monitor(Line):
    """QEMU's monitor: a JSON object a line; see qemu-qmp-ref(7)."""

    def ask(self, command, deadline, **arguments):
        """The answer to a command; raises OSError if it is refused."""
        self.write(json.dumps({"execute": command, "arguments": arguments}) + "\n")
        while (line := self.read(deadline)) is not None:
            answer = json.loads(line)
            if "error" in answer:
                raise OSError(f"{command}: {answer['error'].get('desc')}")
            if "return" in answer:
                return answer["return"]
        raise OSError(f"{command}: no answer")

    def wait_running(self, deadline):
        """Until a guest that is being loaded runs; OSError if it never will."""
        self.ask("qmp_capabilities", deadline)
        while True:
            status = self.ask("query-status", deadline)
            if status["running"]:
                return
            if status["status"] != "inmigrate" or time.monotonic() > deadline:
                raise OSError(f"the saved guest is {status['status']}")
            time.sleep(0.02)


def saved_path(label, *parts):
    """Where a guest that depends on these parts is saved, whether it is there or not."""
    digest = hashlib.sha256(repr(parts).encode()).hexdigest()[:16]
    return os.path.join(cache_dir(), f"saved-{label}-{digest}.zst")


def saving_path(path):
    """The lock of whoever boots a guest of this kind to save it."""
    kind = os.path.basename(path).rpartition("-")[0].removeprefix("saved-")
    return os.path.join(os.path.dirname(path), f"saving-{kind}")


def file_mark(path):
    """Another text for every file that is put there."""
    stat = os.stat(path)
    return f"{path} {stat.st_size} {stat.st_mtime_ns}"


def content_mark(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def load_options(path):
    # QEMU waits for ever for a stream that ends before its first byte; one that is wrong it refuses.
    return ["-incoming", f"exec:zstd -dcq {shlex.quote(path)} || echo wrong"]


def can_save():
    return bool(shutil.which("zstd")) and not os.environ.get("SONDE_LAB_BOOT")


def save(monitor, path):
    """Save a running guest that waits; it runs on. OSError: it could not be saved, which only costs time later."""
    deadline = time.monotonic() + SAVE_LIMIT_S
    part = f"{path}.{os.getpid()}"
    monitor.ask("qmp_capabilities", deadline)
    monitor.ask("migrate-set-parameters", deadline, **{"max-bandwidth": 1 << 40})
    try:
        monitor.ask("migrate", deadline, uri=f"exec:zstd -1 -q > {shlex.quote(part)}")
        while (status := monitor.ask("query-migrate", deadline)["status"]) != "completed":
            if status in ("failed", "cancelled") or time.monotonic() > deadline:
                raise OSError(f"saving the guest: {status}")
            time.sleep(0.02)
        monitor.ask("cont", deadline)
        while subprocess.run(["zstd", "-tq", part], stderr=subprocess.DEVNULL, check=False).returncode:
            if time.monotonic() > deadline:
                raise OSError("saving the guest: the file is not whole")
            time.sleep(0.1)     # QEMU is done when it has passed all on to zstd, not when that has ended
        forget(path)
        os.rename(part, path)
    finally:
        if os.path.exists(part):
            os.unlink(part)


def forget(path):
    """Remove what was saved of this kind before, and what nobody has used for long."""
    before = time.time() - TOO_OLD_DAYS * 86400
    for other in glob.glob(f"{glob.escape(cache_dir())}/saved-*"):
        with contextlib.suppress(FileNotFoundError):    # somebody else was quicker
            is_same_kind = other.rpartition("-")[0] == path.rpartition("-")[0] and other.endswith(".zst")
            if other != path and (is_same_kind or os.stat(other).st_mtime < before):
                os.unlink(other)


def go(line):
    """Let a guest that waits go on, with the time of now."""
    line.write(f"{time.time():.0f}\n")


def wait_ready(line, deadline):
    """Whether the guest came to where it waits."""
    while (text := line.read(deadline)) is not None:
        if text == "ready":
            return True
    return False
