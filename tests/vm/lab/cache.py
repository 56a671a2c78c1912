"""Packages of Debian, unpacked into the user's cache, never installed, and programs for the guest.

    ~/.cache/sonde/lab/
        lock                    held while something is fetched; a second run waits and re-uses
        stock/                  the package's tree: boot/vmlinuz-VERSION, lib/modules/VERSION/…
        rt/
        new/                    the same of a newer kernel; its modules are unpacked, too
        busybox/
        apt/                    package lists of our own, made only when the system's do not serve
        all-…/, build.lock      a kernel of our own, see build.py
        saved-…                 guests that have booted, see saved.py
        kvm-BOOT                "yes" or "no": whether KVM works, tried once per boot of the host
        look-…                  a program built from ../guest/look.c; the rest of its name tells the source

A directory appears by rename, so it is complete or absent. What is there is used as it is, without
asking the network; to get a newer kernel, remove its directory.
"""

import contextlib
import fcntl
import glob
import hashlib
import lzma
import os
import re
import shutil
import subprocess
import tempfile

from . import Unavailable

# name: (package, whether it is a metapackage that depends on the real one)
PACKAGES = {
    "stock": ("linux-image-amd64", True),
    "rt": ("linux-image-rt-amd64", True),
    "new": ("linux-image-VERSION-amd64", False),        # which VERSION: see _newest()
    "busybox": ("busybox-static", False),
    "source": ("linux-source-6.1", False),
}

# Three quarters of a kernel package are drivers for hardware that QEMU does not show.
UNUSED = ("drivers/gpu", "drivers/media", "drivers/net/wireless", "drivers/net/ethernet",
          "drivers/infiniband", "drivers/isdn", "drivers/iio", "drivers/staging", "sound")

# Probes by the function tracer's hooks that know the arguments at the return, too, came with this version.
NEW_SINCE = (6, 9)
# Debian's kernels for clouds are a third as large, but have no 9p, by which the guest gets its files.
NEW_IMAGE = r"linux-image-([0-9.]+)(?:-[0-9]+)?(?:\+deb[0-9]+|\+bpo)?-amd64"

FETCH_LIMIT_S = 600


def cache_dir():
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    path = os.path.join(base, "sonde", "lab")
    try:
        os.makedirs(path, exist_ok=True)
    except OSError as err:
        raise Unavailable(f"cannot make the cache {path}: {err.strerror}; "
                          "set XDG_CACHE_HOME") from err
    return path


@contextlib.contextmanager
def locked(path):
    """Hold an exclusive lock on a file; the kernel drops it should we die."""
    with open(path, "w", encoding="ascii") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def package_tree(name):
    """The unpacked tree of a package of the table, fetched when it is not in the cache yet."""
    cache = cache_dir()
    tree = os.path.join(cache, name)
    if os.path.isdir(tree):
        return tree
    with locked(os.path.join(cache, "lock")):
        if not os.path.isdir(tree):
            _fetch(name, cache, tree)
    return tree


def program_built(source):
    """The program of a C file, which needs nothing but the kernel; built when it is not in the cache."""
    with open(source, "rb") as file:
        digest = hashlib.sha256(file.read()).hexdigest()[:16]
    cache, name = cache_dir(), os.path.basename(source).removesuffix(".c")
    program = os.path.join(cache, f"{name}-{digest}")
    if not os.path.exists(program):
        with locked(os.path.join(cache, "lock")):
            _compile(source, program)
    return program


def _compile(source, program):
    if not shutil.which("gcc"):
        raise Unavailable("gcc is missing, to build a program for the guest")
    result = _command(["gcc", "-O2", "-static", "-D_GNU_SOURCE", source, "-o", program + ".new"])
    if result.returncode:
        raise Unavailable(f"cannot build {source}: {_last_line(result)}")
    os.rename(program + ".new", program)


def _fetch(name, cache, tree):
    for tool in ("apt-get", "apt-cache", "dpkg-deb"):
        if not shutil.which(tool):
            raise Unavailable(f"{tool} is missing; the lab takes its kernels from Debian packages")
    work = tempfile.mkdtemp(prefix=f".{name}-", dir=cache)
    try:
        package = download(name, work, cache)
        unpacked = os.path.join(work, "tree")
        result = _command(["dpkg-deb", "-x", package, unpacked])
        if result.returncode:
            raise Unavailable(f"cannot unpack {os.path.basename(package)}: {_last_line(result)}")
        for part in UNUSED:
            for path in glob.glob(f"{glob.escape(unpacked)}/lib/modules/*/kernel/{part}"):
                shutil.rmtree(path)
        _unpack_modules(unpacked)
        os.rename(unpacked, tree)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _unpack_modules(tree):
    """Newer packages have their modules compressed, each for itself, which the guest cannot load."""
    for path in glob.glob(f"{glob.escape(tree)}/lib/modules/**/*.ko.xz", recursive=True):
        with lzma.open(path) as packed, open(path.removesuffix(".xz"), "wb") as module:
            shutil.copyfileobj(packed, module)
        os.unlink(path)


def download(name, work, cache):
    """Download a package of the table into `work`; the cache's lock must be held.

    With the system's package lists; where they are absent or too old, with our own.
    """
    # Without this, apt started by root warns that its own user cannot write here.
    options = ["-o", "APT::Sandbox::User=root"]
    package = _try_download(name, work, options)
    if isinstance(package, str):
        return package
    state = os.path.join(cache, "apt")
    os.makedirs(os.path.join(state, "lists", "partial"), exist_ok=True)
    os.makedirs(os.path.join(state, "cache", "archives", "partial"), exist_ok=True)
    options += ["-o", f"Dir::State::lists={state}/lists", "-o", f"Dir::Cache={state}/cache"]
    # One source that does not answer is no reason to give up: the next step tells.
    _command(["apt-get", *options, "-q", "update"])
    package = _try_download(name, work, options)
    shutil.rmtree(state, ignore_errors=True)
    if isinstance(package, str):
        return package
    raise Unavailable(f"cannot download {PACKAGES[name][0]}: {_last_line(package)}; "
                      "the lab needs Debian's package sources and a network")


def _try_download(name, work, options):
    """The path of the downloaded package, or the failed command."""
    package, is_meta = PACKAGES[name]
    if name == "new":
        package = _newest(options)
        if not package:
            return subprocess.CompletedProcess([], 1, "", "none that is %d.%d or newer" % NEW_SINCE)
    if is_meta:
        result = _command(["apt-cache", *options, "depends", "--important", package])
        real = re.search(r"Depends: (linux-image-\S+)", result.stdout)
        if not real:
            return result
        package = real.group(1)
    result = _command(["apt-get", *options, "-q", "download", package], cwd=work)
    found = glob.glob(f"{glob.escape(work)}/*.deb")
    return found[0] if result.returncode == 0 and found else result


def _newest(options):
    """The package of the newest kernel that apt offers; None where none is new enough."""
    result = _command(["apt-cache", *options, "search", "--names-only", "^linux-image-[0-9].*-amd64$"])
    found = []
    for line in result.stdout.splitlines():
        match = re.fullmatch(NEW_IMAGE, line.split()[0])
        if match:
            found.append((tuple(map(int, match.group(1).split("."))), match.group(0)))
    version, package = max(found, default=((0,), None))
    return package if version >= NEW_SINCE else None


def _command(argv, cwd=None):
    env = dict(os.environ, LC_ALL="C.UTF-8")
    try:
        return subprocess.run(argv, cwd=cwd, env=env, stdin=subprocess.DEVNULL, text=True,
                              capture_output=True, timeout=FETCH_LIMIT_S, check=False)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(argv, 124, "", f"no end after {FETCH_LIMIT_S} s")


def _last_line(result):
    lines = (result.stderr.strip() or "the package is not known").splitlines()
    return lines[-1].removeprefix("E: ")
