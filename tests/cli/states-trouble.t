# states says what is missing
# covers: B07

$ cp $GOLDEN/tour.dat $GOLDEN/function-all.dat $GOLDEN/made-missed.dat $GOLDEN/lost-events.dat .
$ sonde states no-such.dat
sonde: cannot open no-such.dat: No such file or directory
[1]
$ sonde states -t nobody tour.dat
sonde: there is no task 'nobody' in tour.dat; 'sonde states' lists the tasks (pid, name, or name-pid)
[1]
$ sonde states function-all.dat
sonde: function-all.dat has no sched_switch events, which show what tasks did; record with -e sched
[1]
$ sonde states --from +10s tour.dat
sonde: nothing of the trace is in this range; it goes from 151.609943 to 151.768909
[2]
$ sonde states --from +20ms --to +10ms tour.dat
sonde: --from +20ms is later than --to +10ms
[2]
$ sonde states --to 3 tour.dat
sonde: nothing of the trace is in this range; it goes from 151.609943 to 151.768909
[2]
$ sonde states --from tomorrow tour.dat
sonde: --from needs a time like 12.345678, +1.5s or +20ms, not 'tomorrow'
[2]
$ sonde states --by cpu tour.dat
sonde: --by is comm or process, not 'cpu'
[2]
$ sonde states -s size tour.dat
sonde: states can be sorted by running, runnable, preempted, sleeping, blocked, unknown, switches, wakeups, maxwait and name, not by 'size' (-s)
[2]
$ sonde states --color red tour.dat
sonde: --color takes always, never or auto, not 'red'
[2]
$ sonde states -n -1 tour.dat
sonde: --rows takes a number of rows
[2]
$ sonde states --json --csv tour.dat
sonde: --json and --csv exclude each other
[2]
$ sonde states -n 2 lost-events.dat
100.380074 to 112.204044: 11.824 s, 2 CPUs: 62.3% busy, 35.6% idle, 2.1% unknown
   run   cpu%   wait preempt  sleep  block   idle unknown switch  wakes maxwait  task
 10.4s  87.7%  149ms  19.4ms      .  175ms      .       .   1941   1887  6.56ms  ls-208
 3.14s  26.5%  751ms  12.3ms      .      .  7.52s   402ms   1447   1433  18.3ms  rcu_preempt-15
and 17 more
the trace lost 6783 events in 9 places; what tasks did there is unknown
$ head -c 1000000 lost-events.dat > cut.dat
$ sonde states -n 2 cut.dat
100.382769 to 106.073464: 5.691 s, 1 CPU: 95.9% busy, 4.1% idle
   run   cpu%   wait preempt  sleep  block   idle switch  wakes maxwait  task
 5.38s  94.6%      .  14.4ms      .  148ms      .    938      0  3.89ms  ls-208
56.8ms   1.0%  5.41s       .      .      .  223ms     38     25   5.41s  rcu_preempt-15
and 7 more
sonde: cut.dat is truncated or damaged (it ends at byte 1000000) before the directory of its last buffer: the data up to there is shown, with CPU numbers from the recorder's statistics
sonde: cut.dat: the data of CPU 0 is truncated; what it did after that is not known
[1]
