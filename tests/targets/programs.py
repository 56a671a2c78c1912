"""What the tests of this directory share: running commands, the programs they look at, how they fail."""
import json
import os
import pathlib
import shutil
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SONDE = os.environ.get("SONDE", str(ROOT / "build/sonde"))
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


class Programs:
    """Built when first asked for."""

    def __init__(self, directory):
        self.dir = pathlib.Path(directory)

    def make(self, name, cc, *argv):
        path = self.dir / name
        if not path.exists():
            need(cc)
            # below the project's own directory clang names the source twice; a .dwo goes where the compiler runs
            split = "-gsplit-dwarf" in argv
            run(cc, "-g", *argv, "-o", path, cwd=self.dir if split else ROOT)
        return path

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
