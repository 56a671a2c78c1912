# latency, functions and count say what the events of report --json say
# covers: Q26 N03

$ cp $GOLDEN/events-v7-zstd.dat $GOLDEN/fgraph-vfs.dat $GOLDEN/profile.dat .
$ check() { f=$1; shift; sonde report --json $f | python3 $TESTS/lib/latency_check.py "$@"; }
$ sonde latency -e sched_waking -e sched_switch --by-field pid=next_pid --by comm --worst 50 --json events-v7-zstd.dat >r
$ check events-v7-zstd.dat latency sched_waking sched_switch field pid next_pid comm r
5397 times 15 groups
$ sonde latency -e irq_handler_entry,irq_handler_exit --by-cpu --by '$cpu' --worst 50 --json events-v7-zstd.dat >r
$ check events-v7-zstd.dat latency irq_handler_entry irq_handler_exit cpu - - '$cpu' r
4782 times 1 groups
$ sonde latency -e sys_enter,sys_exit --by '$comm' --worst 50 --json events-v7-zstd.dat >r
$ check events-v7-zstd.dat latency sys_enter sys_exit thread - - '$comm' r
7667 times 7 groups
$ sonde latency -e sched_switch --worst 50 --json events-v7-zstd.dat >r
$ check events-v7-zstd.dat latency sched_switch sched_switch thread - - - r
10685 times 0 groups
$ sonde functions --json fgraph-vfs.dat >r
$ check fgraph-vfs.dat functions r
3247 calls 269 functions 269 names
$ sonde functions --json profile.dat >r
$ check profile.dat functions r
5484 calls 65 functions 65 names
$ sonde count -e sched_switch,sched_waking --by '$event,$comm,$cpu' --json events-v7-zstd.dat >r
$ check events-v7-zstd.dat count sched_switch,sched_waking '$event,$comm,$cpu' r
16103 events 39 rows
$ sonde count -e sched_switch --by prev_comm,next_pid --json events-v7-zstd.dat >r
$ check events-v7-zstd.dat count sched_switch prev_comm,next_pid r
10704 events 60 rows

# what is read off a timeline by eye: from wakeup to run, from a migration to the run on the new CPU, a tick
$ cp $GOLDEN/all-events.dat .
$ for pair in 'sched_waking sched_switch' 'sched_migrate_task sched_switch'; do
> sonde latency -e ${pair% *},${pair#* } --by-field pid=next_pid --by comm --worst 50 --json all-events.dat >r
> check all-events.dat latency $pair field pid next_pid comm r; done
205 times 9 groups
5 times 3 groups
$ sonde latency -e local_timer_entry,local_timer_exit --by-cpu --by '$cpu' --worst 50 --json all-events.dat >r
$ check all-events.dat latency local_timer_entry local_timer_exit cpu - - '$cpu' r
370 times 2 groups

# one event at both sides, each with a filter of its own: how long somebody did not run; and a count of either
$ sonde latency -e sched_switch --by-field prev_pid=next_pid --by B.next_comm --worst 0 --csv events-v7-zstd.dat | grep ',ls$' >all
$ for second in yes ''; do
> sonde latency -e sched_switch -f 'prev_comm == "ls"' -e sched:sched_switch ${second:+-f 'next_comm == "ls"'} --by-field prev_pid=next_pid \
> --by B.next_comm --worst 0 --csv events-v7-zstd.dat | grep ',ls$' | diff all - && echo same; done
same
same
$ sonde count -e sched_switch -f 'prev_comm == "ls"' -e sched_switch -f 'next_comm == "ls"' events-v7-zstd.dat | tail -n 1
      9283  in 1 row
$ sonde count -e sched_switch -F 'sched_switch: prev_comm == "ls" || next_comm == "ls"' events-v7-zstd.dat | tail -n 1
      9283  in 1 row

# a field of both sides is two
$ sonde latency -e sched_waking -e sched_switch --by-field pid=next_pid --by 'A.$cpu,B.$cpu' --worst 0 --csv events-v7-zstd.dat | sed -n 's/.*,\(.*,.*\)/\1/p;1q'
A.$cpu,B.$cpu
$ sonde latency -e sched_waking -e sched_switch --by-field pid=next_pid --by 'A.$cpu,B.$cpu' --worst 0 --json events-v7-zstd.dat | python3 -c '
> import json, sys; print(sorted((g["A.$cpu"], g["B.$cpu"], g["count"]) for g in json.load(sys.stdin)["groups"]))'
[(0, 0, 180), (0, 1, 218), (1, 0, 3573), (1, 1, 1426)]

# a filter is of all that its -e names
$ sonde latency -e sys_enter,sys_exit -f 'id == 17' --worst 0 events-v7-zstd.dat | sed -n 2p
10 measured
