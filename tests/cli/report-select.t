# report selects by CPU, process and name, and leaves out interrupt context
# covers: P12 P13 P16 P17 P18 X38 Q05

$ sonde report --cpu 0 $GOLDEN/tour.dat | head -n 4
cpus=2
          <idle>-0     [000]   151.626494: funcgraph_entry:      + 51.938 us  |  irq_enter_rcu();
          <idle>-0     [000]   151.626549: funcgraph_entry:                   |  __sysvec_apic_timer_interrupt() {
          <idle>-0     [000]   151.626575: softirq_raise:        vec=1 [action=TIMER]
$ sonde report --cpu 0,1-3 $GOLDEN/tour.dat | wc -l
2574
$ sonde report --pid 15 $GOLDEN/tour.dat | head -n 4
cpus=2
           sleep-234   [001]   151.614876: sched_wakeup:         rcu_preempt:15 [120] CPU:001
           sleep-234   [001]   151.615101: kernel_stack:         <stack trace >
=> trace_event_raw_event_sched_wakeup_template (ffffffff820d9aff)
$ sonde report --comm rcu_preempt $GOLDEN/tour.dat | head -n 4
cpus=2
           sleep-234   [001]   151.614876: sched_wakeup:         rcu_preempt:15 [120] CPU:001
           sleep-234   [001]   151.615101: kernel_stack:         <stack trace >
=> trace_event_raw_event_sched_wakeup_template (ffffffff820d9aff)
$ sonde report $GOLDEN/tour.dat | wc -l
2574
$ sonde report -I $GOLDEN/tour.dat | wc -l
2175
$ sonde report -S $GOLDEN/tour.dat | wc -l
2137
$ sonde report -I -S $GOLDEN/tour.dat | wc -l
1744
