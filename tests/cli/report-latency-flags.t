# report -l shows the latency flags: interrupts off, need to reschedule, context, preemption depth
# covers: P08

$ sonde report -l $GOLDEN/tour.dat | head -n 30
cpus=2
   sleep-234     1...1.   151.609943: funcgraph_entry:      + 13.635 us  |  mutex_unlock();
   sleep-234     1...1.   151.609979: funcgraph_entry:        4.846 us   |  __f_unlock_pos();
   sleep-234     1...1.   151.609986: funcgraph_entry:                   |  syscall_exit_to_user_mode_prepare() {
   sleep-234     1.....   151.609989: sys_exit:             NR 1 = 1
   sleep-234     1.....   151.609995: funcgraph_exit:         7.848 us   |  }
   sleep-234     1d..1.   151.609997: funcgraph_entry:        3.302 us   |  exit_to_user_mode_prepare();
   sleep-234     1d....   151.610205: page_fault_user:      address=0x7fa48bcc40b0 ip=0x7fa48bcc40b0 error_code=0x14
   sleep-234     1...1.   151.610227: funcgraph_entry:                   |  lock_mm_and_find_vma() {
   sleep-234     1d..1.   151.610517: funcgraph_entry:        5.888 us   |  irq_enter_rcu();
   sleep-234     1d.h1.   151.610669: funcgraph_entry:                   |  __sysvec_apic_timer_interrupt() {
   sleep-234     1d.h..   151.610752: softirq_raise:        vec=9 [action=RCU]
   sleep-234     1d.h..   151.610850: funcgraph_exit:       ! 179.957 us |  }
   sleep-234     1d.h1.   151.610854: funcgraph_entry:                   |  irq_exit_rcu() {
   sleep-234     1..s..   151.610860: softirq_entry:        vec=9 [action=RCU]
   sleep-234     1..s..   151.610886: softirq_exit:         vec=9 [action=RCU]
   sleep-234     1d....   151.610891: funcgraph_exit:       + 37.440 us  |  }
   sleep-234     1.....   151.610900: funcgraph_exit:       ! 187.296 us |  }
   sleep-234     1...1.   151.610912: funcgraph_entry:      ! 145.773 us |  handle_mm_fault();
   sleep-234     1...1.   151.611060: funcgraph_entry:        2.115 us   |  up_read();
   sleep-234     1d..1.   151.611064: funcgraph_entry:        2.475 us   |  exit_to_user_mode_prepare();
   sleep-234     1...1.   151.611349: funcgraph_entry:                   |  syscall_trace_enter.constprop.0() {
   sleep-234     1.....   151.611353: sys_enter:            NR 59 (7ffcd16c8220, 7ffcd16c8650, 7ffcd16c8670, 7fa48bc96e70, 7ffcd16c9ef6, 55bc20c16200)
   sleep-234     1.....   151.611357: funcgraph_exit:         8.545 us   |  }
   sleep-234     1...1.   151.611359: funcgraph_entry:                   |  x64_sys_call() {
   sleep-234     1d.h1.   151.612908: irq_handler_entry:    irq=25 name=virtio0-requests
   sleep-234     1d.h1.   151.613006: irq_handler_exit:     irq=25 ret=handled
   sleep-234     1.....   151.613732: funcgraph_exit:       # 2371.005 us |  }
   sleep-234     1...1.   151.613739: funcgraph_entry:                   |  syscall_exit_to_user_mode_prepare() {
   sleep-234     1.....   151.613743: sys_exit:             NR 59 = -2
