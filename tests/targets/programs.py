"""What the tests of this directory share: running commands, the programs they look at, how they fail."""
import functools
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SONDE = os.environ.get("SONDE", str(ROOT / "build/sonde"))
# What compilers made of sources of the tree: the same sources and flags give the same program in every run.
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")) / "sonde/targets"
KEEP_SECONDS = 21 * 24 * 3600
UPROBES = pathlib.Path("/sys/kernel/tracing/uprobe_events")


class Skip(Exception):
    pass


class Wrong(Exception):
    pass


def run(*argv, check=True, **more):
    done = subprocess.run([str(a) for a in argv], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=300, **more)
    if check and done.returncode:
        raise Wrong(f"{' '.join(map(str, argv))[:200]}: {done.stderr.strip() or done.returncode}")
    return done


def need(*commands):
    for command in commands:
        if not shutil.which(command):
            raise Skip(f"there is no {command}")


def need_uprobes(machine=None):
    """Root, and a kernel with probes in programs. Where nobody mounted the tracing directory, sonde does."""
    if not os.geteuid() and not UPROBES.exists():
        run(SONDE, "list", "-t", check=False)
    if os.geteuid() or not UPROBES.exists() or (machine and os.uname().machine != machine):
        raise Skip("uprobes need root and a kernel with them" + (f", of {machine}" if machine else ""))


def sonde(*argv):
    return json.loads(run(SONDE, "probe", *argv, "--json").stdout)


@functools.cache
def version_of(cc):
    return shutil.which(cc) + run(cc, "--version").stdout


def cache_add(kept, path):
    """Keeps a program for later runs, and drops those that no run has used for some weeks."""
    CACHE.mkdir(parents=True, exist_ok=True)
    mine = kept.with_suffix(f".{os.getpid()}")
    shutil.copy(path, mine)
    mine.rename(kept)
    for old in CACHE.iterdir():
        if old.stat().st_mtime < time.time() - KEEP_SECONDS:
            old.unlink(missing_ok=True)


class Programs:
    """Built when first asked for."""

    def __init__(self, directory):
        self.dir = pathlib.Path(directory)

    def make(self, name, cc, *argv):
        path = self.dir / name
        if path.exists():
            return path
        need(cc)
        # below the project's own directory clang names the source twice; a .dwo goes where the compiler runs
        split = "-gsplit-dwarf" in argv
        kept = None if split else self.cached(cc, argv)
        if kept and kept.exists():
            os.utime(kept)
            shutil.copy(kept, path)     # not linked: a test may change it
            return path
        run(cc, "-g", *argv, "-o", path, cwd=self.dir if split else ROOT)
        if kept:
            cache_add(kept, path)
        return path

    def cached(self, cc, argv):
        """Where the result of a call of the compiler is kept; None for what is made of files of this run."""
        if any(str(self.dir) in str(word) for word in argv):
            return None
        digest = hashlib.sha256()
        # the debug information names the directory; a source may include any of those beside it
        for word in (ROOT, version_of(cc), *argv):
            digest.update(f"{word}\0".encode())
        beside = {p.parent for p in argv if isinstance(p, pathlib.Path)}
        for file in sorted(f for d in beside for f in d.iterdir() if f.suffix in (".c", ".cc", ".h")):
            digest.update(file.read_bytes())
        return CACHE / digest.hexdigest()[:32]

    def c(self, cc, level, pie):
        flags = ["-fPIE", "-pie"] if pie == "pie" else ["-fno-pie", "-no-pie"]
        return self.make(f"c-{cc}-O{level}-{pie}", cc, f"-O{level}", *flags, HERE / "shapes.c")

    def cc(self, cc, level):
        return self.make(f"cc-{cc}-O{level}", cc, f"-O{level}", HERE / "shapes.cc")

    def library(self):
        library = self.make("libshapes.so", "gcc", "-O2", "-shared", "-fPIC", HERE / "library.c")
        program = self.make("with-library", "gcc", "-O2", "-DWITH_LIBRARY", HERE / "shapes.c", library,
                            f"-Wl,-rpath,{self.dir}")
        return library, program
