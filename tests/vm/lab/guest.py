"""A guest: a QEMU process that takes jobs over a shared directory until it is stopped.

    DIR/                 the session, named by whoever starts it
        pid              process and its start time, so that a re-used number is not mistaken for it
        lock             held while a job is under way: jobs queue
        console.log      what the guest's kernel said
        qemu.log         what QEMU said
        initrd
        session.json     what later jobs must know
        share/           the guest's /run/share; ../guest/agent describes it

Any process that knows DIR can give jobs. A job's own time limit is kept inside the guest; the host
waits a grace longer and then holds the guest for hung. QEMU runs under timeout(1), so that a guest
whose owner was killed ends by itself too.

A guest of a kind that has booted before does not boot: see saved.py.

QEMU emulates the CPU in software unless KVM is there and a probe boots with it: hardware
virtualisation may be offered and yet hang. Booting the unpacked kernel (PVH) would save three of
seven seconds, but then the kernel runs where it was linked; we want it randomly placed, as in life.
"""

import contextlib
import glob
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

from . import BootFailed, GuestDied, Misuse, Unavailable
from .cache import cache_dir, locked, package_tree, program_built
from .initrd import initrd_write
from .kernel import kernel_find
from .saved import (Line, Monitor, can_save, content_mark, file_mark, go, load_options, save, saved_path,
                    saving_path, wait_ready)

HERE = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
SOURCE = os.path.dirname(os.path.dirname(HERE))

QEMU = "qemu-system-x86_64"
# One thread for all emulated CPUs: with one each, guests hung now and then while one CPU patched the code that
# another was running (functions, probes).
# Without fast strings (erms, fsrm) the kernel and the C library move words; with them they move bytes,
# one by one where the CPU is emulated. Without a fifth level of page tables and SMAP there is less to do.
# Without AVX, or XSAVE, it is not quicker: 23.5 and 24.9 s of CPU time for a mix of commands, 23.5 with both.
ACCELERATORS = {
    "tcg": ["-accel", "tcg,thread=single", "-cpu", "max,-erms,-fsrm,-la57,-smap,-smep"],
    "kvm": ["-accel", "kvm", "-cpu", "host"],
}

BOOT_LIMIT_S = 300
SAVED = "stock", "rt", "new"    # the kernel that is built here has not been tried: it boots
PROBE_LIMIT_S = 10
LIFE_LIMIT_S = 3600
JOB_GRACE_S = 30
STOP_LIMIT_S = 15
END_LIMIT_S = 15
LAST_WORDS = 50


def checkout_path(variable, default):
    """What a variable of the environment names, else a path of this checkout."""
    return os.path.realpath(os.environ.get(variable) or os.path.join(SOURCE, default))


class Job:
    """A finished job: its exit status, where its output lies, what it did to the guest."""

    def __init__(self, path):
        self.path = path
        self.out = os.path.join(path, "out")
        self.rc = int(self.text("rc"))
        self.dirt_before = self.text("before").strip()
        self.dirt_after = self.text("after").strip()
        self.timed_out = os.path.exists(os.path.join(path, "timed-out"))

    def text(self, name):
        with open(os.path.join(self.path, name), encoding="utf-8", errors="replace") as file:
            return file.read()

    def copy_output(self, name, stream):
        with open(os.path.join(self.path, name), "rb") as file:
            shutil.copyfileobj(file, stream.buffer)
        stream.flush()


class Guest:
    def __init__(self, path):
        """A handle on the session in `path`, running or not."""
        self.path = os.path.realpath(path)
        self.share = os.path.join(self.path, "share")
        self.process = None
        self.lines = None       # its monitor and its line until it is up: what a closed line holds is lost
        self.unsaved = None     # where a guest that boots is to be saved
        self.turn = contextlib.ExitStack()      # a lock until it is saved

    def start(self, cpus=2, memory_mb=2048, kernel="stock", append="", accel="auto", owned=False,
              wire=None, common=None, disk_mb=0):
        """Boot, or load what was saved after an earlier boot; the guest accepts jobs when wait_up() returns.

        An owned guest ends with the thread that started it, however that ends. One of several
        gets its place on their wire and the directory they have in common: see group.py.
        """
        if os.path.exists(self._file("pid")):
            raise Misuse(f"{self.path} already holds a session; stop it or name another directory")
        require_host()
        flavour, kernel = kernel, kernel_find(kernel)
        try:
            os.makedirs(os.path.join(self.share, "jobs"), exist_ok=True)
        except OSError as err:
            raise Misuse(f"cannot make the session {self.path}: {err.strerror}") from err
        for name in ("up", "next"):
            _remove(os.path.join(self.share, name))
        self._write_initrd(kernel)
        accel = accel_choose(accel, kernel, self._file("initrd"))
        self._write_settings(kernel, accel, wire)
        more = self._shares() + (self._disk(disk_mb) if disk_mb else [])
        saved = accel == "tcg" and flavour in SAVED and not append and not disk_mb and can_save()
        if saved:
            append += " lab.wait"
        if wire:
            append += f" lab.guest={wire.number} lab.address={address(wire.number)}/24"
            more += wire.options() + share_options("common", common, False)
        command = qemu_command(kernel, self._file("initrd"), self._file("console.log"), accel,
                               cpus, memory_mb, append) + more
        if saved:
            place = f"{wire.number}of{wire.n_guests}" if wire else "1of1"
            parts = [word.replace(self.path, "").replace(os.path.dirname(common), "") for word in command]
            self._load(command, saved_path(f"{flavour}-{cpus}-{memory_mb}-{place}", parts, file_mark(kernel.image),
                                           content_mark(self._file("initrd")), file_mark(shutil.which(QEMU))),
                       owned, wire and wire.path)
        else:
            self._launch(command, owned, wire and wire.path)

    def _load(self, command, path, owned, cwd):
        """Start from the saved guest; where there is none that can be loaded, boot, and save it in wait_up().
        Who comes meanwhile waits for that: loading takes much less than a boot of its own."""
        if self._load_saved(command, path, owned, cwd):
            return
        self.turn.enter_context(locked(saving_path(path)))
        if self._load_saved(command, path, owned, cwd):
            self.turn.close()
            return
        self._launch_with_lines(command, owned, cwd)
        self.unsaved = path

    def _load_saved(self, command, path, owned, cwd):
        if not os.path.exists(path):
            return False
        self._launch_with_lines(command + load_options(path), owned, cwd)
        monitor, line = self.lines
        try:
            monitor.wait_running(time.monotonic() + BOOT_LIMIT_S)
            go(line)
            os.utime(path)
            return True
        except OSError as err:
            print(f"lab: booting, because a saved guest could not be loaded: {err}", file=sys.stderr)
            self.end()
            _remove(path)
            return False

    def _launch_with_lines(self, command, owned, cwd):
        monitor, line = Monitor(), Line()
        options = [*monitor.option("monitor"), "-mon", "chardev=monitor,mode=control",
                   *line.option("line"), "-serial", "chardev:line"]
        self._launch(command + options, owned, cwd, [monitor.theirs.fileno(), line.theirs.fileno()])
        monitor.started()
        line.started()
        self.lines = monitor, line

    def _save(self):
        monitor, line = self.lines
        path, self.unsaved = self.unsaved, None
        if not wait_ready(line, time.monotonic() + BOOT_LIMIT_S):
            return      # whoever waits for the guest will find out why
        try:
            save(monitor, path)
        except OSError as err:
            print(f"lab: the guest cannot be saved, so the next one boots, too: {err}", file=sys.stderr)
        go(line)

    def wait_up(self):
        """Wait until the guest accepts jobs."""
        try:
            if self.unsaved:
                self._save()
            up = os.path.join(self.share, "up")
            self._wait(lambda: os.path.exists(up), BOOT_LIMIT_S, "did not come up")
        except GuestDied as err:
            raise BootFailed(str(err)) from err
        finally:
            self.lines = None
            self.turn.close()

    def kernel(self):
        """The tree of the kernel's package."""
        return os.path.realpath(json.loads(self._text("session.json"))["kernel"])

    def run(self, commands, limit_s, shell="bash", files=None):
        """Run shell commands in the guest and return the finished Job. They find in $OUT what is in the
        directory `files`."""
        if not self.alive():
            raise Misuse(f"no guest runs in {self.path}; start one with tests/vm/session start")
        settings = json.loads(self._text("session.json"))
        with locked(self._file("lock")):
            jobs = os.path.join(self.share, "jobs")
            number = str(len(os.listdir(jobs)) + 1)
            path = os.path.join(jobs, number)
            os.makedirs(os.path.join(path, "out"))
            if files:
                shutil.copytree(files, os.path.join(path, "out"), dirs_exist_ok=True, symlinks=True)
            program = checkout_path("SONDE", "build/sonde")
            job = {"limit": str(limit_s), "shell": shell, "source": SOURCE,
                   "sonde": program, "version": _version(program),
                   "golden": checkout_path("GOLDEN", "build/golden"),
                   "kernel": self.kernel(),
                   "guest": str(settings["guest"]), "addresses": settings["addresses"]}
            _write(path, "job", "".join(f"{k}={shlex.quote(v)}\n" for k, v in job.items()))
            _write(path, "commands", commands + "\n")
            self._send(number)
            self._wait(lambda: _ends_with_newline(os.path.join(path, "rc")),
                       limit_s + JOB_GRACE_S, "does not answer any more")
        return Job(path)

    def stop(self):
        """Switch the guest off; end its process if it does not obey. No guest: nothing to do."""
        if self.alive():
            self._send("stop")
            if not self._ended_within(STOP_LIMIT_S):
                self.end()
        _remove(self._file("pid"))

    def end(self):
        """End the guest's process without asking the guest."""
        if self.alive():
            # timeout(1) passes this on, and kills after its -k seconds what does not go.
            os.kill(self._pid(), 15)
            self._ended_within(END_LIMIT_S)
        self.turn.close()
        _remove(self._file("pid"))

    def cpu_s(self):
        """The CPU time that the emulation has used so far; 0 where that cannot be told."""
        try:
            pid = self._pid()
            with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
                return sum(map(_cpu_time, [pid, *map(int, file.read().split())]))
        except (OSError, ValueError, IndexError):
            return 0.0

    def alive(self):
        if self.process and self.process.poll() is not None:
            return False
        try:
            return _start_time(self._pid()) == int(self._text("pid").split()[1])
        except (OSError, ValueError, IndexError):
            return False

    def _launch(self, command, owned, cwd, fds=()):
        wrapper = ["timeout", "-k", "5", str(LIFE_LIMIT_S)]
        if owned:
            wrapper = ["setpriv", "--pdeathsig", "TERM", *wrapper]
        with open(self._file("qemu.log"), "wb") as log:
            self.process = subprocess.Popen(wrapper + command, stdin=subprocess.DEVNULL, cwd=cwd,
                                            stdout=log, stderr=log, start_new_session=True,
                                            pass_fds=fds)
        pid = self.process.pid
        _write(self.path, "pid", f"{pid} {_start_time(pid)}\n")

    def _write_settings(self, kernel, accel, wire):
        tree = os.path.dirname(os.path.dirname(kernel.image))
        numbers = range(1, wire.n_guests + 1) if wire else ()
        with open(self._file("session.json"), "w", encoding="utf-8") as file:
            json.dump({"kernel": tree, "accel": accel, "guest": wire.number if wire else 1,
                       "addresses": " ".join(map(address, numbers))}, file)

    def _write_initrd(self, kernel):
        busybox = os.path.join(package_tree("busybox"), "bin", "busybox")
        scripts = os.path.join(HERE, "guest")
        programs = {"busybox": busybox, "look": program_built(os.path.join(scripts, "look.c"))}
        initrd_write(self._file("initrd"), kernel, programs, scripts)

    def _shares(self):
        return [*share_options("hostroot", "/", True), *share_options("hostlive", "/", True),
                *share_options("share", self.share, False)]

    def _disk(self, megabytes):
        """A disk whose writes are done when the host has them in memory: none of it must last."""
        path = self._file("disk")
        with open(path, "wb") as file:
            file.truncate(megabytes << 20)
        return ["-drive", f"file={path.replace(',', ',,')},if=none,id=disk,format=raw,cache=unsafe",
                "-device", "virtio-blk-pci,drive=disk"]

    def _send(self, word):
        _write(self.share, "next", word + "\n")

    def _wait(self, done, limit_s, complaint):
        """Until done() is true. A guest that lets us wait is ended and its last words reported."""
        deadline = time.monotonic() + limit_s
        while not done():
            if not self.alive():
                if done():
                    return
                raise GuestDied(self._last_words("went away"))
            if time.monotonic() > deadline:
                self.end()
                raise GuestDied(self._last_words(f"{complaint} ({limit_s} s)"))
            time.sleep(0.02)

    def _ended_within(self, limit_s):
        deadline = time.monotonic() + limit_s
        while self.alive():
            if time.monotonic() > deadline:
                return False
            time.sleep(0.02)
        return True

    def _last_words(self, what):
        lines = []
        for name in ("qemu.log", "console.log"):
            if os.path.exists(self._file(name)):
                text = self._text(name).splitlines()
                lines += [f"    {line}" for line in text if line.strip()][-LAST_WORDS:]
        return "\n".join([f"the guest {what}; the end of its console:", *lines])

    def _pid(self):
        return int(self._text("pid").split()[0])

    def _file(self, name):
        return os.path.join(self.path, name)

    def _text(self, name):
        with open(self._file(name), encoding="utf-8", errors="replace") as file:
            return file.read()


def address(number):
    """The IP address of a guest among several."""
    return f"10.9.9.{number}"


def require_host():
    """Say why this machine cannot have a guest, if so."""
    if os.uname().machine != "x86_64":
        raise Unavailable(f"the guest is an x86_64 machine, this one is {os.uname().machine}")
    if not shutil.which(QEMU):
        raise Unavailable(f"{QEMU} is missing; install the packages that tests/vm/deps names")


def qemu_command(kernel, initrd, console, accel, cpus, memory_mb, append):
    # Huge pages are put together with interrupts from CPU to CPU; emulated, that has hung.
    # The kernel checks that its timer ticks while it waits for a moment, and panics if it does not; where
    # the host is busy, that moment may pass without us. What guards against attackers only costs time.
    # Who switches tracing waits for all CPUs to have been somewhere else, often and for some ticks each time:
    # most of what trace-cmd takes. Asked for, they are at once.
    parameters = ("console=ttyS0 quiet panic=-1 tsc=reliable clocksource=tsc no_timer_check "
                  "transparent_hugepage=never mitigations=off init_on_alloc=0 audit=0 "
                  "rcupdate.rcu_expedited=1 "
                  f"{append}")
    return [QEMU, *ACCELERATORS[accel], "-m", str(memory_mb), "-smp", str(cpus),
            "-nodefaults", "-no-user-config", "-no-reboot", "-display", "none",
            "-serial", f"file:{console}", "-kernel", kernel.image, "-initrd", initrd,
            "-append", parameters.strip()]


def share_options(tag, path, read_only):
    # In QEMU's option syntax a comma within a value is doubled.
    fsdev = f"local,id={tag},path={path.replace(',', ',,')},security_model=none,multidevs=remap"
    return ["-fsdev", fsdev + (",readonly=on" if read_only else ""),
            "-device", f"virtio-9p-pci,fsdev={tag},mount_tag={tag}"]


def accel_choose(wanted, kernel, initrd):
    if wanted != "auto":
        return wanted
    if not os.access("/dev/kvm", os.R_OK | os.W_OK):
        return "tcg"
    with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
        remembered = os.path.join(cache_dir(), "kvm-" + file.read().strip())
    with locked(os.path.join(cache_dir(), "lock-kvm")):     # guests start at once: one probes, the others wait
        if not os.path.exists(remembered):
            answer = "yes" if kvm_probe(kernel, initrd) else "no"
            for earlier in glob.glob(os.path.join(glob.escape(cache_dir()), "kvm-*")):
                _remove(earlier)
            _write(os.path.dirname(remembered), os.path.basename(remembered), answer + "\n")
    with open(remembered, encoding="ascii") as file:
        return "kvm" if file.read().strip() == "yes" else "tcg"


def kvm_probe(kernel, initrd):
    """Whether a guest under KVM reaches its first program soon."""
    with tempfile.TemporaryDirectory() as work:
        console = os.path.join(work, "console")
        command = qemu_command(kernel, initrd, console, "kvm", 2, 512, "lab.probe")
        subprocess.run(["timeout", "-k", "1", str(PROBE_LIMIT_S), *command], check=False,
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        try:
            with open(console, "rb") as file:
                return b"lab: probe reached" in file.read()
        except OSError:
            return False


def _start_time(pid):
    """When the process started, in clock ticks; field 22 of its stat, counted behind the name."""
    with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    if fields[0] == "Z":
        raise ProcessLookupError(pid)
    return int(fields[19])


def _cpu_time(pid):
    """Fields 14 and 15 of a process's stat, user and system time, in seconds."""
    with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _version(path):
    """Another word for every file that is put there; the guest then takes a new copy."""
    try:
        stat = os.stat(path)
        return f"{stat.st_ino}-{stat.st_mtime_ns}-{stat.st_size}"
    except OSError:
        return "none"


def _ends_with_newline(path):
    try:
        with open(path, "rb") as file:
            return file.read().endswith(b"\n")
    except FileNotFoundError:
        return False


def _write(directory, name, text):
    """Write a file so that its reader sees all of it or nothing."""
    path = os.path.join(directory, name)
    new = f"{path}.{os.getpid()}"
    with open(new, "w", encoding="utf-8") as file:
        file.write(text)
    os.rename(new, path)


def _remove(path):
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass
