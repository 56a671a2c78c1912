# report -w shows wakeup latencies
# covers: T08

$ sonde report -w $GOLDEN/tour.dat | grep Latency | head
           sleep-234   [001]   151.615155: sched_switch:         trace-cmd:234 [120] R ==> rcu_preempt:15 [120] Latency: 278.708 usecs
           sleep-234   [001]   151.623042: sched_switch:         trace-cmd:234 [120] R ==> rcu_preempt:15 [120] Latency: 312.696 usecs
          <idle>-0     [000]   151.627033: sched_switch:         swapper/0:0 [120] R ==> kcompactd0:33 [120] Latency: 339.160 usecs
          <idle>-0     [000]   151.630857: sched_switch:         swapper/0:0 [120] R ==> rcu_preempt:15 [120] Latency: 186.470 usecs
          <idle>-0     [000]   151.631547: sched_switch:         swapper/0:0 [120] R ==> rcu_preempt:15 [120] Latency: 130.668 usecs
          <idle>-0     [000]   151.639354: sched_switch:         swapper/0:0 [120] R ==> rcu_preempt:15 [120] Latency: 169.337 usecs
          <idle>-0     [000]   151.647204: sched_switch:         swapper/0:0 [120] R ==> rcu_preempt:15 [120] Latency: 169.831 usecs
          <idle>-0     [000]   151.655602: sched_switch:         swapper/0:0 [120] R ==> rcu_preempt:15 [120] Latency: 419.811 usecs
          <idle>-0     [000]   151.663356: sched_switch:         swapper/0:0 [120] R ==> kworker/0:0:7 [120] Latency: 319.245 usecs
     kworker/0:0-7     [000]   151.663603: sched_switch:         kworker/0:0:7 [120] W ==> rcu_preempt:15 [120] Latency: 872.586 usecs
$ sonde report -w $GOLDEN/tour.dat | tail -n 8
=> __x64_sys_pselect6 (ffffffff82383465)
=> do_syscall_64 (ffffffff82a3dd7d)
=> entry_SYSCALL_64_after_hwframe (ffffffff82c00126)

Average wakeup latency: 456.789 usecs
Maximum Latency: 4225.700 usecs at timestamp: 151.693330
Minimum Latency: 126.365 usecs at timestamp: 151.735570
 (esc)
