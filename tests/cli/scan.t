# count and latency give the same answers with any number of threads, on every trace
# not: tsan

$ same() {
>     SONDE_JOBS=1 sonde "$@" >one 2>one.err; status=$?
>     for jobs in 2 3 7 16; do
>         SONDE_JOBS=$jobs sonde "$@" >many 2>many.err
>         [ $? = $status ] && cmp -s one many && cmp -s one.err many.err || echo "$jobs threads differ: $*"
>     done
> }
> for trace in $GOLDEN/*.dat; do
>     same count -e all -e ftrace --by '$event,$comm,$cpu' --csv "$trace"
>     same latency -e sched_waking,sched_switch --by-field pid=next_pid --by '$comm,A.target_cpu' --json "$trace"
> done

# Pairs of each kind; many cuts in a trace that is larger.

$ python3 $TESTS/bench/grow $GOLDEN/events-v6.dat grown.dat 6
$ python3 $TESTS/bench/grow $GOLDEN/fgraph-vfs.dat calls.dat 2
$ python3 $TESTS/bench/grow $GOLDEN/lost-events.dat lost.dat 3
$ sonde convert --compression zstd -i grown.dat -o packed.dat
$ for trace in grown.dat packed.dat lost.dat; do
>     same count -e sched_switch --by next_comm,prev_state --sum next_prio --json $trace
>     same count -e all -F 'sched_switch: next_pid > 0' --by '$task' --csv $trace
>     same latency -e sched_waking,sched_switch --by-field pid=next_pid --by comm --json $trace
>     same latency -e irq_handler_entry,irq_handler_exit --by-cpu --by irq --json $trace
>     same latency -e sched_switch,sched_switch --json $trace
>     same latency -e sched_wakeup,sched_switch --by-field pid=prev_pid --worst 100 --json $trace
> done
> same latency -T vfs_read --worst 50 --json calls.dat
> same latency -T 'vfs_*' --json calls.dat
> same count -e funcgraph_entry --by '$func' --csv calls.dat
