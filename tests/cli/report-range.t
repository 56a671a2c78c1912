# report shows a range of time: absolute, or counted from the first event
# covers: Q08

$ sonde report --from 151.6265 --to 151.62656 $GOLDEN/tour.dat
cpus=2
          <idle>-0     [000]   151.626545: funcgraph_exit:       + 51.938 us  |  }
          <idle>-0     [000]   151.626549: funcgraph_entry:                   |  __sysvec_apic_timer_interrupt() {
$ sonde report --from +16.5ms --to +16600us --cpu 0 $GOLDEN/tour.dat
cpus=2
          <idle>-0     [000]   151.626494: funcgraph_entry:      + 51.938 us  |  irq_enter_rcu();
$ sonde report --align-ts --to 0.00005 $GOLDEN/tour.dat
cpus=2
           sleep-234   [001]     0.000000: funcgraph_entry:      + 13.635 us  |  mutex_unlock();
           sleep-234   [001]     0.000036: funcgraph_entry:        4.846 us   |  __f_unlock_pos();
           sleep-234   [001]     0.000043: funcgraph_entry:                   |  syscall_exit_to_user_mode_prepare() {
           sleep-234   [001]     0.000046: sys_exit:             NR 1 = 1
$ sonde report --from +1parsec $GOLDEN/tour.dat
sonde: --from: 'parsec' is not a unit of time; use s, ms, us or ns
[2]
$ sonde report --to soon $GOLDEN/tour.dat
sonde: --to needs a time like 12.345678, +1.5s or +20ms, not 'soon'
[2]
$ sonde report --from 252455259205 --to 252455333855 $GOLDEN/clock-tsc.dat
cpus=2
          <idle>-0     [000]252455259205: sched_waking:         comm=rcu_preempt pid=15 prio=120 target_cpu=001
          <idle>-0     [000]252455333855: sched_stat_runtime:   comm=trace-cmd pid=197 runtime=3733725 [ns] vruntime=27654797784 [ns]
