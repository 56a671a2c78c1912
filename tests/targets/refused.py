"""Instructions on which the kernel's probes in programs cannot stand: known before, as the kernel itself says afterwards."""
import mmap
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

from programs import SONDE, Skip, Wrong, need_uprobes, run

EVENTS = pathlib.Path("/sys/kernel/tracing/uprobe_events")

# begins with, what is said, the nearest behind it
REFUSED = {
    "locked": ("lock addl $1, counter(%rip)", "with a lock prefix", "+8"),
    "segment": (".byte 0x36; mov (%rsp), %eax", "with a prefix cs, ds, es or ss", "+4"),
    "loaded": ("vmovdqu counter(%rip), %xmm0", "do not support this vector instruction", "+8"),
    "stored": ("vmovdqu %xmm0, counter(%rip)", "would treat this vector instruction as a jump", "+8"),
    "ored": ("vpor %xmm1, %xmm2, %xmm3", "would treat this vector instruction as a jump", "+4"),
    "compared": ("vcmpeqps %xmm1, %xmm1, %xmm0", "would crash after it", "+5"),
    "called": ("syscall", "the program would crash after a probe on a system call", "+2"),
    "flags": ("pushf; popf", "pushf would save the flags", "+1"),
    "repeated": ("rep stosb", "each round would be a hit", "+2"),
    "halted": ("hlt", "do not support this instruction", "+1"),
    "short": (".byte 0x66, 0x66, 0x48, 0xe8; .long 0; pop %rax", "a jump or call with prefix 66", "+8"),
    "leaping": ("notrack jmp *%rax", "with a prefix cs, ds, es or ss", None),
}
# begins with, what probes stand on
TAKEN = {
    "plain": ("push %rbp; pop %rbp", 0),
    "vector": ("vaddps %xmm1, %xmm2, %xmm3", 0),
    "cleared": ("vxorps %xmm0, %xmm0, %xmm0", 0),
    "thread": ("mov %fs:0, %rax", 0),
    "filled": ("nopw 0(%rax,%rax,1)", 0),
    "padded": (".byte 0x66,0x2e,0x0f,0x1f,0x84,0,0,0,0,0; inc %eax", 10),
}
# padding before what is jumped to: to go on would count too much
LOOP = "mov $3, %ecx\n9: .byte 0x2e,0x0f,0x1f,0x00\n1: dec %ecx; jnz 1b"


def assemble(directory):
    text = [".data", ".balign 16", "counter: .fill 16", ".text"]
    for name, code in [*((n, c[0]) for n, c in {**REFUSED, **TAKEN}.items()), ("looping", LOOP)]:
        text += [f".globl {name}", f".type {name}, @function", f"{name}: {code}", "ret", f".size {name}, .-{name}"]
    text += ['.globl main', 'main: ret', '.section .note.GNU-stack,"",@progbits', ""]
    source = pathlib.Path(directory) / "refused.S"
    source.write_text("\n".join(text))
    run("gcc", "-o", source.with_suffix(""), source)
    return source.with_suffix("")


def check_said(program):
    for name, (_, words, nearest) in REFUSED.items():
        done = run(SONDE, "probe", "show", f"{program}:{name}", check=False)
        near = f"the nearest place after it is {name}{nearest}\n" if nearest else "nothing after it can be probed"
        if not done.returncode or words not in done.stderr or near not in done.stderr:
            raise Wrong(f"{name}: {done.stdout}{done.stderr}")
    symbols = {x.split()[2]: int(x.split()[0], 16) for x in run("nm", program).stdout.splitlines() if len(x.split()) == 3}
    for name, (_, offset) in TAKEN.items():
        lines = run(SONDE, "probe", "show", f"{program}:{name}").stdout
        if f" {program}:{hex(symbols[name] + offset)}\n" not in lines:
            raise Wrong(f"{name}: {lines}")
    done = run(SONDE, "probe", "show", f"{program}:looping+5", check=False)
    if "looping+9, which is also reached by a jump" not in done.stderr:
        raise Wrong(f"looping+5: {done.stdout}{done.stderr}")
    done = run(SONDE, "probe", "show", f"{program}:{hex(symbols['locked'])}", check=False)
    if f"place after it is {hex(symbols['locked'] + 8)}\n" not in done.stderr:
        raise Wrong(f"an address: {done.stdout}{done.stderr}")
    done = run(SONDE, "probe", "show", f"{program}:*ed")
    if "8 places are left out: " not in done.stdout + done.stderr:
        raise Wrong(f"a pattern: {done.stdout}{done.stderr}")


def test_refused(_):
    if os.uname().machine != "x86_64":
        raise Skip("these are instructions of x86-64")
    with tempfile.TemporaryDirectory() as directory:
        check_said(assemble(os.path.realpath(directory)))


# --- what the kernel says -----------------------------------------------------------------------------


def instructions(path):
    """One instruction for each name and kind of operands, and the first ones of functions: offset, bytes."""
    segment = next(x.split() for x in run("readelf", "-lW", path).stdout.splitlines() if x.strip().startswith("LOAD") and " R E " in x)
    shift = int(segment[2], 16) - int(segment[1], 16)
    found, first = {}, 0
    for line in run("objdump", "-d", "--insn-width=15", path).stdout.splitlines():
        m = re.match(r" +([0-9a-f]+):\t([0-9a-f ]+)\t(.*)", line)
        if m and "(bad)" not in m[3]:
            kind = re.sub(r"0x[0-9a-f]+|%\w+|<.*|[0-9]+", "", m[3]), len(m[2].split()), first
            found.setdefault(kind, (int(m[1], 16) - shift, m[2]))
        first = line.endswith(">:") and not line.startswith(" ")
    return list(found.values())


def judge(rows):
    program = pathlib.Path(SONDE).resolve().parent / "tests/targets/insnlen"
    run("ninja", "-C", program.parent.parent.parent, "tests/targets/insnlen")
    done = subprocess.run([program, "trouble"], input="\n".join(r[1] for r in rows), capture_output=True, text=True)
    return done.stdout.splitlines()


def define(line):
    """Python's own append looks for the end, which such a file has not."""
    fd = os.open(EVENTS, os.O_WRONLY | os.O_APPEND)
    try:
        os.write(fd, line.encode())
    finally:
        os.close(fd)


def sample(rows, words):
    """All that are not to be probed, up to a hundred, and as many of the others, from everywhere."""
    both = list(zip(rows, words))
    bad, good = [x for x in both if x[1]], [x for x in both if not x[1]]
    return [x for part in (bad, good) for x in part[::max(1, len(part) // 100)]]


def armed(path, rows):
    """Which of them get a breakpoint when the file is mapped. Nobody runs it: it is a copy."""
    name = f"refused{os.getpid()}/all"
    switch = EVENTS.parent / "events" / name / "enable"
    try:
        for offset, _ in rows:
            define(f"p:{name} {path}:{hex(offset)}\n")
        switch.write_text("1")
        with open(path, "rb") as f, mmap.mmap(f.fileno(), 0, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_EXEC) as m:
            return [m[offset] == 0xcc for offset, _ in rows]
    finally:
        if switch.exists():
            switch.write_text("0")
            define(f"-:{name}\n")


def test_armed(_):
    need_uprobes("x86_64")
    library = re.search(r"libc\.so\S* => (\S+)", run("ldd", SONDE).stdout)[1]
    n_refused = 0
    with tempfile.TemporaryDirectory() as directory:
        own = assemble(os.path.realpath(directory))
        for path in [library, shutil.which("bash"), shutil.which("python3"), str(own)]:
            copy = shutil.copy(os.path.realpath(path), os.path.realpath(directory) + "/copy")
            rows = instructions(copy)
            chosen = sample(rows, judge(rows))
            for (row, said), is_armed in zip(chosen, armed(copy, [x[0] for x in chosen])):
                # what would break the program has a breakpoint all the same
                if is_armed == said.startswith("the kernel's probes in programs "):
                    raise Wrong(f"{path}: {row[1]} is {'armed' if is_armed else 'not armed'}, and we say '{said}'")
            n_refused += sum(bool(x[1]) for x in chosen)
            os.unlink(copy)
    if n_refused < 50:
        raise Wrong(f"only {n_refused} instructions were refused")
