# sched shows waits, switches, states and wakers of a trace
# covers: E07

$ sonde sched latency $GOLDEN/tour.dat
Task                        Switches       Run ms    Avg ms    p99 ms     Max ms   Max wait from              to
rcu_preempt-15                    21       29.401     0.477     4.225      4.225      151.689104      151.693330
trace-cmd (2 tasks)                5      170.743     0.323     0.414      0.414      151.759518      151.759933
kcompactd0-33                      1        0.199     0.339     0.339      0.339      151.626693      151.627032
kworker/0:0-7                      1        0.246     0.319     0.319      0.319      151.663036      151.663356
Total                             28      200.590   waited 12.302 ms

Longest waits for a CPU
     4.225 ms  rcu_preempt-15 on CPU 0, 151.689104 to 151.693330, after trace-cmd-233
              woken by an interrupt in trace-cmd-233: ttwu_do_wakeup ← try_to_wake_up ← call_timer_fn ← __run_timers ← run_timer_softirq ← handle_softirqs ← __irq_exit_rcu ← sysvec_apic_timer_interrupt
              was idle for 7.778 ms in rcu_gp_fqs_loop ← rcu_gp_kthread ← kthread ← ret_from_fork
     0.872 ms  rcu_preempt-15 on CPU 0, 151.662730 to 151.663603, after kworker/0:0-7
              woken by an interrupt in <idle>: ttwu_do_wakeup ← try_to_wake_up ← call_timer_fn ← __run_timers ← run_timer_softirq ← handle_softirqs ← __irq_exit_rcu ← sysvec_apic_timer_interrupt
              was idle for 6.852 ms in rcu_gp_fqs_loop ← rcu_gp_kthread ← kthread ← ret_from_fork
     0.442 ms  rcu_preempt-15 on CPU 0, 151.722675 to 151.723118, after <idle>
              woken by an interrupt in <idle>: ttwu_do_wakeup ← try_to_wake_up ← call_timer_fn ← __run_timers ← run_timer_softirq ← handle_softirqs ← __irq_exit_rcu ← sysvec_apic_timer_interrupt
              was idle for 7.305 ms in rcu_gp_fqs_loop ← rcu_gp_kthread ← kthread ← ret_from_fork
     0.441 ms  rcu_preempt-15 on CPU 0, 151.706780 to 151.707221, after <idle>
              woken by an interrupt in <idle>: ttwu_do_wakeup ← try_to_wake_up ← call_timer_fn ← __run_timers ← run_timer_softirq ← handle_softirqs ← __irq_exit_rcu ← sysvec_apic_timer_interrupt
              was idle for 5.561 ms in rcu_gp_fqs_loop ← rcu_gp_kthread ← kthread ← ret_from_fork
     0.419 ms  rcu_preempt-15 on CPU 0, 151.655181 to 151.655601, after <idle>
              woken by an interrupt in <idle>: ttwu_do_wakeup ← sched_ttwu_pending ← __sysvec_call_function_single ← sysvec_call_function_single ← asm_sysvec_call_function_single ← native_safe_halt ← amd_e400_idle ← default_idle_call
              was idle for 2.142 ms in rcu_gp_kthread ← kthread ← ret_from_fork
$ sonde sched latency -p -s runtime -n 3 --worst 1 $GOLDEN/tour.dat
Task                        Switches       Run ms    Avg ms    p99 ms     Max ms   Max wait from              to
trace-cmd-234                      2      153.201     0.276     0.279      0.279      151.615155      151.615434
rcu_preempt-15                    21       29.401     0.477     4.225      4.225      151.689104      151.693330
trace-cmd-233                      3       17.542     0.355     0.414      0.414      151.759518      151.759933
\xe2\x80\xa6 and 2 more tasks (esc)
Total                             28      200.590   waited 12.302 ms

Longest waits for a CPU
     4.225 ms  rcu_preempt-15 on CPU 0, 151.689104 to 151.693330, after trace-cmd-233
              woken by an interrupt in trace-cmd-233: ttwu_do_wakeup ← try_to_wake_up ← call_timer_fn ← __run_timers ← run_timer_softirq ← handle_softirqs ← __irq_exit_rcu ← sysvec_apic_timer_interrupt
              was idle for 7.778 ms in rcu_gp_fqs_loop ← rcu_gp_kthread ← kthread ← ret_from_fork
$ sonde sched timehist $GOLDEN/tour.dat | head -n 12
           time    cpu  task name                       wait time  sch delay   run time
                        [tid/pid]                          (msec)     (msec)     (msec)
--------------- ------  ------------------------------  ---------  ---------  ---------
     151.615155 [0001]  trace-cmd[234]                          -          -          -
     151.615434 [0001]  rcu_preempt[15]                         -      0.278      0.279
     151.623041 [0001]  trace-cmd[234]                      0.279      0.279      7.607
     151.623315 [0001]  rcu_preempt[15]                     7.607      0.312      0.273
     151.627032 [0000]  <idle>                                  -          -          -
     151.627231 [0000]  kcompactd0[33]                          -      0.339      0.199
     151.630857 [0000]  <idle>                                  -          -      3.625
     151.631030 [0000]  rcu_preempt[15]                     7.542      0.186      0.173
     151.631547 [0000]  <idle>                                  -          -      0.516
$ sonde sched timehist -wMnV --state $GOLDEN/tour.dat | head -n 12
           time    cpu  01  task name                       wait time  sch delay   run time  state
                            [tid/pid]                          (msec)     (msec)     (msec)        (esc)
--------------- ------  --  ------------------------------  ---------  ---------  ---------  -----
     151.614876 [0001]      sleep[234]                                                       awakened: rcu_preempt[15]
     151.615155 [0001]   s  trace-cmd[234]                          -          -          -      R  next: rcu_preempt[15]
     151.615434 [0001]   s  rcu_preempt[15]                         -      0.278      0.279      I  next: trace-cmd[234]
     151.622728 [0001]      trace-cmd[234]                                                   awakened: rcu_preempt[15]
     151.623041 [0001]   s  trace-cmd[234]                      0.279      0.279      7.607      R  next: rcu_preempt[15]
     151.623315 [0001]   s  rcu_preempt[15]                     7.607      0.312      0.273      I  next: trace-cmd[234]
     151.626693 [0000]      <idle>                                                           awakened: kcompactd0[33]
     151.627032 [0000]  i   <idle>                                  -          -          -      I  next: kcompactd0[33]
     151.627231 [0000]  s   kcompactd0[33]                          -      0.339      0.199      S  next: swapper/0[0]
$ sonde sched timehist -I -C 0 $GOLDEN/tour.dat | head -n 6
           time    cpu  task name                       wait time  sch delay   run time
                        [tid/pid]                          (msec)     (msec)     (msec)
--------------- ------  ------------------------------  ---------  ---------  ---------
     151.627032 [0000]  <idle>                                  -          -          -
     151.630857 [0000]  <idle>                                  -          -      3.625
     151.631547 [0000]  <idle>                                  -          -      0.516
$ sonde sched summary $GOLDEN/tour.dat
Task (times in ms)             Running    Runnable   Preempted    Sleeping     Blocked       Other  Switches  Preempt.   Moves
trace-cmd (2 tasks)            170.743       0.736       0.882      66.114       0.000       0.000         5         3       0
rcu_preempt-15                  29.401      10.024       0.000       0.000       0.000     114.606        21         0       1
kworker/0:0-7                    0.246       0.319       0.000       0.000       0.000     105.306         1         0       0
kcompactd0-33                    0.199       0.339       0.000     141.677       0.000       0.000         1         0       0

CPU             Busy          Idle  Busy %  Switches
0             46.836        95.039   33.01        45
1            153.754         0.000  100.00         4
$ sonde sched summary -g -n 2 $GOLDEN/tour.dat | head -n 5
Task (times in ms)             Running    Runnable   Preempted    Sleeping     Blocked       Other  Switches  Preempt.   Moves
trace-cmd (2 tasks)            170.743       0.736       0.882      66.114       0.000       0.000         5         3       0
         66.114 ms sleeping, 2 times, in do_select ← core_sys_select ← do_pselect.constprop.0 ← __x64_sys_pselect6 ← do_syscall_64 ← entry_SYSCALL_64_after_hwframe
rcu_preempt-15                  29.401      10.024       0.000       0.000       0.000     114.606        21         0       1
         82.008 ms idle, 18 times, in rcu_gp_fqs_loop ← rcu_gp_kthread ← kthread ← ret_from_fork
$ sonde sched summary -pg --json --task kcompactd0 $GOLDEN/tour.dat | grep -o '"places".*"cpus"'
"places":[{"state":"sleeping","times":1,"ns":141677347,"stack":["__schedule","schedule","schedule_timeout","kcompactd","kthread","ret_from_fork"]}]}],"cpus"
$ sonde sched map $GOLDEN/tour.dat | head -n 12
      *A0     151.615155 secs A0 => rcu_preempt:15
      *B0     151.615434 secs B0 => trace-cmd:234
      *A0     151.623041 secs  (esc)
      *B0     151.623315 secs  (esc)
  *C0  B0     151.627032 secs C0 => kcompactd0:33
  *.   B0     151.627231 secs .  => swapper:0
  *A0  B0     151.630857 secs  (esc)
  *.   B0     151.631030 secs  (esc)
  *A0  B0     151.631547 secs  (esc)
  *.   B0     151.634977 secs  (esc)
  *A0  B0     151.639353 secs  (esc)
  *.   B0     151.642778 secs  (esc)
$ sonde sched map --compact -C 1 --task-name sleep $GOLDEN/tour.dat | head -n 6
  *--     151.615155 secs -- => rcu_preempt:15 (CPU 1)
  *--     151.615434 secs -- => trace-cmd:234
  *--     151.623041 secs  (esc)
  *--     151.623315 secs  (esc)
$ sonde sched chains -p $GOLDEN/tour.dat
  Wakeups     Slept ms      Wait ms        Avg        Max  Chain
       21       84.537       10.024      0.477      4.225  rcu_preempt-15 ← an interrupt
        2       63.466        0.736      0.368      0.414  trace-cmd-233 ← an interrupt
        1        0.000        0.339      0.339      0.339  kcompactd0-33 ← an interrupt
        1        0.000        0.319      0.319      0.319  kworker/0:0-7 ← an interrupt
$ sonde sched latency --json --task sleep $GOLDEN/tour.dat
{"tasks":[],"longest":[],"n_gaps":0,"gaps":[]}
$ sonde sched timehist --json --from +100ms --task sleep $GOLDEN/tour.dat
