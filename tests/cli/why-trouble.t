# why says which task is meant, and what is missing
# covers: B07

$ cp $GOLDEN/tour.dat $GOLDEN/function-all.dat $GOLDEN/lost-events.dat .
$ sonde why tour.dat
sonde: tour.dat does not say which command was recorded; choose one with --task: sleep-234, rcu_preempt-15, trace-cmd-233, kworker/0:0-7, kcompactd0-33
[2]
$ sonde why -t nobody tour.dat
sonde: there is no task 'nobody' in tour.dat; 'sonde states' lists the tasks (pid, name, or name-pid)
[1]
$ sonde why -t trace-cmd lost-events.dat
sonde: 3 tasks are called 'trace-cmd'; choose one with --task: trace-cmd-206, trace-cmd-205, trace-cmd-203
[2]
$ sonde why -t sleep -t 233 tour.dat
sonde: why explains one task, not 'sleep' and '233'
[2]
$ sonde why function-all.dat
sonde: function-all.dat has no sched_switch events, which show what tasks did; record with -e sched
[1]
$ sonde why -t sleep --from +10s tour.dat
sonde: nothing of the trace is in this range; it goes from 151.609943 to 151.768909
[2]
$ sonde why -t sleep --from +20ms --to +10ms tour.dat
sonde: --from +20ms is later than --to +10ms
[2]
$ sonde why -t sleep --color red tour.dat
sonde: --color takes always, never or auto, not 'red'
[2]
$ sonde why -t sleep -n -2 tour.dat
sonde: --rows takes a number of steps, or -1 for all
[2]
$ sonde why -t 207 -n 0 lost-events.dat
sysloop-207, 100.380074 to 112.203661: 11.824 s in 5852 steps

 share     time  cause              tasks
 93.5%    11.0s  running            ls-208 87.6%, sysloop 4.1%, dd-210 1.8%
  3.6%    424ms  unknown            sysloop
  1.5%    177ms  blocked            ls-208 1.5%, dd-210 0.0%, sysloop-207 0.0%
  1.3%    151ms  waiting for a CPU  ls-208 1.3%, dd-210 0.0%, sysloop 0.0%
  0.2%   21.8ms  preempted          ls-208 0.2%, sysloop 0.0%, dd-210 0.0%

had the CPU meanwhile: kworker/0:0-7 11.6ms, trace-cmd-205 4.77ms and 7 more
the trace lost 6783 events in 9 places; what tasks did there is unknown
$ head -c 1000000 lost-events.dat > cut.dat
$ sonde why -t 205 -n 0 cut.dat
trace-cmd-205, 100.823972 to 106.073464: 5.249 s in 16 steps

 share     time  cause              tasks
 71.4%    3.75s  waiting for a CPU  trace-cmd-205
 28.5%    1.49s  sleeping           trace-cmd-205
  0.1%   6.45ms  running            trace-cmd-205

had the CPU meanwhile: ls-208 3.65s, kworker/0:0-7 2.80ms and 4 more
sonde: cut.dat is truncated or damaged (it ends at byte 1000000) before the directory of its last buffer: the data up to there is shown, with CPU numbers from the recorder's statistics
sonde: cut.dat: the data of CPU 0 is truncated; what it did after that is not known
[1]
