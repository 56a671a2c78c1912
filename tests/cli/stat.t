# stat shows what is not as after boot, for a person and as JSON
# covers: T12 X04

$ export SONDE_TRACEFS=t; mkdir -p t/options t/instances/one t/instances/two/options t/instances/busy/events/sched/sched_switch t/per_cpu/cpu0 t/per_cpu/cpu1 t/events/sched/sched_switch t/events/sched/sched_wakeup t/events/irq/irq_entry
$ cd t; echo 0 > instances/busy/events/sched/sched_switch/enable; echo '7 (expanded: 1408)' > buffer_size_kb; echo 1 > tracing_on; echo nop > current_tracer; echo '[local] global' > trace_clock; echo 3 > tracing_cpumask; echo '#### all functions enabled ####' > set_ftrace_filter; for e in events/*/*; do echo 0 > $e/enable; echo none > $e/filter; echo '# Available triggers:' > $e/trigger; done; for i in one two busy; do echo 1 > instances/$i/tracing_on; done; cd ..
$ sonde stat | tail -n +2

Top level: tracing is on, nothing is set

Instances without anything set: busy one two

# Set this and that
$ cd t; echo 0 > tracing_on; echo function > current_tracer; echo 'local [mono]' > trace_clock; echo 1 > tracing_cpumask; printf '%s\n' 'sched:sched_switch' 'sched:sched_wakeup' > set_event; echo 'prev_pid == 1' > events/sched/sched_switch/filter; printf '%s\n' 'traceoff:unlimited' 'snapshot:count=1 if pid == 3' > events/irq/irq_entry/trigger; printf '%s\n' vfs_read 'schedule:stacktrace:unlimited' > set_ftrace_filter; echo 'no pid' > set_ftrace_pid; printf '1\n22\n' > set_event_pid; seq -f func_%g 1 40000 > set_ftrace_notrace; echo 1 > options/stacktrace; echo 0 > options/overwrite; echo 0 > options/raw; echo 25 > tracing_thresh; echo 1408 > buffer_size_kb; for c in 0 1; do echo 1408 > per_cpu/cpu$c/buffer_size_kb; printf '%s\n' "entries: $((c * 100))" 'overrun: 3' 'commit overrun: 1' 'bytes: 720896' 'oldest event ts:    10.5' 'now ts:    12.750000' 'dropped events: 7' 'read events: 2' > per_cpu/cpu$c/stats; done; echo 'p:kprobes/x vfs_read' > dynamic_events; printf '%s\n' '[   11.0] hist:sched:sched_switch: error: Invalid field modifier' '  Command: hist:keys=x.y' '                     ^' '[   12.0] another: error: Field not found' '  Command: q' > error_log; echo sched:sched_switch > instances/busy/set_event; cd ..
$ sonde stat | tail -n +2

Top level: tracing is off
  tracer             function
  clock              mono
  CPU mask           1
  threshold          25 us
  events             2 on
                       sched  all 2
  filters            sched:sched_switch  prev_pid == 1
  triggers           irq:irq_entry  traceoff:unlimited
                                    snapshot:count=1 if pid == 3
  functions          vfs_read
  function commands  schedule:stacktrace:unlimited
  not the functions  func_1 func_2 func_3 func_4 func_5 func_6 func_7 func_8 func_9 func_10
                     func_11 func_12 \xe2\x80\xa6 40000 in all (sonde show set_ftrace_notrace) (esc)
  events of tasks    1 22
  options            nooverwrite stacktrace
  buffer             1408 KB for each of 2 CPUs
                       CPU  size KB  full     events       lost    dropped  oldest, ago
                         0     1408   50%          0          4          7
                         1     1408   50%        100          4          7       2.250 s
  refused before     [   11.0] hist:sched:sched_switch: error: Invalid field modifier
                       Command: hist:keys=x.y
                                          ^
                     [   12.0] another: error: Field not found
                       Command: q

Instance busy: tracing is on
  events             1 on
                       sched  all 1

Instances without anything set: one two

Probes and other events made at run time
  p:kprobes/x vfs_read
$ seq -f func_%g 1 40 > t/instances/busy/set_ftrace_notrace; sonde stat -B busy | grep -o '(sonde show .*'; rm t/instances/busy/set_ftrace_notrace
(sonde show -B busy set_ftrace_notrace)
$ sonde stat -B busy | tail -n +2

Instance busy: tracing is on
  events             1 on
                       sched  all 1

Probes and other events made at run time
  p:kprobes/x vfs_read
$ sonde stat -o -B one -t | grep -A1 options
  options            nooverwrite noraw stacktrace
  buffer             1408 KB for each of 2 CPUs
$ sonde stat --json | python3 -c 'import json,sys; d = json.load(sys.stdin); i = d["instances"][0]; print(d["probes"], len(d["instances"]), i["tracer"], i["clock"], i["threshold_us"], i["max_latency_us"], i["events"], i["cpus"][1], len(i["functions_not"]), i["triggers"])'
['p:kprobes/x vfs_read'] 4 function mono 25 None [{'system': 'sched', 'on': ['sched_switch', 'sched_wakeup'], 'all': 2}] {'cpu': 1, 'size_kb': 1408, 'bytes': 720896, 'entries': 100, 'overrun': 3, 'commit_overrun': 1, 'dropped': 7, 'read': 2, 'oldest': 10.5, 'now': 12.75} 40000 [{'event': 'irq:irq_entry', 'text': 'traceoff:unlimited\nsnapshot:count=1 if pid == 3'}]

# Trouble
$ sonde stat -B bust
sonde: no tracing instance 'bust'; did you mean 'busy'?
[1]
$ sonde stat now
sonde: stat takes no argument, but there is 'now'
[2]
