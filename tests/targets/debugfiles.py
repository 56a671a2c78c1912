"""Debug information in files of its own: found by build id, by link, by path; alternate; only symbols; none."""
import re
import shutil

from programs import SONDE, Wrong, need, run, sonde


def split_debug(programs, name):
    """A copy of a program without debug information, and that in another file."""
    directory = programs.dir / name
    directory.mkdir(exist_ok=True)
    program, debug = directory / "prog", directory / "prog.debug.full"
    shutil.copy(programs.c("gcc", "2", "pie"), program)
    need("objcopy")
    run("objcopy", "--only-keep-debug", program, debug)
    run("strip", "--strip-all", program)
    return directory, program, debug


def expect_debug(program, *options):
    names = {v["name"] for p in sonde("vars", "-x", program, "add_ints", *options)["points"]
             for v in p["variables"]}
    if names != {"a", "b"}:
        raise Wrong(f"add_ints has the variables {sorted(names)}")


def test_debug_by_id(programs):
    directory, program, debug = split_debug(programs, "by-id")
    text = run("readelf", "-n", program).stdout
    build_id = re.search(r"Build ID: ([0-9a-f]+)", text)[1]
    target = directory / "debug/.build-id" / build_id[:2] / (build_id[2:] + ".debug")
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.move(debug, target)
    expect_debug(program, "--debug-dir", directory / "debug")


def test_debug_by_link(programs):
    directory, program, debug = split_debug(programs, "by-link")
    (directory / ".debug").mkdir(exist_ok=True)
    linked = directory / ".debug/prog.debug"
    shutil.move(debug, linked)
    run("objcopy", f"--add-gnu-debuglink={linked}", program)
    expect_debug(program)


def test_debug_by_path(programs):
    directory, program, debug = split_debug(programs, "by-path")
    target = directory / "debug" / str(program.resolve()).lstrip("/")
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.move(debug, target)
    expect_debug(program, "--debug-dir", directory / "debug")


def test_debug_alternate(programs):
    need("dwz")
    directory = programs.dir / "alternate"
    directory.mkdir(exist_ok=True)
    paths = [directory / n for n in ("one", "two")]
    for path, level in zip(paths, "23"):
        shutil.copy(programs.c("gcc", level, "pie"), path)
    run("dwz", "-m", directory / "common.debug", *paths)
    for path in paths:
        expect_debug(path)


def test_debug_symbols_only(programs):
    need("xz")
    directory, program, debug = split_debug(programs, "mini")
    debug.unlink()
    full = programs.c("gcc", "2", "pie")
    mini = directory / "mini"
    run("objcopy", "-S", "--remove-section", ".gdb_index", "--remove-section", ".comment",
        "--keep-symbols=" + str(keep_list(directory)), full, mini)
    run("xz", "-f", mini)
    run("objcopy", "--add-section", f".gnu_debugdata={mini}.xz", program)
    names = {r["name"] for r in sonde("funcs", "-x", program, "-v")["functions"]}
    if "keep_static" not in names:
        raise Wrong("keep_static, which is only in .gnu_debugdata, is missing")


def keep_list(directory):
    path = directory / "keep"
    path.write_text("keep_static\nadd_ints\nfactorial\n")
    return path


def test_debug_none(programs):
    _, program, debug = split_debug(programs, "none")
    debug.unlink()
    bare = program.parent / "with-symbols"
    run("objcopy", "--strip-debug", programs.c("gcc", "2", "pie"), bare)
    asked = [run(SONDE, "probe", *words, check=False) for words in (
        ("lines", "-x", program, "main"), ("vars", "-x", program, "main"), ("add", "-n", f"{program}:main(argc)"),
        ("vars", "-x", bare, "main"), ("add", "-n", f"{bare}:main(argc)"))]
    for i, done in enumerate(asked):
        if done.returncode != 1 or "-dbgsym" not in done.stderr or (i in (0, 3) and ".build-id/" not in done.stderr):
            raise Wrong(done.stderr)
