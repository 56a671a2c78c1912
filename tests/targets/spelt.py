"""Names as 'sonde probe funcs' prints them, where debug information is looked for."""
import json

from programs import SONDE, Wrong, need, need_uprobes, run

SOURCE = """#define ALONE __attribute__((noinline))
volatile int kept;
namespace { ALONE int hidden(int n) { kept = n; return n; } struct Inner { ALONE int get(int n) { kept = n; return n; } }; }
namespace a { inline namespace v1 { struct P {
	int x;
	ALONE int sum(int k) const { kept = k; return x + k; }
	ALONE int operator()(int c) const { kept = c; return c * x; }
	ALONE explicit operator int() const { kept = x; return x; }
	ALONE explicit operator unsigned long() const { kept = x; return x; }
}; } }
int main()
{
	a::P p{kept};
	auto l = [&](int q) ALONE { kept = q; return q + p.x; };
	return hidden(1) + Inner().get(2) + p.sum(3) + p(4) + (int)p + (int)(unsigned long)p + l(5) > 1000;
}
"""


TEMPLATES = """#include <string>
#define ALONE __attribute__((noinline))
volatile int kept;
template <int N, bool B> ALONE int fix(int k) { kept = k + N + B; return k; }
template <class A, class B> struct Pair { A a; B b; ALONE A get(int n) { kept = n; return a; } };
template <class T> struct Store { ALONE void put(const T &v) { kept = (int)v.size(); } };
ALONE bool operator<(const Pair<int, long> &x, const Pair<int, long> &y) { kept = 1; return x.a < y.a; }
int main()
{
	Pair<int, long> p{1, 2}, q{2, 3};
	Store<std::string> s;

	for (int i = 0; i < 9; i++)
		kept = fix<3, true>(i) + p.get(i) + (p < q);
	s.put("x");
	return 0;
}
"""


def test_templates(programs):
    """Their arguments as people write them, also where several events stand with commas between."""
    source = programs.dir / "templates.cc"
    source.write_text(TEMPLATES)
    for cc, *flags in (("g++", "-O1"), ("clang++", "-O1"), ("g++", "-O1", "-g0")):
        program = programs.make(f"templates-{cc}{''.join(flags)}", cc, *flags, source)
        for name in ("fix<3, true>", "fix<3,true>", "Pair<int, long>::get", "Pair<int,long int>::get", "Pair<int,long>::get(int)",
                     "operator<", "Store<std::string>::put", "Store<std::__cxx11::basic_string<char, std::char_traits<char>, "
                     "std::allocator<char> > >::put"):
            done = run(SONDE, "probe", "show", f"{program}:{name}", check=False)
            if "\nplace:\n" not in done.stdout:
                raise Wrong(f"{cc} {name}: {done.stdout}{done.stderr}")
    need_uprobes()
    program = programs.dir / "templates-g++-O1"
    words = f"{program}:fix<3,true>,{program}:Pair<int, long>::get(n) if n<5,{program}:operator<,{program}:Store<std::string>::put"
    rows = json.loads(run(SONDE, "count", "-q", "--json", "-e", words, program).stdout)["rows"]
    if sorted(row["count"] for row in rows) != [1, 5, 9, 9]:
        raise Wrong(f"{rows}")
    measured = json.loads(run(SONDE, "latency", "-q", "--json", "-T", f"{program}:fix<3, true>", program).stdout)
    if measured["count"] != 9:
        raise Wrong(f"{measured}")


def test_spelt(programs):
    need("g++", "objcopy", "strip")
    source = programs.dir / "spelt.cc"
    source.write_text(SOURCE)
    program = programs.make("spelt", "g++", "-O1", source)
    for name in ("(anonymous namespace)::hidden", "(anonymous namespace)::hidden(n)", "(anonymous namespace)::Inner::get(n)",
                 "main::{...}::operator()", "main::{...}::operator()(q)", "a::v1::P::operator int", "a::v1::P::operator()(c)",
                 "a::v1::P::operator unsigned long", "main::*::operator()(q)", "*operator()(c)"):
        run(SONDE, "probe", "show", f"{program}:{name}")
    done = run(SONDE, "probe", "show", f"{program}:a::P::sum", check=False)
    if "its full name is 'a::v1::P::sum'" not in done.stderr:
        raise Wrong(done.stdout + done.stderr)
    check_directory(programs, program)


def check_directory(programs, program):
    """--debug-dir, also a relative one."""
    build = run("readelf", "-n", program).stdout.split("Build ID: ")[1].split()[0]
    place = programs.dir / "debug-of-spelt" / ".build-id" / build[:2]
    place.mkdir(parents=True)
    run("objcopy", "--only-keep-debug", program, place / f"{build[2:]}.debug")
    bare = programs.dir / "spelt-bare"
    run("strip", "-o", bare, program)
    for command, last in (("probe", "show"), ("probe", "add")):
        argv = [SONDE, command, last, "--debug-dir", "debug-of-spelt", f"{bare}:a::v1::P::sum(k)"]
        if last == "add":
            argv.insert(3, "--dry-run")
        done = run(*argv, cwd=programs.dir, check=False)
        if done.returncode or (" with k" not in done.stdout and "k=" not in done.stdout):
            raise Wrong(f"{argv}: {done.stdout}{done.stderr}")
    if run(SONDE, "probe", "show", "--debug-dir", "nowhere", f"{bare}:a::v1::P::sum(k)", check=False).returncode == 0:
        raise Wrong("a directory that is not there is taken")
