# report -F keeps what a filter matches, -v turns it around
# covers: P10 P11

$ sonde report -F 'sched_switch' $GOLDEN/tour.dat | head -n 4
cpus=2
           sleep-234   [001]   151.615155: sched_switch:         trace-cmd:234 [120] R ==> rcu_preempt:15 [120]
           sleep-234   [001]   151.615259: kernel_stack:         <stack trace >
=> trace_event_raw_event_sched_switch (ffffffff820dbda6)

$ sonde report -F 'sched/sched_switch:prev_state != 0 && next_pid == 15' $GOLDEN/tour.dat | head -n 4
cpus=2
           sleep-234   [001]   151.615155: sched_switch:         trace-cmd:234 [120] R ==> rcu_preempt:15 [120]
           sleep-234   [001]   151.615259: kernel_stack:         <stack trace >
=> trace_event_raw_event_sched_switch (ffffffff820dbda6)

$ sonde report -F '.*:COMM != "sleep"' $GOLDEN/tour.dat | head -n 4
cpus=2
     rcu_preempt-15    [001]   151.615279: funcgraph_entry:        6.454 us   |  finish_task_switch.isra.0();
     rcu_preempt-15    [001]   151.615290: funcgraph_entry:        7.698 us   |  __timer_delete_sync();
     rcu_preempt-15    [001]   151.615301: funcgraph_entry:        3.506 us   |  prepare_to_swait_event();

$ sonde report -F 'sys_enter: id >= 9 && !(id == 12 || id & 1)' $GOLDEN/tour.dat | head -n 4
cpus=2
           sleep-234   [001]   151.658085: sys_enter:            NR 262 (3, 7f75cb16dc99, 7ffd1ca00d70, 1000, 0, 555f8b70f967)
           sleep-234   [001]   151.661477: sys_enter:            NR 262 (3, 7f75cb16dc99, 7ffd1ca00d70, 1000, 7f75cb142140, 7f75cb1782e0)
           sleep-234   [001]   151.670124: sys_enter:            NR 262 (3, 7f75cb16dc99, 7ffd1ca00d50, 1000, 7f75cb142680, 7f75cb1782e0)

$ sonde report -F 'sched_wakeup: comm =~ "rcu.*"' $GOLDEN/tour.dat | head -n 4
cpus=2
           sleep-234   [001]   151.614876: sched_wakeup:         rcu_preempt:15 [120] CPU:001
           sleep-234   [001]   151.615101: kernel_stack:         <stack trace >
=> trace_event_raw_event_sched_wakeup_template (ffffffff820d9aff)

$ sonde report -v -F 'funcgraph.*,kernel_stack,softirq.*,page.*' $GOLDEN/tour.dat | head -n 6
cpus=2
           sleep-234   [001]   151.609989: sys_exit:             NR 1 = 1
           sleep-234   [001]   151.611353: sys_enter:            NR 59 (7ffcd16c8220, 7ffcd16c8650, 7ffcd16c8670, 7fa48bc96e70, 7ffcd16c9ef6, 55bc20c16200)
           sleep-234   [001]   151.612908: irq_handler_entry:    irq=25 name=virtio0-requests
           sleep-234   [001]   151.613006: irq_handler_exit:     irq=25 ret=handled
           sleep-234   [001]   151.613743: sys_exit:             NR 59 = -2

# A field that an event does not have makes the filter false.
$ sonde report -F 'sched_switch: nosuchfield == 1' $GOLDEN/tour.dat
sonde: sched_switch has no field 'nosuchfield', which the filter tests
cpus=2
