# report -R shows the fields as they are, -r only those of matching events
# covers: P07

$ sonde report -R $GOLDEN/tour.dat | head -n 30
cpus=2
           sleep-234   [001]   151.609943: funcgraph_entry:       func=mutex_unlock depth=0
           sleep-234   [001]   151.609960: funcgraph_exit:        func=mutex_unlock depth=0 overrun=0 calltime=234ca81a0a rettime=234ca84f4d
           sleep-234   [001]   151.609979: funcgraph_entry:       func=__f_unlock_pos depth=0
           sleep-234   [001]   151.609983: funcgraph_exit:        func=__f_unlock_pos depth=0 overrun=0 calltime=234ca8aa60 rettime=234ca8bd4e
           sleep-234   [001]   151.609986: funcgraph_entry:       func=syscall_exit_to_user_mode_prepare depth=0
           sleep-234   [001]   151.609989: sys_exit:              id=1 ret=1
           sleep-234   [001]   151.609995: funcgraph_exit:        func=syscall_exit_to_user_mode_prepare depth=0 overrun=0 calltime=234ca8ca69 rettime=234ca8e911
           sleep-234   [001]   151.609997: funcgraph_entry:       func=exit_to_user_mode_prepare depth=0
           sleep-234   [001]   151.610000: funcgraph_exit:        func=exit_to_user_mode_prepare depth=0 overrun=0 calltime=234ca8f34c rettime=234ca90032
           sleep-234   [001]   151.610205: page_fault_user:       address=0x7fa48bcc40b0 ip=0x7fa48bcc40b0 error_code=0x14
           sleep-234   [001]   151.610227: funcgraph_entry:       func=lock_mm_and_find_vma depth=0
           sleep-234   [001]   151.610517: funcgraph_entry:       func=irq_enter_rcu depth=0
           sleep-234   [001]   151.610588: funcgraph_exit:        func=irq_enter_rcu depth=0 overrun=0 calltime=234cb0ddbd rettime=234cb0f4bd
           sleep-234   [001]   151.610669: funcgraph_entry:       func=__sysvec_apic_timer_interrupt depth=0
           sleep-234   [001]   151.610752: softirq_raise:         vec=9
           sleep-234   [001]   151.610850: funcgraph_exit:        func=__sysvec_apic_timer_interrupt depth=0 overrun=0 calltime=234cb3370f rettime=234cb5f604
           sleep-234   [001]   151.610854: funcgraph_entry:       func=irq_exit_rcu depth=0
           sleep-234   [001]   151.610860: softirq_entry:         vec=9
           sleep-234   [001]   151.610886: softirq_exit:          vec=9
           sleep-234   [001]   151.610891: funcgraph_exit:        func=irq_exit_rcu depth=0 overrun=0 calltime=234cb60676 rettime=234cb698b6
           sleep-234   [001]   151.610900: funcgraph_exit:        func=lock_mm_and_find_vma depth=0 overrun=0 calltime=234cac6787 rettime=234caf4327
           sleep-234   [001]   151.610912: funcgraph_entry:       func=handle_mm_fault depth=0
           sleep-234   [001]   151.611057: funcgraph_exit:        func=handle_mm_fault depth=0 overrun=0 calltime=234cb6e4e2 rettime=234cb91e4f
           sleep-234   [001]   151.611060: funcgraph_entry:       func=up_read depth=0
           sleep-234   [001]   151.611062: funcgraph_exit:        func=up_read depth=0 overrun=0 calltime=234cb92bb5 rettime=234cb933f8
           sleep-234   [001]   151.611064: funcgraph_entry:       func=exit_to_user_mode_prepare depth=0
           sleep-234   [001]   151.611067: funcgraph_exit:        func=exit_to_user_mode_prepare depth=0 overrun=0 calltime=234cb93e36 rettime=234cb947e1
           sleep-234   [001]   151.611349: funcgraph_entry:       func=syscall_trace_enter.constprop.0 depth=0
           sleep-234   [001]   151.611353: sys_enter:             id=59 args=ARRAY[20, 82, 6c, d1, fc, 7f, 00, 00, 50, 86, 6c, d1, fc, 7f, 00, 00, 70, 86, 6c, d1, fc, 7f, 00, 00, 70, 6e, c9, 8b, a4, 7f, 00, 00, f6, 9e, 6c, d1, fc, 7f, 00, 00, 00, 62, c1, 20, bc, 55, 00, 00]

$ sonde report -r sys_enter $GOLDEN/tour.dat | grep -m 4 -E 'sys_e|sched_switch'
           sleep-234   [001]   151.609989: sys_exit:             NR 1 = 1
           sleep-234   [001]   151.611353: sys_enter:             id=59 args=ARRAY[20, 82, 6c, d1, fc, 7f, 00, 00, 50, 86, 6c, d1, fc, 7f, 00, 00, 70, 86, 6c, d1, fc, 7f, 00, 00, 70, 6e, c9, 8b, a4, 7f, 00, 00, f6, 9e, 6c, d1, fc, 7f, 00, 00, 00, 62, c1, 20, bc, 55, 00, 00]
           sleep-234   [001]   151.613743: sys_exit:             NR 59 = -2
           sleep-234   [001]   151.613841: sys_enter:             id=59 args=ARRAY[20, 82, 6c, d1, fc, 7f, 00, 00, 50, 86, 6c, d1, fc, 7f, 00, 00, 70, 86, 6c, d1, fc, 7f, 00, 00, 70, 6e, c9, 8b, a4, 7f, 00, 00, 05, 9f, 6c, d1, fc, 7f, 00, 00, 00, 62, c1, 20, bc, 55, 00, 00]
