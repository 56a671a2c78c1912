# count, latency, functions and graph give the same answers with three threads: small enough for the thread sanitizer

$ python3 $TESTS/bench/grow $GOLDEN/events-v6.dat grown.dat 6
$ same() {
>     SONDE_JOBS=1 sonde "$@" >one; SONDE_JOBS=3 sonde "$@" >many; cmp one many
> }
> same count -e sched_switch --by next_comm,prev_state --sum next_prio --json grown.dat
> same latency -e sched_waking,sched_switch --by-field pid=next_pid --by comm --json grown.dat
$ python3 $TESTS/lib/randomcalls.py calls.dat user 3 lossy packed
$ same functions -f all --json calls.dat
$ same graph --json calls.dat
