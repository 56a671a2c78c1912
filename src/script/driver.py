# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs a script in a Python process of its own: driver SCRIPT ARGUMENT…

sonde sends batches through descriptor 3: four bytes of length, then marshal's form of
(names, [function, argument, function, argument, …]). The function is a number, in the order in which
this program has named the script's functions; an argument of None means that there is none.
An empty batch ends the script. This program answers with lines: "def NAME" and "LIST TEXT" about
the script and an empty line after it is loaded; later "error TEXT" and "exit STATUS".
"""
import sys

if sys.path[:1] == [""]:    # what lies in the current directory may be anybody's
    del sys.path[0]

import inspect  # noqa: E402
import marshal  # noqa: E402
import os  # noqa: E402
import struct  # noqa: E402
import traceback  # noqa: E402

LISTS = ("SONDE_FUNCS", "UFTRACE_FUNCS")
OFF = "\x1b[0m"


class Guarded:
    """A stream to a terminal: control characters are shown as \\xNN, as everywhere in sonde (base/escaper.h)."""

    def __init__(self, stream):
        import re
        self.stream, self.is_coloured = stream, False
        self.units = re.compile("\x1b\\[(?:0|1|2|31|32|33|35|36|90|91|94)m"
                                "|[\\x00-\\x08\\x0a-\\x1f\\x7f-\\x9f\\udc80-\\udcff]")

    def __getattr__(self, name):
        return getattr(self.stream, name)

    def safe(self, unit):
        text = unit[0]
        if text == "\n":
            was_coloured, self.is_coloured = self.is_coloured, False
            return OFF + text if was_coloured else text
        if len(text) > 1:
            self.is_coloured = text != OFF
            return text
        return "".join("\\x%02x" % byte for byte in text.encode("utf-8", "surrogateescape"))

    def write(self, text):
        self.stream.write(self.units.sub(self.safe, text))
        return len(text)

    def writelines(self, lines):
        for line in lines:
            self.write(line)


def guard():
    """A script prints what it gets: names that others chose."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream and stream.isatty():
            setattr(sys, name, Guarded(stream))


def say(channel, word, text):
    line = f"{word} {text}".replace("\n", " ") + "\n"
    channel.write(line.encode(errors="replace"))
    channel.flush()


def describe(path):
    """The failure that is being handled, as FILE:LINE: why."""
    kind, value, trace = sys.exc_info()
    if isinstance(value, SyntaxError) and value.filename == path:
        return f"{path}:{value.lineno}: {value.msg}"
    own = [frame for frame in traceback.extract_tb(trace) if frame.filename == path]
    where = f"{path}:{own[-1].lineno}" if own else path
    if len(own) > 1:
        while trace.tb_frame.f_code.co_filename != path:
            trace = trace.tb_next
        traceback.print_exception(kind, value, trace)
    text = str(value)
    return f"{where}: {kind.__name__}" + (f": {text}" if text else "")


def in_perfs_way(function):
    """A function with many parameters, as perf script calls it for an event."""
    n = function.__code__.co_argcount
    if function.__name__ == "trace_unhandled":
        return lambda c: function(c["name"].replace(":", "__"), None, c["fields"])

    def call(c):
        seconds, rest = divmod(c["timestamp"], 1000000000)
        values = [c["name"].replace(":", "__"), None, c["cpu"], seconds, rest, c.get("tid", 0), c.get("task", ""), [],
                  *c["fields"].values()]
        function(*values, *({"sample": c},)[:n - len(values)])
    return call


def adapt(function):
    if inspect.isfunction(function) and function.__code__.co_argcount > 1:
        return in_perfs_way(function)
    return function


def load(path, channel):
    """The script's functions in the order in which they were named."""
    sys.argv = sys.argv[1:]
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    with open(path, "rb") as file:
        code = compile(file.read(), path, "exec")
    module = type(sys)(os.path.basename(path)[:-3])
    module.__file__ = path
    sys.modules[module.__name__] = module
    exec(code, module.__dict__)
    functions = []
    for name, value in vars(module).items():
        if callable(value) and not isinstance(value, type):
            say(channel, "def", name)
            functions.append(adapt(value))
    for name in LISTS:
        for text in getattr(module, name, ()):
            say(channel, name, text)
    channel.write(b"\n")
    channel.flush()
    return functions


def serve(functions, data):
    while True:
        head = data.read(4)
        if len(head) < 4:
            os._exit(1)  # sonde is gone
        size = struct.unpack("<I", head)[0]
        if not size:
            return
        _, calls = marshal.loads(data.read(size))
        pairs = iter(calls)
        for function, argument in zip(pairs, pairs):
            if argument is None:
                functions[function]()
            else:
                functions[function](argument)


def main():
    path = sys.argv[1]
    channel = os.fdopen(os.dup(3), "wb", buffering=1 << 16)
    data = os.fdopen(3, "rb", buffering=1 << 17)
    status = 0
    guard()
    try:
        serve(load(path, channel), data)
    except SystemExit as done:
        if isinstance(done.code, str):
            say(channel, "error", done.code)
        status = done.code if isinstance(done.code, int) else 1 if done.code else 0
    except KeyboardInterrupt:
        status = 130
    except BrokenPipeError:
        os._exit(0)  # nobody reads the output
    except BaseException:
        say(channel, "error", describe(path))
        status = 1
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        os._exit(0)
    say(channel, "exit", status)
    os._exit(status)


main()
