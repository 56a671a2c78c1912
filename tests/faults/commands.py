"""The command lines that tests/faults/suite runs with faults: every command that reads files, and the recorder
of programs.

A row: a name, the words after `sonde` (with $GOLDEN and $HERE replaced; the working directory is new for
each run), and what it needs:
    files=      copies in the working directory: the name there, or (name there, golden trace)
    writes=     names of the files that it writes, which must be whole or not be there
    stdin=      a golden trace on standard input
    env=        more environment
    peer=       it waits for clients: the arguments of tests/net/send_trace, which sends a trace to it
    counts=     what it writes are recordings of calls; only how many calls there are can be compared
    asks=       it tries what the system can do: a fault is an answer, so its output may differ
    keeps=      what came before the fault stays, in a file that can be read; standard error says so
The traces are small ones: every row runs some hundred times.
"""
import dataclasses


@dataclasses.dataclass
class Row:
    name: str
    words: list
    files: tuple = ()
    writes: tuple = ()
    stdin: str = ""
    env: dict = dataclasses.field(default_factory=dict)
    peer: str | None = None
    keeps: bool = False
    asks: bool = False
    counts: bool = False


def row(name, line, **needs):
    return Row(name, line.split(), **needs)


KERNEL = {"SONDE_TRACEFS": "$HERE/tracing"}     # a directory that looks like it
TRACE = {"files": (("trace.dat", "tour.dat"),)}
ROWS = [
    row("report", "report $GOLDEN/tour.dat"),
    row("report-v6", "report $GOLDEN/made-v6-be-4-4096.dat"),
    row("report-zstd", "report $GOLDEN/made-v7-le-8-4096-zstd.dat"),
    row("report-zlib", "report $GOLDEN/made-v7-le-8-8192-zlib.dat"),
    row("report-stdin", "report -i -", stdin="tour.dat"),
    row("report-merge", "report $GOLDEN/tour.dat $GOLDEN/made-instances-v7.dat"),
    row("report-latency", "report -l $GOLDEN/made-latency-v7zlib.dat"),
    row("report-lost", "report $GOLDEN/made-missed.dat"),
    row("report-damaged", "report $GOLDEN/made-damaged-record.dat"),
    row("report-json", "report --json $GOLDEN/probes.dat"),
    row("report-csv", "report --csv $GOLDEN/made-instances-v7.dat"),
    row("report-raw", "report -R $GOLDEN/tour.dat"),
    row("report-filter", "report -F sched_switch:prev_pid>0||prev_comm=~'s.*' -v -F sys_enter:id==1 $GOLDEN/tour.dat"),
    row("report-filter-test", "report -T -F sched.*:common_pid>5&&CPU==1 $GOLDEN/tour.dat"),
    row("report-select", "report --comm sleep,true --cpu 0-1 --pid 0,1 --from +1us --to +10s $GOLDEN/tour.dat"),
    row("report-names", "report --all-names --tgid --syscall-names --debug $GOLDEN/tour.dat"),
    row("report-wakeup", "report -w --ts-diff --ts-check $GOLDEN/tour.dat"),
    row("report-profile", "report --profile $GOLDEN/made-times.dat $GOLDEN/tour.dat"),
    row("report-profile-json", "report --profile --by-comm -G --json $GOLDEN/tour.dat"),
    row("report-listings", "report -e -f -P -E --events --cpus --first-event --last-event --stat $GOLDEN/tour.dat"),
    row("sql-slices", "sql -q syscalls $GOLDEN/tour.dat"),
    row("sql-stacks", "sql --json -q faults $GOLDEN/tour.dat"),
    Row("sql-args", ["sql", "--json", "$GOLDEN/tour.dat", "SELECT EXTRACT_ARG(id, 'depth'), (SELECT max(int_value) FROM args "
                     "WHERE arg_set_id = event.id) FROM event LIMIT 5"]),
    Row("sql-samples", ["sql", "--json", "$GOLDEN/made-samples.dat", "SELECT * FROM sample LIMIT 9; SELECT * FROM counters"]),
    row("sql-states", "sql --csv -q runqueue $GOLDEN/tour.dat"),
    row("report-kallsyms", "report --kallsyms symbols $GOLDEN/tour.dat", files=("symbols",)),
    row("info", "info $GOLDEN/tour.dat"),
    row("info-all", "info -a $GOLDEN/made-instances-v6.dat $GOLDEN/tour.dat"),
    row("info-json", "info --json $GOLDEN/made-v7-be-8-4096-zstd.dat"),
    row("hist", "hist $GOLDEN/tour.dat"),
    row("mem", "mem $GOLDEN/tour.dat"),
    row("count", "count -e sched_switch --by prev_comm,$cpu,$task --sum next_pid $GOLDEN/tour.dat"),
    row("count-json", "count -e all --by $event,$comm --json -o out $GOLDEN/made-instances-v7.dat",
        writes=("out",)),
    row("count-each", "count -e all --by $syscall,$func --csv $GOLDEN/tour.dat"),
    row("latency", "latency -e sched_wakeup,sched_switch --by-field pid=next_pid $GOLDEN/tour.dat"),
    row("latency-json", "latency -T handle_mm_fault --json -o out $GOLDEN/tour.dat", writes=("out",)),
    row("functions", "functions $GOLDEN/tour.dat"),
    row("functions-diff", "functions --diff $GOLDEN/made-user-slower.dat -f all $GOLDEN/made-user.dat"),
    row("replay", "replay -t 1us -f +task,module $GOLDEN/made-user.dat"),
    row("replay-json", "replay --json -C schedule -o out $GOLDEN/made-user.dat", writes=("out",)),
    row("graph", "graph $GOLDEN/made-user.dat"),
    row("graph-of-one", "graph --json $GOLDEN/made-user.dat read_all"),
    row("flame", "flame --diff $GOLDEN/made-user-slower.dat -o out $GOLDEN/made-user.dat", writes=("out",)),
    row("export-graphviz", "export --graphviz $GOLDEN/made-user.dat"),
    row("export-mermaid", "export --mermaid $GOLDEN/made-user.dat"),
    row("export-uftrace", "export --uftrace out $GOLDEN/made-user.dat", writes=("out",)),
    row("graph-task", "graph -F read_all -D 3 -o out $GOLDEN/made-user.dat", writes=("out",)),
    row("functions-user-json", "functions --json --by $task -o out $GOLDEN/made-user.dat", writes=("out",)),
    row("script-lua", "script $HERE/script.lua $GOLDEN/made-user.dat"),
    row("script-python", "script $HERE/script.py $GOLDEN/made-user.dat"),
    row("script-events", "script $HERE/script.lua $GOLDEN/tour.dat"),
    row("script-example", "script --example lua"),
    row("record-user", "record -u -q -o out.dat $HERE/quiet", writes=("out.dat",), counts=True, keeps=True),
    row("record-user-args", "record -u --args --libcalls -q -o out.dat $HERE/quiet", writes=("out.dat",), counts=True,
        keeps=True),
    row("uftrace-replay", "as uftrace replay -d $HERE/calls"),
    row("uftrace-replay-all", "as uftrace replay -f duration,tid,elapsed,task --column-view -F read_all -t 1us -d $HERE/calls"),
    row("uftrace-report", "as uftrace report -d $HERE/calls"),
    row("uftrace-report-task", "as uftrace report --task -d $HERE/calls"),
    row("uftrace-report-diff", "as uftrace report --diff $HERE/slower -d $HERE/calls"),
    row("uftrace-graph", "as uftrace graph -d $HERE/calls"),
    row("uftrace-dump", "as uftrace dump -d $HERE/calls"),
    row("uftrace-dump-chrome", "as uftrace dump --chrome -d $HERE/calls"),
    row("uftrace-dump-flame", "as uftrace dump --flame-graph -d $HERE/calls"),
    row("uftrace-dump-mermaid", "as uftrace dump --mermaid -d $HERE/calls"),
    row("uftrace-dump-graphviz", "as uftrace dump --graphviz -d $HERE/calls"),
    row("uftrace-info", "as uftrace info -d $HERE/calls"),
    row("uftrace-script", "as uftrace script -S $HERE/script.lua -d $HERE/calls"),
    row("uftrace-record", "as uftrace record -d out $HERE/quiet", writes=("out",), counts=True),
    row("ctl", "ctl -p 999999999 status"),
    row("why", "why --task sleep $GOLDEN/tour.dat"),
    row("states", "states --by process $GOLDEN/tour.dat"),
    row("functions-csv", "functions --by $comm,$cpu --csv -o out $GOLDEN/tour.dat", writes=("out",)),
    row("functions-user", "functions -s self -f all $GOLDEN/made-user.dat"),
    row("export-folded", "export --folded $GOLDEN/made-user.dat"),
    row("check-events", "check-events -v $GOLDEN/tour.dat"),
    row("options", "options"),
    row("help", "help report"),
    row("help-man", "record --help"),
    row("version", "--version"),
    row("list", "list -e -F sched $GOLDEN/tour.dat"),
    row("list-all", "list $GOLDEN/tour.dat"),
    row("dump", "dump --all $GOLDEN/tour.dat"),
    row("dump-validate", "dump -v $GOLDEN/made-v7-le-8-4096-zstd.dat"),
    row("convert", "convert -i trace.dat --file-version 6 out.dat", writes=("out.dat",), **TRACE),
    row("convert-zstd", "convert -i trace.dat --compression zstd out.dat", writes=("out.dat",), **TRACE),
    row("convert-zlib", "convert -i trace.dat --compression zlib out.dat", writes=("out.dat",), **TRACE),
    row("split", "split -i trace.dat -o out -e 20 -r", writes=("out.0001", "out.0002"), **TRACE),
    row("split-cpu", "split -i trace.dat -o out -c -e 5 -C 0", writes=("out.1",), **TRACE),
    row("restore", "restore -o out.dat damaged.dat", files=(("damaged.dat", "made-cut-v6.dat"),),
        writes=("out.dat",)),
    row("restore-cpu", "restore -i tour.dat -o out.dat some.cpu0", files=(("tour.dat", "tour.dat"), "some.cpu0"),
        writes=("out.dat",)),
    row("attach", "attach -c 2 -s 5000000000 h.dat g.dat 11:0 12:1",
        files=(("h.dat", "made-v7-le-8-4096.dat"), ("g.dat", "made-instances-v7.dat"))),
    row("export-perfetto", "export --perfetto -o out $GOLDEN/tour.dat", writes=("out",)),
    row("export-chrome", "export --chrome -o out $GOLDEN/tour.dat", writes=("out",)),
    row("export-chrome-stdout", "export --chrome $GOLDEN/made-instances-v7.dat"),
    row("export-svg", "export --svg --lanes cpu:0:0,cpu:0:1 -o out $GOLDEN/tour.dat", writes=("out",)),
    row("export-html", "export --html --lanes cpu:0:0,cpu:0:1 -o out $GOLDEN/tour.dat", writes=("out",)),
    row("as-report", "as trace-cmd report -i $GOLDEN/tour.dat"),
    row("as-dump", "as trace-cmd dump --summary -i $GOLDEN/tour.dat"),
    row("as-split", "as trace-cmd split -i trace.dat -o out -e 20", writes=("out.1",), **TRACE),
    row("as-perf-version", "as perf --version"),
    row("probe-funcs", "probe funcs -x $HERE/target"),
    row("probe-vars", "probe vars -x $HERE/target add"),
    row("probe-lines", "probe lines -x $HERE/target add --source $TESTS/targets"),
    row("probe-show", "probe show -x $HERE/target add(a,b)"),
    row("as-perf-vars", "as perf probe -x $HERE/target -V add"),
    row("as-perf-lines", "as perf probe -x $HERE/target -L add"),
    row("as-perf-funcs", "as perf probe -x $HERE/target -F"),
    row("recipe", "recipe"),
    row("live-list", "list", env=KERNEL),
    row("live-list-events", "list -e sched -F --full", env=KERNEL),
    row("live-list-functions", "list -f vfs*", env=KERNEL),
    row("live-stat", "stat", env=KERNEL),
    row("live-stat-json", "stat --json", env=KERNEL),
    row("live-show", "show -B one trace", env=KERNEL),
    row("live-doctor", "doctor --json", env=KERNEL, asks=True),
    row("live-probe", "probe list", env=KERNEL),
    row("restore-kernel", "restore -c -t $HERE/tracing -k symbols -o out.dat", files=("symbols",),
        writes=("out.dat",)),
    row("check-events-kernel", "check-events -t $HERE/tracing"),
    row("boot", "record --boot -e sched:sched_switch -p function -l vfs_*", env=KERNEL),
    row("listen", "listen --once --debug -p 0", peer="-t", keeps=True),
    row("listen-udp", "listen --once --debug -p 0 --max-size 100", peer="", keeps=True),
    row("listen-one", "listen --once --debug -p 0 -d . -o got", peer="-1 -t", keeps=True),
    row("listen-key", "listen --once --debug -p 0 --key $HERE/key", peer="-t -c -k $HERE/key", keeps=True),
    row("unknown", "raport"),
    row("no-file", "report nosuch.dat"),
    row("no-trace", "report $TESTS/faults/commands.py"),
]


SYMBOLS = "".join(f"ffffffff810{i:03x}00 T function_{i}\n" for i in range(64))
TARGET = """
struct pair { int first, second; const char *name; };
int add(int a, int b);
int add(int a, int b)
{
	struct pair p = {a, b, "pair"};
	int sum = p.first;

	for (int i = 0; i < b; i++)
		sum += p.second;
	return sum;
}
int main(int argc, char **argv)
{
	return add(argc, 2);
}
"""


SCRIPT_PYTHON = """n = 0
def sonde_entry(call):
    global n
    n += 1
    print(call["name"], call["tid"])
def sonde_end():
    print(n)
"""
SCRIPT_LUA = """local n = 0
function sonde_entry(call) n = n + 1 print(call.name, call.tid) end
function sonde_event(event) n = n + 1 print(event.name, event.info) end
function uftrace_entry(call) n = n + 1 print(call.name, call.tid) end
function sonde_end() print(n) end
"""
FORMAT = "name: {}\nID: {}\nformat:\n\tfield:int a;\toffset:8;\tsize:4;\tsigned:1;\n\nprint fmt: \"%d\", REC->a\n"
TRACING = {
    "trace_clock": "local [mono] boot\n", "available_tracers": "function nop\n", "current_tracer": "nop\n",
    "options/overwrite": "1\n", "options/stacktrace": "0\n", "tracing_on": "1\n", "trace": "# tracer: nop\n",
    "README": "read me\n", "available_filter_functions": "vfs_read\nvfs_write\np9_read [9p]\n",
    "instances/one/trace": "one\n", "instances/one/tracing_on": "1\n", "buffer_size_kb": "7 (expanded: 1408)\n",
    "saved_cmdlines": "1 init\n2 kthreadd\n", "printk_formats": "", "set_event": "sched:sched_switch\n",
    "available_events": "sched:sched_switch\nsched:sched_wakeup\nirq:irq_entry\n", "trace_marker": "",
    "kprobe_events": "p:kprobes/x vfs_read\n", "uprobe_events": "", "dynamic_events": "p:kprobes/x vfs_read\n",
    "events/enable": "0\n", "events/header_page": (
        "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
        "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
        "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
        "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n"),
    "events/header_event": "# compressed entry header\n\ttype_len    :    5 bits\n",
    **{f"events/{name}/format": FORMAT.format(name.split("/")[1], i) for i, name in
       enumerate(("sched/sched_switch", "sched/sched_wakeup", "irq/irq_entry"), 300)},
    **{f"events/{name}/enable": "0\n" for name in ("sched/sched_switch", "sched/sched_wakeup", "irq/irq_entry")},
    "per_cpu/cpu0/stats": "entries: 100\noverrun: 3\ncommit overrun: 1\nbytes: 7208\nnow ts:    12.75\n",
}


def make_files(place, golden, tests, sonde):
    """What rows need and no golden trace is."""
    import subprocess
    for name, text in TRACING.items():
        (place / "tracing" / name).parent.mkdir(parents=True, exist_ok=True)
        (place / "tracing" / name).write_text(text)
    (place / "symbols").write_text(SYMBOLS)
    (place / "key").write_text("correct horse battery staple\n")
    (place / "key").chmod(0o600)
    (place / "some.cpu0").write_bytes((golden / "made-v6-le-8-4096.dat").read_bytes()[-8192:])
    (place / "target.c").write_text(TARGET)
    subprocess.run(["cc", "-g", "-O1", "-o", place / "target", place / "target.c"], check=True)
    # a program that allocates and prints nothing itself
    (place / "quiet.c").write_text(TARGET.replace("return add(argc, 2)", "return add(argc, 2) ? 0 : 1"))
    subprocess.run(["cc", "-g", "-O0", "-finstrument-functions", "-o", place / "quiet", place / "quiet.c"], check=True)
    for name, trace in (("calls", "made-user.dat"), ("slower", "made-user-slower.dat")):
        subprocess.run([sonde, "export", "--uftrace", place / name, golden / trace], check=True, capture_output=True)
    (place / "script.py").write_text(SCRIPT_PYTHON)
    (place / "script.lua").write_text(SCRIPT_LUA)
