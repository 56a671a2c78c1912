# latency, functions and count say what they cannot do
# covers: Q26

$ cp $GOLDEN/tour.dat $GOLDEN/events-v7-zstd.dat .
$ sonde latency tour.dat
sonde: latency needs to know what to measure: two events, -e A -e B, or a function, -T FUNCTION
[2]
$ sonde latency -e sched_switch -T vfs_read tour.dat
sonde: latency measures events (-e) or a function (-T)
[2]
$ sonde latency -e a -e b -e c tour.dat
sonde: latency measures from one event to another (-e A -e B), not 3
[2]
$ sonde latency -e sched_wakup -e sched_switch tour.dat
sonde: the trace knows no event 'sched_wakup'; did you mean 'sched_wakeup'?
[1]
$ sonde latency -e sched_wakeup -e sched_switch --by-field pid tour.dat
sonde: the event sched:sched_switch has no field 'pid' to match it by; it has prev_comm, prev_pid, prev_prio, prev_state, next_comm, next_pid, next_prio, and $pid and $cpu
[1]
$ sonde latency -e sched_wakeup -e sched_switch --by-field = tour.dat
sonde: latency: --by-field takes FIELD, or A.FIELD=B.FIELD if the two events have different names for it, not '='
[2]
$ sonde latency -e sched_wakeup -e sched_switch --by nothing tour.dat
sonde: neither event has a field 'nothing' (--by); $comm, $pid, $task and $cpu work for all
[1]
$ sonde latency -e sched_wakeup -e sched_switch --by a,b,c,d,e tour.dat
sonde: --by takes up to 4 words
[2]
$ sonde latency -e sched_wakeup -e sched_switch --min-latency 3 tour.dat
sonde: --min-latency works only with --bucket-range
[2]
$ sonde latency -e sched_wakeup -e sched_switch --bucket-range 10 --max-latency 15 tour.dat
sonde: --max-latency must be larger than --min-latency and --bucket-range together
[2]
$ sonde latency -e sched_wakeup -e sched_switch --worst 99999 tour.dat
sonde: --worst takes a number up to 10000
[2]
$ sonde latency -e sched_wakeup -e sched_switch --json --csv tour.dat
sonde: latency: --json and --csv exclude each other
[2]
$ sonde latency -e sched_wakeup -e sched_switch -i tour.dat sleep 1
sonde: 'sleep' is one word too many: a file is read (-i), no command is run
[2]
$ sonde latency -e sched_wakeup -e sched_switch -F 'sched_switch:nofield == 1' tour.dat
sonde: sched_switch has no field 'nofield', which the filter tests
[1]
$ sonde latency -T vfs_read events-v7-zstd.dat
sonde: there is no call of 'vfs_read' in events-v7-zstd.dat; 'sonde functions events-v7-zstd.dat' lists those that are
[1]
$ sonde latency -i nothing.dat -T vfs_read
sonde: cannot open nothing.dat: No such file or directory
[1]
$ sonde functions events-v7-zstd.dat
no calls were traced; -u and -p function_graph record them
$ sonde functions -s speed tour.dat
sonde: -s knows total, self, avg, min, max, stdv, p50, p90, p95, p99, p99.9, self-avg, self-min, self-max, self-stdv, calls, name and module, not 'speed'
[2]
$ sonde functions --by comm,pid,cpu,task tour.dat
sonde: --by takes up to 3 of $task, $comm, $pid and $cpu, with commas between, not 'comm,pid,cpu,task'
[2]
$ sonde functions --by depth,lapse tour.dat
sonde: functions cannot be separated by 'lapse'; use $task, $comm, $pid or $cpu
[2]
$ sonde functions -l 'no_such_*' tour.dat
none of these functions was called
$ sonde count tour.dat
sonde: count needs to know what to count: an event, -e sched_switch
[2]
$ sonde count -e nothing tour.dat
sonde: the trace knows no event 'nothing'
[1]
$ sonde count -e sched_switch --by nothing tour.dat
sonde: no counted event has a field 'nothing' (--by); there are prev_comm, prev_pid, prev_prio, prev_state, next_comm, next_pid, next_prio; $comm, $pid, $task, $cpu and $event work for all
[1]
$ sonde count -e sched_switch --by ,, tour.dat
sonde: count: --by takes fields, $comm, $pid, $task, $cpu and $event, with commas between, not ',,'
[2]
$ sonde count -e sched_switch --only-command
sonde: --only-command needs a command to trace
[2]
$ sonde latency -T vfs_read --bucket-range 0 tour.dat
sonde: --bucket-range is the width of a bucket, 1 or more
[2]
$ sonde count --how quickly -e sched_switch
sonde: count: --how is bpf, hist or program, not 'quickly'
[2]
$ sonde latency -T './a:work,./a:rest' true
sonde: -T measures one function, not './a:work,./a:rest'; a pattern (PROGRAM:name*) takes several, each from its own entry to its return
[2]
$ sonde count -F 'sched_swich:prev_pid == 0' -e sched_switch tour.dat
sonde: no system or event here is called 'sched_swich'; did you mean 'sched_switch'?
[1]
$ sonde latency -e sched_wakeup -e sched_switch --by-field pid=next_comm tour.dat
sonde: pid of sched_wakeup is a number and next_comm of sched_switch a text: they are never equal, so nothing would be measured (--by-field)
[2]
$ sonde count -e sched_switch --by prev_cmom tour.dat
sonde: no counted event has a field 'prev_cmom' (--by); the nearest is prev_comm; $comm, $pid, $task, $cpu and $event work for all
[1]
$ sonde latency -e sched_wakeup -e sched_switch --by prev_cmom tour.dat
sonde: neither event has a field 'prev_cmom' (--by); the nearest is prev_comm; $comm, $pid, $task and $cpu work for all
[1]
