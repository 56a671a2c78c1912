# report shows times in nanoseconds, as differences, from zero, or as they were recorded
# covers: P06 P09

$ sonde report -t $GOLDEN/tour.dat | head -n 4
cpus=2
           sleep-234   [001]   151.609943181: funcgraph_entry:      + 13.635 us  |  mutex_unlock();
           sleep-234   [001]   151.609978914: funcgraph_entry:        4.846 us   |  __f_unlock_pos();
           sleep-234   [001]   151.609986352: funcgraph_entry:                   |  syscall_exit_to_user_mode_prepare() {

$ sonde report --ts-diff $GOLDEN/tour.dat | head -n 6
cpus=2
           sleep-234   [001]   151.609943:          funcgraph_entry:      + 13.635 us  |  mutex_unlock();
           sleep-234   [001]   151.609979: (+36)    funcgraph_entry:        4.846 us   |  __f_unlock_pos();
           sleep-234   [001]   151.609986: (+7)     funcgraph_entry:                   |  syscall_exit_to_user_mode_prepare() {
           sleep-234   [001]   151.609989: (+3)     sys_exit:             NR 1 = 1
           sleep-234   [001]   151.609995: (+6)     funcgraph_exit:         7.848 us   |  }

$ sonde report --align-ts $GOLDEN/tour.dat | head -n 4
cpus=2
           sleep-234   [001]     0.000000: funcgraph_entry:      + 13.635 us  |  mutex_unlock();
           sleep-234   [001]     0.000036: funcgraph_entry:        4.846 us   |  __f_unlock_pos();
           sleep-234   [001]     0.000043: funcgraph_entry:                   |  syscall_exit_to_user_mode_prepare() {

$ sonde report --raw-ts $GOLDEN/tour.dat | head -n 4
cpus=2
           sleep-234   [001]151609943181: funcgraph_entry:      + 13.635 us  |  mutex_unlock();
           sleep-234   [001]151609978914: funcgraph_entry:        4.846 us   |  __f_unlock_pos();
           sleep-234   [001]151609986352: funcgraph_entry:                   |  syscall_exit_to_user_mode_prepare() {

$ sonde report $GOLDEN/made-clock-tsc2nsec-v7.dat | head -n 3
cpus=2
          <idle>-0     [000]     1.250000: tick:                 count=0 func=0x0 comm= big=0 small=0 name=
          <idle>-0     [001]     1.251543: tick:                 count=1 func=0x0 comm= big=0 small=0 name=
$ sonde report --raw-ts $GOLDEN/made-clock-tsc2nsec-v7.dat | head -n 3
cpus=2
          <idle>-0     [000]  1000000000: tick:                 count=0 func=0x0 comm= big=0 small=0 name=
          <idle>-0     [001]  1001234567: tick:                 count=1 func=0x0 comm= big=0 small=0 name=

# A clock that does not count nanoseconds is shown as the number it is.
$ sonde report $GOLDEN/made-clock-counter-v7.dat | head -n 3
cpus=2
          <idle>-0     [000]  1000000000: tick:                 count=0 func=0x0 comm= big=0 small=0 name=
          <idle>-0     [001]  1001234567: tick:                 count=1 func=0x0 comm= big=0 small=0 name=
