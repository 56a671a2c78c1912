# reset brings back what was set after boot, one command for the lines that every recipe repeats
# covers: T07 Q21

# A directory of plain files stands for tracefs; a list is emptied, a value is written.
$ export SONDE_TRACEFS=t; mkdir -p t/options t/instances/one/options t/instances/two t/per_cpu/cpu0 t/per_cpu/cpu1 t/per_cpu/cpu2 t/events/sched/sched_switch
$ cd t; echo 0 > tracing_on; echo function > current_tracer; echo vfs_read > set_ftrace_filter; echo 7 > set_ftrace_pid; echo 55 > tracing_thresh; echo 3 > max_graph_depth; echo 4000 > buffer_size_kb; echo 1 > tracing_cpumask; echo mono > trace_clock; echo 1 > options/stacktrace; echo 0 > options/overwrite; echo 'prev_pid == 1' > events/sched/filter; echo much > trace
$ for f in tracing_on current_tracer buffer_size_kb trace_clock trace; do cp $f instances/one; done; cd ..
$ sonde reset && cd t && head -n 9 *[a-z] options/* events/sched/filter 2>/dev/null | grep .; cd ..
==> buffer_size_kb <==
1408
==> current_tracer <==
nop
==> events <==
==> instances <==
==> max_graph_depth <==
0
==> options <==
==> per_cpu <==
==> set_ftrace_filter <==
==> set_ftrace_pid <==
==> trace <==
==> trace_clock <==
local
==> tracing_cpumask <==
7
==> tracing_on <==
1
==> tracing_thresh <==
0
==> options/overwrite <==
1
==> options/stacktrace <==
0
==> events/sched/filter <==
0
$ cat t/instances/one/current_tracer
function
$ sonde reset -B one -b 99 && cat t/instances/one/current_tracer t/instances/one/buffer_size_kb; echo
nop99
$ sonde reset -B two -d && ls t/instances
one

# A buffer that was never used stays as it is, unless a size is given.
$ echo '7 (expanded: 1408)' > t/buffer_size_kb; sonde reset && cat t/buffer_size_kb; sonde reset -b 5 && cat t/buffer_size_kb; echo
7 (expanded: 1408)
5

# Trouble
$ sonde reset -d
sonde: reset: -d removes instances: it follows -B NAME or -a; the top level cannot be removed
[2]
$ sonde reset -a -t -d
sonde: reset: -d removes instances: it follows -B NAME or -a; the top level cannot be removed
[2]
$ sonde reset -b 0
sonde: reset: -b takes a size in kilobytes, not '0'
[2]
$ sonde reset -k nothing
sonde: reset: -k takes one of kprobe kretprobe uprobe uretprobe eprobe synth fprobe tprobe all, not 'nothing'
[2]
$ sonde reset -B ome
sonde: no tracing instance 'ome'; did you mean 'one'?
[1]
$ sonde reset all
sonde: reset takes no argument, but there is 'all'
[2]
