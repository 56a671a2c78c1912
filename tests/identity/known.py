"""Where trace-cmd is wrong, and what may differ there.

A row says for which cases a section of doc/deviations.md holds and what it does to the two outputs
before they are compared; everything else must still be equal, byte for byte. Several rows may hold
for one case. A row may let the exit status differ. A case with a row must differ: once it does not,
the row has to go.
"""
import re
from dataclasses import dataclass
from typing import Callable


@dataclass
class Row:
    section: str
    when: Callable          # (case) -> bool
    change: Callable = None  # (pair) -> None; Pair below
    status: bool = False    # the exit status may differ
    always: bool = True     # False: not every case that it holds for differs


class Pair:
    """The two outputs, and a way to ask trace-cmd something else."""

    def __init__(self, case, theirs, ours, ask):
        self.case, self.theirs, self.ours, self.ask = case, theirs, ours, ask


# What rows do.

def drop(ours=None, theirs=None):
    """Lines that only one of them has."""
    def change(pair):
        if ours:
            pair.ours = re.sub(rb"(?m)^(?:" + ours + rb").*\n", b"", pair.ours)
        if theirs:
            pair.theirs = re.sub(rb"(?m)^(?:" + theirs + rb").*\n", b"", pair.theirs)
    return change


def hide(pattern, to=b"..."):
    """A part of lines that both have, different in each."""
    def change(pair):
        pair.ours = re.sub(pattern, to, pair.ours)
        pair.theirs = re.sub(pattern, to, pair.theirs)
    return change


def hide_lines(pattern):
    """Lines of this kind: both must have them, in the same places."""
    return hide(rb"(?m)^.*(?:" + pattern + rb").*$")


def instead(make_words):
    """What trace-cmd prints for another command line that means the same."""
    def change(pair):
        pair.theirs = pair.ask(make_words(pair.case))
    return change


def part_of(make_words):
    """trace-cmd fails; what sonde prints are lines, in order, of what it prints for the words."""
    def change(pair):
        # the names of instances may be lost, and with them the column for names
        bare = lambda text: re.sub(rb"(?m)^(?:foo:|recovered:)? +", b"", text)  # noqa: E731
        lines = iter(bare(pair.ask(make_words(pair.case))).splitlines())
        missing = [line for line in bare(pair.ours).splitlines() if line not in lines]
        pair.theirs = pair.ours if pair.ours and not missing else b"\n".join(missing[:3])
    return change


def begins_with_theirs(pair):
    """trace-cmd stops early; so far both are the same."""
    complete = pair.theirs[:pair.theirs.rfind(b"\n") + 1]
    pair.theirs, pair.ours = complete, pair.ours[:len(complete)]


def says(*texts):
    """trace-cmd is wrong, and sonde must say this, line by line."""
    def change(pair):
        missing = [text for text in texts if text not in pair.ours]
        pair.theirs = b"\n".join(missing) if missing else pair.ours
    return change


def refused_here(pair):
    """sonde refuses the command line and prints nothing."""
    pair.theirs = b""


def usage_there(pair):
    """trace-cmd prints its usage to standard output, sonde a sentence to standard error."""
    pair.theirs = b"" if b"usage:\n trace-cmd report" in pair.theirs else pair.theirs


def then_ours(pattern):
    """trace-cmd dies; sonde goes on with lines of this kind."""
    def change(pair):
        if pair.ours.startswith(pair.theirs):
            rest = pair.ours[len(pair.theirs):]
            if re.fullmatch(rb"(?:.*(?:" + pattern + rb").*\n)+", rest):
                pair.ours = pair.theirs
    return change


# When rows hold.

def trace(pattern):
    return lambda case: re.fullmatch(pattern, case.trace)


def options(pattern):
    return lambda case: re.search(pattern, case.options)


def both(*tests):
    return lambda case: all(test(case) for test in tests)


def inputs(*patterns):
    """One of the inputs has such a name."""
    return lambda case: any(re.fullmatch(p + r"\.dat", w) for p in patterns for w in case.words)


def one_of(*tests):
    return lambda case: any(test(case) for test in tests)


def but_not(test):
    return lambda case: not test(case)


# What rows compare with instead.

def moved(case):
    """The first input with its times moved, in place of --ts-offset."""
    words = list(case.words)
    at = words.index("--ts-offset")
    words[1] = f"offset-{words[at + 1]}/{words[1]}"
    return words[:at] + words[at + 2:]


def as_filter(option, value):
    """What --cpu, --pid and -F select, as a text for -F."""
    if option == "-F":
        return value
    if option == "--pid":
        return ".*:" + "||".join(f"({f}=={value})" for f in ("common_pid", "pid", "next_pid"))
    cpus = [range(int(a), int(b or a) + 1) for a, b in re.findall(r"(\d+)(?:-(\d+))?", value)]
    return ".*:" + "||".join(f"CPU=={cpu}" for some in cpus for cpu in some)


def filter_for_every_input(case):
    """-F for each input, in place of --cpu, --pid and of one before all inputs."""
    rest, texts = list(case.words), []
    for option in ("-F", "--pid", "--cpu"):
        if option in rest:
            at = rest.index(option)
            texts.append(as_filter(option, rest[at + 1]))
            del rest[at:at + 2]
    text = texts[0] if len(texts) == 1 else texts[0] + texts[1].removeprefix(".*")
    if "-i" not in rest:
        return ["-F", text, *rest]
    return [w for i, word in enumerate(rest) for w in (
        [word] if i == 0 or rest[i - 1] != "-i" else [word, "-F", text])]


def from_zero(case):
    """All inputs with their times moved so that the first event is at 0."""
    hertz = int(case.words[case.words.index("--ts2secs") + 1]) if "--ts2secs" in case.words else 10**9
    first = FIRST_EVENT_NS * 10**9 // hertz
    return [f"offset--{first}/{w}" if w.endswith(".dat") else w
            for w in case.words if w != "--align-ts"]


def filter_first(case):
    """-F before -i."""
    words = list(case.words)
    return words[2:] + words[:2]


def each_alone(case):
    """-T for each input by itself."""
    return [["-T", "-F", case.words[2], file] for file in case.words[4::2]]


def whole(case):
    return [re.sub(r"made-cut-v(\d)(zstd)?", lambda m: f"made-v{m[1]}-le-8-4096"
                   + ("-zstd" if m[2] else ""), word) for word in case.words]


def as_version_6(case):
    return [f"v6/{word}" if word.endswith(".dat") else word for word in case.words]


def not_zlib(case):
    return [re.sub("-?zlib", "", word) for word in case.words]


def all_with_i(case):
    files = [word for word in case.words if word.endswith(".dat")]
    return [word for file in files for word in ("-i", file)]


# Single changes.

def shorter_stacks(pair):
    """report -R: a stack that trace-cmd shows further than its record reaches."""
    theirs, ours = pair.theirs.split(b"\n"), pair.ours.split(b"\n")
    array = re.compile(rb"(.*kernel_stack:.*ARRAY\[)([^]]*)(\].*)")
    for i, lines in enumerate(zip(theirs, ours)):
        a, b = (array.fullmatch(line) for line in lines)
        if a and b and (a[1], a[3]) == (b[1], b[3]) and a[2].startswith(b[2] + b", "):
            theirs[i] = ours[i]
    pair.theirs = b"\n".join(theirs)


def filters_of_each(pair):
    pair.theirs = b"".join(pair.ask(words) for words in each_alone(pair.case))


def no_text(pair):
    """What a file without a text answers, but for its CPUs."""
    words = [w for w in pair.case.words if not w.endswith(".dat")]
    pair.theirs = pair.ask([*words, "made-empty-v7.dat"])
    drop(theirs=rb"CPU\d| {4}\d")(pair)
    hide(rb"cpus=\d")(pair)


WITH_INSTANCES = ("instances-mono", "made-instances-.*", r"made-v\d-.*")
HAS_INSTANCES = inputs(*WITH_INSTANCES)
VERSION_7 = inputs("(?!made|events-v6).*", "made-v7.*", "made-.*-v7.*", "made-formats")
RAW = options(r"(?:^|\s)-(?:R|r '\.\*')(?:\s|$)")
FILTER = options(r"(?:^|\s)(?:-F|--pid|--comm)\b")
LISTS = options(r"(?:^|\s)-T\b")
SEVERAL = options(r"-i .*-i ")
USED_TWICE = options(r"^(?:-v -v|--cpu x|--nosuch-option|--verbose=nosuch)")
FIRST_EVENT_NS = 76_743_218_991     # of instances-mono

ROWS = [
    Row("past-the-record", both(RAW, inputs("tour", "profile", "stacks")), shorter_stacks,
        always=False),
    Row("past-the-record", both(options("-F irq -R"), trace("tour")), shorter_stacks),
    Row("past-the-record", both(RAW, inputs("probes")), hide(rb"(?<= file=)[^ ]*(?= flags=)")),
    Row("past-the-record", both(trace("made-past-records"), RAW), says(b"dyn=efgh\n")),
    Row("past-the-record", both(trace("made-past-records"), but_not(RAW)),
        hide(rb"(?m)^.*61 62 63 64 00 00 00.*$")),
    Row("divide-by-zero", trace("made-divide-by-zero"), then_ours(rb"divides:"), status=True),
    Row("lost-before-a-time", inputs("made-missed"),
        lambda pair: setattr(pair, "ours", re.sub(rb"CPU:0 \[[78] EVENTS DROPPED\]\n", b"",
                                                  pair.ours)), always=False),
    Row("damaged-sub-buffer", trace("made-damaged-commit"), begins_with_theirs, status=True),
    Row("damaged-sub-buffer", trace("made-damaged-(zero-)?length"),
        drop(theirs=rb"\[UNKNOWN EVENT\]"), status=True),
    Row("damaged-sub-buffer", trace("made-damaged-cut-header"), status=True),
    Row("cut-file", trace("made-cut-.*"), part_of(whole), status=True),
    Row("zlib", trace(".*zlib"), instead(not_zlib), status=True),
    Row("print-formats-that-kill", trace("made-dies-relative-length"), says(b": odd:    "
        b"              6\n"), status=True),
    Row("print-formats-that-kill", trace("made-dies-index-in-branch"),
        says(b"[FAILED TO PARSE] n=5 "), status=True),
    Row("print-formats-that-kill", trace("made-dies-hex-of-text"), says(b": odd:"), status=True),
    Row("own-addresses", trace("made-own-addresses"), hide(rb"0x[0-9a-f]+ -?\d+(?= end)")),
    Row("odd-lengths", trace("made-odd-lengths"), says(b"[abc] [7]\n")),
    Row("other-byte-order", both(trace("made-other-byte-order"), but_not(RAW)),
        says(b" 1 2 from printk_formats 127.0.0.1:80\n")),
    Row("other-byte-order", both(trace("made-other-byte-order"), RAW),
        says(b" text=from printk_formats ")),
    Row("printk-values", trace("made-printk-flags"),
        says(b" 0x0: 5    |abc   |7\n", b" 0x0: AB|7\n", b" 0x0: -1 -2 7\n",
             b" 0x0: 1 s d end\n", b" 0x0: fine d\n")),
    Row("probe-characters", both(trace("made-probe-char"), but_not(RAW)),
        says(b" c='a' number=0\n", b" c='\\x0a' number=1\n")),
    Row("probe-faults", trace("probes"), lambda pair: setattr(
        pair, "ours", pair.ours.replace(b' file="(fault)"', b' file=""')), always=False),
    Row("negative-width", trace("made-negative-width"), says(b" abc|\n", b" abcdef|\n")),
    Row("ceilings", trace("made-ceilings"), says(b" [    5]\n", b" [      7]\n"), status=True),
    Row("lock-depth", both(trace("made-flags-lock"), options("^-l")), lambda pair: setattr(
        pair, "ours", re.sub(rb"(?m)^( +one-1 +0.....)[.\d]+", rb"\1", pair.ours))),
    Row("pid-listed-twice", trace("made-tasks-twice-learned"),
        hide(rb"(?m)^ +(?:twelve|twelve again|and again)-12 ")),
    Row("time-shift-without-samples", inputs("made-guest-none-.*"), instead(lambda case: [
        f"unshifted/{w}" if "guest" in w else w for w in case.words]), status=True, always=False),
    Row("time-shift-without-samples", inputs("made-guest-none-.*"), hide(b"unshifted/", b""),
        always=False),
    Row("filter-with-instances", both(FILTER, HAS_INSTANCES, but_not(LISTS)), status=True,
        always=False),
    Row("cpu-of-one-buffer", both(options(r"--cpu \d"), one_of(HAS_INSTANCES, SEVERAL)),
        instead(filter_for_every_input), status=True, always=False),
    Row("cpu-of-one-buffer", both(options(r"--cpu \d"), SEVERAL, inputs("made-formats")),
        drop(ours=rb".*\[UNKNOWN EVENT\]")),   # no filter is about those
    Row("filter-after-one-input", options(r"^-i FILE -F '[^']*'(?: -v -F '[^']*')?$"),
        instead(filter_first), status=True, always=False),
    Row("filter-of-the-first-input", options(r"^-F .* -i FILE -i "), instead(filter_for_every_input),
        status=True),
    Row("filter-of-the-first-input", options(r"^--pid .* -i FILE -i "),
        instead(filter_for_every_input), status=True),
    Row("filter-of-the-first-input", options(r"^-T -F .* -i FILE -i "), filters_of_each),
    Row("filter-texts", options("ret == -2"), instead(
        lambda case: [w.replace("-2", str(2**64 - 2)) for w in case.words]), always=False),
    Row("filter-texts", options("(?:== 0 prev_prio|<> 3|12ab)"), refused_here, status=True,
        always=False),
    Row("offset-of-the-first-input", options(r"^-i FILE --ts-offset"), instead(moved)),
    Row("ts2secs-of-the-first-input", options(r"^-i FILE --ts2secs \d+ -i"), instead(
        lambda case: [*case.words, "--ts2secs", "1000000000"])),
    Row("first-event-of-all", both(options("--align-ts(?! --raw)"), trace("instances-mono")),
        instead(from_zero)),
    Row("formats-of-version-7", both(options("^--events?( |$)"), VERSION_7), instead(as_version_6),
        always=False),
    Row("check-events-status", options("^--check-events"), status=True, always=False),
    Row("questions-about-latency-text", both(options("--stat|--uname"), trace("made-latency.*")),
        no_text),
    Row("plugin-messages", options("^(?:-V|--verbose|--verbose=4 -E)$"), drop(
        theirs=rb"registering plugin|overriding event|removing override")),
    Row("wrong-command-lines", USED_TWICE, usage_there, always=False),
    Row("more-inputs", options(r"^(?:-i )?FILE tour.dat$"), instead(all_with_i), status=True),
]
