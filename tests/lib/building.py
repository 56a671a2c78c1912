"""Programs that only tests need, built when a suite first asks for them."""
import fcntl
import pathlib
import subprocess


def build(directory, *targets):
    """What ninja complains of, or nothing. One at a time: two in one directory spoil each other's notes."""
    directory = pathlib.Path(directory)
    with open(directory / ".suites-lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = subprocess.run(["ninja", "-C", directory, *targets], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace", timeout=1200)
    return done.stdout[-4000:] if done.returncode else ""
