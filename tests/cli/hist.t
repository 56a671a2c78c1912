# hist shows call chains by how often they occur
# covers: T11

$ cp $GOLDEN/tour.dat . && sonde hist tour.dat | head -n 40
  %11.58  (234) trace-cmd      exit_to_user_mode_prepare #158
         |
         --- exit_to_user_mode_prepare

  %6.89  (234) trace-cmd                        up_read #94
         |
         --- up_read

  %6.89  (234) trace-cmd                handle_mm_fault #94
         |
         --- handle_mm_fault

  %6.89  (234) trace-cmd                page_fault_user #94
         |
         --- *page_fault_user*

  %6.89  (234) trace-cmd           lock_mm_and_find_vma #94
         |
         --- lock_mm_and_find_vma

  %3.89  (234) trace-cmd                       sys_exit #53
         |
         --- *sys_exit*
          syscall_exit_to_user_mode_prepare

  %3.89  (234) trace-cmd syscall_exit_to_user_mode_prepare #53
         |
         --- syscall_exit_to_user_mode_prepare

  %3.81  (234) trace-cmd                   x64_sys_call #52
         |
         --- x64_sys_call

  %3.81  (234) trace-cmd                      sys_enter #52
         |
         --- *sys_enter*
          syscall_trace_enter.constprop.0

  %3.81  (234) trace-cmd syscall_trace_enter.constprop.0 #52
         |
$ sonde hist -P -i tour.dat | sed -n '/kernel_stack\|sched_wakeup /,/^$/p'
  %1.83 <all pids>                   sched_wakeup #25
         |
         --- *sched_wakeup*
            |
            |--%100.00-- trace_event_raw_event_sched_wakeup_template  # 25
                       __traceiter_sched_wakeup
                       ttwu_do_wakeup
                         |
                         |--%52.00-- sched_ttwu_pending  # 13
                         |          __sysvec_call_function_single
                         |          sysvec_call_function_single
                         |          asm_sysvec_call_function_single
                         |          native_safe_halt
                         |          amd_e400_idle
                         |          default_idle_call
                         |          do_idle
                         |          cpu_startup_entry
                         |          rest_init
                         |          arch_call_rest_init
                         |          start_kernel
                         |          secondary_startup_64_no_verify
                         |
                         |--%48.00-- try_to_wake_up  # 12
                                      |
                                      |--%83.33-- call_timer_fn  # 10
                                      |          __run_timers
                                      |          run_timer_softirq
                                      |          handle_softirqs
                                      |          __irq_exit_rcu
                                      |          sysvec_apic_timer_interrupt
                                      |          asm_sysvec_apic_timer_interrupt
                                      |            |
                                      |            |--%70.00-- native_safe_halt  # 7
                                      |            |          amd_e400_idle
                                      |            |          default_idle_call
                                      |            |          do_idle
                                      |            |          cpu_startup_entry
                                      |            |          rest_init
                                      |            |          arch_call_rest_init
                                      |            |          start_kernel
                                      |            |          secondary_startup_64_no_verify
                                      |            |
                                      |            |--%20.00-- _raw_spin_unlock_irqrestore  # 2
                                      |            |            |
                                      |            |            |--%50.00-- p9_virtio_request  # 1
                                      |            |            |          p9_client_rpc
                                      |            |            |          p9_client_walk
                                      |            |            |          v9fs_vfs_lookup
                                      |            |            |          v9fs_vfs_atomic_open_dotl
                                      |            |            |          path_openat
                                      |            |            |          do_filp_open
                                      |            |            |          do_open_execat
                                      |            |            |          bprm_execve
                                      |            |            |          do_execveat_common.isra.0
                                      |            |            |          __x64_sys_execve
                                      |            |            |          do_syscall_64
                                      |            |            |          entry_SYSCALL_64_after_hwframe
                                      |            |            |
                                      |            |            |--%50.00-- poll_freewait  # 1
                                      |            |                       do_select
                                      |            |                       core_sys_select
                                      |            |                       do_pselect.constprop.0
                                      |            |                       __x64_sys_pselect6
                                      |            |                       do_syscall_64
                                      |            |                       entry_SYSCALL_64_after_hwframe
                                      |            |
                                      |            |--%10.00-- unmap_page_range  # 1
                                      |                       unmap_vmas
                                      |                       exit_mmap
                                      |                       __mmput
                                      |                       begin_new_exec
                                      |                       load_elf_binary
                                      |                       bprm_execve
                                      |                       do_execveat_common.isra.0
                                      |                       __x64_sys_execve
                                      |                       do_syscall_64
                                      |                       entry_SYSCALL_64_after_hwframe
                                      |
                                      |--%8.33-- __queue_work  # 1
                                      |          call_timer_fn
                                      |          __run_timers
                                      |          handle_softirqs
                                      |          __irq_exit_rcu
                                      |          sysvec_apic_timer_interrupt
                                      |          asm_sysvec_apic_timer_interrupt
                                      |          native_safe_halt
                                      |          amd_e400_idle
                                      |          default_idle_call
                                      |          do_idle
                                      |          cpu_startup_entry
                                      |          rest_init
                                      |          arch_call_rest_init
                                      |          start_kernel
                                      |          secondary_startup_64_no_verify
                                      |
                                      |--%8.33-- swake_up_one  # 1
                                                 rcu_core
                                                 handle_softirqs
                                                 __irq_exit_rcu
                                                 sysvec_apic_timer_interrupt
                                                 asm_sysvec_apic_timer_interrupt
                                                 native_safe_halt
                                                 amd_e400_idle
                                                 default_idle_call
                                                 do_idle
                                                 cpu_startup_entry
                                                 rest_init
                                                 arch_call_rest_init
                                                 start_kernel
                                                 secondary_startup_64_no_verify
 (esc)

# A histogram for each buffer of a trace with instances
$ sonde hist $GOLDEN/instances-mono.dat | grep -A 4 Buffer
Buffer: two

  %21.07  (0) <idle>               irq_handler_exit #2008
         |
         --- *irq_handler_exit*
--
Buffer: one

  %49.35  (0) <idle>                   sched_switch #2287
         |
         --- *sched_switch*

# A function without a symbol is shown by its address; events that no format describes by their id
$ cat >make <<'END'
> import tracedat as td
> t = td.Trace()
> tick = t.event("demo", "tick", ["int count"], '"%d", REC->count')
> function = t.ftrace("function")
> t.kallsyms = "0000000000001000 T one\n0000000000002000 T two\n0000000000003000 T end\n"
> cpu = t.top.cpu(0)
> cpu.add(1000, function(pid=7, ip=0x1004, parent_ip=0x5000))
> cpu.add(1010, function(pid=7, ip=0x2004, parent_ip=0x1010))
> cpu.add(1020, t.num("HBBi", 4242, 0, 0, 7))
> t.write("addresses.dat")
> END
$ python3 make && sonde hist addresses.dat
  %50.00  (7) <...>             unknown event 4242 #1
         |
         --- *unknown event 4242*
          two
          one
          0x5000

  %50.00  (7) <...>                            two #1
         |
         --- two
          one
          0x5000
