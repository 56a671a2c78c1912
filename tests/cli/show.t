# show prints the buffer and any file of the tracing directory
# covers: T06 X01 X06 X07

$ export SONDE_TRACEFS=t; mkdir -p t/per_cpu/cpu0 t/per_cpu/cpu1 t/instances/one t/events/sched/sched_switch t/events/irq/irq_entry; cd t; echo '[local]' > trace_clock; echo all > trace; echo cpu1 > per_cpu/cpu1/trace; echo one > instances/one/trace; echo piped > trace_pipe; echo read me > README; echo 1 > tracing_on; echo nop > current_tracer; echo '# Available triggers:' > events/sched/sched_switch/trigger; cd ..
$ sonde show; sonde show -c 1; sonde show -B one; sonde show -p
all
cpu1
one
piped
$ sonde show -f -B one
t/instances/one/trace
one
$ sonde show --current_tracer --tracing_on
1
nop
$ sonde show README events
read me
irq/
sched/
$ sonde show --trigger sched/sched_switch
\x23 Available triggers: (esc)

# Trouble
$ sonde show -s
sonde: this kernel has no snapshots (CONFIG_TRACER_SNAPSHOT)
[1]
$ sonde show --max_latency
sonde: this kernel has no latency tracer (CONFIG_IRQSOFF_TRACER, CONFIG_SCHED_TRACER, \xe2\x80\xa6) (esc)
[1]
$ sonde show --buffer_subbuf_size
sonde: this kernel has no sub-buffers of another size (Linux 6.8 and later have them)
[1]
$ sonde show --graph_function
sonde: this kernel has no function graph tracer here (CONFIG_FUNCTION_GRAPH_TRACER; it is only at the top level)
[1]
$ sonde show -p -s
sonde: show: -p and -s exclude each other
[2]
$ sonde show -c 2
sonde: there is no CPU 2; the last one is 1
[2]
$ sonde show -c x
sonde: -c takes the number of a CPU, not 'x'
[2]
$ sonde show -B on
sonde: no tracing instance 'on'; did you mean 'one'?
[1]
$ sonde show REDME
sonde: t has no file 'REDME'; did you mean 'README'?
[1]
$ sonde show ../secret
sonde: show: '../secret' is no file below t: name it from there on
[2]
$ sonde show --hist shed_switch
sonde: unknown event 'shed_switch'; did you mean 'sched:sched_switch'? (sonde list -e lists all)
[1]
$ sonde show --hist sched_switch
sonde: this kernel has no hist triggers (CONFIG_HIST_TRIGGERS)
[1]
$ sonde show --json
sonde: show: --json goes with --hist EVENT
[2]
