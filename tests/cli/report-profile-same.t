# report --profile can print what trace-cmd prints, on every trace and with all its options
# covers: P14 P15 F02 F03 F04 F05 F08
# needs: trace-cmd
# not: asan tsan

$ same() {
>     trace-cmd report --profile "$@" 2>/dev/null | python3 $TESTS/lib/profile_order.py >wanted
>     sonde report --profile --peer-text "$@" 2>/dev/null | python3 $TESTS/lib/profile_order.py >got
>     cmp got wanted && grep -q Event: wanted && echo same
> }
$ for f in all-events clock-tsc events-v6 events-v7-none events-v7-zstd fgraph-vfs follow function-all \
> lost-events probes profile stacks tour made-missed; do
>     same -i $GOLDEN/$f.dat
> done | sort | uniq -c
     14 same
$ for o in -G --by-comm "-G --by-comm" "--comm sleep" "--cpu 1" "-I -S" --align-ts \
> "-H raw_syscalls:sys_enter,id/raw_syscalls:sys_exit,id,s" "-H softirq_raise,vec/softirq_exit,vec,g" \
> "-H sched_switch,next_pid,next_pid/sched_switch,prev_pid,p"; do
>     same $o -i $GOLDEN/profile.dat
> done | sort | uniq -c
     10 same

# trace-cmd dies of buffer instances, and prints a file name for every event of several files.
$ sonde report --profile --peer-text $GOLDEN/instances-mono.dat | grep -c '^task: '
30
$ sonde report --profile --peer-text $GOLDEN/tour.dat $GOLDEN/probes.dat | grep '^task: ' | head -n 3
task: fib_pg-218
task: ls-219
task: sysloop-220

# It reads memory that was never set where there are switches but no wakeups.
$ sonde report --profile --peer-text $GOLDEN/function-filtered.dat | grep -A 1 -m 1 '^task: '
task: swapper/0-0
  Event: sched_switch:R (2303) Total: 1624669736 Avg: 705457 Max: 57431062(ts:32.065568) Min:2598(ts:30.538762)
