"""Which tests a change touches: maps the paths that differ from a commit to names for tests/run.

tests/touches says which tests belong to which paths. A path that it does not know means that anything
may be touched: then all tests of the tier quick run.
"""
import fnmatch
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
CODE = ["check", "house", "unit/", "cli/", "unit/*@asan", "cli/*@asan"]    # for all that is compiled


def changed_paths(commit, root=ROOT):
    """What differs from the commit in the work tree, new files included."""
    def git(*words):
        done = subprocess.run(["git", "-C", str(root), *words], capture_output=True, text=True)
        if done.returncode:
            raise ValueError(f"git cannot compare with '{commit}': {done.stderr.strip()}")
        return done.stdout.splitlines()
    git("rev-parse", "--verify", "-q", commit + "^{commit}")
    return git("diff", "--name-only", "--no-renames", commit, "--") + \
        git("ls-files", "--others", "--exclude-standard")


def table(root=ROOT):
    """[(pattern, [names])]"""
    found = []
    for line in (root / "tests/touches").read_text().splitlines():
        if words := line.partition("#")[0].split():
            found.append((words[0], words[1:]))
    return found


def own_test(path):
    """The names of a test that changed itself; None if the path is no test."""
    if found := re.fullmatch(r"tests/unit/(test_\w+)\.c", path):
        return [f"unit/{found[1]}", f"unit/{found[1]}@asan"]
    if found := re.fullmatch(r"tests/cli/([^/]+)\.t", path):
        return [f"cli/{found[1]}", f"cli/{found[1]}@asan"]
    if found := re.fullmatch(r"tests/vm/([^/]+)\.(vmtest|host)", path):
        return [f"vm/{found[1]}"]
    found = re.fullmatch(r"tests/(\w+)/.+", path)
    if found and (ROOT / "tests" / found[1] / "suite").exists():
        return [f"{found[1]}/"]
    return None


def names_for(paths, rows):
    """The names of the tests that paths touch; None means everything."""
    names = ["check"]
    for path in paths:
        hits = [row for row in rows if fnmatch.fnmatchcase(path, row[0])]
        own = own_test(path)
        if not hits and own is None:
            return None
        if any("everything" in row[1] for row in hits):
            return None
        names += own or []
        for _, more in hits:
            names += more
        if path.startswith("src/"):
            names += CODE
    return sorted(set(names))
