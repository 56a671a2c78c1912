# report --profile: interrupts by CPU (-G), tasks by name (--by-comm), several buffers and files
# covers: P14 P15

$ ln -s $GOLDEN/*.dat .
$ sonde report --profile -G tour.dat | grep -E '^(CPU|task)|^  (running|irq:|softirq)'
CPU 0   92.39 ms idle
  running, the idle task                        20  92.39 ms  4.620 ms  21.09 ms  151.759933    466.4 us  151.735570
  softirq_entry:TIMER                           12  2.548 ms  212.4 us  598.1 us  151.663229    11.78 us  151.642621
  softirq_entry:SCHED                           28  1.217 ms  43.45 us  70.65 us  151.714988    13.31 us  151.702912
  softirq_entry:RCU                             11  453.7 us  41.24 us  254.3 us  151.630819    14.82 us  151.626929
  softirq_raise:SCHED until it runs             28  5.744 ms  205.1 us  2.273 ms  151.652906    5.961 us  151.702899
  softirq_raise:TIMER until it runs             12  3.035 ms  252.9 us  2.308 ms  151.652888    43.57 us  151.734590
  softirq_raise:RCU until it runs               11  1.389 ms  126.3 us  328.1 us  151.626914    42.90 us  151.630565
CPU 1
  irq:25 virtio0-requests                       22  596.7 us  27.12 us  98.38 us  151.613006    12.51 us  151.669832
  softirq_entry:RCU                             24  12.50 ms  520.8 us  3.009 ms  151.726810    12.67 us  151.643122
  softirq_entry:TIMER                            3  697.4 us  232.4 us  349.0 us  151.622989    14.18 us  151.631309
  softirq_entry:SCHED                            2  140.8 us  70.42 us  82.76 us  151.708020    58.07 us  151.646933
  softirq_raise:RCU until it runs               24  4.553 ms  189.7 us  1.737 ms  151.696294    6.246 us  151.643110
  softirq_raise:TIMER until it runs              3  342.8 us  114.3 us  156.2 us  151.614779    90.63 us  151.631295
  softirq_raise:SCHED until it runs              2  117.2 us  58.61 us  78.09 us  151.707938    39.12 us  151.646875
task: rcu_preempt-15   29.40 ms on a CPU
  running                                       21  29.40 ms  1.400 ms  5.835 ms  151.653039    123.6 us  151.663727
task: trace-cmd-233   17.54 ms on a CPU
  running                                        3  17.54 ms  5.847 ms  8.822 ms  151.693330    2.393 ms  151.696052
task: sleep-234   7.607 ms on a CPU
  running                                        1  7.607 ms  7.607 ms  7.607 ms  151.623042    7.607 ms  151.623042
task: kworker/0:0-7   246.9 us on a CPU
  running                                        1  246.9 us  246.9 us  246.9 us  151.663603    246.9 us  151.663603
task: kcompactd0-33   199.1 us on a CPU
  running                                        1  199.1 us  199.1 us  199.1 us  151.627232    199.1 us  151.627232

$ sonde report --profile --by-comm profile.dat | grep -E '^(group|task)'
group: ls, 1 task   663.2 ms on a CPU
group: sleep, 1 task   348.8 ms on a CPU
group: rcu_preempt, 1 task   168.6 ms on a CPU
group: trace-cmd, 3 tasks   86.61 ms on a CPU
group: ksoftirqd/0, 1 task   10.93 ms on a CPU
group: kcompactd0, 1 task   8.442 ms on a CPU
group: ksoftirqd/1, 1 task   4.312 ms on a CPU
group: kworker/0:0, 1 task   1.102 ms on a CPU
group: kworker/1:1, 1 task   494.7 us on a CPU
group: swapper/1, 1 task   584.2 ms idle
group: swapper/0, 1 task   311.1 ms idle
$ sonde report --profile --by-comm events-v7-none.dat | grep -E -A 3 '^group: sysloop'
group: sysloop, 1 task   7.855 ms on a CPU
  event                                      count     total       avg       max  at                 min  at
  running                                        1  7.855 ms  7.855 ms  7.855 ms  16.966041     7.855 ms  16.966041
  sched_wakeup until it runs                     1  114.3 us  114.3 us  114.3 us  16.958186     114.3 us  16.958186

# Each buffer, each file by itself
$ sonde report --profile instances-mono.dat | grep -E '^(profile|task)' | head -n 5
profile of instances-mono.dat, buffer two: 1.822 s from 76.743219 to 78.564859
task: ls-188
task: bash-187
task: ksoftirqd/1-21
task: dd-190
$ sonde report --profile tour.dat probes.dat | grep -E -B 1 '^(profile|task)' | grep -v '^  '
profile of tour.dat: 159.0 ms from 151.609943 to 151.768909
--

task: rcu_preempt-15   29.40 ms on a CPU
--

task: trace-cmd-233   17.54 ms on a CPU
--

task: sleep-234   7.607 ms on a CPU
--

task: kworker/0:0-7   246.9 us on a CPU
--

task: kcompactd0-33   199.1 us on a CPU
--

task: swapper/0-0   92.39 ms idle
--

profile of probes.dat: 9.607 s from 117.480356 to 127.087693
--

task: fib_pg-218
--

task: ls-219
--

task: dd-221
--

task: sync-222
--

task: sleep-223
