# report prints one line per event, in order of time, with call graph and stacks
# covers: T08 P01 X36 X37

$ sonde report -i $GOLDEN/tour.dat | head -n 62
cpus=2
           sleep-234   [001]   151.609943: funcgraph_entry:      + 13.635 us  |  mutex_unlock();
           sleep-234   [001]   151.609979: funcgraph_entry:        4.846 us   |  __f_unlock_pos();
           sleep-234   [001]   151.609986: funcgraph_entry:                   |  syscall_exit_to_user_mode_prepare() {
           sleep-234   [001]   151.609989: sys_exit:             NR 1 = 1
           sleep-234   [001]   151.609995: funcgraph_exit:         7.848 us   |  }
           sleep-234   [001]   151.609997: funcgraph_entry:        3.302 us   |  exit_to_user_mode_prepare();
           sleep-234   [001]   151.610205: page_fault_user:      address=0x7fa48bcc40b0 ip=0x7fa48bcc40b0 error_code=0x14
           sleep-234   [001]   151.610227: funcgraph_entry:                   |  lock_mm_and_find_vma() {
           sleep-234   [001]   151.610517: funcgraph_entry:        5.888 us   |  irq_enter_rcu();
           sleep-234   [001]   151.610669: funcgraph_entry:                   |  __sysvec_apic_timer_interrupt() {
           sleep-234   [001]   151.610752: softirq_raise:        vec=9 [action=RCU]
           sleep-234   [001]   151.610850: funcgraph_exit:       ! 179.957 us |  }
           sleep-234   [001]   151.610854: funcgraph_entry:                   |  irq_exit_rcu() {
           sleep-234   [001]   151.610860: softirq_entry:        vec=9 [action=RCU]
           sleep-234   [001]   151.610886: softirq_exit:         vec=9 [action=RCU]
           sleep-234   [001]   151.610891: funcgraph_exit:       + 37.440 us  |  }
           sleep-234   [001]   151.610900: funcgraph_exit:       ! 187.296 us |  }
           sleep-234   [001]   151.610912: funcgraph_entry:      ! 145.773 us |  handle_mm_fault();
           sleep-234   [001]   151.611060: funcgraph_entry:        2.115 us   |  up_read();
           sleep-234   [001]   151.611064: funcgraph_entry:        2.475 us   |  exit_to_user_mode_prepare();
           sleep-234   [001]   151.611349: funcgraph_entry:                   |  syscall_trace_enter.constprop.0() {
           sleep-234   [001]   151.611353: sys_enter:            NR 59 (7ffcd16c8220, 7ffcd16c8650, 7ffcd16c8670, 7fa48bc96e70, 7ffcd16c9ef6, 55bc20c16200)
           sleep-234   [001]   151.611357: funcgraph_exit:         8.545 us   |  }
           sleep-234   [001]   151.611359: funcgraph_entry:                   |  x64_sys_call() {
           sleep-234   [001]   151.612908: irq_handler_entry:    irq=25 name=virtio0-requests
           sleep-234   [001]   151.613006: irq_handler_exit:     irq=25 ret=handled
           sleep-234   [001]   151.613732: funcgraph_exit:       # 2371.005 us |  }
           sleep-234   [001]   151.613739: funcgraph_entry:                   |  syscall_exit_to_user_mode_prepare() {
           sleep-234   [001]   151.613743: sys_exit:             NR 59 = -2
           sleep-234   [001]   151.613746: funcgraph_exit:         7.447 us   |  }
           sleep-234   [001]   151.613747: funcgraph_entry:      + 23.868 us  |  exit_to_user_mode_prepare();
           sleep-234   [001]   151.613839: funcgraph_entry:                   |  syscall_trace_enter.constprop.0() {
           sleep-234   [001]   151.613841: sys_enter:            NR 59 (7ffcd16c8220, 7ffcd16c8650, 7ffcd16c8670, 7fa48bc96e70, 7ffcd16c9f05, 55bc20c16200)
           sleep-234   [001]   151.613843: funcgraph_exit:         4.533 us   |  }
           sleep-234   [001]   151.613844: funcgraph_entry:                   |  x64_sys_call() {
           sleep-234   [001]   151.614623: softirq_raise:        vec=1 [action=TIMER]
           sleep-234   [001]   151.614743: irq_handler_entry:    irq=25 name=virtio0-requests
           sleep-234   [001]   151.614764: irq_handler_exit:     irq=25 ret=handled
           sleep-234   [001]   151.614779: softirq_entry:        vec=1 [action=TIMER]
           sleep-234   [001]   151.614876: sched_wakeup:         rcu_preempt:15 [120] CPU:001
           sleep-234   [001]   151.615101: kernel_stack:         <stack trace >
=> trace_event_raw_event_sched_wakeup_template (ffffffff820d9aff)
=> __traceiter_sched_wakeup (ffffffff820d7b49)
=> ttwu_do_wakeup (ffffffff820df706)
=> try_to_wake_up (ffffffff820e1738)
=> call_timer_fn (ffffffff82153837)
=> __run_timers (ffffffff82153b62)
=> run_timer_softirq (ffffffff82153c19)
=> handle_softirqs (ffffffff820a8ea7)
=> __irq_exit_rcu (ffffffff820a90fc)
=> sysvec_apic_timer_interrupt (ffffffff82a41bbe)
=> asm_sysvec_apic_timer_interrupt (ffffffff82c00f06)
=> _raw_spin_unlock_irqrestore (ffffffff82a54519)
=> p9_virtio_request (ffffffffc061674d)
=> p9_client_rpc (ffffffffc0624c62)
=> p9_client_walk (ffffffffc0626fa3)
=> v9fs_vfs_lookup (ffffffffc063e00b)
=> v9fs_vfs_atomic_open_dotl (ffffffffc063f7a6)
=> path_openat (ffffffff82379e3a)
=> do_filp_open (ffffffff8237b3cf)
=> do_open_execat (ffffffff8236e6f2)

$ sonde report $GOLDEN/tour.dat | wc -l
2574

# The file can also be named without -i, or be trace.dat in the current directory.
$ sonde report -i $GOLDEN/tour.dat >with
> sonde report $GOLDEN/tour.dat >without
> cp $GOLDEN/tour.dat trace.dat && sonde report >default
> cmp with without && cmp with default
