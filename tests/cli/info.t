# info tells what is in a trace: head, recording, buffers, events, tasks
# covers: T08

$ cp $GOLDEN/tour.dat $GOLDEN/lost-events.dat $GOLDEN/instances-mono.dat .
$ sonde info tour.dat
tour.dat
  size         28288 bytes (27.6 KiB)
  format       version 7, little endian, 64-bit, sub-buffers of 4096 bytes
  compression  zstd 1.5.4, 81920 bytes of events in 19509 (ratio 4.20)
  machine      Linux (none) 6.1.0-54-amd64 x86_64
  recorded by  trace-cmd 3.1.6 not-a-git-repo
  clock        local
  trace id     0xf31106f284d94c36
  describes    29 events of 5 systems, kernel symbols (8.3 KiB), 165 trace_printk formats, 104 task names
  recorded     tracepoints, function calls (tracer function_graph), kernel stacks
  time         151.609943 to 151.768909, 0.158966 seconds
  events       2222, 13978 per second, of 14 kinds, by 6 tasks
  lost         nothing; 13587 more were recorded and are not in this file (record -m, or a part of a trace)

  buffer (top), clock local
   CPU       events  per second            first             last        bytes    missed   overrun   dropped
     0          571        3592       151.626494       151.768909        24576         0         0         0
     1         1651       10386       151.609943       151.732952        57344         0         0         0
   all         2222       13978       151.609943       151.768909        81920         0         0         0

       events    share  per second        bytes  by kind
          790   35.6 %        4970        15800  ftrace:funcgraph_entry
          784   35.3 %        4932        31360  ftrace:funcgraph_exit
           94    4.2 %         591         3008  exceptions:page_fault_user
           80    3.6 %         503          960  irq:softirq_raise
           80    3.6 %         503          960  irq:softirq_exit
           80    3.6 %         503          960  irq:softirq_entry
           74    3.3 %         466         8608  ftrace:kernel_stack
           61    2.7 %         384         1464  raw_syscalls:sys_exit
           60    2.7 %         377         3840  raw_syscalls:sys_enter
           49    2.2 %         308         3136  sched:sched_switch
  and 4 more kinds (-a shows all)

       events    share  by task
         1620   72.9 %  sleep-234
          261   11.7 %  <idle>-0
          169    7.6 %  rcu_preempt-15
          116    5.2 %  trace-cmd-233
           39    1.8 %  kcompactd0-33
           17    0.8 %  kworker/0:0-7

# -n says how many kinds and tasks, -a shows all of them and counts the symbols
$ sonde info -n 1 tour.dat | tail -n 7
       events    share  per second        bytes  by kind
          790   35.6 %        4970        15800  ftrace:funcgraph_entry
  and 13 more kinds (-a shows all)

       events    share  by task
         1620   72.9 %  sleep-234
  and 5 more tasks (-a shows all)
$ sonde info -n 0 tour.dat | tail -n 1
   all         2222       13978       151.609943       151.768909        81920         0         0         0
$ sonde info -a tour.dat | grep -e describes -e more
  describes    29 events of 5 systems, 225 kernel symbols (8.3 KiB), 165 trace_printk formats, 104 task names
  lost         nothing; 13587 more were recorded and are not in this file (record -m, or a part of a trace)

# Losses: what sub-buffers say, and what the kernel counted
$ sonde info -n 2 lost-events.dat | sed -n '/  lost/p; /CPU/,$p'
  lost         6783 events at 9 places; the kernel counted 6783 overwritten, 0 nested too deep, 0 dropped
   CPU       events  per second            first             last        bytes    missed   overrun   dropped
     0        26011        2200       100.382769       112.204044      1347584      1851      1851         0
     1       128548       10872       100.380074       112.203661      6291456      4932      4932         0
   all       154559       13072       100.380074       112.204044      7639040      6783      6783         0

       events    share  per second        bytes  by kind
        65923   42.7 %        5575      4219072  raw_syscalls:sys_enter
        65922   42.7 %        5575      1582128  raw_syscalls:sys_exit
  and 12 more kinds (-a shows all)

       events    share  by task
       119107   77.1 %  sysloop-207
        15216    9.8 %  ls-208
  and 18 more tasks (-a shows all)

# Several files, and a buffer each for instances
$ sonde info -n 0 tour.dat instances-mono.dat | grep -e dat -e buffer
tour.dat
  format       version 7, little endian, 64-bit, sub-buffers of 4096 bytes
  buffer (top), clock local
instances-mono.dat
  format       version 7, little endian, 64-bit, sub-buffers of 4096 bytes
  buffer (top), clock local: empty
  buffer two, clock local
  buffer one, clock local

# The number of events is that of the report; a tally over all cores is that of one
$ sonde info --json lost-events.dat >two && SONDE_JOBS=1 sonde info --json lost-events.dat | cmp - two
$ sonde report lost-events.dat | grep -vc -e DROPPED -e cpus=
154559

# --fast looks only at the edges
$ sonde info --fast lost-events.dat | sed -n '/  time/,$p'
  time         100.380074 to 112.204044, 11.823970 seconds
  events       not counted: --fast
  lost         the kernel counted 6783 overwritten, 0 nested too deep, 0 dropped

  buffer (top), clock local
   CPU       events  per second            first             last        bytes    missed   overrun   dropped
     0            -           -       100.382769       112.204044      1347584         -      1851         0
     1            -           -       100.380074       112.203661      6291456         -      4932         0
   all            -           -       100.380074       112.204044      7639040         -      6783         0

# -i as in the other commands
$ sonde info -i $GOLDEN/made-instances-v7.dat --fast | sed -n '1s/.*golden.//p'
made-instances-v7.dat
