"""Mutated sessions of trace-cmd's protocol: against `listen`, as a recorder, and `agent`, as a host."""
import os
import re
import signal
import socket
import struct
import subprocess

from journals import make_tracing
from mutate import mutate
from target import GOLDEN, NOBODY, SONDE, Finding, environment, judge, unprivileged, wait_for

CHECK_EVERY = 20
WAIT_S = 120
VERSION_1 = b"2\x004096\x000\0"


def message(cmd, fixed=b"", body=b""):
    return struct.pack(">III", 12 + len(fixed) + len(body), cmd, len(fixed)) + fixed + body


def recorder_session():
    """What a recorder says after the greeting: two CPUs, the head of a trace, the end."""
    head = (GOLDEN / "made-v7-le-8-4096.dat").read_bytes()
    return message(1, struct.pack(">III", 2, 4096, 1), b"tcp\0") + message(3, b"", head[:3000]) + message(4) \
        + message(6, struct.pack(">IIII", 1, 2, 3, 4), b"x" * 64) + message(0)


def host_session():
    """What a host asks an agent for: a recording of some events, with times exchanged."""
    words = [b"-e", b"sched", b"-f", b"prev_prio < 100", b"-p", b"nop", b"-b", b"100", b"-C", b"global", b"-O",
             b"stacktrace", b"-P", b"1", b"-M", b"3"]
    args = struct.pack(">I", len(words)) + b"".join(w + b"\0" for w in words)
    protos = b"kvm\0ptp\0\0"
    body = struct.pack(">II", 0, len(args)) + args + struct.pack(">II", 1, len(protos)) + protos \
        + struct.pack(">II", 0x736f6e64, 0)
    sync = b"ptp".ljust(16, b"\0")
    return message(6, struct.pack(">IIQ", 0, 0, 0x1234), body) + message(9, sync + struct.pack(">I", 1), b"x" * 16) \
        + message(0)


class Sessions:
    """A server, and clients that say something wrong."""

    def __init__(self, work, words, session, greets, understood):
        self.work, self.words, self.session, self.greets, self.n = work, words, session, greets, 0
        self.dir, self.tracing = work / words[0], work / "tracing"
        self.dir.mkdir()
        if not os.geteuid():
            os.chown(self.dir, NOBODY, NOBODY)
        make_tracing(self.tracing)
        self.start()
        # what is refused as a whole does not reach much, however it is mutated
        self.talk(self.session, True)
        wait_for(lambda: understood in self.log.read_bytes(), f"an answer of {words[0]} to a session that is right")

    def start(self):
        self.log = self.dir / "log"
        self.file = open(self.log, "w+b")
        self.proc = subprocess.Popen([*unprivileged(), SONDE, *self.words, "-p", "0"], cwd=self.dir,
                                     stdout=self.file, stderr=self.file, stdin=subprocess.DEVNULL,
                                     env=environment(HOME=self.dir, SONDE_TRACEFS=self.tracing, SONDE_RUN_DIR=self.dir))
        found = wait_for(lambda: self.proc.poll() is not None
                         or re.search(rb"listening on \S+:(\d+)\n", self.log.read_bytes()), "listening")
        if found is True:
            raise Finding(f"{self.words[0]} does not start: {self.log.read_bytes()[-2000:]!r}")
        self.port = int(found[1])

    def talk(self, raw, greet):
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=WAIT_S) as client:
                if self.greets:
                    client.recv(8)
                if self.greets and greet:
                    client.sendall(b"-1V3\0")
                    client.recv(3)
                    client.sendall(b"766679\0\0")
                    client.recv(2)
                client.sendall(raw)
                client.shutdown(socket.SHUT_WR)
                while client.recv(1 << 16):
                    pass
        except TimeoutError:
            raise Finding(f"{self.words[0]} holds a connection for {WAIT_S} s: {raw[:300]!r}") from None
        except OSError:         # the other side ended the connection: ENOTCONN is no ConnectionError
            pass

    def check_alive(self):
        if self.proc.poll() is not None:
            judge(self.proc.returncode, self.log.read_bytes(), self.words)
            raise Finding(f"{self.words[0]} ended: {self.log.read_bytes()[-2000:]!r}")
        said = self.log.read_bytes()
        judge(0, said, self.words)
        if b"process of a client died" in said:
            raise Finding(f"a client's process died: {said[-2000:]!r}")
        socket.create_connection(("127.0.0.1", self.port), timeout=WAIT_S).close()

    def attack(self, _work, chance):
        greet = chance.random() < 0.8
        raw = mutate(self.session if greet else VERSION_1 + self.session, chance)
        (self.work / "bad.session").write_bytes(raw)
        self.talk(raw, greet)
        for made in self.dir.glob("trace.*"):
            made.unlink()
        self.n += 1
        if self.n % CHECK_EVERY == 0:
            self.check_alive()

    def close(self):
        self.check_alive()
        self.proc.send_signal(signal.SIGTERM)
        wait_for(lambda: self.proc.poll() is not None, f"the end of {self.words[0]} after SIGTERM")
        judge(0, self.log.read_bytes(), self.words)
        self.file.close()


def recorders(work):
    return Sessions(work, ["listen", "--verbose", "--timeout", "5"], recorder_session(), True, b"records 2 CPUs")


def hosts(work):
    return Sessions(work, ["agent", "-N", "127.0.0.1"], host_session(), False, b"this kernel has no ")
