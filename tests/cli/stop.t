# stop, restart and clear switch tracing in the instances that are meant
# covers: T04 T05 X05

# A directory of plain files stands for tracefs.
$ export SONDE_TRACEFS=t; for d in t t/instances/one t/instances/two; do mkdir -p $d; echo 1 > $d/tracing_on; echo events > $d/trace; done; echo '[local]' > t/trace_clock
$ sonde stop && head t/tracing_on t/instances/*/tracing_on | grep .
==> t/tracing_on <==
0
==> t/instances/one/tracing_on <==
1
==> t/instances/two/tracing_on <==
1
$ sonde stop -B two -t && sonde restart -B two && head t/tracing_on t/instances/*/tracing_on | grep .
==> t/tracing_on <==
0
==> t/instances/one/tracing_on <==
1
==> t/instances/two/tracing_on <==
1
$ sonde restart -at && sonde stop -a && head t/tracing_on t/instances/*/tracing_on | grep .
==> t/tracing_on <==
1
==> t/instances/one/tracing_on <==
0
==> t/instances/two/tracing_on <==
0
$ sonde clear -B one && wc -c t/trace t/instances/*/trace | head -n 3
 7 t/trace
 0 t/instances/one/trace
 7 t/instances/two/trace
$ sonde clear -a && wc -c t/trace t/instances/*/trace | tail -n 1
0 total

# Trouble: nothing is done if one name is wrong.
$ sonde restart -B one -B tow; cat t/instances/one/tracing_on
sonde: no tracing instance 'tow'; did you mean 'two'?
0 (no-eol)
$ sonde stop -B ../two
sonde: no tracing instance '../two'; 'sonde list -B' lists them
[1]
$ sonde clear now
sonde: clear takes no argument, but there is 'now'
[2]
$ sonde restart -x
sonde: restart: unknown option -x; --help lists them
[2]
$ SONDE_TRACEFS=/nosuch sonde stop
sonde: SONDE_TRACEFS names /nosuch, which is not a tracing directory
[1]
$ rm t/tracing_on; sonde stop -t
sonde: this kernel has no t/tracing_on
[1]
