# start --boot prints the kernel parameters that would do the same from boot
# covers: X08

$ sonde start --boot -p function_graph -l 'tcp_*' -n tcp_poll -g vfs_read --graph-notrace do_IRQ --max-graph-depth 3
ftrace=function_graph ftrace_filter=tcp_* ftrace_notrace=tcp_poll ftrace_graph_filter=vfs_read ftrace_graph_notrace=do_IRQ ftrace_graph_max_depth=3

$ sonde record --boot -e sched:sched_switch -R stacktrace -e irq -b 4096 -C mono -T -O sym-offset
trace_event=sched:sched_switch,irq trace_trigger="sched_switch.stacktrace" trace_buf_size=4096K trace_clock=mono trace_options=sym-offset,stacktrace

$ sonde start --boot -e sched -B disk -e block --probe 'p:open do_sys_open'
trace_event=sched trace_instance=disk,block "kprobe_event=p:open do_sys_open"

# what cannot be given there is told
$ sonde start --boot -e sched -f 'prio < 100' -P 1
sonde: the filter 'prio < 100' cannot be set from boot
sonde: tasks cannot be picked out from boot
trace_event=sched

$ sonde start --boot
sonde: --boot needs something to trace: an event (-e) or a tracer (-p)
[2]
