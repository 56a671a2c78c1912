"""A system call, made by a thread of another process: what may it do?

The thread is stopped (ptrace), given other registers and one step over the `syscall` instruction that it waits in, and
put back. So the answer is the kernel's to that very thread. x86-64 only.
"""
import ctypes
import os
import platform
import signal
import time

ATTACH, DETACH, SINGLESTEP, GETREGS, SETREGS, PEEKDATA, POKEDATA = 16, 17, 9, 12, 13, 2, 5
WALL = 0x40000000
OPENAT, CLOSE, AT_FDCWD = 257, 3, (1 << 64) - 100
NAMES = ("r15 r14 r13 r12 rbp rbx r11 r10 r9 r8 rax rcx rdx rsi rdi orig_rax rip cs eflags rsp ss fs_base gs_base "
         "ds es fs gs").split()
libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
libc.ptrace.restype = ctypes.c_long


class Registers(ctypes.Structure):
    _fields_ = [(name, ctypes.c_ulonglong) for name in NAMES]


def is_possible():
    return platform.machine() == "x86_64"


def ptrace(what, tid, address=0, data=0):
    ctypes.set_errno(0)
    r = libc.ptrace(what, tid, address, data)
    if r == -1 and ctypes.get_errno():
        raise OSError(ctypes.get_errno(), f"ptrace {what}")
    return r


def wait(tid):
    _, status = os.waitpid(tid, WALL)
    if not os.WIFSTOPPED(status):
        raise ProcessLookupError(f"thread {tid} ended")
    return os.WSTOPSIG(status)


def call(tid, regs, number, *args):
    """The result of one system call; the thread is stopped within another."""
    now = Registers.from_buffer_copy(regs)
    now.rax, now.orig_rax, now.rip = number, (1 << 64) - 1, regs.rip - 2
    for name, value in zip(("rdi", "rsi", "rdx", "r10"), args):
        setattr(now, name, value)
    ptrace(SETREGS, tid, 0, ctypes.addressof(now))
    ptrace(SINGLESTEP, tid)
    while wait(tid) != signal.SIGTRAP:
        ptrace(SINGLESTEP, tid)
    ptrace(GETREGS, tid, 0, ctypes.addressof(now))
    return ctypes.c_longlong(now.rax).value


def stop_in_call(tid):
    """Stops the thread where it waits for the kernel, and returns its registers."""
    for _ in range(1000):
        ptrace(ATTACH, tid)
        wait(tid)
        regs = Registers()
        ptrace(GETREGS, tid, 0, ctypes.addressof(regs))
        if ptrace(PEEKDATA, tid, regs.rip - 2) & 0xffff == 0x050f:
            return regs
        ptrace(DETACH, tid)
        time.sleep(0.02)
    raise OSError(f"thread {tid} never waits")


def call_as(tid, number, *args):
    """What a system call without pointers gives that thread: its result, or -errno."""
    regs = stop_in_call(tid)
    try:
        result = call(tid, regs, number, *args)
        ptrace(SETREGS, tid, 0, ctypes.addressof(regs))
    finally:
        ptrace(DETACH, tid)
    return result


def open_as(tid, path):
    """What open(path, O_RDONLY) gives that thread: 0, or an errno."""
    regs = stop_in_call(tid)
    text = path.encode() + b"\0"
    text += bytes(-len(text) % 8)
    place = (regs.rsp - 4096) & ~7      # below what the thread uses of its stack
    words = [int.from_bytes(text[i:i + 8], "little") for i in range(0, len(text), 8)]
    kept = [ptrace(PEEKDATA, tid, place + 8 * i) for i in range(len(words))]
    try:
        for i, word in enumerate(words):
            ptrace(POKEDATA, tid, place + 8 * i, word)
        fd = call(tid, regs, OPENAT, AT_FDCWD, place, os.O_RDONLY | os.O_CLOEXEC, 0)
        if fd >= 0:
            call(tid, regs, CLOSE, fd)
        for i, word in enumerate(kept):
            ptrace(POKEDATA, tid, place + 8 * i, word)
        ptrace(SETREGS, tid, 0, ctypes.addressof(regs))
    finally:
        ptrace(DETACH, tid)
    return 0 if fd >= 0 else -fd
