"""The kernel with every tracer, built once from Debian's source package into the user's cache.

    ~/.cache/sonde/lab/
        build.lock                  held while it is built; a second run waits and re-uses
        all-VERSION-HASH/boot/      vmlinuz-RELEASE, config-RELEASE, System.map-RELEASE
        .all-…/                     the source and the objects, 1 GB, only while it is built

VERSION is the source package's, HASH is of ../all-tracers.config without its comments. A kernel
that fits the configuration is used whatever its version, without asking the network; to get a newer
one, remove its directory. A new configuration makes a new kernel and removes the old ones.

The way: download, unpack without what the configuration cannot reach, tinyconfig, merge the
fragment, make sure that nothing of it was dropped (Kconfig drops silently what depends on something
that is off), make. Six minutes of CPU time; the objects are not kept.
"""

import glob
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile

from . import EXIT_SKIP, BootFailed, Unavailable
from .cache import cache_dir, download, locked

HERE = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
FRAGMENT = os.path.join(HERE, "all-tracers.config")
TOOLS = ("gcc", "ld", "make", "flex", "bison", "bc", "xz", "tar", "dpkg-deb")
HEADER = "gelf.h"       # of libelf, for objtool, which the build makes first

# Patterns of tar(1), relative to the source. The lists of options (Kconfig) must all be there,
# whatever they speak of, so only code is left out: two thirds of the whole.
UNUSED = ("arch/[a-wyz]*.[chS]", "arch/*.dts*", "tools/testing", "tools/perf",
          "Documentation/*.[rty]*", "drivers/gpu/*.[ch]", "drivers/net/[ew]*/*.[ch]",
          "drivers/media/*.[ch]", "drivers/staging/*.[ch]", "drivers/scsi/*.[ch]", "sound/*.[ch]")

# (file, text, text instead): 9p over virtio needs no internet.
CORRECTIONS = (("fs/9p/Kconfig", "depends on INET && NET_9P", "depends on NET_9P"),)

STEP_LIMIT_S = 300
BUILD_LIMIT_S = 3600
LAST_LINES = 30


def built():
    """The tree of the kernel that fits the configuration, or None."""
    found = glob.glob(f"{glob.escape(cache_dir())}/all-*-{_config_hash()}")
    return max(found, key=os.path.getmtime) if found else None


def build():
    """The tree of the kernel, built when it is not there yet."""
    tree = built()
    if tree:
        return tree
    with locked(os.path.join(cache_dir(), "build.lock")):
        return built() or _build(cache_dir())


class Builder:
    """A build in the background, so that tests of other kernels can run meanwhile."""

    def __init__(self):
        self.process = None
        self.log = None

    def start(self):
        if not built():
            self.log = tempfile.TemporaryFile(mode="w+", encoding="utf-8")
            self.process = subprocess.Popen([os.path.join(HERE, "kernel"), "all"],
                                            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                            stderr=self.log)

    def is_busy(self):
        return bool(self.process) and self.process.poll() is None

    def wait(self):
        """Until the kernel is there, or raise what went wrong."""
        if self.process and self.process.wait():
            self.log.seek(0)
            text = self.log.read().strip().removeprefix("tests/vm/kernel: ")
            if self.process.returncode == EXIT_SKIP:
                raise Unavailable(text.splitlines()[-1].partition("skipped: ")[2] or text)
            raise BootFailed(text)

    def end(self):
        if self.process and self.process.poll() is None:
            self.process.terminate()
            self.process.wait()


def _fragment():
    """The lines that matter; a comment is not worth a new kernel."""
    with open(FRAGMENT, encoding="ascii") as file:
        return re.findall(r"^(?:CONFIG_\w+=.*|# CONFIG_\w+ is not set)$", file.read(), re.M)


def _config_hash():
    return hashlib.sha256("\n".join(_fragment()).encode()).hexdigest()[:12]


def _build(cache):
    _require_tools()
    for left in glob.glob(f"{glob.escape(cache)}/.all-*"):
        shutil.rmtree(left, ignore_errors=True)
    work = tempfile.mkdtemp(prefix=".all-", dir=cache)
    try:
        with locked(os.path.join(cache, "lock")):
            package = download("source", work, cache)
        print("lab: building the kernel with all tracers; once, six minutes of CPU time",
              file=sys.stderr, flush=True)
        source = _unpack(package, work)
        _correct(source)
        _configure(source)
        jobs = len(os.sched_getaffinity(0))
        _step(["nice", "-n", "5", "make", "-s", f"-j{jobs}", "bzImage"], source, BUILD_LIMIT_S)
        version = os.path.basename(package).split("_")[1]
        return _keep(source, work, os.path.join(cache, f"all-{version}-{_config_hash()}"))
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _require_tools():
    missing = [tool for tool in TOOLS if not shutil.which(tool)]
    if not missing and subprocess.run(["gcc", "-E", "-include", HEADER, "-x", "c", "/dev/null"],
                                      capture_output=True, check=False).returncode:
        missing = [HEADER]
    if missing:
        raise Unavailable(f"{missing[0]} is missing, to build the kernel with all tracers; "
                          "tools/deps kernel installs it")


def _unpack(package, work):
    tree = os.path.join(work, "package")
    _step(["dpkg-deb", "-x", package, tree], work)
    os.unlink(package)
    archives = glob.glob(f"{glob.escape(tree)}/usr/src/linux-source-*.tar.xz")
    if not archives:
        raise BootFailed(f"{os.path.basename(package)} holds no source archive")
    top = os.path.basename(archives[0]).removesuffix(".tar.xz")
    excludes = [f"--exclude={top}/{pattern}" for pattern in UNUSED]
    _step(["tar", "-x", "-J", "-f", archives[0], "--wildcards", "--anchored", *excludes], work)
    shutil.rmtree(tree)
    return os.path.join(work, top)


def _correct(source):
    for name, old, new in CORRECTIONS:
        path = os.path.join(source, name)
        if not os.path.exists(path):
            continue                # another version, which may not need it
        with open(path, encoding="utf-8") as file:
            text = file.read()
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace(old, new))


def _configure(source):
    _step(["make", "-s", "tinyconfig"], source)
    _step(["scripts/kconfig/merge_config.sh", "-m", ".config", FRAGMENT], source)
    _step(["make", "-s", "olddefconfig"], source)
    with open(os.path.join(source, ".config"), encoding="ascii") as file:
        final = {line.partition("=")[0]: line.rstrip() for line in file if line[0] == "C"}
    dropped = [line for line in _fragment() if
               (final.get(line.split()[1]) if line[0] == "#" else
                final.get(line.partition("=")[0]) != line)]
    if dropped:
        raise BootFailed(f"these lines of {os.path.basename(FRAGMENT)} did not make it into the "
                         "configuration; what do they depend on?\n" + "\n".join(dropped))


def _keep(source, work, tree):
    """Move what is worth keeping to `tree`, at once; forget kernels of other configurations."""
    with open(os.path.join(source, "include/config/kernel.release"), encoding="ascii") as file:
        release = file.read().strip()
    new = os.path.join(work, "tree")
    os.makedirs(os.path.join(new, "boot"))
    for path, name in (("arch/x86/boot/bzImage", "vmlinuz"), (".config", "config"),
                       ("System.map", "System.map")):
        shutil.copy(os.path.join(source, path), os.path.join(new, "boot", f"{name}-{release}"))
    for old in glob.glob(f"{glob.escape(cache_dir())}/all-*"):
        shutil.rmtree(old, ignore_errors=True)
    os.rename(new, tree)
    return tree


def _step(argv, cwd, limit_s=STEP_LIMIT_S):
    """Run one command of the build; what it says counts only when it fails."""
    env = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR") if name in os.environ}
    process = subprocess.Popen(argv, cwd=cwd, env=dict(env, LC_ALL="C.UTF-8"), text=True,
                               errors="replace", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT)
    try:
        output = process.communicate(timeout=limit_s)[0]
    except BaseException as err:
        # make(1) ends its children when it is asked to go, not when it is killed.
        process.terminate()
        process.communicate()
        if isinstance(err, subprocess.TimeoutExpired):
            raise BootFailed(f"{' '.join(argv)} took longer than {limit_s} s") from err
        raise
    if process.returncode:
        lines = "\n".join(output.splitlines()[-LAST_LINES:])
        raise BootFailed(f"{' '.join(argv[:6])} ended with {process.returncode}:\n{lines}")
