"""What suites share: the ways in which a test ends early, and the loop that runs tests and prints verdicts.

A test is a function that returns, or raises Wrong (what it found) or Skip (why it cannot run here).
"""
import subprocess

from tiers import chosen


class Wrong(Exception):
    pass


class Skip(Exception):
    pass


def functions(names):
    """The functions test_* among the globals of a suite, by their names as tests."""
    return sorted((name.removeprefix("test_").replace("_", "-"), test) for name, test in names.items()
                  if name.startswith("test_"))


def run_tests(tests, *args):
    """Runs those of the pairs (name, test) that are wanted, each with these arguments; whether one failed."""
    failed = False
    for name, test in tests:
        if not chosen(name):
            continue
        try:
            test(*args)
            print(f"ok {name}", flush=True)
        except Skip as why:
            print(f"skip {name}: {why}", flush=True)
        except (Wrong, OSError, subprocess.SubprocessError) as why:
            failed = True
            print(f"FAIL {name}\n  {why}", flush=True)
    return failed
