"""Pointers to functions: of the program, of its libraries, of several programs that run at other addresses."""
import json
import pathlib
import re
import subprocess

from programs import HERE, SONDE, Wrong, need_uprobes, run

BUILDS = [("gcc", "-O0", "-fPIE", "-pie"), ("gcc", "-O2", "-fno-pie", "-no-pie"), ("clang", "-O2", "-fPIE", "-pie"),
          ("gcc", "-O2", "-fPIE", "-pie", "-Wl,-z,now")]
WORK = ['name="own" op=add_two+0x0 done=free+0x0 both={add_two+0x0,times_three+0x0}', 'name="null" op=0x0 done=0x0 both={0x0,0x0}',
        'name="late" op=times_three+0x0 done=cbrt+0x0 both={times_three+0x0,add_two+0x0}']
EVENTS = ("apply(op, x)", "work(job->name, job->op, job->done, job->both)", "choose%return($retval)")


def events(program, *some):
    return [word for event in some or EVENTS for word in ("-e", f"{program}:{event}")]


def shown(text, event):
    return re.findall(rf" {event}: +\(.*?\) (.*)", text)


def check_text(what, text):
    if shown(text, "work") != 2 * WORK:
        raise Wrong(f"{what}: {shown(text, 'work')}")
    if shown(text, "choose__return") != 2 * ["ret=add_two+0x0", "ret=times_three+0x0", "ret=add_two+0x0"]:
        raise Wrong(f"{what}: {shown(text, 'choose__return')}")


def rows(key, *argv):
    answer = json.loads(run(SONDE, "count", "--json", "--by", key, *argv).stdout.splitlines()[-1])
    return {row[key]: row["count"] for row in answer["rows"]}


def check_file(program, trace):
    """What is recorded is named when it is read, also in a copy, and with programs at several addresses in one row each."""
    run(SONDE, "record", "-q", "-o", trace, *events(program), program)
    check_text(program, run(SONDE, "report", "-i", trace).stdout)
    copy = trace.with_suffix(".copy")
    run(SONDE, "convert", "-i", trace, "-o", copy)
    check_text(f"{program}, copied", run(SONDE, "report", "-i", copy).stdout)
    run(SONDE, "record", "-q", "-o", trace, *events(program, "apply(op, x)"), "sh", "-c", f"{program}; {program}; {program}")
    shown_by = run(SONDE, "report", "-i", copy, "-F", 'apply: op == "add_two"').stdout
    if len(re.findall(r"op=add_two\+0x0", shown_by)) != 6 or "times_three" in shown_by:
        raise Wrong(f"by its name: {shown_by}")
    want = {"times_three+0x0": 12, "add_two+0x0": 18, "0x0": 6}
    if rows("op", "-e", "apply", "-i", trace) != want:
        raise Wrong(str(rows("op", "-e", "apply", "-i", trace)))
    have = rows("op", *events(program, "apply(op, x)"), "sh", "-c", f"{program}; {program}; {program}")
    if have != want:
        raise Wrong(f"live: {have}")


def check_running(program, trace):
    """It had mapped everything before."""
    with subprocess.Popen([program, "wait"], stdin=subprocess.PIPE) as started:
        recorder = subprocess.Popen([SONDE, "record", "-o", trace, *events(program), "-P", str(started.pid), "-c"],
                                    stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        for line in recorder.stderr:
            if "Ctrl-C" in line or "recording" in line:
                break
        started.communicate(b"go\n")
        recorder.send_signal(2)
        recorder.communicate()
    check_text("running", run(SONDE, "report", "-i", trace).stdout)


def check_nameless(programs, program, trace):
    """Without symbols they are numbers, and never the next best name."""
    bare = programs.dir / "pointed-bare"
    run("objcopy", "--strip-all", program, bare)
    where = run(SONDE, "probe", "show", f"{program}:work").stdout
    offset = re.search(r":0x([0-9a-f]+)", where).group(1)
    run(SONDE, "record", "-q", "-o", trace, "-e", f"p:bare/work {bare}:0x{offset} op=+8(%di):x64", bare)
    text = run(SONDE, "report", "-i", trace).stdout
    if "op=0x" not in text or re.search("op=(?!0x)", text):
        raise Wrong(text)
    run(SONDE, "record", "-q", "--file-version", "6", "-o", trace, *events(program, "apply(op, x)"), program)
    if not re.search(r"op=0x[0-9a-f]{6,}", run(SONDE, "report", "-i", trace).stdout):
        raise Wrong("version 6 has no room for names")


def check_addresses(program, trace):
    """Stacks of the command, and where its page faults were: a function is one row, whatever part of it."""
    run(SONDE, "record", "-q", "-F", "-O", "userstacktrace", "-o", trace, "-e", "page_fault_user", program)
    text = run(SONDE, "report", "-i", trace).stdout
    if not re.search(r" user_stack:\s+=> [a-z_]\w+\n", text):
        raise Wrong(text[:2000])
    for source in (("-i", trace), ("--only-command", program)):
        names = rows("ip", "-e", "page_fault_user", *source)
        if not any(re.match(r"_?[a-z]\w+$", name) and "0x" not in name for name in names):
            raise Wrong(f"{source}: {names}")


def check_two(programs, program, trace):
    """Two programs at one address, of one of which nothing is known: its functions do not get the names of the other's."""
    other = programs.dir / "stripped"
    run("objcopy", "--strip-all", program, other)
    run(SONDE, "record", "-q", "-o", trace, "-e", "page_fault_user", "sh", "-c", f"{program}; {other}")
    wrong = re.findall(r" stripped-.* ip=(add_two|times_three|apply|work|choose|rounds|main) ",
                       run(SONDE, "report", "-i", trace).stdout)
    if wrong:
        raise Wrong(f"names of another program: {wrong}")


def test_pointed(programs):
    need_uprobes()
    trace = programs.dir / "pointed.dat"
    for number, (cc, *flags) in enumerate(BUILDS):
        program = programs.make(f"pointed-{number}", cc, *flags, HERE / "pointed.c", "-ldl")
        check_file(program, trace)
    program = programs.dir / "pointed-0"
    check_text("stream", run(SONDE, "stream", "-q", *events(program), program).stdout)
    check_running(program, trace)
    check_nameless(programs, program, trace)
    if pathlib.Path("/sys/kernel/tracing/events/exceptions/page_fault_user").exists():
        check_addresses(program, trace)
        check_two(programs, programs.dir / "pointed-1", trace)
