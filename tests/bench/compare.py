"""Old build against new build: `make bench BASE=REV`, `tests/bench/run --base REV [NAME…]`.

    old build    REV, in a clone of its own: $XDG_CACHE_HOME/sonde/bench/base-COMMIT-OPTIONS, kept for the next run
    new build    the program of this checkout (build/sonde), changes that are not committed included

The old one is built with the options of the new one. A pair of runs is one of each, right after the other, and the
first of a pair alternates, so both see the same machine. What is compared is the ratio within each pair: a slow
minute slows both runs of a pair. The median of these ratios is shown with the interval that holds the true median
with 95 % certainty. It is found by counting, whatever the distribution: of 9 pairs it goes from the second
smallest ratio to the second largest.

The verdict is "same" if the interval contains 1, or if the median is closer to 1 than FLOOR: where the linker
puts a loop makes that much. Otherwise the new build is "faster" or "slower". An interval that is wide says that
the machine was too busy: more pairs (--pairs N) narrow it.
"""
import hashlib
import json
import math
import pathlib
import shutil
import statistics
import subprocess
import sys

CERTAINTY = 0.95
FLOOR = 0.02
# those that make a program faster or slower
OPTIONS = ("buildtype", "optimization", "debug", "b_lto", "b_ndebug", "b_sanitize", "c_args", "c_link_args")
KEPT = 2        # clones; 100 MB each
ROW = "{:<64} {:>11} {:>11} {:>8}  {:<17} {}"


class Failed(Exception):
    """A program ended with an error; the text says which."""


def interval(values):
    """The values between which the true median is with CERTAINTY, or the extremes of too few."""
    values, n = sorted(values), len(values)
    outside, k = 0.0, 0     # k values on each side can be left out
    while k < n // 2:
        outside += 2 * math.comb(n, k) / 2 ** n
        if outside > 1 - CERTAINTY:
            break
        k += 1
    k = max(k - 1, 0)
    return values[k], values[n - 1 - k]


def verdict(ratios):
    """(median, low, high, word); ratios: new to old, of times or of memory."""
    low, high = interval(ratios)
    median = statistics.median(ratios)
    if low <= 1 <= high or abs(median - 1) < FLOOR:
        return median, low, high, "same"
    return median, low, high, "slower" if median > 1 else "faster"


def alternate(n_pairs, sample, old, new):
    """[(old, new)] of n_pairs, after a pair to warm up; sample(program) is one run."""
    pairs = []
    for i in range(n_pairs + 1):
        if i % 2:
            pair = sample(old), sample(new)
        else:
            pair = tuple(reversed((sample(new), sample(old))))
        if i:
            pairs.append(pair)
    return pairs


def commit_of(root, rev):
    done = subprocess.run(["git", "-C", root, "rev-parse", "--verify", "--quiet", f"{rev}^{{commit}}"],
                          stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"There is no commit '{rev}'.")
    return done.stdout.strip()


def options_of(build):
    """The -D options of a build directory, those that matter here."""
    with open(pathlib.Path(build, "meson-info/intro-buildoptions.json"), encoding="utf-8") as file:
        found = {row["name"]: row["value"] for row in json.load(file) if row["name"] in OPTIONS}
    # buildtype sets others, so it goes first
    return [f"-D{name}={meson_text(found[name])}" for name in OPTIONS
            if name in found and not (name == "buildtype" and found[name] == "custom")]


def meson_text(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    return json.dumps(value).replace('"', "'") if isinstance(value, list) else str(value)


def built_base(root, cache, rev, new_build):
    """The build directory of REV, made if it is not in the cache; clones of other commits go, but for one."""
    commit, options = commit_of(root, rev), options_of(new_build)
    mark = hashlib.sha256("\n".join(options).encode()).hexdigest()[:6]
    place = pathlib.Path(cache, f"base-{commit[:12]}-{mark}")
    if not place.exists():
        print(f"cloning {rev} ({commit[:12]}) to {place}", file=sys.stderr, flush=True)
        part = place.with_suffix(".part")
        shutil.rmtree(part, ignore_errors=True)
        quiet = {"check": True, "stdout": subprocess.DEVNULL}
        subprocess.run(["git", "clone", "-q", "--shared", "--no-checkout", root, part], **quiet)
        subprocess.run(["git", "-C", part, "checkout", "-q", "--detach", commit], **quiet)
        part.rename(place)
    place.touch()
    for old in sorted(cache.glob("base-*"), key=lambda path: -path.stat().st_mtime)[KEPT:]:
        shutil.rmtree(old, ignore_errors=True)
    build = place / "build"
    if not (build / "build.ninja").exists():
        run_quietly(["meson", "setup", *options, build, place])
    print(f"building {rev} ({commit[:12]})", file=sys.stderr, flush=True)
    run_quietly(["ninja", "-C", build, "sonde"])
    return build


def run_quietly(argv):
    """A step of a build; what it prints counts only if it fails."""
    done = subprocess.run([str(word) for word in argv], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace")
    if done.returncode:
        sys.exit(f"{' '.join(map(str, argv))}: status {done.returncode}\n{done.stdout[-4000:]}")


def compare(figures, old, new, n_pairs, show):
    """Prints the rows of each figure (what, sample, unit, its pairs); how many are slower, or larger.

    A sample is a value, or a pair of seconds: on the clock and on the CPU. The second is the one to look at on a busy
    machine, the first is what a user waits for.
    """
    print(ROW.format("figure", "old", "new", "ratio", "95 %", ""))
    words, missing = [], 0
    for what, sample, unit, own_pairs in figures:
        try:
            pairs = alternate(n_pairs or own_pairs, sample, old, new)
        except Failed as why:
            print(ROW.format(what, "-", "-", "-", "-", f"not measured: {why}"), flush=True)
            missing += 1
            continue
        if isinstance(pairs[0][0], tuple):
            words.append(show_row(what, [(o[0], n[0]) for o, n in pairs], unit, show))
            words.append(show_row("    CPU time", [(o[1], n[1]) for o, n in pairs], unit, show))
        else:
            words.append(show_row(what, pairs, unit, show))
    counts = ", ".join(f"{words.count(word)} {word}" for word in ("faster", "same", "slower"))
    print(f"{len(words)} rows: {counts}" + (f"; {missing} not measured" if missing else ""))
    return words.count("slower")


def show_row(what, pairs, unit, show):
    median, low, high, word = verdict([new / old for old, new in pairs])
    print(ROW.format(what, *(show(statistics.median(side), unit) for side in zip(*pairs)), f"{median:.3f}",
                     f"{low:.3f} to {high:.3f}", word), flush=True)
    return word
