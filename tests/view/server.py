"""A running `sonde view`, and what the tests ask it."""
import http.client
import json
import os
import pathlib
import signal
import struct
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
SONDE = pathlib.Path(os.environ.get("SONDE", ROOT / "build/sonde")).resolve()
GOLDEN = pathlib.Path(os.environ.get("GOLDEN", ROOT / "build/golden")).resolve()
WAIT_S = 120        # what takes a moment on a quiet machine may take long on a busy one
EXTRA = os.environ.get("VIEW_OPTIONS", "").split()     # --no-sandbox, for programs with sanitizers
KINDS = {1: "cpu", 2: "states", 3: "spans", 4: "ticks", 5: "counter"}


class Problem(Exception):
    pass


class Skip(Exception):
    pass


def check(condition, words):
    if not condition:
        raise Problem(words)


def same(got, wanted, what):
    check(got == wanted, f"{what}: {got!r}, not {wanted!r}")


def report(*paths, options=()):
    """The events as `sonde report --json` tells them."""
    run = subprocess.run([SONDE, "report", "--json", "--syscall-names", *options, *map(str, paths)],
                         capture_output=True, timeout=300)
    return [json.loads(line) for line in run.stdout.decode("utf-8", "replace").splitlines()]


class Server:
    """with Server("trace.dat") as view: view.get("api/info")"""

    def __init__(self, *paths, options=("--no-cache",), env=None, wait=True):
        self.home = tempfile.TemporaryDirectory(prefix="sonde-view-")
        self.env = os.environ | {"HOME": self.home.name, "DISPLAY": "", "WAYLAND_DISPLAY": ""} | (env or {})
        self.env.pop("XDG_CACHE_HOME", None)
        self.env |= env or {}
        self.argv = [SONDE, "view", "--no-browser", *EXTRA, *options, *map(str, paths)]
        self.wait = wait

    def __enter__(self):
        self.proc = subprocess.Popen(self.argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                     env=self.env)
        self.address = self.proc.stdout.readline().decode().strip()
        if not self.address.startswith("http://127.0.0.1:"):
            self.proc.kill()
            raise Problem(f"no address: {self.address!r} {self.proc.stderr.read().decode()[-2000:]}")
        self.port = int(self.address.split(":")[2].split("/")[0])
        self.token = self.address.split("/")[3]
        if self.wait:
            self.indexed()
        return self

    def __exit__(self, kind, value, trace):
        if self.proc.poll() is None:
            self.proc.send_signal(signal.SIGINT)
        try:
            self.proc.wait(WAIT_S)
        except subprocess.TimeoutExpired:
            self.proc.kill()
            self.proc.wait()
            if not kind:
                raise Problem("SIGINT does not end it") from None
        self.errors = self.proc.stderr.read().decode()
        self.proc.stdout.close()
        self.proc.stderr.close()
        self.home.cleanup()
        if not kind:
            check(self.proc.returncode == 0, f"status {self.proc.returncode}: {self.errors[-2000:]}")

    def ask(self, method, target, body=None, headers=None, host=None):
        """(status, headers, bytes); target is taken as it stands."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=WAIT_S)
        try:
            connection.putrequest(method, target, skip_host=True, skip_accept_encoding=True)
            host = f"127.0.0.1:{self.port}" if host is None else host
            for name, value in ([("Host", host)] if host else []) + list(headers or []):
                connection.putheader(name, value)
            if body is not None:
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body)
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()
        finally:
            connection.close()

    def path(self, path):
        return f"/{self.token}/{path}"

    def get(self, path, status=200):
        got, _, data = self.ask("GET", self.path(path))
        same(got, status, f"status of {path}: {data[:300]!r}")
        return json.loads(data)

    def post(self, path, body, status=200):
        got, _, data = self.ask("POST", self.path(path), json.dumps(body).encode())
        same(got, status, f"status of {path}: {data[:300]!r}")
        return json.loads(data)

    def tiles(self, wanted, seq=7):
        """[{kind, rows, whole, low, high, records: [(x0, x1, value, weight, row, flags)]} or the refusal]"""
        status, headers, data = self.ask("POST", self.path("api/tiles"),
                                         json.dumps({"seq": seq, "tiles": wanted}).encode())
        same(status, 200, f"status of tiles: {data[:200]!r}")
        same(headers["Content-Type"], "application/octet-stream", "type of tiles")
        magic, got_seq, count, zero = struct.unpack_from("<4sIII", data)
        same((magic, got_seq, count, zero), (b"TILE", seq, len(wanted), 0), "head of tiles")
        pos, tiles = 16, []
        for _ in wanted:
            n, kind, rows, whole, _, low, high = struct.unpack_from("<IBBBBff", data, pos)
            pos += 16
            if not kind:
                tiles.append(data[pos:pos + n].decode())
                pos += n + -n % 16
                continue
            form = "<4f" if KINDS[kind] == "counter" else "<ffIHBB"
            records = [struct.unpack_from(form, data, pos + 16 * i) for i in range(n)]
            pos += 16 * n
            tiles.append({"kind": KINDS[kind], "rows": rows, "whole": whole, "low": low, "high": high,
                          "records": records})
        same(pos, len(data), "length of tiles")
        return tiles

    def indexed(self):
        end = time.monotonic() + WAIT_S
        while time.monotonic() < end:
            info = self.get("api/info")
            if info["progress"] >= 1:
                return info
            time.sleep(0.02)
        raise Problem(f"it is not indexed within {WAIT_S} s")

    def rows(self, **query):
        """All rows of a selection."""
        rows = []
        while True:
            more = self.get("api/rows?" + "&".join(f"{k}={v}" for k, v in
                                                   (query | {"row": len(rows), "n": 1000}).items()))
            rows += more["rows"]
            if not more["rows"]:
                same(len(rows), more["total"], "number of rows")
                return rows
