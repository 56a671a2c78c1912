# report indents traced functions by their callers
# covers: T08 X35

$ sonde report $GOLDEN/function-all.dat | head -n 20
cpus=2
          <idle>-0     [000]   182.566696: function:             irq_enter_rcu
          <idle>-0     [000]   182.566712: function:             tick_irq_enter
          <idle>-0     [000]   182.566714: function:                tick_check_oneshot_broadcast_this_cpu
          <idle>-0     [000]   182.566716: function:                ktime_get
          <idle>-0     [000]   182.566719: function:                nr_iowait_cpu
          <idle>-0     [000]   182.566721: function:                tick_do_update_jiffies64
          <idle>-0     [000]   182.566725: function:             __sysvec_call_function_single
          <idle>-0     [000]   182.566739: function:                generic_smp_call_function_single_interrupt
          <idle>-0     [000]   182.566741: function:                __flush_smp_call_function_queue
          <idle>-0     [000]   182.566746: function:                   nohz_csd_func
          <idle>-0     [000]   182.566749: function:                   __raise_softirq_irqoff
          <idle>-0     [000]   182.566753: function:             irq_exit_rcu
          <idle>-0     [000]   182.566755: function:             handle_softirqs
          <idle>-0     [000]   182.566758: function:                run_rebalance_domains
          <idle>-0     [000]   182.566760: function:                _nohz_idle_balance.isra.0
          <idle>-0     [000]   182.566764: function:                   idle_cpu
          <idle>-0     [000]   182.566766: function:                   idle_cpu
          <idle>-0     [000]   182.566769: function:             raw_spin_rq_lock_nested
          <idle>-0     [000]   182.566770: function:                _raw_spin_lock

$ sonde report $GOLDEN/function-filtered.dat | sed -n 396,406p
              ls-159   [000]    30.369700: sched_switch:         ls:159 [120] D ==> swapper/0:0 [120]
     rcu_preempt-15    [001]    30.369744: sched_switch:         rcu_preempt:15 [120] W ==> swapper/1:0 [120]
          <idle>-0     [000]    30.369977: sched_switch:         swapper/0:0 [120] R ==> ls:159 [120]
              ls-159   [000]    30.370162: function:             vfs_fstatat
              ls-159   [000]    30.370196: function:                vfs_statx
              ls-159   [000]    30.370229: function:                   vfs_getattr_nosec
              ls-159   [000]    30.371354: function:             vfs_statx
              ls-159   [000]    30.371383: function:                vfs_getattr_nosec
              ls-159   [000]    30.372848: function:             vfs_fstatat
              ls-159   [000]    30.372937: function:                vfs_statx
              ls-159   [000]    30.372959: function:                   vfs_getattr_nosec
