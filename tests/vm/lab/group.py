"""One guest, or several on one wire, of which the first runs the commands.

    DIR/                the session of the first guest, see guest.py
    DIR/guest2/ …       those of the others
    DIR/common/         /run/common in every guest, in a group of more than one:
        files/          theirs to use: $SHARED
        2/N/ …          what guest 2 is asked to run: ../guest/prelude (on) and ../guest/serve
        2/gone          guest 2 ended, so that nobody waits for it
        stop            the first guest is done, the others end their serving

The wire is an Ethernet without a way out. The hub is in the process of the first guest, the links
are pairs of datagram sockets in DIR:

    guest 1 ─ nic ─┐
                   ├─ hub ─ link2 ─ DIR/2.hub ⇄ DIR/2.guest ─ nic ─ guest 2
                   └─ hub ─ link3 …

The others serve for as long as the first runs one job, so all of them see one test at a time, and
what a test leaves behind in any of them is found.
"""

import glob
import os
import shutil
import threading
import time

from . import GuestDied
from .guest import JOB_GRACE_S, Guest

MAX_GUESTS = 4


class Wire:
    """The place of a guest on the wire."""

    def __init__(self, path, number, n_guests):
        self.path = path
        self.number = number
        self.n_guests = n_guests

    def options(self):
        """What QEMU is told; the sockets' names are relative, because they must be short."""
        nic = ["-device", f"virtio-net-pci,netdev=nic,mac=52:54:00:09:09:{self.number:02x}"]
        if self.number > 1:
            return [*self._link("nic", f"{self.number}.guest", f"{self.number}.hub"), *nic]
        ports = ["-netdev", "hubport,id=nic,hubid=0"]
        for i in range(2, self.n_guests + 1):
            ports += [*self._link(f"link{i}", f"{i}.hub", f"{i}.guest"),
                      "-netdev", f"hubport,id=port{i},hubid=0,netdev=link{i}"]
        return [*ports, *nic]

    @staticmethod
    def _link(name, local, remote):
        return ["-netdev", f"dgram,id={name},local.type=unix,local.path={local},"
                           f"remote.type=unix,remote.path={remote}"]


class Group:
    def __init__(self, path):
        """A handle on the guests of the session in `path`, running or not."""
        self.path = os.path.realpath(path)
        self.common = os.path.join(self.path, "common")
        others = glob.glob(f"{glob.escape(self.path)}/guest[0-9]")
        self.guests = [Guest(self.path), *map(Guest, sorted(others))]

    def start(self, guests=1, **settings):
        """Boot all of them at once; the seconds that took. Settings: see Guest.start()."""
        began = time.monotonic()
        for i in range(2, guests + 1):
            self.guests.append(Guest(os.path.join(self.path, f"guest{i}")))
        if guests > 1:
            os.makedirs(os.path.join(self.common, "files"), exist_ok=True)
        for i, guest in enumerate(self.guests, 1):
            wire = Wire(self.path, i, guests) if guests > 1 else None
            guest.start(**settings, wire=wire, common=self.common)
        for guest in self.guests:
            guest.wait_up()
        return time.monotonic() - began

    def cpu_s(self):
        """The CPU time that all of them have used so far."""
        return sum(guest.cpu_s() for guest in self.guests)

    def kernel(self):
        return self.guests[0].kernel()

    def run(self, commands, limit_s, shell="bash", files=None):
        """Run commands in the first guest, while the others serve; the finished Job of the first,
        which also tells what was left behind in the others."""
        stop = os.path.join(self.common, "stop")
        self._forget_requests(stop)
        others = [Task(self._serve, i, guest, limit_s)
                  for i, guest in enumerate(self.guests[1:], 2)]
        try:
            job = self.guests[0].run(commands, limit_s, shell, files)
        finally:
            if others:
                _touch(stop)
        for i, other in enumerate(others, 2):
            served = other.result()
            job.dirt_before = _joined(job.dirt_before, i, served.dirt_before)
            job.dirt_after = _joined(job.dirt_after, i, served.dirt_after)
        return job

    def _forget_requests(self, stop):
        if os.path.exists(stop):
            os.unlink(stop)
        for i in range(2, len(self.guests) + 1):
            requests = os.path.join(self.common, str(i))
            shutil.rmtree(requests, ignore_errors=True)
            os.mkdir(requests)

    def _serve(self, i, guest, limit_s):
        try:
            return guest.run("exec /run/lab/serve", limit_s + JOB_GRACE_S)
        except GuestDied as err:
            raise GuestDied(f"guest {i}: {err}") from err
        finally:
            _touch(os.path.join(self.common, str(i), "gone"))

    def stop(self):
        """Switch all of them off."""
        for task in [Task(guest.stop) for guest in self.guests]:
            task.result()

    def end(self):
        """End their processes without asking."""
        for task in [Task(guest.end) for guest in self.guests]:
            task.result()


class Task:
    """A call in a thread of its own; result() waits and hands on what it returned or raised."""

    def __init__(self, call, *args, **more):
        self.value = self.error = None
        self.thread = threading.Thread(target=self._run, args=(call, args, more), daemon=True)
        self.thread.start()

    def _run(self, call, args, more):
        try:
            self.value = call(*args, **more)
        except BaseException as err:    # handed on, whatever it is
            self.error = err

    def result(self):
        self.thread.join()
        if self.error:
            raise self.error
        return self.value


def _touch(path):
    with open(path, "w", encoding="ascii"):
        pass


def _joined(dirt, number, more):
    return "\n".join([*dirt.splitlines(), *(f"guest {number}: {x}" for x in more.splitlines())])
