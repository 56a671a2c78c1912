"""Program files choose names that sonde opens. A FIFO or a device behind such a name is not opened: nothing waits or never ends."""
import os
import pathlib
import shutil
import subprocess

from debugfiles import split_debug
from programs import HERE, SONDE, Wrong, need, run

# Opening a FIFO waits for a writer; /dev/zero has no end; /dev/full counts as a device that can be read, too.
BAD = ("fifo", "/dev/zero", "/dev/full", "/proc/kmsg")


def put(path, kind):
    pathlib.Path(path).unlink(missing_ok=True)
    if kind == "fifo":
        os.mkfifo(path)
    else:
        os.symlink(kind, path)


def ask(*argv):
    """Ends by itself, whatever it says. In 1 GB of memory: what never ends shows there, too."""
    command = ["prlimit", f"--as={1 << 30}", SONDE, "probe", *map(str, argv)]
    if os.environ.get("SONDE_SANITIZED") or b"__asan_init" in pathlib.Path(SONDE).read_bytes():
        command = command[2:]           # the sanitizer maps terabytes
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
    except subprocess.TimeoutExpired as err:
        raise Wrong(f"{' '.join(map(str, argv))} does not end") from err
    if done.returncode < 0:
        raise Wrong(f"{' '.join(map(str, argv))} dies of signal {-done.returncode}")
    return done


def expect_symbols(program, *options):
    """Without its debug information the program still has its symbols, or none; the answer comes."""
    ask("vars", "-x", program, "add_ints", *options)
    ask("funcs", "-x", program, *options)


def test_hostile_link(programs):
    need("objcopy", "prlimit")
    directory, program, debug = split_debug(programs, "hostile-link")
    for name in (".debug/prog.debug", "prog.debug", "outside"):
        place = directory / name
        place.parent.mkdir(exist_ok=True)
        copy = directory / ("copy-" + place.name)
        shutil.copy(program, copy)
        shutil.copy(debug, place)
        run("objcopy", f"--add-gnu-debuglink={place}", copy)
        for kind in BAD:
            put(place, kind)
            expect_symbols(copy)
        place.unlink()


def test_hostile_id(programs):
    need("objcopy", "prlimit")
    directory, program, debug = split_debug(programs, "hostile-id")
    text = run("readelf", "-n", program).stdout
    build_id = text.split("Build ID: ")[1].split()[0]
    target = directory / "debug/.build-id" / build_id[:2] / (build_id[2:] + ".debug")
    target.parent.mkdir(parents=True, exist_ok=True)
    for kind in BAD:
        put(target, kind)
        expect_symbols(program, "--debug-dir", directory / "debug")
    below = directory / "debug" / str(program.resolve()).lstrip("/")
    below.parent.mkdir(parents=True, exist_ok=True)
    target.unlink()
    for kind in BAD:
        put(below, kind)
        expect_symbols(program, "--debug-dir", directory / "debug")


def test_hostile_alternate(programs):
    need("dwz", "objcopy", "prlimit")
    directory = programs.dir / "hostile-alternate"
    directory.mkdir(exist_ok=True)
    paths = [directory / n for n in ("one", "two")]
    for path, level in zip(paths, "23"):
        shutil.copy(programs.c("gcc", level, "pie"), path)
    run("dwz", "-m", directory / "common.debug", *paths)
    for kind in (*BAD, "/nowhere"):
        put(directory / "common.debug", kind)
        expect_symbols(paths[0])


def test_hostile_split(programs):
    need("gcc", "prlimit")
    directory = programs.dir / "hostile-split"
    directory.mkdir(exist_ok=True)
    for version in "45":
        program = directory / f"split-{version}"
        run("gcc", f"-gdwarf-{version}", "-gsplit-dwarf", HERE / "shapes.c", "-o", program, cwd=directory)
        for dwo in directory.glob("*.dwo"):
            for kind in BAD:
                put(dwo, kind)
                expect_symbols(program)
            dwo.unlink()


def test_hostile_source(programs):
    need("gcc", "prlimit")
    directory = programs.dir / "hostile-source"
    directory.mkdir(exist_ok=True)
    source = directory / "small.c"
    source.write_text("int add_ints(int a, int b)\n{\n\treturn a + b;\n}\nint main(void) { return add_ints(1, 2); }\n")
    program = directory / "small"
    run("gcc", "-g", source, "-o", program)
    for kind in BAD:
        put(source, kind)
        done = ask("lines", "-x", program, "add_ints")
        if done.returncode:
            raise Wrong(f"lines of a source that is {kind}: {done.stderr}")
        done = ask("vars", "-x", program, "add_ints;return*")
        if not done.returncode or "is not here" not in done.stderr:
            raise Wrong(f"a pattern in a source that is {kind}: {done.stderr or done.stdout}")


def test_hostile_program(programs):
    need("prlimit")
    for i, kind in enumerate(BAD):
        put(programs.dir / f"bad-{i}", kind)
        done = ask("funcs", "-x", programs.dir / f"bad-{i}")
        if not done.returncode or not ("is not a file" in done.stderr or "is empty" in done.stderr):
            raise Wrong(f"a program that is {kind}: {done.stderr or done.stdout}")


def bombs():
    """(ending, a few hundred kilobytes that unpack to more than 1 GB): one stream, again and again."""
    import gzip
    import lzma
    zeros = bytes(64 << 20)
    yield "xz", lzma.compress(zeros, preset=0) * 17
    yield "gz", gzip.compress(zeros, 1) * 17
    if shutil.which("zstd"):
        yield "zst", subprocess.run(["zstd", "-c"], input=zeros, capture_output=True, check=True).stdout * 17


def test_hostile_packed(programs):
    """What is packed is unpacked up to a size: files, debug files, parts of files."""
    need("prlimit", "objcopy", "xz")
    module = programs.dir / "bomb.ko"
    for ending, data in bombs():
        packed = programs.dir / f"bomb.ko.{ending}"
        packed.write_bytes(data)
        done = ask("vars", "-m", packed, "take_many")
        if done.returncode != 1 or "is larger than 1 GB when uncompressed; uncompress it" not in done.stderr:
            raise Wrong(f"{ending}: {done.returncode} {done.stderr or done.stdout}")
        packed.write_bytes(data[:len(data) // 17 // 2])
        done = ask("vars", "-m", packed, "take_many")
        if done.returncode != 1 or "is compressed but damaged" not in done.stderr:
            raise Wrong(f"half of {ending}: {done.returncode} {done.stderr or done.stdout}")
    bomb = dict(bombs())["xz"]
    (programs.dir / "bomb.debug").write_bytes(bomb)
    shutil.copy(programs.c("gcc", "2", "pie"), module)
    run("objcopy", "--add-section", f".gnu_debugdata={programs.dir / 'bomb.debug'}", module)
    done = ask("funcs", "-x", module)
    if done.returncode != 1 or "compressed sections of" not in done.stderr:
        raise Wrong(f".gnu_debugdata: {done.returncode} {done.stderr or done.stdout}")
    # a debug file, chosen by a checksum only
    run("objcopy", "--strip-debug", "--remove-section=.note.gnu.build-id", "--remove-section=.gnu_debugdata",
        f"--add-gnu-debuglink={programs.dir / 'bomb.debug'}", module)
    expect_symbols(module)


def test_hostile_sections(programs):
    """A section that says it unpacks to more than there is memory."""
    need("prlimit", "objcopy")
    packed = programs.dir / "packed-sections"
    run("objcopy", "--compress-debug-sections=zlib", programs.c("gcc", "2", "pie"), packed)
    if ask("vars", "-x", packed, "add_ints").returncode:
        raise Wrong("compressed sections are not read")
    data = bytearray(packed.read_bytes())
    table, n = int.from_bytes(data[40:48], "little"), int.from_bytes(data[60:62], "little")
    for i in range(n):
        at = table + 64 * i
        flags, offset = (int.from_bytes(data[at + k:at + k + 8], "little") for k in (8, 24))
        if flags & 0x800:       # SHF_COMPRESSED: its size is behind the type and four bytes of nothing
            data[offset + 8:offset + 16] = (5 << 30).to_bytes(8, "little")
            break
    else:
        raise Wrong("no section is compressed")
    packed.write_bytes(data)
    done = ask("vars", "-x", packed, "add_ints")
    if done.returncode != 1 or "compressed sections of" not in done.stderr:
        raise Wrong(f"{done.returncode} {done.stderr or done.stdout}")
