"""Calls that are matched with their returns: inside each other, left out by conditions, inlined. And what is no code."""
import json

from programs import HERE, SONDE, Wrong, need_uprobes, run


def measure(program, *argv):
    done = run(SONDE, "latency", "-q", "--json", *argv)
    answer = json.loads(done.stdout.splitlines()[-1])
    if any(answer["unmatched"].values()):
        raise Wrong(f"{argv}: {answer['unmatched']}")
    return answer


def check_stack(program):
    """Calls without a return, inside of one that has its own: whose it is the stack tells."""
    run_of = lambda what: json.loads(run(SONDE, "latency", "-q", "--json", "--by", "depth", "-T",  # noqa: E731
                                         f"{program}:{what}(depth)", program).stdout.splitlines()[-1])
    answer = run_of("leap")
    if [(row["depth"], row["count"]) for row in answer["groups"]] != [(0, 5)] or answer["min"] < 10_000_000:
        raise Wrong(f"{program} leap: {answer}")
    rows = {row["depth"]: row["min"] for row in run_of("deep")["groups"]}
    if 90 not in rows or rows[90] < 20_000_000 or len(rows) < 64:
        raise Wrong(f"{program} deep: {rows}")


def test_calls(programs):
    need_uprobes()
    program = programs.make("nested", "gcc", "-O2", HERE / "nested.c")
    trace = programs.dir / "nested.dat"
    run(SONDE, "record", "-q", "-o", trace, "-e", f"{program}:again(depth)", "-e", f"{program}:again%return", program)
    outer = [("-T", f"{program}:again(depth) if depth == 0", program),
             ("-T", f"{program}:again(depth)", "-F", "again: depth == 0", program),
             ("-i", trace, "-T", "again", "-F", "again: depth == 0")]
    for argv in outer:      # 21 ms each, and 1 ms up to the inner call
        answer = measure(program, *argv)
        if answer["count"] != 5 or answer["min"] < 21_000_000:
            raise Wrong(f"{argv}: {answer['count']} from {answer['min']} ns")
    answer = measure(program, "-i", trace, "-T", "again", "-F", "again: depth == 1")
    if answer["count"] != 5 or answer["min"] > 20_000_000:
        raise Wrong(str(answer))
    for cc, level in (("gcc", "-O0"), ("gcc", "-O2"), ("clang", "-O0"), ("clang", "-O2")):
        check_stack(programs.make(f"nested-{cc}{level}", cc, level, HERE / "nested.c"))
    answer = measure(program, "-T", f"{program}:work", program)       # 40 ms, with the inlined one in it
    if answer["count"] != 5 or answer["min"] < 40_000_000:
        raise Wrong(f"inlined: {answer['count']} from {answer['min']} ns")


def test_no_code(programs):
    """A breakpoint in data would change it."""
    program = programs.make("nested", "gcc", "-O2", HERE / "nested.c")
    rows = [line.split() for line in run("nm", program).stdout.splitlines()]
    address = {row[2]: row[0] for row in rows if len(row) == 3}
    for what in ("0x1", f"0x{address['message']}", f"0x{address['by_pointer']}"):
        done = run(SONDE, "probe", "show", f"{program}:{what}", check=False)
        if done.returncode != 1 or "is not in the code of" not in done.stderr:
            raise Wrong(f"{what}: {done.stdout}{done.stderr}")


def test_returns(programs):
    """Returns that programs do not bear to be probed: refused, or told of before and after."""
    for name in ("dlopen", "dlsym", "_setjmp"):
        done = run(SONDE, "probe", "show", f"libc:{name}%return", check=False)
        if done.returncode != 1 or f"cannot probe the return of {name}:" not in done.stderr:
            raise Wrong(f"{name}: {done.stdout}{done.stderr}")
    program = programs.make("switching", "gcc", "-O1", HERE / "switching.c")
    if run(program).stdout != "1\n2\n":
        raise Wrong("the program does not work by itself")
    text = run(SONDE, "probe", "show", f"{program}:visit%return").stdout
    if "switches stacks (swapcontext)" not in text:
        raise Wrong(text)
    need_uprobes()
    for command in (["count", "-e", f"{program}:visit%return"], ["latency", "-T", f"{program}:visit"]):
        done = run(SONDE, *command, program, check=False)
        if "1\n2\n" not in done.stdout and "ended the command" not in done.stderr:
            raise Wrong(f"{command}: {done.stdout}{done.stderr}")
