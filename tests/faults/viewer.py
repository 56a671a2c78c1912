"""The viewer under faults: a request that cannot be answered gets a status, and the next one its answer.

Each run starts a server, fails one allocation, and asks everything until that has happened, and once more. Before
the last time a request may fail: with 503, or, where the library that speaks HTTP had no memory, with a closed
connection. The last time all answers must be as without a fault. How often a run asks differs, because it waits for
the index by asking, so that the number of an allocation says nothing about the request that meets it. A server that fails before it has an address says why, and so
does one that cannot make its index.
"""
import http.client
import json
import os
import re
import signal
import subprocess
import time

SECONDS = 60
ROUNDS = 3                  # of all requests, until the fault has happened: one is enough but for the polls
REQUESTS = [
    ("GET", "api/tasks"), ("GET", "api/processes"), ("GET", "api/kinds"), ("GET", "api/density?n=50"),
    ("POST", "api/tiles", {"seq": 7, "tiles": [["cpu:0:0", 0, 0, 0], ["task:0:0", 0, 0, 0]]}),
    ("GET", "api/span?lane=cpu:0:0&t=1000&row=0&step=next"),
    ("GET", "api/rows?row=0&n=50"), ("GET", "api/rank?t=1000"), ("GET", "api/hit?t=1000&step=next"),
    ("POST", "api/select", {"kinds": ["sched_switch"], "expression": "sched_switch:next_pid>=0"}),
    ("POST", "api/select", {"text": "sleep"}),
    ("GET", "api/stats?what=tasks"), ("GET", "api/stats?what=events"), ("GET", "api/stats?what=flame"),
    ("GET", "api/stats?what=wakeups"), ("GET", "api/stats?what=spans&lanes=cpu:0:0"),
    ("GET", "api/why?task=1&from=0&to=900000000"), ("GET", "api/arrows?from=0&to=1000000"),
    ("GET", "api/export?what=svg&lanes=cpu:0:0"), ("GET", "api/loss?t=0&step=next"), ("GET", "index.html"),
]


class Viewer:
    """A server with the environment `env`; address is None if it ended before it had one."""

    def __init__(self, sonde, trace, env):
        self.proc = subprocess.Popen([sonde, "view", "--no-browser", "--no-cache", "--no-sandbox", trace],
                                     stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                     stderr=subprocess.PIPE, env=env)
        line = self.proc.stdout.readline().decode().strip()
        self.address = line if line.startswith("http://") else None

    def ask(self, method, path, body=None):
        """(status, body), or None for a connection that ended."""
        port, token = self.address.split("/")[2].split(":")[1], self.address.split("/")[3]
        connection = http.client.HTTPConnection("127.0.0.1", int(port), timeout=SECONDS)
        try:
            connection.request(method, f"/{token}/{path}", json.dumps(body) if body else None)
            answer = connection.getresponse()
            # numbers of selections are given in the order of success
            return answer.status, re.sub(rb'"id":\d+', b'"id":N', answer.read())
        except (http.client.HTTPException, ConnectionError):
            return None
        finally:
            connection.close()

    def wait_for_index(self):
        """"ready"; "failed": it says that memory ran out; None: neither."""
        end = time.monotonic() + SECONDS
        refusal = None
        while time.monotonic() < end and self.proc.poll() is None:
            got = self.ask("GET", "api/info")
            if got and got[0] == 200 and json.loads(got[1])["progress"] >= 1:
                return "ready"
            if got and got[0] == 503 and b"indexed" in got[1]:
                refusal = "failed"
                break
            time.sleep(0.005)
        return refusal

    def stop(self):
        """(status, what it said); status None if it had to be killed."""
        if self.proc.poll() is None:
            self.proc.send_signal(signal.SIGINT)
        try:
            _, err = self.proc.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            self.proc.kill()
            _, err = self.proc.communicate()
            return None, err.decode(errors="replace")
        return self.proc.returncode, err.decode(errors="replace")


def answers(viewer):
    return [viewer.ask(*request) for request in REQUESTS]


def reference(sonde, trace, env):
    """The answers, None for those that differ from server to server."""
    found = []
    for _ in range(2):
        viewer = Viewer(sonde, trace, env)
        viewer.wait_for_index()
        found.append(answers(viewer))
        found.append(answers(viewer))
        viewer.stop()
    return [each[0] if all(a == each[0] for a in each) else None for each in zip(*found)]


def calls_of(sonde, trace, env, path, all_calls):
    """The numbers of allocations to fail: the first from each place, or all."""
    viewer = Viewer(sonde, trace, env | {"FAULTS_LIST": str(path)})
    viewer.wait_for_index()
    answers(viewer)
    viewer.stop()
    lines = [line.split() for line in path.read_text().splitlines()]
    if all_calls:
        return range(1, max(int(n) for n, h in lines if h == "all") + 1)
    return [int(n) for n, h in lines if h != "all"]


def compare(got, want, may_fail):
    for request, answer, wanted in zip(REQUESTS, got, want):
        name = f"{request[0]} {request[1]}"
        if may_fail and (answer is None or answer[0] == 503):
            continue
        if answer is None:
            return f"{name}: no answer"
        if wanted and answer != wanted:
            return f"{name}: {answer[0]} {answer[1][:80]!r}, not {wanted[0]} {wanted[1][:80]!r}"
    return ""


def ask_all(viewer, want, happened):
    """What is wrong with the answers, or ''. The file happened is there when the fault has happened."""
    for _ in range(ROUNDS):
        why = compare(answers(viewer), want, True)
        if why or os.path.exists(happened):
            break
    return why or compare(answers(viewer), want, not os.path.exists(happened))


def trouble(sonde, trace, env, want):
    """What must not happen in a run with the faults of env, or ''."""
    viewer = Viewer(sonde, trace, env)
    if not viewer.address:
        status, err = viewer.stop()
        return "" if status and status > 0 and err.strip() else f"no address, status {status}: {err[-300:]}"
    state = viewer.wait_for_index()
    why = ""
    if state == "ready":
        why = ask_all(viewer, want, env["FAULTS_TRACE"])
    status, err = viewer.stop()
    if state == "failed" and status == 0:
        why = "it said that it cannot make an index, and ended with status 0"
    if state is None:
        why = "it makes no index and does not say so"
    if status is None or status < 0:
        return f"{why}; ended with {status}: {err[-300:]}"
    if status and not err.strip():
        return f"status {status} without a reason"
    return why
