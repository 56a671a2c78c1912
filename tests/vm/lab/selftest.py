"""Tests of the lab itself: what it promises to those who use it, and how it behaves in trouble.

Each test is a function that calls the lab's commands and asserts. Those whose name begins with
guest_ share one session, and the last of them ends it the hard way. tests/vm/suite runs them, under
names like lab-guest-jobs-queue.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from . import Unavailable
from .build import TOOLS as BUILD_TOOLS
from .cache import cache_dir
from .guest import HERE, Guest, require_host
from .kernel import Kernel, kernel_find

# Where the session of the guest_ tests is; it belongs to run_selftests().
SESSION = os.path.join(tempfile.gettempdir(), f"sonde-selftest-{os.getpid()}, with comma")


def call(command, *args, status=0, limit_s=1200, **env):
    """Run one of the lab's commands, check its exit status, return (stdout, stderr)."""
    # what tests/run wants of the suite is not meant for suites that a test runs
    ours = {name: value for name, value in os.environ.items()
            if name not in ("SONDE_TIER", "SONDE_UNTIL", "SONDE_FIRST")}
    env = dict(ours, **env)
    try:
        result = subprocess.run([os.path.join(HERE, command), *args], env=env, text=True,
                                stdin=subprocess.DEVNULL, capture_output=True, timeout=limit_s,
                                check=False)
    except subprocess.TimeoutExpired as err:
        raise AssertionError(f"{command} {args}: no end after {limit_s} s") from err
    assert result.returncode == status, \
        f"{command} {args}: exit status {result.returncode}, not {status}\n" \
        f"{result.stdout}{result.stderr}"
    return result.stdout, result.stderr


def in_guest(*args, **more):
    return call("run", *args, SONDE_VM=SESSION, **more)


def same(found, wanted):
    assert found == wanted, f"found {found!r}, not {wanted!r}"


def contains(text, part):
    assert part in text, f"{part!r} is not in {text!r}"


def guest_passes_output_and_status():
    same(in_guest("echo out; echo err >&2; exit 3", status=3), ("out\n", "err\n"))
    same(in_guest("[ $PWD = $OUT ] && printf '%s|' \"a  b\" 'c'")[0], "a  b|c|")


def guest_runs_the_given_program():
    with tempfile.TemporaryDirectory() as work:
        program = os.path.join(work, "with blank, comma")
        for word in ("first", "second"):
            with open(program, "w", encoding="ascii") as file:
                file.write(f"#!/bin/sh\necho {word} $1\n")
            os.chmod(program, 0o755)
            same(in_guest("sonde x", SONDE=program)[0], f"{word} x\n")


def guest_output_files_are_kept():
    with tempfile.TemporaryDirectory() as work:
        in_guest("-o", work, "mkdir a; echo hello > a/b")
        with open(os.path.join(work, "a", "b"), encoding="ascii") as file:
            same(file.read(), "hello\n")
    contains(in_guest("echo > x")[1], "-o DIR would keep them")


def guest_keeps_the_time_limit():
    began = time.monotonic()
    contains(in_guest("-t", "2", "trap '' TERM; echo a; sleep 100; sleep 100", status=124)[1],
             "took longer than 2 s")
    assert time.monotonic() - began < 150      # not the 200 of the commands; a busy host needs some
    same(in_guest("exit 124", status=124)[1], "")


def guest_reports_what_a_job_left():
    contains(in_guest("sleep 1000 & true")[1], "process left running: sleep")
    left = in_guest("cd $TRACING; mkdir instances/left; echo mono > trace_clock;"
                    "echo traceoff > events/sched/sched_waking/trigger;"
                    "echo 'p:mine vfs_read' > kprobe_events")[1]
    for part in ("+instances/left", "+trace_clock:", "sched_waking/trigger:", "p:kprobes/mine"):
        contains(left, part)
    again = in_guest("cd $TRACING; rmdir instances/left; echo local > trace_clock; > kprobe_events;"
                     "echo '!traceoff' > events/sched/sched_waking/trigger; echo 1 > tracing_on")[1]
    contains(again, "an earlier job had left this behind")
    assert "the commands left this behind" not in again, again
    same(in_guest("true")[1], "")


def guest_jobs_queue():
    jobs = [subprocess.Popen([os.path.join(HERE, "run"), f"echo {i}; sleep 0.3"], text=True,
                             env=dict(os.environ, SONDE_VM=SESSION), stdout=subprocess.PIPE)
            for i in range(3)]
    same([job.communicate()[0] for job in jobs], ["0\n", "1\n", "2\n"])


def guest_refuses_boot_options():
    contains(in_guest("-s", "4", "true", status=2)[1], "-s is for a boot")


def guest_panic_is_told_with_the_console():
    """The last one that needs the guest: it kills it."""
    text = in_guest("echo c > /proc/sysrq-trigger", status=125)[1]
    contains(text, "the guest went away")
    contains(text, "sysrq triggered crash")
    contains(in_guest("true", status=2)[1], "no guest runs in")


def owned_guest_ends_with_its_owner():
    with tempfile.TemporaryDirectory() as work:
        run = subprocess.Popen([os.path.join(HERE, "run"), "sleep 600"], stderr=subprocess.DEVNULL,
                               env=dict(_without_session(), TMPDIR=work))
        found = wait_for(lambda: children_named("timeout", run.pid))
        run.send_signal(signal.SIGKILL)
        run.wait()
        wait_for(lambda: not os.path.exists(f"/proc/{found[0]}"))


def saved_guest_is_loaded():
    """It goes on where it was saved, with the time of now; one that cannot be loaded boots instead."""
    kernel_find("stock")
    commands = "grep -m 1 ' vfs_read$' /proc/kallsyms; date +%s"

    def place_and_time(**env):
        text, messages = call("run", commands, SONDE_VM="", SONDE_LAB_BOOT="", XDG_CACHE_HOME=work, **env)
        return text.splitlines()[0], int(text.splitlines()[1]), messages

    with tempfile.TemporaryDirectory() as work:
        ours = os.path.join(work, "sonde", "lab")
        os.makedirs(ours)
        for name in os.listdir(cache_dir()):
            if name in ("stock", "busybox") or name.startswith(("look-", "kvm-")):
                os.symlink(os.path.join(cache_dir(), name), os.path.join(ours, name))
        booted, _, messages = place_and_time()
        same(messages, "")
        saved = [name for name in os.listdir(ours) if name.startswith("saved-")]
        if not saved:
            return      # KVM, which is quick enough
        same(len(saved), 1)
        loaded, told, messages = place_and_time()
        same(messages, "")
        same(loaded, booted)            # a kernel that boots is placed at random
        assert abs(told - time.time()) < 120, f"the guest's time is {told}"
        with open(os.path.join(ours, saved[0]), "w", encoding="ascii") as file:
            file.write("nothing that could be loaded")
        again, _, messages = place_and_time()
        contains(messages, "lab: booting, because a saved guest could not be loaded")
        assert again != booted, "the kernel is where the saved one was"


def second_guest_is_watched_too():
    with tempfile.TemporaryDirectory() as work:
        call("session", "start", "-d", work, "-g", "2")
        try:
            text = call("run", "on 2 'echo 0 > $TRACING/tracing_on; sleep 1000 &'", SONDE_VM=work)[1]
            contains(text, "guest 2: process left running: sleep")
            contains(text, "guest 2: +tracing_on:0")
            text = call("run", "on 2 'echo c > /proc/sysrq-trigger'", SONDE_VM=work, status=125)[1]
            contains(text, "guest 2: the guest went away")
            contains(text, "sysrq triggered crash")
        finally:
            call("session", "stop", "-d", work)


def missing_qemu_is_a_skip():
    with tempfile.TemporaryDirectory() as tools:
        link_tools(tools, "env", "python3")
        contains(call("run", "true", status=77, PATH=tools, SONDE_VM="")[1],
                 "qemu-system-x86_64 is missing")
        text = call("suite", "guest-is-up", status=0, PATH=tools)[0]
        contains(text, "skip guest-is-up: qemu-system-x86_64 is missing")
        contains(text, "0 passed, 0 failed, 1 skipped")


def missing_network_is_a_skip():
    with tempfile.TemporaryDirectory() as work:
        tools = fake_apt(work, "echo 'E: Unable to fetch some archives' >&2; exit 100")
        contains(call("run", "true", status=77, PATH=tools, XDG_CACHE_HOME=work, SONDE_VM="")[1],
                 "cannot download linux-image-amd64: Unable to fetch some archives")
        same(os.listdir(os.path.join(work, "sonde", "lab")), ["lock"])


def unbuildable_kernel_is_a_skip():
    with tempfile.TemporaryDirectory() as work:
        tools = fake_apt(work, "echo 'E: Unable to fetch some archives' >&2; exit 100")
        env = {"PATH": tools, "XDG_CACHE_HOME": work}
        why = "gcc is missing, to build the kernel with all tracers"
        contains(call("kernel", "all", status=77, **env)[1], why)
        call("kernel", "-n", "all", status=1, **env)
        with open(os.path.join(work, "a.vmtest"), "w", encoding="ascii") as file:
            file.write("# shows\n# covers: none\n# kernel: all\ntrue\n")
        contains(call("suite", "-d", work, **env)[0], f"skip a: {why}")
        write_tools(tools, {name: "exit 0" for name in BUILD_TOOLS if name != "dpkg-deb"})
        contains(call("kernel", "all", status=77, **env)[1],
                 "cannot download linux-source-6.1: Unable to fetch some archives")
        same(sorted(os.listdir(os.path.join(work, "sonde", "lab"))), ["build.lock", "lock"])


FAKE_SOURCE = """mkdir -p "$3/usr/src" linux-source-6.1/scripts/kconfig
cd linux-source-6.1/scripts/kconfig
printf '#!/bin/sh\\n%s\\n' 'sed "$DROP" "$3" > .config' > merge_config.sh
chmod +x merge_config.sh
cd ../../..
tar -cJf "$3/usr/src/linux-source-6.1.tar.xz" linux-source-6.1"""

FAKE_MAKE = """case $* in *bzImage*) ;; *) exit 0 ;; esac
echo made >> "$HOME/log"
mkdir -p arch/x86/boot include/config
echo 6.1.0-all > include/config/kernel.release
touch arch/x86/boot/bzImage System.map"""


def kernel_is_built_once():
    with tempfile.TemporaryDirectory() as work:
        tools = fake_apt(work, ": > linux-source-6.1_6.1.0-1_all.deb")
        link_tools(tools, "tar", "xz", "sed", "nice", "touch", "chmod")
        write_tools(tools, {name: "exit 0" for name in ("gcc", "ld", "flex", "bison", "bc")})
        env = {"PATH": tools, "XDG_CACHE_HOME": work, "HOME": work}
        write_tools(tools, {"dpkg-deb": FAKE_SOURCE.replace("$DROP", "/CONFIG_SMP/d"),
                            "make": FAKE_MAKE})
        contains(call("kernel", "all", status=125, **env)[1], "depend on?\nCONFIG_SMP=y\n")
        write_tools(tools, {"dpkg-deb": FAKE_SOURCE.replace("$DROP", "")})
        images = {call("kernel", *args, "all", **env)[0] for args in ((), (), ("-n",))}
        same(len(images), 1)
        contains(images.pop(), "/boot/vmlinuz-6.1.0-all\n")
        with open(os.path.join(work, "log"), encoding="ascii") as file:
            same(file.read(), "made\n")


def two_runs_fetch_once():
    with tempfile.TemporaryDirectory() as work:
        log = f"{work}/log"
        tools = fake_apt(work, f"echo $1 $4 >> {log}; sleep 1; : > k.deb")
        code = "import sys; sys.dont_write_bytecode = True; from lab.cache import package_tree;" \
               "print(package_tree('stock'))"
        env = dict(os.environ, PATH=tools, XDG_CACHE_HOME=work)
        runs = [subprocess.Popen([sys.executable, "-c", code], cwd=HERE, env=env, text=True,
                                 stdout=subprocess.PIPE) for _ in range(2)]
        same([run.communicate()[0] for run in runs], [f"{work}/sonde/lab/stock\n"] * 2)
        with open(log, encoding="ascii") as file:
            same(file.read(), "-o download\n")
        same(sorted(os.listdir(f"{work}/sonde/lab")), ["lock", "stock"])


PROBE_TWICE = """
import os, sys, threading
sys.dont_write_bytecode = True
from lab import guest
started = threading.Barrier(2)
os.access = lambda *_: True
guest.kvm_probe = lambda *_: print("probed", flush=True)
def start():
    started.wait()
    guest.accel_choose("auto", "", "")
threads = [threading.Thread(target=start) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""


def kvm_is_probed_once():
    for _ in range(20):
        with tempfile.TemporaryDirectory() as work:
            env = dict(os.environ, XDG_CACHE_HOME=work)
            out = subprocess.run([sys.executable, "-c", PROBE_TWICE], cwd=HERE, env=env, text=True, check=True,
                                 stdout=subprocess.PIPE).stdout
            same(out, "probed\n")


APT_KERNELS = "\n".join(f"echo linux-image-{name} - Linux" for name in (
    "6.1.0-54-amd64", "6.12.99+deb12-amd64", "6.12.115+deb12-amd64", "6.12.115+deb12-amd64-dbg",
    "6.12.200+deb12-cloud-amd64", "6.12.200+deb12-rt-amd64", "6.9.7+bpo-amd64", "6.12-amd64"))


def newest_kernel_is_found():
    with tempfile.TemporaryDirectory() as work:
        tools = fake_apt(work, 'for name; do :; done; echo "$name" > "$HOME/log"; : > k.deb')
        link_tools(tools, "xz")
        unpack = 'mkdir -p "$3/boot" "$3/lib/modules/x"; cd "$3"; : > boot/vmlinuz-x; ' \
                 'echo code | xz > lib/modules/x/a.ko.xz'
        write_tools(tools, {"apt-cache": APT_KERNELS, "dpkg-deb": unpack})
        env = {"PATH": tools, "XDG_CACHE_HOME": work, "HOME": work}
        contains(call("kernel", "new", **env)[0], "/new/boot/vmlinuz-x")
        with open(os.path.join(work, "log"), encoding="ascii") as file:
            same(file.read(), "linux-image-6.12.115+deb12-amd64\n")
        with open(os.path.join(work, "sonde/lab/new/lib/modules/x/a.ko"), encoding="ascii") as file:
            same(file.read(), "code\n")


def too_old_a_kernel_is_a_skip():
    with tempfile.TemporaryDirectory() as work:
        tools = fake_apt(work, "exit 0")
        write_tools(tools, {"apt-cache": "echo linux-image-6.1.0-54-amd64 - Linux"})
        text = call("kernel", "new", status=77, PATH=tools, XDG_CACHE_HOME=work, HOME=work)[1]
        contains(text, "skipped: cannot download linux-image-VERSION-amd64: none that is 6.9 or newer")


def wrong_kernel_is_named():
    text = call("run", "-k", "/nowhere", "true", status=2, SONDE_VM="")[1]
    contains(text, "no kernel '/nowhere'")


def modules_come_after_what_they_need():
    """Whichever of two needs the other; a name with a dash; one that is built in."""
    needs = {"virtio": "virtio-ring", "virtio-ring": "", "9p": "virtio,built_in", "other": "9p"}
    for swapped in (needs, needs | {"virtio": "", "virtio-ring": "virtio", "9p": "virtio-ring"}):
        with tempfile.TemporaryDirectory() as work:
            for name, text in swapped.items():
                with open(os.path.join(work, f"{name}.ko"), "wb") as file:
                    file.write(b"\0name=x\0depends=" + text.encode() + b"\0retpoline=Y\0")
            found = [os.path.basename(path) for path in Kernel("", work).modules_for(("9p", "virtio_ring", "none"))]
        wanted = ["virtio-ring.ko", "virtio.ko"] if swapped is needs else ["virtio.ko", "virtio-ring.ko"]
        same(found, [*wanted, "9p.ko"])


SUITE_CASES = {
    "a-good": "# shows\n# covers: none\ntrue\n",
    "b-bad": "# shows\n# covers: none\necho ok fine\nfalse\ntrue\n",
    "c-skipped": "# shows\n# covers: none\nskip the reason\n",
    "d-dirty": "# shows\n# covers: none\necho 0 > $TRACING/tracing_on\n",
    "e-after-dirty": "# shows\n# covers: none\ngrep 1 $TRACING/tracing_on\n",
    "j-spoils": "# shows\n# covers: none\n# limit: 90\n# spoils: WHY\necho 0 > $TRACING/tracing_on\n",
    "f-slow": "# shows\n# covers: none\n# limit: 1\nsleep 60\n",
    "g-no-covers": "# shows\ntrue\n",
    "h-panics": "# shows\n# covers: none\necho c > /proc/sysrq-trigger\n",
    "i-after-panic": "# shows\n# covers: none\ntrue\n",
}

SUITE_LINES = (
    "FAIL g-no-covers\n    the head needs a line '# covers: '",
    "ok a-good\nFAIL b-bad\n    exit status 1\n    ok fine\n    line 4: exit status 1: false\n",
    "skip c-skipped: the reason\nFAIL d-dirty\n    left this behind:\n    -tracing_on:1\n",
    "ok e-after-dirty\nFAIL h-panics\n    the guest went away",
    "ok i-after-panic\nFAIL f-slow\n    took longer than 3 s\n",
    "ok j-spoils\n4 passed, 5 failed, 1 skipped\n",
)


def suite_tells_verdicts_apart():
    with tempfile.TemporaryDirectory() as work:
        for name, text in SUITE_CASES.items():
            with open(os.path.join(work, name + ".vmtest"), "w", encoding="ascii") as file:
                file.write(text)
        text = call("suite", "-j", "1", "-d", work, status=1, TMPDIR=work)[0]
        for lines in SUITE_LINES:
            contains(text, lines)
        contains(call("suite", "-d", work, "nosuch", status=2)[1], "no test is named 'nosuch'")


def fake_apt(work, apt_get):
    """A PATH whose apt knows one kernel and whose dpkg-deb unpacks an empty one."""
    tools = os.path.join(work, "tools")
    os.mkdir(tools)
    link_tools(tools, "env", "sh", "sleep", "mkdir", "python3", "qemu-system-x86_64")
    scripts = {"apt-cache": "echo '  Depends: linux-image-6.1.0-0-amd64'", "apt-get": apt_get,
               "dpkg-deb": 'mkdir "$3"'}
    write_tools(tools, scripts)
    return tools


def write_tools(tools, scripts):
    for name, text in scripts.items():
        path = os.path.join(tools, name)
        if os.path.lexists(path):       # never write through a link to a real tool
            os.unlink(path)
        with open(path, "w", encoding="ascii") as file:
            file.write(f"#!/bin/sh\n{text}\n")
        os.chmod(path, 0o755)


def link_tools(directory, *names):
    for name in names:
        target = sys.executable if name == "python3" else f"/usr/bin/{name}"
        os.symlink(target, os.path.join(directory, name))


def children_named(name, parent):
    """Processes that `parent` started and that run a program of this name."""
    try:
        with open(f"/proc/{parent}/task/{parent}/children", encoding="ascii") as file:
            pids = file.read().split()
        return [pid for pid in pids if comm(pid) == name]
    except OSError:
        return []


def comm(pid):
    with open(f"/proc/{pid}/comm", encoding="utf-8") as file:
        return file.read().strip()


def wait_for(condition, limit_s=120):
    deadline = time.monotonic() + limit_s
    while not (value := condition()):
        assert time.monotonic() < deadline, f"waited {limit_s} s in vain"
        time.sleep(0.05)
    return value


def _without_session():
    return {name: value for name, value in os.environ.items() if name != "SONDE_VM"}


TESTS = (missing_qemu_is_a_skip, missing_network_is_a_skip, unbuildable_kernel_is_a_skip,
         kernel_is_built_once, two_runs_fetch_once, kvm_is_probed_once, newest_kernel_is_found,
         too_old_a_kernel_is_a_skip, wrong_kernel_is_named, modules_come_after_what_they_need,
         suite_tells_verdicts_apart, owned_guest_ends_with_its_owner,
         saved_guest_is_loaded, second_guest_is_watched_too,
         guest_passes_output_and_status, guest_runs_the_given_program, guest_output_files_are_kept,
         guest_keeps_the_time_limit, guest_reports_what_a_job_left, guest_jobs_queue,
         guest_refuses_boot_options, guest_panic_is_told_with_the_console)


def name_of(test):
    return "lab-" + test.__name__.replace("_", "-")


def run_selftests(names):
    """Yield (verdict, name, text) for each of the named tests."""
    tests = [test for test in TESTS if name_of(test) in names]
    why_not = lab_missing() if tests else None
    try:
        for test in tests:
            verdict, text = ("skip", why_not) if why_not else run_test(test)
            yield verdict, name_of(test), text
    finally:
        Guest(SESSION).stop()
        shutil.rmtree(SESSION, ignore_errors=True)


def lab_missing():
    """Why no guest can be had here, or None."""
    try:
        require_host()
        kernel_find("stock")
    except Unavailable as err:
        return str(err)
    return None


def run_test(test):
    try:
        if test.__name__.startswith("guest_") and not os.path.exists(SESSION):
            call("session", "start", "-d", SESSION)
        test()
    except AssertionError as err:
        return "FAIL", str(err)
    return "ok", ""
