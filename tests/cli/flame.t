# flame draws a self-contained picture; export writes calls for other programs

$ cp $GOLDEN/made-user.dat $GOLDEN/made-user-slower.dat .
$ sonde flame -o out.svg made-user.dat

# A box is as wide as its time: main took 4598.24 of 7122.98 us, and the picture is 1180 wide.
$ python3 - <<'END'
> import xml.etree.ElementTree as tree
> root = tree.parse("out.svg").getroot()
> ns = "{http://www.w3.org/2000/svg}"
> for g in root.find(f"{ns}g[@id='frames']"):
>     rect = g.find(ns + "rect")
>     print(rect.get("x"), rect.get("y"), rect.get("width"), g.find(ns + "title").text)
> print("external:", [e.tag for e in root.iter() if any("http" in v for v in e.attrib.values())])
> END
10.0 124 1180.0 demo: 2.524 ms, 100.00%
10.0 108 1168.4 next_token [demo]: 2.500 ms, 99.02%, 1 call
1178.4 108 11.6 work [demo]: 24.740 us, 0.98%, 1 call
1178.4 92 10.3 read_all [libio.so.1]: 22.100 us, 0.88%, 1 call
1178.4 76 10.0 vfs_read [kernel]: 21.300 us, 0.84%, 1 call
1178.4 60 9.5 schedule [kernel]: 20.300 us, 0.80%, 1 call
1188.8 92 0.5 spin [demo]: 1.040 us, 0.04%, 1 call
1188.8 76 0.4 spin [demo]: 0.930 us, 0.04%, 1 call
1188.8 60 0.3 spin [demo]: 0.720 us, 0.03%, 1 call
1188.8 44 0.2 spin [demo]: 0.410 us, 0.02%, 1 call
external: []

# Names are escaped.
$ grep -c 'std::vector<int>' out.svg
0
[1]
$ sonde flame -F parse --width 4000 --title '<b>' made-user.dat | grep -o '<title>std[^/]*\|>&lt;b&gt;<'
>&lt;b&gt;<
<title>std::vector&lt;int&gt;::push_back(int&amp;&amp;) [demo]: 1.500 us, 2.02%, 1 call<

# Of two traces: red and blue, widths of the second.
$ sonde flame --diff made-user-slower.dat made-user.dat | grep -o '<title>[^<]*\|fill="#[0-9a-f]*"/><text' | head -n 10
<title>demo: 17.500 us, 100.00%, before 2.524 ms, -2.507 ms
fill="#d8d8d8"/><text
<title>main [demo]: 17.500 us, 100.00%, 1 call, before 0.000 us, +17.500 us
fill="#ff4141"/><text
<title>parse [demo]: 16.400 us, 93.71%, 1 call, before 74.100 us, -57.700 us
fill="#6969ff"/><text
<title>check [demo]: 0.700 us, 4.00%, 1 call, before 0.000 us, +0.700 us
fill="#ff4141"/><text
<title>next_token [demo]: 15.300 us, 87.43%, 3 calls, before 1.800 us, +13.500 us
fill="#ff5757"/><text

$ sonde export --folded made-user.dat
main;parse 70800
main;parse;next_token 1800
main;parse;std::vector<int>::push_back(int&&) 1500
work 1600
work;read_all 800
work;read_all;vfs_read_[k] 1000
work;read_all;vfs_read_[k];schedule_[k] 20300
work;spin 110
work;spin;spin 210
work;spin;spin;spin 310
work;spin;spin;spin;spin 410
next_token 2500000
$ sonde export --graphviz made-user.dat
digraph "demo" {
	node [shape=box];
	"[demo]" -> "main" [label="0", tooltip="0.000 us"];
	"main" -> "parse" [label="2", tooltip="74.100 us"];
	"parse" -> "next_token" [label="3", tooltip="1.800 us"];
	"parse" -> "std::vector<int>::push_back(int&&)" [label="1", tooltip="1.500 us"];
	"parse" -> "read_all" [label="1", tooltip="0.000 us"];
	"[demo]" -> "work" [label="1", tooltip="24.740 us"];
	"work" -> "read_all" [label="1", tooltip="22.100 us"];
	"read_all" -> "vfs_read" [label="1", tooltip="21.300 us"];
	"vfs_read" [style=dashed];
	"vfs_read" -> "schedule" [label="1", tooltip="20.300 us"];
	"schedule" [style=dashed];
	"work" -> "spin" [label="1", tooltip="1.040 us"];
	"spin" -> "spin" [label="3", tooltip="2.060 us"];
	"[demo]" -> "next_token" [label="1", tooltip="2.500 ms"];
}
$ sonde export --mermaid made-user-slower.dat
flowchart TD
	f0["demo"] -->|1| f1["main"]
	f1["main"] -->|1| f2["parse"]
	f2["parse"] -->|3| f3["next_token"]
	f2["parse"] -->|1| f4["check"]
$ sonde export --folded --to +30us made-user.dat | head -n 3
main;parse 800
main;parse;next_token 1800
main;parse;std::vector<int>::push_back(int&&) 1500
$ sonde export --chrome made-user.dat | grep -c '"cat":"user"'
15
$ sonde export --chrome made-user.dat | grep '"cat":"user"' | sed -n '1p;3p'
{"ph":"B","pid":100,"tid":100,"ts":0.000,"name":"main","cat":"user"},
{"ph":"X","pid":100,"tid":100,"ts":1.250,"dur":0.500,"name":"next_token","cat":"user"},
$ sonde export --perfetto -o out.pftrace made-user.dat && grep -ac next_token out.pftrace
4

$ sonde flame --width 7 made-user.dat
sonde: --width is a number from 200 to 20000
[2]
$ sonde flame made-user.dat made-user-slower.dat
sonde: flame draws one file, not 'made-user.dat' and 'made-user-slower.dat'; --diff OTHER compares two
[2]
$ sonde flame -F nosuch -o out.svg made-user.dat
sonde: there are no calls to draw in made-user.dat
[1]
$ sonde export --folded --chrome made-user.dat
sonde: --chrome and --folded are two files: call export once for each
[2]
$ sonde export --folded made-user.dat made-user-slower.dat
sonde: calls and samples are exported from one file
[2]

# Folded stacks have the calls that the picture would have.
$ sonde flame --folded -F parse made-user.dat
parse 70800
parse;next_token 1800
parse;std::vector<int>::push_back(int&&) 1500
$ sonde flame --folded -N parse --no-kernel -D 2 made-user.dat
work 1600
work;read_all 22100
work;spin 1040
next_token 2500000
$ sonde flame --folded -F nosuch made-user.dat
sonde: there are no calls to draw in made-user.dat
[1]

# An option that could not change the result is refused.
$ for o in '--title a' '--width 400' --html --heatmap "--diff made-user-slower.dat"; do sonde flame --folded $o made-user.dat; done
sonde: --title has no effect on --folded; omit one of them
sonde: --width has no effect on --folded; omit one of them
sonde: --html has no effect on --folded; omit one of them
sonde: --heatmap has no effect on --folded; omit one of them
sonde: --diff has no effect on --folded; omit one of them
[2]
$ for o in '-F parse' '-D 3' '-t 1us' --no-kernel --calls '--width 400'; do sonde flame --heatmap $o made-user.dat; done
sonde: -F, -N, -C or -H has no effect on --heatmap; omit one of them
sonde: -D has no effect on --heatmap; omit one of them
sonde: -t has no effect on --heatmap; omit one of them
sonde: --no-kernel has no effect on --heatmap; omit one of them
sonde: --calls has no effect on --heatmap; omit one of them
sonde: --width has no effect on --heatmap; omit one of them
[2]
