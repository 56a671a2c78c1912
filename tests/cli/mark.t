# mark writes to whoever is tracing
# covers: X26

$ export SONDE_TRACEFS=t; mkdir -p t/instances/on t/instances/off t/instances/copied/options; echo '[local]' > t/trace_clock; for d in t t/instances/*; do : > $d/trace_marker; : > $d/trace_marker_raw; echo 1 > $d/tracing_on; done; echo 0 > t/instances/off/tracing_on; echo 1 > t/instances/copied/options/copy_trace_marker
$ echo nop > t/current_tracer; echo sched:sched_switch > t/set_event
$ sonde mark Hello World -x && head t/trace_marker t/instances/*/trace_marker; echo
==> t/trace_marker <==
Hello World -x
==> t/instances/copied/trace_marker <==

==> t/instances/off/trace_marker <==

==> t/instances/on/trace_marker <==
Hello World -x
$ sonde mark -B off quietly && cat t/instances/off/trace_marker; echo
quietly
$ sonde mark --raw 0x12345678 abc && od -An -tx1 t/trace_marker_raw
 78 56 34 12 61 62 63

# An idle top level is left alone, unless it is asked for.
$ : > t/set_event; for d in t t/instances/*; do : > $d/trace_marker; done
$ sonde mark only there && head -n 1 t/trace_marker t/instances/*/trace_marker; echo
==> t/trace_marker <==

==> t/instances/copied/trace_marker <==
only there
==> t/instances/off/trace_marker <==

==> t/instances/on/trace_marker <==
only there
$ sonde mark -t on top && cat t/trace_marker; echo
on top
$ for i in on copied; do echo 0 > t/instances/$i/tracing_on; done; sonde mark unheard
sonde: nothing of the kernel is being traced that the mark could stand in; -t writes it to the top level anyway, 'sonde ctl mark' to a recording of user functions
[1]
$ echo 0 > t/tracing_on; sonde mark unheard
sonde: nothing is written in the top level: tracing is off there; 'sonde restart' switches it on
[1]
$ for d in t t/instances/on; do echo 1 > $d/tracing_on; done

# Trouble
$ sonde mark
sonde: mark: what is the text?
[2]
$ sonde mark --raw x abc
sonde: mark: --raw takes a number, not 'x'
[2]
$ sonde mark -B of hello
sonde: no tracing instance 'of'; did you mean 'off'?
[1]
$ sonde mark $(seq 2000)
sonde: mark: the text has more than 4096 bytes, which no kernel takes
[2]
$ rm t/trace_marker t/instances/*/trace_marker; sonde mark hello
sonde: this kernel has no t/trace_marker
[1]
