"""Events that handlers print, and print formats that call helper functions.

A case is one event with its fields, its print format and records. Formats are those of the kernel,
cut to what matters; the values cover each row of a handler's tables and what lies beside them. From
each case the suite makes several traces: in two byte orders, and for each field one without it.
Left out on purpose is what doc/deviations.md lists; the suite has tests of its own for that.
"""
import itertools
from dataclasses import dataclass

# Addresses that fit into 32 bits, a name longer than a handler prints, and one that is the last.
SYMBOLS = "".join(f"{0xc0000000 + 0x100 * i:08x} T func_{i}\n" for i in range(20)) \
    + f"c0001400 T {'long_' * 30}name\nc0001500 T last\n"
ADDRESSES = [0, 1, 0xc0000000, 0xc0000100, 0xc0000123, 0xc00014ff, 0xc0001400, 0xc0001500,
             0xc0001501, 0xffffffff]
NUMBERS = [0, 1, 9, 0x7fffffff, 0x80000000, 0xffffffff, 1 << 32, (1 << 63) - 1, 1 << 63,
           (1 << 64) - 1]


@dataclass
class Case:
    system: str
    name: str
    fields: list
    records: list           # of {field: value}
    print_fmt: str = ""     # default: every field as a number

    def names(self):
        return [f.split()[-1].split("[")[0] for f in self.fields]

    def calls_functions(self):
        return "(REC" in self.print_fmt or "(p, " in self.print_fmt or "cpup(" in self.print_fmt

    def lacking(self, name):
        """The same without a field."""
        fields = [f for f, n in zip(self.fields, self.names()) if n != name]
        records = [{k: v for k, v in r.items() if k != name} for r in self.records[:3]]
        return Case(self.system, self.name, fields, records, self.print_fmt)

    def fill(self, trace):
        numbers = [n for f, n in zip(self.fields, self.names()) if "[" not in f]
        shown = '"pretty ' + " ".join(f"{n}=%llx" for n in numbers) + '"'
        shown += "".join(f", (u64)REC->{n}" for n in numbers)
        event = trace.event(self.system, self.name, self.fields, self.print_fmt or shown)
        trace.kallsyms, trace.cmdlines = SYMBOLS, {7: "worker"}
        for i, values in enumerate(self.records):
            trace.top.cpu(0).add(1_000_000_000 + 1000 * i, event(pid=7, **values))


def each(**lists):
    """Records that take their values from lists of different length, all of them used."""
    n = max(len(values) for values in lists.values())
    return [{k: v[i % len(v)] for k, v in lists.items()} for i in range(n)]


def hrtimers():
    start = ["void * hrtimer", "void * function", "s64 expires", "s64 softexpires"]
    values = dict(function=ADDRESSES, expires=NUMBERS, softexpires=NUMBERS[3:])
    yield "hrtimer-start", Case("timer", "hrtimer_start", start, each(hrtimer=NUMBERS, **values))
    yield "hrtimer-start-of-old", Case("timer", "hrtimer_start", ["void * timer"] + start[1:],
                                       each(timer=NUMBERS, **values))
    yield "hrtimer-expire", Case("timer", "hrtimer_expire_entry",
                                 ["void * hrtimer", "s64 now", "void * function"],
                                 each(hrtimer=NUMBERS, now=NUMBERS, function=ADDRESSES))


def virtual_machines():
    reasons = list(range(0x96)) + [0x3ff, 0x400, 0x401, 0x402, 0x403, 0x7fffffff, 0x80000000,
                                   0x80000021, 0xffffffff]
    fields = ["unsigned int exit_reason", "unsigned long guest_rip", "u32 isa", "u64 info1",
              "u64 info2", "unsigned int vcpu_id"]
    for isa, name in ((1, "vmx"), (2, "svm"), (0, "isa-0"), (3, "isa-3")):
        some = reasons if isa in (1, 2) else reasons[:3]
        yield f"kvm-exit-{name}", Case("kvm", "kvm_exit", fields, each(
            exit_reason=some, guest_rip=NUMBERS, isa=[isa], info1=NUMBERS, info2=NUMBERS[5:]))
    yield "kvm-entry", Case("kvm", "kvm_entry", ["unsigned int vcpu_id", "unsigned long rip"],
                            each(vcpu_id=NUMBERS, rip=NUMBERS))
    yield "kvm-emulate-insn", Case(
        "kvm", "kvm_emulate_insn", ["__u64 rip", "__u32 csbase", "__u8 len", "__u8 insn[15]",
                                    "__u8 flags", "__u8 failed"],
        each(rip=NUMBERS, csbase=NUMBERS, len=list(range(1, 16)), failed=[0, 1, 255],
             flags=[0, 1, 3, 5, 9], insn=[bytes(range(15)), bytes(range(255, 240, -1))]))
    fields = ["__u32 exit_code", "__u64 exit_info1", "__u64 exit_info2", "__u32 exit_int_info",
              "__u32 exit_int_info_err", "__u32 isa"]
    values = dict(exit_code=[0, 2, 3, 48, 0x400, 0xffffffff], exit_info1=NUMBERS,
                  exit_info2=NUMBERS, exit_int_info=NUMBERS, exit_int_info_err=NUMBERS,
                  isa=[1, 2, 1, 1, 2, 2, 7])
    yield "kvm-nested-inject", Case("kvm", "kvm_nested_vmexit_inject", fields, each(**values))
    yield "kvm-nested", Case("kvm", "kvm_nested_vmexit", ["__u64 rip"] + fields,
                             each(rip=NUMBERS, **values))
    fields = ["__u64 gfn", "__u32 role", "__u32 root_count", "bool unsync", "bool created"]
    roles = [0, 0xffffffff, 0x12345678, 0xdeadbeef] + [1 << i for i in range(32)] \
        + [i << 8 for i in range(8)]
    pages = each(role=roles, gfn=NUMBERS, root_count=NUMBERS, unsync=[0, 1, 0, 255])
    for event in ("sync", "unsync", "zap", "prepare_zap"):
        yield f"kvm-mmu-{event.replace('_', '-')}-page", Case(
            "kvmmmu", f"kvm_mmu_{event}_page", fields[:4], pages)
    yield "kvm-mmu-get-page", Case("kvmmmu", "kvm_mmu_get_page", fields, [
        {**r, "created": i % 3} for i, r in enumerate(pages)])
    yield "kvm-is-writable-pte", Case(
        "kvmmmu", "kvm_mmu_set_spte", ["u64 gfn", "u64 spte"],
        each(gfn=[1], spte=[0, 1, 2, 3, 0xfffffffffffffffd, 1 << 63 | 2]),
        '"gfn %llx %s %d %llx", REC->gfn, is_writable_pte(REC->spte) ? "w" : "-", '
        "is_writable_pte(REC->spte), is_writable_pte(REC->spte) + 1")


def one_of_a_kind():
    yield "tlb-flush", Case("tlb", "tlb_flush", ["int reason", "unsigned long pages"],
                            each(reason=[0, 1, 2, 3, 4, 5, -1], pages=NUMBERS))
    ops = [op | flags for op, flags in itertools.product(range(16), (0, 128, 256, 384))]
    yield "futex", Case(
        "syscalls", "sys_enter_futex",
        ["int __syscall_nr", "u32 * uaddr", "unsigned long op", "unsigned long val",
         "const struct __kernel_timespec * utime", "u32 * uaddr2", "unsigned long val3"],
        each(op=ops + [1 << 31, 512, 0xffffffff], uaddr=NUMBERS, val=NUMBERS[1:], utime=NUMBERS[2:],
             uaddr2=NUMBERS[3:], val3=NUMBERS[4:]))
    yield "mac80211-bss-info", Case(
        "mac80211", "drv_bss_info_changed",
        ["char wiphy_name[32]", "int vif_type", "void * sdata", "__data_loc char[] vif_name",
         "u32 changed", "bool assoc", "u16 aid", "bool cts", "bool shortpre", "bool shortslot",
         "u8 dtimper", "u16 bcnint", "u16 assoc_cap", "u32 basic_rates", "bool enable_beacon",
         "u16 ht_operation_mode"],
        each(wiphy_name=["phy0", "p" * 31, ""], vif_type=[2, -1, 0], vif_name=["wlan0", "x", ""],
             assoc=[0, 1, 255], aid=[1, 0, 65535], cts=[1, 0], dtimper=[3, 0, 255],
             bcnint=[100, 0], assoc_cap=[0x411, 0, 0xffff], basic_rates=[15, 0, 0xffffffff],
             ht_operation_mode=[0, 1, 65535]),
        '"%s %x", REC->wiphy_name, REC->changed')


def functions():
    yield "jbd2-run-stats", Case(
        "jbd2", "jbd2_run_stats", ["dev_t dev", "unsigned long wait", "unsigned long running"],
        each(dev=NUMBERS + [8 << 20 | 1, 254 << 20 | 0xfffff], wait=NUMBERS, running=NUMBERS[3:]),
        '"dev %s wait %u running %lu again %s sum %lu", jbd2_dev_to_name(REC->dev), '
        "jiffies_to_msecs(REC->wait), jiffies_to_msecs(REC->running), "
        "jiffies_to_msecs(REC->running), jiffies_to_msecs(REC->wait) + 1")
    yield "jbd2-name-as-number", Case(
        "jbd2", "jbd2_checkpoint", ["dev_t dev"], each(dev=NUMBERS),
        '"dev %d %x padded %8s|%-8s|", jbd2_dev_to_name(REC->dev), jbd2_dev_to_name(REC->dev), '
        "jbd2_dev_to_name(REC->dev), jbd2_dev_to_name(REC->dev)")
    yield "xen-hypercall", Case(
        "xen", "xen_mc_entry", ["unsigned int op", "unsigned int nargs"],
        each(op=list(range(64)) + [0xffffffff], nargs=[3]),
        '"op %u%s args %d", REC->op, xen_hypercall_name(REC->op), REC->nargs')
    yield "cfg80211-le16", Case(
        "cfg80211", "cfg80211_rx_mgmt", ["u32 id", "__data_loc u8[] frame"],
        each(id=[1], frame=[b"\x01\x02\x03\x04", b"\xff\xff\0\0", b"\0\x80\0\0"]),
        '"id %u ftype %u %s", REC->id, __le16_to_cpup((__le16 *)__get_dynamic_array(frame)), '
        "__le16_to_cpup((__le16 *)__get_dynamic_array(frame)) & 1 ? \"odd\" : \"even\"")


def scsi_commands():
    """Every operation with every byte telling; operations without a meaning, short commands."""
    for op in range(256):
        yield bytes([op]) + bytes(range(1, 32))
    for action in range(32):
        yield bytes([0x9e, action | 0x20 * (action % 3)]) + bytes(range(2, 16))
    for action in (*range(16), 0x109, 0x900):
        for flags in (0, 8, 0xe8):
            yield bytes([0x7f]) + bytes(7) + action.to_bytes(2, "big") + bytes([flags, 0]) \
                + bytes(range(64, 84))
    for op in (0x41, 0x93, 0x28, 0x88, 0x08):
        for flags in (0, 8, 0xe0, 0xff):
            yield bytes([op, flags]) + bytes([0x7f] * 30)
    for length in (8, 24, 40, 0xffff):
        yield bytes([0x42]) + bytes(6) + length.to_bytes(2, "big") + bytes(23)


def scsi():
    fields = ["unsigned int host_no", "unsigned int opcode", "unsigned int cmd_len",
              "__data_loc unsigned char[] cmnd"]
    commands = list(scsi_commands())
    yield "scsi-commands", Case(
        "scsi", "scsi_dispatch_cmd_start", fields,
        [dict(host_no=2, opcode=c[0], cmd_len=len(c), cmnd=c) for c in commands],
        '"host_no=%u cmnd=(%s %s raw=%s)", REC->host_no, __print_symbolic(REC->opcode, '
        '{ 0x28, "READ_10" }, { 0x2a, "WRITE_10" }), '
        "scsi_trace_parse_cdb(p, __get_dynamic_array(cmnd), REC->cmd_len), "
        "__print_hex(__get_dynamic_array(cmnd), REC->cmd_len)")


CASES = dict(itertools.chain(hrtimers(), virtual_machines(), one_of_a_kind(), functions(), scsi()))
