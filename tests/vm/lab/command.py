"""What the lab's commands share: options of a boot, a guest for a while, how errors end."""

import contextlib
import os
import shutil
import signal
import sys
import tempfile

from . import EXIT_GUEST_DIED, EXIT_MISUSE, EXIT_SKIP, GuestDied, Misuse, Unavailable
from .group import MAX_GUESTS, Group
from .guest import ACCELERATORS
from .kernel import FLAVOURS

# option, name in Group.start(), default, how argparse treats it
BOOT_OPTIONS = (
    ("-g", "guests", 1, {"type": int, "choices": range(1, MAX_GUESTS + 1), "metavar": "GUESTS",
                         "help": "number of guests on one wire (1)"}),
    ("-s", "cpus", 2, {"type": int, "metavar": "CPUS", "help": "number of CPUs (2)"}),
    ("-m", "memory_mb", 2048, {"type": int, "metavar": "MB", "help": "memory (2048)"}),
    ("-D", "disk_mb", 0, {"type": int, "metavar": "MB",
                          "help": "a disk of its own, for scratch_disk (none: a file is one)"}),
    ("-k", "kernel", "stock", {"metavar": "KERNEL",
                               "help": f"{', '.join(FLAVOURS)}, or the path of an image (stock)"}),
    ("-a", "append", "", {"metavar": "PARAMETERS", "help": "more parameters for the kernel"}),
    ("-x", "accel", "auto", {"choices": ("auto", *ACCELERATORS),
                             "help": "accelerator; auto takes kvm where a probe boots with it"}),
)


def add_boot_options(parser):
    # The defaults are filled in later, so that we know which options were given.
    for option, name, _, more in BOOT_OPTIONS:
        parser.add_argument(option, dest=name, **more)


def boot_options_given(args):
    return [option for option, name, *_ in BOOT_OPTIONS if getattr(args, name) is not None]


def boot_settings(args):
    given = {name: getattr(args, name) for _, name, *_ in BOOT_OPTIONS}
    defaults = {name: default for _, name, default, _ in BOOT_OPTIONS}
    return {name: defaults[name] if value is None else value for name, value in given.items()}


@contextlib.contextmanager
def passing_guest(**settings):
    """A group of guests for the length of a with block, in a directory that goes with it.

    When a guest died the directory stays, for its console.log.
    """
    path = tempfile.mkdtemp(prefix="sonde-lab-")
    guest = Group(path)
    keep = False
    try:
        guest.start(**settings, owned=True)
        yield guest
        guest.stop()
    except GuestDied as err:
        keep = True
        raise type(err)(f"{err}\n    (all of it: {path}/console.log)") from err
    finally:
        # After stop() there is nothing left to end; this is for errors and interrupts.
        guest.end()
        if not keep:
            shutil.rmtree(path, ignore_errors=True)


def run_command(main):
    """Call main and exit as it says; turn the lab's own errors into sentences."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    name = "tests/vm/" + os.path.basename(sys.argv[0])
    try:
        sys.exit(main())
    except Unavailable as err:
        print(f"{name}: skipped: {err}", file=sys.stderr)
        sys.exit(EXIT_SKIP)
    except Misuse as err:
        print(f"{name}: {err}", file=sys.stderr)
        sys.exit(EXIT_MISUSE)
    except GuestDied as err:
        print(f"{name}: {err}", file=sys.stderr)
        sys.exit(EXIT_GUEST_DIED)
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)


def show_job(job, limit_s):
    """Pass a job's output through, add what the lab has to say, return its exit status."""
    job.copy_output("stdout", sys.stdout)
    job.copy_output("stderr", sys.stderr)
    if job.timed_out:
        _note(f"the commands took longer than {limit_s} s")
    if job.dirt_before:
        _note("an earlier job had left this behind:", job.dirt_before)
    if job.dirt_after and job.dirt_after != job.dirt_before:
        _note("the commands left this behind:", job.dirt_after)
    return job.rc


def keep_output(job, target):
    """Copy what the job wrote to $OUT into the directory `target`; none given: say what is lost."""
    names = os.listdir(job.out)
    if target:
        shutil.copytree(job.out, target, dirs_exist_ok=True, symlinks=True)
    elif names:
        _note(f"the commands wrote {len(names)} file(s) to $OUT; -o DIR would keep them")


def _note(text, lines=""):
    print("\n    ".join([f"lab: {text}", *lines.splitlines()]), file=sys.stderr)
