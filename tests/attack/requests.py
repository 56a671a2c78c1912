"""Mutated requests to `sonde view`: it lives, answers the right ones, and gives nothing without the token."""
import os
import re
import signal
import socket
import subprocess
import tempfile

from mutate import mutate
from target import GOLDEN, SONDE, Finding, environment, judge, unprivileged, wait_for

GETS = ("api/info", "api/tasks", "api/kinds", "api/density?n=100", "api/labels?lane=cpu:0:0", "api/rows?from=0&n=50",
        "api/span?lane=cpu:0:0&t=150000000&step=at", "api/span?lane=cpu:0:1&t=0&step=next", "api/rank?t=1000",
        "api/row?row=3", "api/event?row=3", "api/hit?lane=cpu:0:0&t=100", "api/stats?what=tasks",
        "api/stats?what=wakeups&from=0&to=999999999", "api/why?task=234&t=1000", "api/arrows?from=0&to=999999999",
        "api/export?form=svg&lanes=cpu:0:0", "api/export?form=json&from=0&to=1000", "", "main.js", "style.css")
POSTS = {"api/tiles": b'{"seq":1,"tiles":[{"lane":"cpu:0:0","zoom":10,"first":0,"n":4}]}',
         "api/select": b'{"filter":"sched_switch: prev_prio < 100"}'}
CHECK_EVERY = 40
WAIT_S = 120


class Requests:
    def __init__(self, work):
        self.work, self.n = work, 0
        self.start()

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

    def send(self, raw):
        """The answer's bytes, as far as they come."""
        answer = b""
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=WAIT_S) as client:
                client.sendall(raw)
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

    def good(self, chance):
        if chance.random() < 0.3:
            path, body = chance.choice(list(POSTS.items()))
            return self.request(b"POST", path.encode(), body)
        return self.request(b"GET", chance.choice(GETS).encode())

    def check_alive(self):
        if self.proc.poll() is not None:
            judge(self.proc.returncode, self.said(), ["view"])
            raise Finding(f"the viewer ended: {self.said()[-2000:]!r}")
        if not self.send(self.request(b"GET", b"api/info")).startswith(b"HTTP/1.1 200"):
            raise Finding("the viewer no longer answers a good request")

    def attack(self, _work, chance):
        raw = mutate(self.good(chance), chance, most=3)
        if chance.random() < 0.2:
            raw = raw.replace(self.token, bytes(chance.choice(b"0123456789abcdef") for _ in self.token))
        answer = self.send(raw)
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
