#!/usr/bin/env python3
"""Forty-nine functions of the kernel, probed by name with BTF alone: are the values right?

    fifty.py LOAD            LOAD is tests/vm/calls.c, built; runs in the current directory, in the lab
    fifty.py LOAD -f FILE    the functions of FILE, each on a line, instead of CHOSEN

KNOWN are functions whose arguments LOAD knows itself: names, counts, flags, the pid. CHOSEN were drawn at random
among those that LOAD calls in every round. Each of them is given its numbers and pointers and random walks
through members and pointers, and the same once more as a kprobe that this program writes from registers and
from offsets that bpftool prints. Both are recorded at once, in two instances; every value of every hit is compared,
of the second as the kernel prints it.
"""
import importlib.machinery
import importlib.util
import json
import os
import pathlib
import random
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
TRACING = pathlib.Path(os.environ["TRACING"])
ROUNDS = 5
SEED = "fifty"

NAME = "file->f_path.dentry->d_name.name"
PID = "the pid of the load"
NULL = "behind a pointer that is NULL: the kernel leaves what was in the buffer"
# A definition, and what it must read in each round, hit after hit.
KNOWN = {
    "do_sys_openat2(dfd, filename:ustring, how->flags, how->mode)":
        [{"dfd": -100, "filename": "fifty.txt", "flags": 0o101102, "mode": 0o640}],
    "do_filp_open(dfd, pathname->name, op->open_flag, op->mode)":
        [{"dfd": -100, "name": "fifty.txt", "open_flag": 0o101102, "mode": 0o100640}],
    f"vfs_write({NAME}, count)": [{"name": "fifty.txt", "count": 1234}, {"name": "", "count": 33}],
    f"vfs_read({NAME}, count, *pos)":
        [{"name": "fifty.txt", "count": 777, "pos": 100}, {"name": "", "count": 44, "pos": NULL}],
    "do_truncate(dentry->d_name.name, length)": [{"name": "fifty.txt", "length": 4321}],
    "chmod_common(path->dentry->d_name.name, mode)": [{"name": "fifty.txt", "mode": 0o600}],
    "do_fcntl(cmd, arg, filp->f_path.dentry->d_name.name)":
        [{"cmd": 4, "arg": 0o2000, "name": "fifty.txt"}],
    "ksys_dup3(newfd, flags)": [{"newfd": 77, "flags": 0o2000000}],
    f"vm_mmap_pgoff({NAME}, len, prot, flag, pgoff)":
        [{"name": "fifty.txt", "len": 12288, "prot": 1, "flag": 2, "pgoff": 1}],
    "vfs_mkdir(dentry->d_name.name, mode)": [{"name": "fifty.dir", "mode": 0o750}],
    "vfs_rename(rd->old_dentry->d_name.name, to=rd->new_dentry->d_name.name)":
        [{"name": "fifty.txt", "to": "fifty.new"}],
    "do_unlinkat(dfd, name->name)": [{"dfd": -100, "name": "fifty.new"}],
    "do_pipe2(flags)": [{"flags": 0o2004000}],
    "__sys_socketpair(family, type, protocol)": [{"family": 1, "type": 2, "protocol": 0}],
    "__sys_sendto(len, flags, addr, addr_len)": [{"len": 99, "flags": 0x40, "addr": 0, "addr_len": 0}],
    "do_sys_poll(nfds)": [{"nfds": 3}],
    "hrtimer_nanosleep(rqtp, mode, clockid)": [{"rqtp": 1234567, "mode": 1, "clockid": 0}],
    "do_send_sig_info(sig, p->pid, p->comm, type)":
        [{"sig": 10, "pid": PID, "comm": "calls", "type": 1}],
    "set_user_nice(p->tgid, nice)": [{"tgid": PID, "nice": 7}],
    "sched_setaffinity(pid)": [{"pid": PID}],
}
# do_mmap has parameters on the stack.
CHOSEN = """
    do_mmap
    __sock_release __x64_sys_rename aa_get_task_label aa_sk_perm alloc_file apparmor_task_setrlimit
    balance_dirty_pages_ratelimited_flags fget generic_file_write_iter hook_path_unlink
    inode_owner_or_capable kill_pid_info mem_cgroup_sk_alloc path_lookupat pid_task security_inode_init_security
    security_path_rename security_socket_getpeersec_dgram shmem_evict_inode shmem_initxattrs shmem_rename2
    simple_copy_to_iter sk_alloc skb_queue_purge sock_wfree tomoyo_path_truncate unix_dgram_recvmsg
    unix_socketpair
""".split()


def read_suite():
    """tests/btf/suite as a module: its reading of bpftool's dump, and its random walks."""
    loader = importlib.machinery.SourceFileLoader("btfsuite", str(HERE.parent / "btf/suite"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("btfsuite", loader))
    sys.dont_write_bytecode = True
    loader.exec_module(module)
    return module


SUITE = read_suite()


class LazyTypes(dict):
    """{number: Type}, taken apart only where it is asked for: the guest is slow."""

    def __init__(self, text):
        super().__init__()
        self.text, self.blocks = text, text.split("\n[")

    def __missing__(self, number):
        block = self.blocks[number - 1]
        block = block if number == 1 else "[" + block
        self.update(SUITE.read_raw(block))
        return super().__getitem__(number)

    def get(self, number, default=None):
        return self[number] if 0 < number <= len(self.blocks) else default

    def find(self, kind, name):
        at = self.text.find(f"] {kind} '{name}' ")
        return int(self.text[self.text.rfind("[", 0, at) + 1:at]) if at >= 0 else None


class Full(dict):
    """{(kind, name): number of the struct that a declaration means}."""

    def __init__(self, types):
        super().__init__()
        self.types = types

    def __contains__(self, key):
        return self.get(key) is not None

    def get(self, key, default=None):
        found = self.types.find(*key)
        return default if found is None else found


def read_btf(functions):
    reading = SUITE.Reading({})
    text = subprocess.run(["bpftool", "btf", "dump", "file", "/sys/kernel/btf/vmlinux", "format", "raw"],
                          capture_output=True, text=True, check=True).stdout
    reading.types = LazyTypes(text)
    reading.full = Full(reading.types)
    for name in functions:
        number = reading.types.find("FUNC", name)
        if number is None:
            sys.exit(f"this kernel's BTF has no function {name}")
        reading.functions[name] = reading.types[number].number("type_id")
    return reading


def plain(reading, function):
    """(in C, as the kernel reads it) of the parameters that are numbers or pointers."""
    proto = reading.functions[function]
    for (name, words), place in zip(reading.parameters(proto), reading.places(proto)):
        t = reading.types.get(reading.strip(int(words["type_id"])))
        if not name or not t or ":" in place or place == "nowhere":
            continue
        where = "%" + place if "stack" not in place else f"+{place.split('+')[1]}(%sp)"
        if t.kind == "PTR":
            below = reading.types.get(reading.strip(t.number("type_id")))
            if not below or below.kind in ("STRUCT", "UNION", "INT") and "char" not in below.name:
                yield name, where + ":x64"
        elif t.kind in ("INT", "ENUM"):
            sign = "s" if t.words.get("encoding") == "SIGNED" else "u"
            yield name, f"{where}:{sign}{8 * t.number('size')}"


def choose_args(reading, function):
    args = list(plain(reading, function))[:8]
    chance = random.Random(SEED + function)
    for _ in range(40):
        chain = SUITE.Chain(reading, chance, function)
        if chain.text and len(chain.fetch) <= SUITE.MAX_FETCH:
            args.append((chain.text.split(" ", 1)[1], chain.fetch.replace(":symbol", ":x64")))
        if len(args) >= 10:
            break
    return args


def hops(fetch):
    """The pointers that are followed on the way to a value: +8(+16(%di)):u32 goes by +16(%di) and %di."""
    where = fetch.split(":")[0]
    while "(" in where:
        where = where[where.index("(") + 1:-1]
        yield where


class Other:
    """An instance with the kprobes that are written by hand."""

    def __init__(self, args):
        self.dir = TRACING / "instances/byhand"
        self.dir.mkdir()
        (self.dir / "trace_clock").write_text("mono")
        (self.dir / "buffer_size_kb").write_text("4096")
        for function, list_of in args.items():
            words = " ".join([f"a{i}={fetch}" for i, (_, fetch) in enumerate(list_of)] +
                             [f"h{i}_{j}={hop}:x64" for i, (_, fetch) in enumerate(list_of)
                              for j, hop in enumerate(hops(fetch))])
            self.order(f"p:byhand/{function} {function} {words}")
        (self.dir / "events/byhand/enable").write_text("1")

    @staticmethod
    def order(line):
        fd = os.open(TRACING / "kprobe_events", os.O_WRONLY | os.O_APPEND)
        os.write(fd, line.encode())
        os.close(fd)

    def read(self, pid, window):
        """{function: [{name: text}]} of one task."""
        hits = {}
        (self.dir / "events/byhand/enable").write_text("0")
        line = re.compile(rf"-{pid} +\[\d+\] \S+ +(\d+)\.(\d+): (\S+): \(\S+\) (.*)")
        with open(self.dir / "trace", errors="replace") as file:
            for found in filter(None, map(line.search, file)):
                if window[0] // 1000 <= int(found[1] + found[2]) <= window[1] // 1000:
                    values = re.findall(r'(a\d+|h\d+_\d+)=("[^"]*"|\S+)', found[4])
                    hits.setdefault(found[3], []).append(dict(values))
        return hits

    def remove(self):
        (self.dir / "events/byhand/enable").write_text("0")
        self.dir.rmdir()
        self.order("-:byhand/")


def record(load, args):
    """Runs the load; {event: [fields]} of it, what it said of itself, and the time in between."""
    words = ["sonde", "record", "-q", "-F", "-C", "mono", "-o", "fifty.dat"]
    for definition in KNOWN:
        words += ["-e", definition]
    for function, list_of in args.items():
        inside = ", ".join(f"a{i}={text}" for i, (text, _) in enumerate(list_of))
        words += ["-e", f"{function}({inside})"]
    said = subprocess.run([*words, load, "load", str(ROUNDS)], stdout=subprocess.PIPE, text=True, check=True).stdout
    pid = int(re.search(r"^pid (\d+)", said, re.M)[1])
    window = [int(n) for n in re.search(r"^from (\d+) to (\d+)", said, re.M).groups()]
    text = subprocess.run(["sonde", "report", "--json", "fifty.dat"], stdout=subprocess.PIPE, text=True,
                          errors="replace", check=True).stdout
    hits = {}
    for line in text.splitlines():
        event = json.loads(line)
        if event.get("pid") == pid and window[0] <= event["ts"] <= window[1]:
            hits.setdefault(event["event"], []).append(event["fields"])
    return hits, pid, window


def check_known(hits, pid):
    wrong = []
    for definition, per_round in KNOWN.items():
        wanted = [{k: pid if v == PID else v for k, v in d.items()} for d in per_round] * ROUNDS
        have = [{k: h[k] for k in per_round[0]} for h in hits.get(definition.split("(")[0], [])]
        have = [{k: NULL if w[k] == NULL else v for k, v in h.items()} for h, w in zip(have, wanted)] \
            if len(have) == len(wanted) else have
        if have != wanted:
            wrong.append(f"{definition}\n  wanted {wanted[:len(per_round)]}\n  have   {have[:2 * len(per_round)]}")
    return wrong


def same(text, value):
    """What the kernel printed, and what sonde says."""
    if text.startswith('"'):
        return text[1:-1] == value or not text.isprintable()
    if text == "(fault)":
        return not value or value == "(fault)"
    return int(text, 0) == value


def can_be_read(hit, i):
    """The kernel leaves what it cannot read as it was in the buffer, so it says nothing. Pointers tell."""
    return all(int(value, 0) >> 56 == 0xff for name, value in hit.items() if name.startswith(f"h{i}_"))


def compare(args, hits, theirs):
    wrong, n_values, n_full = [], 0, 0
    for function, list_of in args.items():
        mine, other = hits.get(function, []), theirs.get(function, [])
        if not mine or len(mine) != len(other):
            wrong.append(f"{function}: {len(mine)} hits, by hand {len(other)}")
            continue
        for i, (text, fetch) in enumerate(list_of):
            pairs = [(o[f"a{i}"], m[f"a{i}"]) for m, o in zip(mine, other) if can_be_read(o, i)]
            n_values += len(pairs)
            n_full += sum(v not in ("0", "0x0", "(fault)", '""') for v, _ in pairs)
            odd = [p for p in pairs if not same(*p)]
            if odd:
                wrong.append(f"{function}: {text}, by hand {fetch}: {len(odd)} of {len(pairs)} differ: {odd[:3]}")
    return wrong, n_values, n_full


def main():
    chosen = CHOSEN if len(sys.argv) < 4 else open(sys.argv[3]).read().split()
    chosen = [c for c in chosen if not any(d.startswith(c + "(") for d in KNOWN)]
    reading = read_btf(chosen)
    args = {function: choose_args(reading, function) for function in chosen}
    other = Other(args)
    try:
        hits, pid, window = record(sys.argv[1], args)
        theirs = other.read(pid, window)
    finally:
        other.remove()
    wrong, n_values, n_full = compare(args, hits, theirs)
    wrong = check_known(hits, pid) + wrong
    if n_full < n_values / 3:
        wrong.append(f"only {n_full} of {n_values} values say anything")
    print(f"{len(KNOWN) + len(chosen)} functions, {n_values} values compared, {n_full} of them not zero")
    for line in wrong:
        print(line)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
