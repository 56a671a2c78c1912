"""Mutated input about functions of programs: directories of uftrace, programs that are traced, what they say."""
import os
import pathlib
import re
import shutil
import socket
import subprocess

from files import DIRECTORY_WAYS, program_examples
from mutate import ODD, mutate
from target import GOLDEN, NOBODY, ROOT, SONDE, Finding, environment, run, unprivileged, wait_for

CHECK_EVERY = 20
WAIT_S = 120
ORDERS = (b"status\0", b"functions\0", b"functions\0/^(add|mul)$/\0", b"off\0add\0", b"on\0add\0", b"off\0", b"on\0",
          b"mark\0here\0it\0is\0", b"functions\0l*@x\0")
# What a traced program could do: speak to the recorder, and write into the memory that it shares with it.
FILE_BYTES = 4 << 30       # the memory of rings is a file
HOSTILE = ROOT / "tests/attack/hostile.py"


def own(path):
    if not os.geteuid():
        os.chown(path, NOBODY, NOBODY)


def new_place(work):
    place = work / "out"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    own(place)
    return place


class Directories:
    """uftrace.data, one or two files of it mutated, with what reads it."""

    def __init__(self, work):
        self.good = work / "good"
        done = subprocess.run([SONDE, "export", "--uftrace", self.good, GOLDEN / "made-user.dat"], capture_output=True,
                              env=environment())
        if done.returncode:
            raise Finding(f"no directory to begin with: {done.stderr[-1000:]!r}")
        (self.good / "default.opts").write_text("-F main -t 1us -D 20 -T 'read_all@depth=3'\n")
        self.script = work / "script.lua"
        self.script.write_text("function uftrace_entry(c) n = c.name .. c.tid end\n")

    def attack(self, work, chance):
        bad = new_place(work) / "data"
        shutil.copytree(self.good, bad)
        files = sorted(bad.iterdir())
        for path in chance.sample(files, chance.randint(1, 2)):
            path.write_bytes(mutate(path.read_bytes(), chance))
            shutil.copy(path, work / f"bad.{path.name}")
        for path in (bad, *bad.iterdir()):
            path.chmod(0o755)
        line = chance.choice(DIRECTORY_WAYS).format(file=bad, script=self.script)
        try:
            run(["as", "uftrace", *line.split(), "-d", bad], prefix=unprivileged(), env=environment(HOME=bad.parent))
        except Finding as finding:
            raise Finding(f"{finding}\nthe directory: {bad}") from None
        for path in work.glob("bad.*"):
            path.unlink()


class Images:
    """Mutated programs that start under `record -u`: the recorder plans what they have mapped."""

    def __init__(self, work):
        self.examples = program_examples(work)
        for example in self.examples:   # if recording fails, no plan is attacked
            self.record(work, example, ["-u"])
            out = subprocess.run([SONDE, "functions", work / "out/t.dat"], capture_output=True, text=True, env=environment())
            if " main" not in out.stdout:
                raise Finding(f"a right program is not recorded: {out.stdout[-500:]} {out.stderr[-500:]}")

    def attack(self, work, chance):
        how = chance.choice(([], ["--args"], ["--libcalls"], ["--arg", "work@arg1,arg2"],
                             ["--arg", "work(number, box->name)"], ["--if", "work: number > 3"]))
        self.record(work, mutate(chance.choice(self.examples), chance), ["-u", *how])

    def record(self, work, image, how):
        place = new_place(work)
        bad = place / "bad.elf"
        bad.write_bytes(image)
        bad.chmod(0o755)
        shutil.copy(bad, work / "bad.elf")
        # a spoilt program may run for ever: that is its own affair
        program = ["prlimit", "--cpu=1", "--nproc=64", "timeout", "-s", "KILL", "10", bad]
        run(["record", *how, "-o", place / "t.dat", *program], prefix=unprivileged(), file_bytes=FILE_BYTES,
            env=environment(HOME=place, TMPDIR=place))


class Rings:
    """A traced program that says mutated hellos, and scribbles over the rings of all."""

    def __init__(self, work):
        pass

    def attack(self, work, chance):
        place = new_place(work)
        seed = chance.randrange(1 << 32)
        (work / "bad.seed").write_text(f"{seed}\n")
        run(["record", "-u", "-o", place / "t.dat", "python3", HOSTILE, str(seed)], prefix=unprivileged(),
            env=environment(HOME=place, TMPDIR=place), file_bytes=FILE_BYTES)
        if not (place / "t.dat").exists():
            raise Finding("nothing is recorded")
        run(["report", place / "t.dat"], prefix=unprivileged())


class Orders:
    """Mutated requests to the socket of `sonde ctl`, by its own user."""

    def __init__(self, work):
        self.work, self.n = work, 0
        self.start()

    def start(self):
        place = new_place(self.work)
        self.log = open(self.work / "record.err", "w+b")
        self.proc = subprocess.Popen([*unprivileged(), SONDE, "record", "-u", "-o", place / "t.dat", "cat"],
                                     stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=self.log,
                                     env=environment(HOME=place, TMPDIR=place))
        self.name = wait_for(self.find, "the socket of sonde ctl")

    def find(self):
        found = re.search(rf"@(sonde-ctl-{self.proc.pid}-[0-9a-f]+)$", pathlib.Path("/proc/net/unix").read_text(), re.M)
        return found and found[1]

    def ask(self, raw):
        # only its own user and root are answered: this is root, or that user
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as client:
            client.settimeout(WAIT_S)
            answer = b""
            try:
                client.connect("\0" + self.name)
                client.send(raw)
                while piece := client.recv(1 << 16):
                    answer += piece[1:]
            except TimeoutError:
                raise Finding(f"sonde record holds a request for {WAIT_S} s: {raw[:300]!r}") from None
            except OSError:     # it ended the connection
                pass
            return answer

    def attack(self, work, chance):
        raw = mutate(chance.choice(ORDERS), chance) if chance.random() < 0.8 else \
            chance.choice(ORDERS).rstrip(b"\0") + b"\0" + chance.choice(ODD).to_bytes(8, "little") * 200 + b"\0"
        if raw.startswith(b"stop"):
            return
        (work / "bad.order").write_bytes(raw)
        if raw:
            self.ask(raw)
        self.n += 1
        if self.n % CHECK_EVERY == 0:
            self.check_alive()

    def check_alive(self):
        said = pathlib.Path(self.log.name).read_bytes()
        if self.proc.poll() is not None or b"Sanitizer" in said or b"runtime error:" in said:
            raise Finding(f"sonde record ended, or a sanitizer speaks: {said[-3000:]!r}")
        if f"recording  {self.proc.pid}".encode() not in self.ask(b"status\0"):
            raise Finding("sonde record does not tell its status")

    def close(self):
        self.check_alive()
        self.proc.stdin.close()
        if self.proc.wait(WAIT_S):
            raise Finding(f"sonde record failed: {pathlib.Path(self.log.name).read_bytes()[-2000:]!r}")
        self.log.close()
