# export says what is wrong; what it writes is looked at in tests/view
# covers: B02

$ sonde export
sonde: export needs one of --perfetto, --chrome, --ctf, --svg, --html, --folded, --graphviz, --mermaid, --speedscope, --pprof, --firefox, --perf and --uftrace
[2]
$ sonde export --svg --html
sonde: --svg and --html are two files: call export once for each
[2]
$ sonde export --chrome
sonde: cannot open trace.dat: No such file or directory
[1]
$ sonde export --chrome --lanes cpu:0:0
sonde: --lanes, --width, --mark and --range are for --svg and --html
[2]
$ sonde export --svg --width 5
sonde: --width is a number from 200 to 16384
[2]
$ sonde export --svg --from 5 --to 4 $GOLDEN/tour.dat
sonde: --from 5 is later than --to 4
[2]
$ sonde export --svg --from 1 --to 2 $GOLDEN/tour.dat
sonde: the trace has no data in this range
[2]
$ sonde export --svg --lanes nosuch:0:0 $GOLDEN/tour.dat 2>&1 | sed 's/:.*/:/'
sonde:
$ for form in perfetto chrome svg html; do sonde export --$form $GOLDEN/tour.dat > /dev/full; done
sonde: cannot write the export: No space left on device
sonde: cannot write the export: No space left on device
sonde: cannot write the export: No space left on device
sonde: cannot write the export: No space left on device
[1]
