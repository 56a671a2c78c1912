# report --profile shows where the time of tasks went
# covers: P14 F02 F03 F04 F05 F08 Q04 Q10

$ ln -s $GOLDEN/*.dat .
$ sonde report --profile tour.dat | head -n 60
profile of tour.dat: 159.0 ms from 151.609943 to 151.768909
events: funcgraph_entry 790, funcgraph_exit 784, page_fault_user 94, softirq_raise 80,
        softirq_exit 80, softirq_entry 80, kernel_stack 74, sys_exit 61, sys_enter 60,
        sched_switch 49, sched_wakeup 25, irq_handler_exit 22, irq_handler_entry 22,
        sched_process_exec 1

task: rcu_preempt-15   29.40 ms on a CPU
  event                                      count     total       avg       max  at                 min  at
  running                                       21  29.40 ms  1.400 ms  5.835 ms  151.653039    123.6 us  151.663727
  sched_switch:I idle                           20  84.54 ms  4.227 ms  7.778 ms  151.689105    340.1 us  151.735444
      + 100% (20) 84.54 ms, avg 4.227 ms, max 7.778 ms at 151.681383
          __schedule
          schedule
          + 97% (18) 82.01 ms, avg 4.556 ms, max 7.778 ms at 151.681383
          |   schedule_timeout
          |   rcu_gp_fqs_loop
          |   rcu_gp_kthread
          |   kthread
          |   ret_from_fork
          + 3% (2) 2.529 ms, avg 1.264 ms, max 2.143 ms at 151.653105
              rcu_gp_kthread
              kthread
              ret_from_fork
  sched_wakeup until it runs                    21  10.02 ms  477.4 us  4.226 ms  151.693330    126.4 us  151.735570
      + 100% (21) 10.02 ms, avg 477.4 us, max 4.226 ms at 151.689296
          ttwu_do_wakeup
          + 77% (10) 7.713 ms, avg 771.3 us, max 4.226 ms at 151.689296
          |   try_to_wake_up
          |   + 98% (9) 7.527 ms, avg 836.3 us, max 4.226 ms at 151.689296
          |   |   call_timer_fn
          |   |   __run_timers
          |   |   run_timer_softirq
          |   |   handle_softirqs
          |   |   __irq_exit_rcu
          |   |   sysvec_apic_timer_interrupt
          |   |   asm_sysvec_apic_timer_interrupt
          |   |   + 60% (2) 4.504 ms, avg 2.252 ms, max 4.226 ms at 151.689296
          |   |   |   _raw_spin_unlock_irqrestore
          |   |   |   + 94% (1) 4.226 ms at 151.689296
          |   |   |   |   poll_freewait
          |   |   |   |   do_select
          |   |   |   |   core_sys_select
          |   |   |   |   do_pselect.constprop.0
          |   |   |   |   __x64_sys_pselect6
          |   |   |   |   do_syscall_64
          |   |   |   |   entry_SYSCALL_64_after_hwframe
          |   |   |   + 6% (1) 278.7 us at 151.615101
          |   |   |       p9_virtio_request
          |   |   |       p9_client_rpc
          |   |   |       p9_client_walk
          |   |   |       v9fs_vfs_lookup
          |   |   |       v9fs_vfs_atomic_open_dotl
          |   |   |       path_openat
          |   |   |       do_filp_open
          |   |   |       do_open_execat
          |   |   |       bprm_execve
          |   |   |       do_execveat_common.isra.0
          |   |   |       __x64_sys_execve
          |   |   |       do_syscall_64
          |   |   |       entry_SYSCALL_64_after_hwframe

# System calls and interrupts have names; what is only counted says of what.
$ sonde report --profile --comm sleep profile.dat | grep -E '^(task|  [a-z])' | head -n 60
task: sleep-234   348.8 ms on a CPU
  event                                      count     total       avg       max  at                 min  at
  running                                       10  348.8 ms  34.88 ms  196.0 ms  151.819292    414.5 us  152.593363
  sched_switch:S sleeping                        2  742.6 ms  371.3 ms  722.1 ms  152.566100    20.48 ms  152.700166
  sched_switch:R preempted                       3  2.888 ms  962.7 us  1.698 ms  151.820989    494.7 us  152.625067
  sched_switch:D blocked                         3  2.460 ms  820.2 us  1.561 ms  152.591460    347.0 us  152.593710
  sched_switch:R+ preempted                      2  552.9 us  276.4 us  279.3 us  151.615434    273.6 us  151.623315
  sched_wakeup until it runs                     5  2.437 ms  487.4 us  1.489 ms  152.592949    171.5 us  152.593882
  syscall:wait4                                  2  723.5 ms  361.7 ms  723.4 ms  152.567319    42.45 us  152.578074
  syscall:execve                                 5  50.07 ms  10.01 ms  27.71 ms  152.613645    983.5 us  151.616811
  syscall:newfstatat                            35  22.13 ms  632.3 us  3.740 ms  151.762781    77.43 us  151.829393
  syscall:clock_nanosleep                        1  21.19 ms  21.19 ms  21.19 ms  152.700544    21.19 ms  152.700544
  syscall:openat                                 8  12.16 ms  1.519 ms  2.653 ms  151.792560    995.5 us  152.633888
  syscall:mmap                                  20  8.101 ms  405.0 us  2.022 ms  151.664377    133.5 us  151.671501
  syscall:connect                                2  6.036 ms  3.018 ms  3.220 ms  151.780350    2.815 ms  151.784299
  syscall:clone                                  1  4.346 ms  4.346 ms  4.346 ms  151.837097    4.346 ms  151.837097
  syscall:read                                   6  2.994 ms  499.1 us  2.597 ms  151.796959    66.49 us  152.639832
  syscall:access                                 8  2.932 ms  366.5 us  1.315 ms  151.654009    88.03 us  151.775546
  syscall:rt_sigaction                          19  2.911 ms  153.2 us  2.524 ms  151.736935    9.278 us  152.585885
  syscall:mprotect                               7  1.907 ms  272.4 us  529.3 us  152.659759    175.4 us  151.704737
  syscall:munmap                                 2  1.627 ms  813.7 us  867.6 us  151.709340    759.7 us  152.666332
  syscall:socket                                 2  770.8 us  385.4 us  543.6 us  151.777067    227.2 us  151.781465
  syscall:brk                                    6  629.8 us  105.0 us  227.1 us  152.674049    32.55 us  151.721045
  syscall:close                                 11  363.2 us  33.02 us  54.26 us  151.784386    21.24 us  151.659038
  syscall:rt_sigprocmask                        12  345.8 us  28.82 us  66.36 us  151.728761    10.48 us  151.843474
  syscall:ioctl                                  4  205.6 us  51.40 us  90.14 us  151.717122    14.47 us  151.811946
  syscall:getrandom                              2  157.4 us  78.68 us  80.67 us  151.720326    76.70 us  152.672546
  syscall:pread64                                4  135.9 us  33.96 us  40.81 us  152.640698    22.39 us  151.670282
  syscall:getgid                                 7  134.2 us  19.17 us  59.16 us  152.584884    7.387 us  152.585306
  syscall:prlimit64                              3  129.2 us  43.07 us  61.94 us  151.705723    18.93 us  151.812064
  syscall:getuid                                 7  112.5 us  16.07 us  61.10 us  151.727796    6.766 us  151.829435
  syscall:sysinfo                                1  109.8 us  109.8 us  109.8 us  151.732415    109.8 us  151.732415
  syscall:geteuid                                7  101.1 us  14.44 us  38.84 us  151.727986    7.631 us  151.829409
  syscall:getppid                                3  76.50 us  25.50 us  49.26 us  151.768416    13.26 us  151.809612
  syscall:getegid                                7  73.89 us  10.56 us  20.86 us  151.728033    6.971 us  151.829422
  syscall:getpeername                            1  66.41 us  66.41 us  66.41 us  151.821479    66.41 us  151.821479
  syscall:getpid                                 3  65.18 us  21.73 us  29.61 us  151.767447    8.233 us  151.809584
  syscall:arch_prctl                             2  61.91 us  30.95 us  35.36 us  152.650102    26.55 us  151.678354
  syscall:uname                                  1  50.35 us  50.35 us  50.35 us  151.738316    50.35 us  151.738316
  syscall:set_tid_address                        2  48.68 us  24.34 us  27.61 us  152.650185    21.08 us  151.678409
  syscall:rseq                                   2  48.67 us  24.34 us  25.29 us  152.650336    23.39 us  151.679709
  syscall:getpgrp                                1  39.82 us  39.82 us  39.82 us  151.811641    39.82 us  151.811641
  syscall:lseek                                  1  39.42 us  39.42 us  39.42 us  151.803694    39.42 us  151.803694
  syscall:set_robust_list                        2  34.40 us  17.20 us  18.54 us  151.679628    15.87 us  152.650253
  irq:25 virtio0-requests                       58  1.523 ms  26.27 us  98.38 us  151.613006    11.70 us  152.614979
  irq:27 virtio1-requests                        1  53.38 us  53.38 us  53.38 us  151.766785    53.38 us  151.766785
  softirq_entry:RCU                             63  36.81 ms  584.4 us  4.462 ms  152.624449    9.654 us  152.639073
  softirq_entry:TIMER                            7  1.594 ms  227.7 us  493.3 us  152.655204    14.18 us  151.631309
  softirq_entry:SCHED                            9  534.9 us  59.44 us  96.72 us  152.655305    22.24 us  152.595149
  softirq_raise:RCU until it runs               63  10.06 ms  159.7 us  1.737 ms  151.696294    2.395 us  152.639064
  softirq_raise:SCHED until it runs              9  1.476 ms  164.0 us  577.9 us  152.655209    39.12 us  151.646875
  softirq_raise:TIMER until it runs              7  876.4 us  125.2 us  162.0 us  152.577491    90.63 us  151.631295
  x64_sys_call()                               208  855.6 ms  4.114 ms  723.4 ms  152.567299    2.506 us  151.775432
  handle_mm_fault()                            195  36.56 ms  187.5 us  3.045 ms  151.686859    11.39 us  151.728395
  irq_exit_rcu()                                43  23.27 ms  541.2 us  4.782 ms  152.624471    2.670 us  152.585426
  exit_to_user_mode_prepare()                  442  11.69 ms  26.44 us  2.107 ms  151.821165    1.367 us  151.775091
  lock_mm_and_find_vma()                       195  5.672 ms  29.09 us  1.993 ms  151.690827    3.682 us  151.700728
  syscall_trace_enter.constprop.0()            209  2.036 ms  9.743 us  69.37 us  152.672482    1.933 us  151.829429
  syscall_exit_to_user_mode_prepare()          209  1.136 ms  5.433 us  16.20 us  151.784305    1.906 us  151.829150
  irq_enter_rcu()                               43  467.0 us  10.86 us  71.35 us  151.610588    1.423 us  152.585333

# Events that are not there are named, and how to record them.
$ sonde report --profile stacks.dat | head -n 8
profile of stacks.dat: 1.934 s from 67.458726 to 69.393083
events: kernel_stack 6940, sched_switch 4617, sched_wakeup 2323
no raw_syscalls events: system calls are not shown; record with -e raw_syscalls
no irq_handler events: interrupts are not shown; record with -e irq
no softirq events: soft interrupts are not shown; record with -e irq
no page_fault events: page faults are not shown; record with -e exceptions
no function graph events: times of functions are not shown; record with -p function_graph
 (esc)
$ sonde report --profile fgraph-vfs.dat | grep -E '^[a-z]|more functions'
profile of fgraph-vfs.dat: 115.6 ms from 52.057113 to 52.172691
events: funcgraph_entry 3250, funcgraph_exit 3247
no sched_switch events: times on and off the CPU are not shown; record with -e sched_switch
no sched_wakeup events: wakeup latencies are not shown; record with -e sched_wakeup
no raw_syscalls events: system calls are not shown; record with -e raw_syscalls
no irq_handler events: interrupts are not shown; record with -e irq
no softirq events: soft interrupts are not shown; record with -e irq
no page_fault events: page faults are not shown; record with -e exceptions
no kernel_stack events: stacks are not shown; record with -T
task: ls-168
  228 more functions
task: grep-165
  12 more functions
task: trace-cmd-164

# System calls also by their own events, each call's.
$ sonde report --profile follow.dat | grep -E '^task|syscall' | head -n 8
task: ls-241   2.967 s on a CPU
  syscall:getdents64                           330   1.382 s  4.188 ms  52.24 ms  169.708942    183.4 us  168.152750
  syscall:readlink                             860  944.9 ms  1.099 ms  40.68 ms  168.459755    162.9 us  168.180314
  syscall:openat                               180  629.8 ms  3.499 ms  20.26 ms  169.979486    268.8 us  167.943325
  syscall:statx                               1540  112.1 ms  72.78 us  3.870 ms  168.250272    18.79 us  170.922381
  syscall:getxattr                             680  31.64 ms  46.53 us  2.545 ms  168.052946    16.84 us  169.935795
  syscall:newfstatat                           190  17.89 ms  94.17 us  1.507 ms  170.301668    33.49 us  168.065768
  syscall:execve                                 1  8.333 ms  8.333 ms  8.333 ms  167.867559    8.333 ms  167.867559

# Lost events
$ sonde report --profile lost-events.dat | grep lost
profile of lost-events.dat: 11.82 s from 100.380074 to 112.204044
events were lost in 9 places; what was open there is not counted

# Functions of the function tracer are counted only.
$ sonde report --profile function-filtered.dat | grep -A 6 -m 1 '^task'
task: bash-159   1.161 s on a CPU
  event                                      count     total       avg       max  at                 min  at
  running                                     1899   1.161 s  611.6 us  24.78 ms  30.319007     74.06 us  31.276756
  sched_switch:D blocked                      1898  524.9 ms  276.5 us  4.973 ms  31.585720     44.11 us  30.898902
  vfs_getattr_nosec()                         1730
  vfs_statx()                                 1730
  vfs_readlink()                               860

# A part of the time, and of the CPUs
$ sonde report --profile --from 151.61 --to 151.62 --cpu 1 tour.dat | grep -E '^(profile|task|  [a-z])' | head -n 12
profile of tour.dat: 9.945 ms from 151.610000 to 151.619945
task: rcu_preempt-15   279.3 us on a CPU
  event                                      count     total       avg       max  at                 min  at
  running                                        1  279.3 us  279.3 us  279.3 us  151.615434    279.3 us  151.615434
  sched_wakeup until it runs                     1  278.7 us  278.7 us  278.7 us  151.615155    278.7 us  151.615155
  rcu_gp_cleanup()                               1  30.51 us  30.51 us  30.51 us  151.615367    30.51 us  151.615367
  rcu_gp_init()                                  1  15.62 us  15.62 us  15.62 us  151.615385    15.62 us  151.615385
  force_qs_rnp()                                 1  13.47 us  13.47 us  13.47 us  151.615325    13.47 us  151.615325
  finish_task_switch.isra.0()                    1  6.465 us  6.465 us  6.465 us  151.615285    6.465 us  151.615285
  prepare_to_swait_event()                       1  3.443 us  3.443 us  3.443 us  151.615304    3.443 us  151.615304
  finish_swait()                                 1  3.111 us  3.111 us  3.111 us  151.615309    3.111 us  151.615309
task: trace-cmd-234

# A clock that counts no time
$ sonde report --profile --raw-ts clock-tsc.dat | grep -E '^(profile|task|  [a-z])' | head -n 6
profile of clock-tsc.dat: 25108446576 from 252455259205 to 277563705781
task: ls-198   21894930069 on a CPU
  event                                      count     total       avg       max  at                 min  at
  running                                     1925 21894930069  11373989  62498868  253199702597     40762  268161551192
  sched_switch:D blocked                      1885 1059384181    562007  13965758  257816304754     43240  260228745491
  sched_switch:R+ preempted                     34  15550984    457381   8603050  263904287134    104042  253076718537

# With one thread as with two
$ SONDE_JOBS=1 sonde report --profile profile.dat >one
$ SONDE_JOBS=2 sonde report --profile profile.dat | cmp - one
