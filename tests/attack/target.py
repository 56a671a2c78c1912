"""The program under attack, and what counts as a finding."""
import os
import pathlib
import signal
import subprocess
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
SONDE = pathlib.Path(os.environ.get("SONDE", ROOT / "build-asan/sonde")).resolve()
GOLDEN = pathlib.Path(os.environ.get("GOLDEN", ROOT / "build/golden")).resolve()
CPU_SECONDS = 60        # with sanitizers on a busy machine; what does not end is far above
MEMORY_MB = 1500        # the sanitizers' own part included
SANITIZERS = {"ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1:handle_abort=1",
              "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1"}
NOBODY = 65534


class Finding(Exception):
    """Something no input may cause. The text says what."""


def environment(**more):
    return os.environ | SANITIZERS | {k: str(v) for k, v in more.items()}


def unprivileged():
    """Words that run what follows them without root's rights, where there are any."""
    if os.geteuid():
        return []
    return ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--no-new-privs"]


def judge(status, errors, words, printed=False):
    """printed: there was output, which may tell the reason of a failure, as that of check-events does."""
    said = errors.decode("utf-8", "replace")
    line = " ".join(map(str, words))
    if "Sanitizer" in said or "runtime error:" in said:
        raise Finding(f"{line}: the sanitizer speaks:\n{said[-4000:]}")
    if status < 0:
        raise Finding(f"{line}: ended by {signal.Signals(-status).name}\n{said[-2000:]}")
    if status == 1 and not said.strip() and not printed:
        raise Finding(f"{line}: failed without a reason")


def run(words, prefix=(), env=None, stdin=subprocess.DEVNULL, file_bytes=256 << 20):
    """Runs sonde with these words; raises a Finding for a crash, a hang, or a sanitizer's report."""
    argv = ["prlimit", f"--cpu={CPU_SECONDS}", "--core=0", f"--fsize={file_bytes}", *prefix, str(SONDE),
            *map(str, words)]
    with tempfile.TemporaryFile() as out, \
            subprocess.Popen(argv, stdin=stdin, stdout=out, stderr=subprocess.PIPE,
                             env=env or environment()) as proc:
        hung = threading.Event()
        timer = threading.Timer(10 * CPU_SECONDS, lambda: (hung.set(), proc.kill()))
        timer.start()
        try:
            errors = proc.stderr.read()
            _, status, used = os.wait4(proc.pid, 0)
            proc.returncode = os.waitstatus_to_exitcode(status)
        finally:
            timer.cancel()
        printed = os.fstat(out.fileno()).st_size > 0
    if hung.is_set() or proc.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        raise Finding(f"{' '.join(argv)}: does not end")
    if used.ru_maxrss >> 10 > MEMORY_MB:
        raise Finding(f"{' '.join(argv)}: took {used.ru_maxrss >> 10} MB")
    judge(proc.returncode, errors, argv, printed)
    return proc.returncode


def wait_for(condition, what, seconds=300):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        time.sleep(0.05)
    raise Finding(f"{what} did not happen")

