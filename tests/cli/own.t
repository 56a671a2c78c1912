# results leave out what sonde itself did; --self includes it

# made-processes.dat: sonde (30, 31) is woken twice, and runs between others.
$ sonde recipe wakeup -i $GOLDEN/made-processes.dat | tail -n 3
        1      0.040     40.000     40.000     40.000       1.000100  other   40
        1      0.021     21.000     21.000     21.000       1.000051  worker  21
        1      0.010     10.000     10.000     10.000       1.000010  prog    20
$ sonde recipe wakeup --self -i $GOLDEN/made-processes.dat | tail -n 5
        1      0.040     40.000     40.000     40.000       1.000100  other   40
        1      0.030     30.000     30.000     30.000       1.000050  sonde   30
        1      0.025     25.000     25.000     25.000       1.000090  sonde   31
        1      0.021     21.000     21.000     21.000       1.000051  worker  21
        1      0.010     10.000     10.000     10.000       1.000010  prog    20
$ sonde latency --csv -e sched_waking -e sched_switch --by-field pid=next_pid --by pid $GOLDEN/made-processes.dat | cut -d, -f1-3
count,total_ns,min_ns
1,40000,40000
1,21000,21000
1,10000,10000
$ sonde latency --csv --self -e sched_waking -e sched_switch --by-field pid=next_pid --by pid $GOLDEN/made-processes.dat | cut -d, -f1-3
count,total_ns,min_ns
1,40000,40000
1,30000,30000
1,25000,25000
1,21000,21000
1,10000,10000
$ sonde latency -e sched_switch -e sched_switch --by-field next_pid=prev_pid --by next_pid $GOLDEN/made-processes.dat | sed -n 2p
2 measured, 1 did not end, 1 ends without a beginning
$ sonde count --csv -e sched_switch,sched_waking --by pid,next_pid $GOLDEN/made-processes.dat
count,$event,pid,next_pid
1,sched_switch,0,20
1,sched_waking,20,-
1,sched_waking,21,-
1,sched_waking,40,-
$ sonde count --csv --no-filter -e sched_switch --by prev_pid,next_pid $GOLDEN/made-processes.dat
count,prev_pid,next_pid
1,0,20
1,20,30
1,21,31
1,30,21
1,31,40
$ sonde report --profile $GOLDEN/made-processes.dat | grep ^task
task: prog-20   40.00 us on a CPU
task: worker-21   39.00 us on a CPU
task: swapper/0-0
$ sonde report --profile --self $GOLDEN/made-processes.dat | grep ^task
task: prog-20   40.00 us on a CPU
task: worker-21   39.00 us on a CPU
task: sonde-31   10.00 us on a CPU
task: sonde-30   1.000 us on a CPU
task: swapper/0-0
$ sonde report --profile --by-comm $GOLDEN/made-processes.dat | grep -c sonde
0
[1]

# The events themselves are all there: CPUs would be in wrong states without them.
$ sonde report $GOLDEN/made-processes.dat | grep -c sonde
6
