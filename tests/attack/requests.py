"""Mutated requests to `sonde view`: it lives, answers the right ones, and gives nothing without the token."""
import json
import os
import re
import signal
import socket
import subprocess
import tempfile

from mutate import ODD, mutate
from target import GOLDEN, SONDE, Finding, environment, judge, unprivileged, wait_for

GETS = ("api/info", "api/tasks", "api/processes", "api/kinds", "api/density?n=100",
        "api/labels?lane=calls:0:234&ids=1,2,3",
        "api/rows?from=0&n=50", "api/rows?sel=1&from=3&n=5", "api/span?lane=cpu:0:0&t=150000000&step=at",
        "api/span?lane=calls:0:234&t=0&row=2&step=next", "api/rank?t=1000", "api/rank?sel=1&t=1000", "api/row?ref=1",
        "api/event?ref=1", "api/hit?sel=1&t=100&step=previous", "api/loss?t=0&step=next", "api/live",
        "api/stats?what=tasks", "api/stats?what=wakeups&from=0&to=999999999&task=0", "api/stats?what=events&sel=1",
        "api/stats?what=functions&from=10&to=99999999", "api/stats?what=flame&by=functions", "api/stats?what=offcpu",
        "api/stats?what=spans&lanes=calls:0:234,irq:0:0&from=0&to=99999999",
        "api/stats?what=list&lanes=calls:0:234&name=x&n=10&order=longest", "api/why?task=0&from=0&to=99999999",
        "api/arrows?from=0&to=999999999&task=0&max=20",
        "api/export?what=svg&lanes=cpu:0:0,task:0:234&width=800&marks=A:5000&range=100,90000",
        "api/export?what=html&lanes=cpu:0:0",
        "api/export?what=json&from=0&to=1000", "api/export?what=csv&sel=1", "", "app.js", "style.css")
LANES = ("cpu:0:0", "cpu:0:1", "task:0:234", "calls:0:234", "cpucalls:0:1", "irq:0:0", "softirq:0:1", "sys:0:234",
         "all:0:0", "event:0:sched/sched_switch", "field:0:sched/sched_switch:prev_prio",
         "pair:0:sched/sched_wakeup:sched/sched_switch:pid:next_pid", "found:1")
TILES = [[lane, level, 0] for lane in LANES for level in (10, 18)]
POSTS = {"api/tiles": json.dumps({"seq": 1, "tiles": TILES}).encode(),
         "api/select": json.dumps({"kinds": ["sched/sched_switch"], "tasks": ["0:234"], "cpus": ["0:1"],
                                   "expression": "sched_switch: prev_prio < 100 || next_comm =~ \"s.*\"",
                                   "text": "a.c", "regex": True}).encode()}
NUMBER = re.compile(rb"\d+")
CHECK_EVERY = 40
WAIT_S = 120


class Requests:
    def __init__(self, work):
        self.work, self.n = work, 0
        self.start()
        # what is refused as a whole does not reach much, however it is mutated
        for raw in [self.request(b"POST", path.encode(), body) for path, body in reversed(POSTS.items())] \
                + [self.request(b"GET", path.encode()) for path in GETS]:
            answer = self.send(raw)
            if not answer.startswith(b"HTTP/1.1 200"):
                self.proc.kill()
                raise Finding(f"a right request is refused: {raw[:200]!r}: {answer[-300:]!r}")

    def start(self):
        home = tempfile.mkdtemp(dir=self.work)
        os.chmod(home, 0o777)
        self.errors = open(self.work / "view.err", "w+b")
        self.proc = subprocess.Popen(
            [*unprivileged(), SONDE, "view", "--no-browser", "--no-sandbox", "--no-cache", GOLDEN / "tour.dat"],
            stdout=subprocess.PIPE, stderr=self.errors, env=environment(HOME=home, DISPLAY=""))
        address = self.proc.stdout.readline().decode()
        found = re.match(r"http://127\.0\.0\.1:(\d+)/(\w+)/", address)
        if not found:
            raise Finding(f"the viewer does not start: {address!r} {self.said()[-2000:]!r}")
        self.port, self.token = int(found[1]), found[2].encode()

    def said(self):
        self.errors.seek(0)
        return self.errors.read()

    def send(self, raw, is_whole=True):
        """The answer's bytes, as far as they come. A request that is not whole may lack its end: no more will come."""
        answer = b""
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=WAIT_S) as client:
                client.sendall(raw)
                if not is_whole:
                    client.shutdown(socket.SHUT_WR)
                while piece := client.recv(1 << 16):
                    answer += piece
        except TimeoutError:
            raise Finding(f"no answer within {WAIT_S} s: {raw[:500]!r}") from None
        except OSError:         # the other side ended the connection: ENOTCONN is no ConnectionError
            pass
        return answer

    def request(self, method, path, body=b"", token=None):
        host = b"127.0.0.1:%d" % self.port
        head = b"%s /%s/%s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n" % (
            method, self.token if token is None else token, path, host)
        if body:
            head += b"Content-Length: %d\r\n" % len(body)
        return head + b"\r\n" + body

    def some(self, chance, change=lambda text: text):
        if chance.random() < 0.3:
            path, body = chance.choice(list(POSTS.items()))
            return self.request(b"POST", path.encode(), change(body))
        return self.request(b"GET", change(chance.choice(GETS).encode()))

    def wrong(self, chance):
        """A request that is broken anywhere, or one that is whole (True) and asks for something odd."""
        def odd(match):
            return match[0] if chance.random() < 0.6 else b"%d" % (chance.choice(ODD) + chance.choice((-1, 0, 1)))
        kind = chance.random()
        if kind < 0.4:
            return mutate(self.some(chance), chance, most=3), False
        if kind < 0.7:
            return self.some(chance, lambda text: NUMBER.sub(odd, text)), True
        return self.some(chance, lambda text: bytes(b if b > 32 else 33 for b in mutate(text, chance, most=3))), True

    def check_alive(self):
        if self.proc.poll() is not None:
            judge(self.proc.returncode, self.said(), ["view"])
            raise Finding(f"the viewer ended: {self.said()[-2000:]!r}")
        if not self.send(self.request(b"GET", b"api/info")).startswith(b"HTTP/1.1 200"):
            try:                # a sanitizer takes its time to say what happened
                judge(self.proc.wait(30), self.said(), ["view"])
            except subprocess.TimeoutExpired:
                self.proc.kill()
                self.proc.wait()
            raise Finding("the viewer no longer answers a good request")

    def attack(self, _work, chance):
        raw, is_whole = self.wrong(chance)
        if chance.random() < 0.2:
            raw = raw.replace(self.token, bytes(chance.choice(b"0123456789abcdef") for _ in self.token))
        answer = self.send(raw, is_whole)
        if answer.startswith(b"HTTP/1.1 200") and self.token not in raw:
            raise Finding(f"an answer without the token: {raw[:500]!r}")
        self.n += 1
        if self.n % CHECK_EVERY == 0 or not answer:
            self.check_alive()

    def close(self):
        self.check_alive()
        self.proc.send_signal(signal.SIGINT)
        wait_for(lambda: self.proc.poll() is not None, "the end of the viewer after SIGINT")
        judge(self.proc.returncode, self.said(), ["view"])
        self.proc.stdout.close()
        self.errors.close()


def requests(work):
    return Requests(work)
