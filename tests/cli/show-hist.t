# show --hist prints what a hist trigger counted as a table with bars
# covers: X33

$ export SONDE_TRACEFS=t; mkdir -p t/events/sched/sched_switch; echo '[local]' > t/trace_clock
$ cat > t/events/sched/sched_switch/hist <<'EOF'
> # event histogram
> #
> # trigger info: hist:keys=next_comm,prev_prio:vals=hitcount,prev_pid:sort=prev_pid:size=2048 if prev_pid > 0 [active]
> #
> 
> { next_comm: ksoftirqd/0                     , prev_prio:          0 } hitcount:          1  prev_pid:         16
> { next_comm: } hitcount: 7                   , prev_prio:        120 } hitcount:          3  prev_pid:        400
> { next_comm: swapper/0                       , prev_prio:        120 } hitcount:        247  prev_pid:        200
> 
> Totals:
>     Hits: 251
>     Entries: 3
>     Dropped: 4
> 
> # event histogram
> #
> # trigger info: hist:keys=stacktrace,common_pid:vals=hitcount:sort=hitcount:size=2048 [paused]
> #
> 
> { stacktrace:
>          alloc_bprm+0x32/0x2d0
>          do_syscall_64+0x5d/0xb0
> , common_pid:        160} hitcount:          1
> 	max:         21  next_comm: bash                            
> 
> Totals:
>     Hits: 1
>     Entries: 1
>     Dropped: 0
> EOF
$ sonde show --hist sched_switch
sched:sched_switch  hist:keys=next_comm,prev_prio:vals=hitcount,prev_pid:sort=prev_pid:size=2048 if prev_pid > 0 [active]

next_comm      prev_prio  hitcount  prev_pid
ksoftirqd/0            0         1        16  #
} hitcount: 7        120         3       400  ########################################
swapper/0            120       247       200  ####################

3 entries, 251 hits, 4 dropped: the table is full, use a larger :size=

sched:sched_switch  hist:keys=stacktrace,common_pid:vals=hitcount:sort=hitcount:size=2048 [paused]

common_pid  hitcount
       160         1  ########################################
    alloc_bprm+0x32/0x2d0
    do_syscall_64+0x5d/0xb0
    max:         21  next_comm: bash

1 entries, 1 hits
$ sonde show --hist sched:sched_switch --json
{"event":"sched:sched_switch","trigger":"hist:keys=next_comm,prev_prio:vals=hitcount,prev_pid:sort=prev_pid:size=2048 if prev_pid > 0","state":"active","keys":["next_comm","prev_prio"],"values":["hitcount","prev_pid"],"rows":[{"keys":["ksoftirqd/0","0"],"values":[1,16]},{"keys":["} hitcount: 7","120"],"values":[3,400]},{"keys":["swapper/0","120"],"values":[247,200]}],"hits":251,"entries":3,"dropped":4}
{"event":"sched:sched_switch","trigger":"hist:keys=stacktrace,common_pid:vals=hitcount:sort=hitcount:size=2048","state":"paused","keys":["stacktrace","common_pid"],"values":["hitcount"],"rows":[{"keys":["alloc_bprm+0x32/0x2d0\ndo_syscall_64+0x5d/0xb0","160"],"values":[1],"notes":"max:         21  next_comm: bash"}],"hits":1,"entries":1,"dropped":0}
$ : > t/events/sched/sched_switch/hist; sonde show --hist sched_switch
sonde: sched:sched_switch has no hist trigger; set one with, say, sonde start -e sched:sched_switch -R 'hist:keys=common_pid'
[1]
