"""The lab: a QEMU guest on a Debian kernel that runs commands with the program under test.

cache.py	packages, fetched from Debian and unpacked into the user's cache
build.py	a kernel with every tracer, built from Debian's source
kernel.py	the kernels by name
initrd.py	the initial ram disk: busybox, modules, the scripts of ../guest
saved.py	guests that have booted, in the user's cache
guest.py	a running guest: start it, give it jobs, end it
group.py	one guest, or several that can reach each other
command.py	what the commands run, session and suite share
selftest.py	tests of the lab itself

The errors below are the ways in which the lab itself can fail, whatever the commands do.
"""


class Unavailable(Exception):
    """The lab cannot be had on this machine. Tests count this as skipped; the text says why."""


class GuestDied(Exception):
    """The guest went away or stopped answering; the text holds its last words."""


class BootFailed(GuestDied):
    """The guest did not even come up, so another boot is not worth a try."""


class Misuse(Exception):
    """What was asked for makes no sense; the text says what would."""


# Exit statuses of our commands, for where the guest's commands have none to pass on.
EXIT_SKIP = 77
EXIT_MISUSE = 2
EXIT_TIMEOUT = 124
EXIT_GUEST_DIED = 125
