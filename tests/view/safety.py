"""Who is let in, what is served, and what happens to the rest.

covers: B02
"""
import concurrent.futures
import contextlib
import ctypes
import errno
import http.client
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

import inject
from server import EXTRA, GOLDEN, SONDE, WAIT_S, Server, Skip, check, same

TRACE = GOLDEN / "tour.dat"
HEADERS = {
    "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "X-Frame-Options": "DENY",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def bare(view, answer, what):
    status, headers, body = answer
    same((status, body), (404, b""), what)


def test_token():
    """Without it there is nothing, not even an error text."""
    with Server(TRACE) as view:
        wrong = view.token[:-1] + ("0" if view.token[-1] != "0" else "1")
        for target in ("/", "/index.html", "/api/info", "/favicon.ico", f"/{wrong}/", f"/{wrong}/api/info",
                       f"/{view.token[:-1]}/", f"/{view.token}x/", f"//{view.token}/", f"/x/{view.token}/",
                       f"/{view.token.upper()}Z/", "/%2e%2e/", "*", "/" + "a" * 9000):
            bare(view, view.ask("GET", target), target)
        bare(view, view.ask("POST", "/api/select", b"{}"), "POST without token")
        bare(view, view.ask("DELETE", "/"), "DELETE without token")
        same(view.ask("GET", f"/{view.token}")[0], 308, "token without slash")
        same(view.ask("GET", f"/{view.token}")[1]["Location"], f"/{view.token}/", "where it leads")
        check(len(view.token) == 32 and len({Server_token() for _ in range(3)} | {view.token}) == 4,
              "tokens repeat")


def Server_token():
    with Server(TRACE, wait=False) as view:
        return view.token


def test_host_and_origin():
    """Rebinding and other pages."""
    with Server(TRACE) as view:
        target, own = view.path("api/info"), f"127.0.0.1:{view.port}"
        for host in (own, f"localhost:{view.port}", f"[::1]:{view.port}"):
            same(view.ask("GET", target, host=host)[0], 200, host)
        for host in ("evil.example", f"evil.example:{view.port}", "127.0.0.1", "127.0.0.1:1", "localhost.:80",
                     f"127.0.0.1.evil.example:{view.port}", f"{own}.evil.example", f"x@{own}"):
            bare(view, view.ask("GET", target, host=host), host)
        for name, good, bad in (
                ("Origin", [f"http://{own}"], ["http://evil.example", "null", f"https://{own}", "file://", ""]),
                ("Referer", [f"http://{own}/{view.token}/"], ["http://evil.example/", "x"]),
                ("Sec-Fetch-Site", ["same-origin", "none"], ["cross-site", "same-site", "SAME-ORIGIN"])):
            for value in good:
                same(view.ask("GET", target, headers=[(name, value)])[0], 200, f"{name}: {value}")
            for value in bad:
                bare(view, view.ask("GET", target, headers=[(name, value)]), f"{name}: {value}")
        bare(view, view.ask("POST", view.path("api/select"), b"{}", [("Origin", "http://evil.example")]),
             "a form of another page")
        bare(view, view.ask("GET", target, headers=[("Host", "evil.example")]), "two hosts")


def test_headers():
    """Every answer says what a browser must not do with it."""
    with Server(TRACE) as view:
        for target in ("/", view.path(""), view.path("api/info"), view.path("api/nothing"), view.path("nothing")):
            status, headers, _ = view.ask("GET", target)
            for name, value in HEADERS.items():
                same(headers.get(name), value, f"{name} of {target}")
            policy = headers["Content-Security-Policy"]
            check("default-src 'none'" in policy and "unsafe" not in policy and "http" not in policy, policy)
            check("Access-Control-Allow-Origin" not in headers, "CORS")
            if "api/" in target:
                same(headers["Cache-Control"], "no-store", "Cache-Control")
        _, headers, body = view.ask("GET", view.path(""))
        check(headers["Content-Type"].startswith("text/html") and b"<html" in body, "the page")
        status, _, body = view.ask("GET", view.path(""), headers=[("If-None-Match", headers["ETag"])])
        same((status, body), (304, b""), "the page again")


def test_assets():
    """What the page loads is there, with its type; nothing comes from elsewhere."""
    with Server(TRACE) as view:
        web = pathlib.Path(__file__).resolve().parents[2] / "web"
        for path in sorted(web.rglob("*")):
            if path.suffix in (".html", ".js", ".css", ".svg"):
                status, headers, body = view.ask("GET", view.path(path.relative_to(web).as_posix()))
                same((status, body), (200, path.read_bytes()), path.name)
                kind = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml",
                        ".html": "text/html"}[path.suffix]
                check(headers["Content-Type"].startswith(kind), headers["Content-Type"])


def test_paths():
    """No path leaves the table of assets."""
    with Server(TRACE) as view:
        for path in ("../", "../../etc/passwd", "..%2f..%2fetc/passwd", "%2e%2e/%2e%2e/etc/passwd", "./index.html",
                     "/etc/passwd", "//etc/passwd", "index.html/", "index.html%00.js", "api/../index.html", "api",
                     "api/", "api/info/", "api//info", "web/app.js", "..\\..\\x", ".git/config"):
            check(view.ask("GET", view.path(path))[0] == 404, f"{path} is answered")


def test_methods_and_sizes():
    with Server(TRACE) as view:
        for method in ("PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "CONNECT", "FOO"):
            check(view.ask(method, view.path("api/info"))[0] in (405, 400, 404, 501), method)
        same(view.ask("POST", view.path("index.html"), b"x")[0], 405, "POST of an asset")
        view.get("api/tiles", 400)
        view.get("api/select", 400)
        same(view.ask("POST", view.path("api/info"), b"{}")[0], 400, "POST of info")
        same(view.ask("POST", view.path("api/select"), b" " * (256 << 10))[0], 400, "a body as long as may be")
        same(view.ask("POST", view.path("api/select"), b" " * ((256 << 10) + 1))[0], 413, "a body too long")
        same(view.ask("POST", view.path("api/select"), b" " * (3 << 20))[0], 413, "a body far too long")
        check(view.ask("GET", view.path("api/rows?x=" + "y" * 20000))[0] in (404, 414), "a long query")
        check(view.ask("GET", view.path("?" + "&".join(f"a{i}=1" for i in range(100))))[0] == 400, "many arguments")
        for body in (b"", b"{", b"[" * 100000, b'{"a":' * 1000, b"\xff\xfe", b'"\\ud800"', b"1e999", b"null"):
            same(view.ask("POST", view.path("api/select"), body)[0], 400, repr(body[:20]))
            same(view.ask("POST", view.path("api/tiles"), body)[0], 400, repr(body[:20]))
        view.get("api/info")


def raw(view, data, wait=0.0):
    with socket.create_connection(("127.0.0.1", view.port), timeout=WAIT_S) as sock:
        try:
            sock.sendall(data)
            if wait:
                sock.settimeout(wait)
                return sock.recv(100)
        except OSError:
            pass
    return b""


def malformed(view, rng):
    good = (f"GET {view.path('api/rows?row=1&n=2')} HTTP/1.1\r\nHost: 127.0.0.1:{view.port}\r\n\r\n").encode()
    data = bytearray(good)
    for _ in range(rng.randint(1, 8)):
        what, at = rng.randrange(5), rng.randrange(len(data) + 1)
        if what == 0:
            data[at:at + 1] = bytes([rng.randrange(256)])
        elif what == 1:
            del data[at:at + rng.randint(1, 20)]
        elif what == 2:
            data[at:at] = bytes(rng.randrange(256) for _ in range(rng.randint(1, 30)))
        elif what == 3:
            data[at:at] = rng.choice([b"\r\n", b"\0", b"%00", b"%2e%2e/", b"Content-Length: -1\r\n", b"A" * 5000,
                                      b"Transfer-Encoding: chunked\r\n", b"HTTP/9.9", b"Host: x\r\n", b"&&==%"])
        else:
            data = bytearray(rng.randbytes(rng.randint(1, 300)))
    return bytes(data)


def test_malformed():
    """10 000 requests that are none leave it serving, and its memory where it was."""
    with Server(TRACE) as view:
        rng = random.Random(5)
        status = pathlib.Path(f"/proc/{view.proc.pid}/status")

        def memory():
            return int(next(line for line in status.read_text().splitlines() if "VmRSS" in line).split()[1])
        before = memory()
        for i in range(10000):
            raw(view, malformed(view, rng), 0.5 if i % 500 == 0 else 0)
            if i % 1000 == 0:
                view.get("api/info")
        view.get("api/info")
        if not EXTRA:       # sanitizers keep what was freed
            check(memory() < before + 65536, f"{before} KB became {memory()} KB")


def test_idle_connections():
    """Connections that send nothing do not keep others out for long."""
    with Server(TRACE) as view:
        idle = [socket.create_connection(("127.0.0.1", view.port), timeout=WAIT_S) for _ in range(60)]
        for sock in idle[::2]:
            sock.sendall(b"GET /")
        view.get("api/info")
        for sock in idle:
            sock.close()


def test_slow_strangers():
    """However many connections are open without the token, and go on sending, one with it is served."""
    with Server(TRACE) as view:
        socks, done = [], threading.Event()

        def trickle():
            while not done.is_set():
                for sock in socks:
                    with contextlib.suppress(OSError):      # it was thrown out
                        sock.sendall(b"X")
                done.wait(0.2)

        sender = threading.Thread(target=trickle)
        sender.start()
        try:
            for _ in range(300):
                sock = socket.create_connection(("127.0.0.1", view.port), timeout=WAIT_S)
                sock.sendall(b"GET / HTTP/1.1\r\nX: ")
                socks.append(sock)
            for _ in range(3):
                view.get("api/info")
        finally:
            done.set()
            sender.join()
            for sock in socks:
                sock.close()


NOBODY = """
import collections, encodings.idna, http.client, os, socket, sys, urllib.error, urllib.request
os.setgroups([])
os.setresgid(65534, 65534, 65534)
os.setresuid(65534, 65534, 65534)
"""
# from another address, with ports of its own: a flood that uses up the ports concerns the kernel, not us
FLOOD = NOBODY + """
held = collections.deque()
for i in range(300000):
    sock = socket.socket()
    sock.setblocking(False)
    sock.setsockopt(socket.IPPROTO_IP, 24, 1)      # IP_BIND_ADDRESS_NO_PORT
    sock.bind(("127.0.0.2", 0))
    sock.connect_ex(("127.0.0.1", int(sys.argv[1])))
    held.append(sock)
    if len(held) > 800:
        held.popleft().close()
    if i == 3000:
        print("flooding", flush=True)
"""
SILENT = NOBODY + """
socks = [socket.create_connection(("127.0.0.1", int(sys.argv[1]))) for _ in range(100)]
print("open", flush=True)
sys.stdin.read()
"""
PATIENT = NOBODY + """
while True:
    try:
        print(urllib.request.urlopen(sys.argv[1]).status)
        break
    except (OSError, urllib.error.URLError):       # while the silent ones are new, the next one is refused
        pass
"""


def nobody(program, argument):
    """Runs it as another user. Popen's user= is of no use: that user may not be able to start Python."""
    return subprocess.Popen([sys.executable, "-c", program, argument], stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE)


def test_flood_of_strangers():
    """Another user who connects as fast as possible, and sends nothing, does not keep this user out."""
    if os.geteuid():
        raise Skip("only root can connect as another user")
    with Server(TRACE) as view, nobody(FLOOD, str(view.port)) as flood:
        try:
            same(flood.stdout.readline(), b"flooding\n", "the flood says")
            for _ in range(10):
                view.get("api/info")
            same(flood.poll(), None, "the flood has ended with")
        finally:
            flood.kill()


def test_another_user():
    """With the token another user is served, also while silent connections of that user are open."""
    if os.geteuid():
        raise Skip("only root can connect as another user")
    with Server(TRACE) as view, nobody(SILENT, str(view.port)) as silent:
        same(silent.stdout.readline(), b"open\n", "the silent ones")
        with nobody(PATIENT, view.address) as patient:
            try:
                same(patient.communicate(timeout=WAIT_S)[0], b"200\n", "another user with the token")
            finally:
                patient.kill()


def test_deadline_of_a_head():
    """A request that comes byte by byte is not waited for; one with the token may take its time."""
    with Server(TRACE) as view:
        host = f"Host: 127.0.0.1:{view.port}\r\n".encode()
        with socket.create_connection(("127.0.0.1", view.port)) as slow, \
                socket.create_connection(("127.0.0.1", view.port), timeout=WAIT_S) as friend:
            friend.sendall(b"GET " + view.path("api/info").encode() + b" HTTP/1.1\r\n" + host + b"\r\n")
            check(friend.recv(1 << 16).startswith(b"HTTP/1.1 200"), "the friend is not served")
            slow.settimeout(0.2)
            slow.sendall(b"GET / HTTP/1.1\r\n")
            end = time.monotonic() + WAIT_S
            while time.monotonic() < end:
                try:
                    slow.sendall(b"X")
                    if not slow.recv(1):
                        break
                except TimeoutError:
                    continue
                except OSError:
                    break
            else:
                check(False, "the slow one is still there")
            friend.sendall(b"GET " + view.path("api/info").encode() + b" HTTP/1.1\r\n" + host + b"\r\n")
            check(friend.recv(1 << 16), "the friend was thrown out")


def test_ten_clients():
    """Ten tabs at once."""
    with Server(GOLDEN / "events-v7-none.dat") as view:
        def client(number):
            worst = 0
            for i in range(30):
                start = time.monotonic()
                view.get(f"api/rows?row={number * 100 + i}&n=100")
                view.tiles([["cpu:0:0", 18 + i % 8, 0], ["cpu:0:1", 18 + i % 8, 0]])
                view.post("api/select", {"text": f"{number}{i % 3}"})
                worst = max(worst, time.monotonic() - start)
            return worst
        with concurrent.futures.ThreadPoolExecutor(10) as pool:
            worst = max(pool.map(client, range(10)))
        check(worst < WAIT_S, f"one waited {worst:.1f} s")


def test_rights():
    """It listens on loopback only, cannot start programs, and has no capability left."""
    if EXTRA:
        raise Skip("without the sandbox")
    with Server(TRACE) as view:
        status = dict(line.split(":\t", 1) for line in
                      pathlib.Path(f"/proc/{view.proc.pid}/status").read_text().splitlines() if ":\t" in line)
        same(status["Seccomp"].strip(), "2", "seccomp")
        same(status["NoNewPrivs"].strip(), "1", "no_new_privs")
        same(int(status["CapEff"], 16), 0, "capabilities")
        for thread in pathlib.Path(f"/proc/{view.proc.pid}/task").iterdir():
            try:
                inside = "Seccomp:\t2" in (thread / "status").read_text()
            except (FileNotFoundError, ProcessLookupError):
                continue        # it served a request and has ended since
            check(inside, "a thread outside of the sandbox")
        listening = [line.split()[1] for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]
                     if line.split()[3] == "0A" and int(line.split()[1].split(":")[1], 16) == view.port]
        same(listening, [f"0100007F:{view.port:04X}"], "listening on")


def has_landlock():
    return ctypes.CDLL(None).syscall(444, None, 0, 1) > 0      # landlock_create_ruleset: the version


def without_call(number, code, *first):
    """For Popen: the kernel says `code` to a system call (with this first argument), as if it did not have it."""
    def deny():
        lib = ctypes.CDLL("libseccomp.so.2")
        lib.seccomp_init.restype = ctypes.c_void_p

        class Compare(ctypes.Structure):
            _fields_ = [("arg", ctypes.c_uint), ("op", ctypes.c_int), ("a", ctypes.c_uint64), ("b", ctypes.c_uint64)]
        filters = ctypes.c_void_p(lib.seccomp_init(ctypes.c_uint32(0x7fff0000)))        # allow
        rules = (Compare * 1)(*(Compare(0, 4, value, 0) for value in first))            # equal
        if lib.seccomp_rule_add_array(filters, ctypes.c_uint32(0x00050000 | code), number, len(first), rules) or \
                lib.seccomp_load(filters):
            os._exit(3)
    return deny


def test_sandbox_says_what_is_missing():
    """A kernel without Landlock or seccomp: one line says what the server can do then, and it serves."""
    if EXTRA:
        raise Skip("without the sandbox")
    if os.uname().machine != "x86_64":
        raise Skip("the numbers of system calls here are those of x86-64")
    for deny, words in ((without_call(444, errno.ENOSYS), "has no Landlock"),
                        (without_call(157, errno.EINVAL, 21), "has no seccomp")):       # prctl(PR_GET_SECCOMP)
        proc = subprocess.Popen([SONDE, "view", "--no-browser", "--no-cache", TRACE], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, preexec_fn=deny)
        address = proc.stdout.readline()
        proc.terminate()
        said = proc.communicate()[1].decode()
        check(address.startswith(b"http://"), f"it does not serve: {said}")
        same(said.count(words), 1, f"'{words}' in {said!r}")
    with Server(TRACE) as view:
        view.proc.terminate()
        said = view.proc.stderr.read().decode()
        check("seccomp" not in said and (not has_landlock() or "Landlock" not in said), said)


def each_thread(view, look):
    """Looks at every thread; how many there were. That of a connection may end meanwhile."""
    count = 0
    for tid in map(int, os.listdir(f"/proc/{view.proc.pid}/task")):
        try:
            look(tid)
            count += 1
        except (FileNotFoundError, ProcessLookupError):
            check(view.proc.poll() is None, "the server has ended")
        except PermissionError:
            raise Skip("no process may be looked into here") from None
    return count


def test_all_threads_are_confined():
    """No thread, whether it serves or indexes, opens a file that is not the trace or the cache."""
    if EXTRA:
        raise Skip("it runs without its sandbox here")
    if not inject.is_possible():
        raise Skip("only tried on x86-64")
    outside = str(pathlib.Path(__file__).resolve())
    with tempfile.TemporaryDirectory() as cache, Server(TRACE, options=("--cache-dir", cache)) as view:
        # connections that stay open: each has a thread of its own
        held = [http.client.HTTPConnection("127.0.0.1", view.port, timeout=WAIT_S) for _ in range(3)]
        for connection in held:
            connection.request("GET", view.path("api/info"), headers={"Host": f"127.0.0.1:{view.port}"})
            connection.getresponse().read()

        def look(tid):
            status = pathlib.Path(f"/proc/{view.proc.pid}/task/{tid}/status").read_text()
            check("Seccomp:\t2" in status and "NoNewPrivs:\t1" in status, f"thread {tid} is outside of the sandbox")
            if has_landlock():
                same(inject.open_as(tid, outside), errno.EACCES, f"thread {tid} opens {outside}")
                same(inject.open_as(tid, str(TRACE)), 0, f"thread {tid} opens the trace")
        n_threads = each_thread(view, look)
        check(n_threads >= 5, f"only {n_threads} threads")
        for connection in held:
            connection.close()
        view.get("api/info")
    with Server(TRACE) as view:         # without a cache nothing is opened any more
        each_thread(view, lambda tid: check(inject.open_as(tid, outside) in (errno.EPERM, errno.EACCES),
                                            f"thread {tid} opens {outside}"))


def test_no_signals_to_others():
    """No thread can signal another process, or have the kernel do it; as root, so that only the sandbox forbids it."""
    if EXTRA:
        raise Skip("it runs without its sandbox here")
    if not inject.is_possible():
        raise Skip("only tried on x86-64")
    kill, tgkill, set_limit, fcntl, set_owner = 62, 234, 302, 72, 8
    me = os.getpid()
    with Server(TRACE) as view:
        def look(tid):
            for what in ((kill, me, 0), (tgkill, me, me, 0), (set_limit, me, 7, 0, 0), (fcntl, 0, set_owner, me)):
                same(inject.call_as(tid, *what), -errno.EPERM, f"call {what} by thread {tid}")
            same(inject.call_as(tid, tgkill, view.proc.pid, view.proc.pid, 0), 0, f"thread {tid} signals its own process")
        each_thread(view, look)
        view.get("api/info")


def test_sudo():
    """Started by sudo, it becomes the user who called it, before it opens the trace."""
    if os.geteuid():
        raise Skip("needs root")
    with tempfile.TemporaryDirectory() as place:
        os.chmod(place, 0o711)
        path = pathlib.Path(place) / "t.dat"
        shutil.copy(TRACE, path)
        os.chmod(path, 0o600)
        os.chown(path, 65534, 65534)
        with Server(path, env={"SUDO_UID": "65534", "SUDO_GID": "65534"}) as view:
            text = pathlib.Path(f"/proc/{view.proc.pid}/status").read_text()
            check("Uid:\t65534\t65534\t65534\t65534" in text, "still root")
            check("Groups:\t65534 \n" in text, f"the groups are not the caller's: {text}")
            view.get("api/rows")
        check("65534" in view.errors, f"not told: {view.errors!r}")


def test_ends():
    """SIGINT, SIGTERM and SIGHUP end it at once, also with connections open."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        with Server(TRACE) as view:
            with socket.create_connection(("127.0.0.1", view.port)) as sock:
                sock.sendall(b"GET / HTTP/1.1\r\n")
                start = time.monotonic()
                view.proc.send_signal(number)
                same(view.proc.wait(WAIT_S), 0, "exit status")
                # not only when the connection has been idle for too long
                check(time.monotonic() - start < 45, "it takes long")


def test_cache():
    """In the user's cache, beside the trace only if asked."""
    with tempfile.TemporaryDirectory() as place:
        place = pathlib.Path(place)
        path = place / "t.dat"
        shutil.copy(GOLDEN / "events-v7-none.dat", path)
        for options, env, where in (
                ((), {"XDG_CACHE_HOME": str(place / "xdg")}, place / "xdg/sonde"),
                (("--cache-dir", str(place / "own")), {}, place / "own"),
                (("--beside",), {}, place)):
            (place / "xdg").mkdir(exist_ok=True)
            before = set(place.rglob("*"))
            with Server(path, options=options, env=env) as view:
                count = view.get("api/info")["events"]
                end = time.monotonic() + WAIT_S
                while time.monotonic() < end and not [p for p in set(place.rglob("*")) - before if p.suffix == ".index"]:
                    time.sleep(0.05)
            new = [p for p in set(place.rglob("*")) - before if p.is_file()]
            same([p.parent for p in new], [where], f"index of {options}")
            with Server(path, options=options, env=env) as view:
                same(view.get("api/info")["events"], count, "events from the index")
                check(view.rows(), "rows from the index")
            new[0].unlink()
        before = set(place.rglob("*"))
        with Server(path):
            pass
        same(set(place.rglob("*")), before, "--no-cache")


def test_trouble():
    """What cannot be served is told in a sentence, with status 1."""
    for argv, words in ((["nosuch.dat"], "nosuch.dat"), ([SONDE], "trace"), (["--port", "99999"], "port"),
                        (["--token", "xyz", TRACE], "token"), (["--beside", "--no-cache"], "exclude")):
        run = subprocess.run([SONDE, "view", "--no-browser", *argv], capture_output=True, text=True, timeout=WAIT_S)
        check(run.returncode and words in run.stderr and not run.stdout, f"{argv}: {run}")
    with Server(TRACE) as view:
        run = subprocess.run([SONDE, "view", "--no-browser", "--port", str(view.port), TRACE], timeout=WAIT_S,
                             capture_output=True, text=True)
        check(run.returncode == 1 and str(view.port) in run.stderr, f"the port is taken: {run}")
    token = "0123456789abcdef" * 2
    with Server(TRACE, options=("--no-cache", "--token", token)) as view:
        same(view.token, token, "a token that was given")
