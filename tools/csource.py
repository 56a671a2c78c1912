"""What the checkers share: the list of source files, C without its comments, the exceptions."""
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOKEN = re.compile(
    r"//[^\n]*|/\*.*?\*/"                                   # comments
    r"|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.S)  # strings and characters


def tracked_files():
    """Every file git knows or would add, as paths from the root; without git all but builds."""
    git = subprocess.run(["git", "ls-files", "-z", "-co", "--exclude-standard"], cwd=ROOT,
                         capture_output=True, text=True)
    if git.returncode == 0:
        names = [n for n in git.stdout.split("\0") if n]
    else:
        names = [str(p.relative_to(ROOT)) for p in ROOT.rglob("*")]
        names = [n for n in names if not n.startswith(("build", ".git/"))]
    return sorted(pathlib.Path(n) for n in set(names) if (ROOT / n).is_file())


def c_files(*tops):
    """The .c and .h files below the named directories."""
    return [p for p in tracked_files() if p.suffix in (".c", ".h") and p.parts[0] in tops]


def read(path):
    return (ROOT / path).read_text(errors="replace")


def code_only(text):
    """The text with comments and string contents blanked, every line in its place."""
    def blank(match):
        found = match.group()
        if found[0] in "\"'":
            return found[0] + " " * (len(found) - 2) + found[0]
        return re.sub(r"[^\n]", " ", found)
    return TOKEN.sub(blank, text)


def exceptions(check):
    """The paths that tools/exceptions frees from a check. A line is: CHECK PATH REASON…"""
    freed = set()
    for line in read("tools/exceptions").splitlines():
        words = line.split(None, 2)
        if line.startswith("#") or not words:
            continue
        if len(words) < 3:
            raise SystemExit(f"tools/exceptions: '{line}' gives no reason")
        if words[0] == check:
            freed.add(words[1])
    return freed


def finish(problems):
    """Prints the problems, one per line; the exit status for main."""
    for problem in problems:
        print(problem)
    return 1 if problems else 0
