# latency shows the time between two events, and in a function
# covers: Q26 E01

$ cp $GOLDEN/events-v7-zstd.dat $GOLDEN/fgraph-vfs.dat $GOLDEN/probes.dat .
$ sonde latency -e sched_waking -e sched_switch --by-field pid=next_pid --by comm --rows 4 --worst 3 events-v7-zstd.dat
from sched_waking to sched_switch where pid = next_pid
5397 measured, 5307 ends without a beginning, 2 began again before they ended

       duration             count
       16 - 32      us        178  ##
       32 - 64      us       1243  ###############
       64 - 128     us       3176  ########################################
      128 - 256     us        651  ########
      256 - 512     us        126  #
      512 - 1024    us         14  #
     1.02 - 2.05    ms          6  #
     2.05 - 4.10    ms          1  #
     4.10 - 8.19    ms          1  #
     8.19 - 16.38   ms          1  #

    count     min us     avg us     p50 us     p90 us     p95 us     p99 us   p99.9 us     max us
     5397     21.885    102.671     95.743    143.359    187.391    385.023   1343.487   8891.879

    count   total ms     avg us     p50 us     p99 us     max us  comm
     4639    445.334     95.997     94.719    337.919   2189.923  ls
      490     86.158    175.833    123.903   1269.759   8891.879  rcu_preempt
       86      7.736     89.956     69.631    489.847    489.847  bash
       31      4.337    139.913     97.791   1342.168   1342.168  trace-cmd
          and 11 more

the longest
             took us               from                 to     CPU  task and group
            8891.879        7.350674222        7.359566101     1>0  <idle>-0  rcu_preempt
            4255.022       10.658702332       10.662957354     1>0  trace-cmd-125  rcu_preempt
            2189.923        8.301761269        8.303951192     1>0  ksoftirqd/0-14  ls
$ sonde latency -i fgraph-vfs.dat -T vfs_read --worst 2
vfs_read, from entry to return
7 measured

       duration             count
       32 - 64      us          3  ########################################
       64 - 128     us          3  ########################################
      128 - 256     us          1  #############

    count     min us     avg us     p50 us     p90 us     p95 us     p99 us   p99.9 us     max us
        7     44.043     86.675     72.191    238.904    238.904    238.904    238.904    238.904

the longest
             took us               from                 to     CPU  task
             238.904       52.129630141       52.129869045       1  ls-168
              81.210       52.097749037       52.097830247       1  ls-168
$ sonde latency -T do_sys_openat2 probes.dat --worst 0
do_sys_openat2, from entry to return
198 measured

       duration             count
      128 - 256     us          4  ##
      256 - 512     us          4  ##
      512 - 1024    us         15  ########
     1.02 - 2.05    ms         36  ####################
     2.05 - 4.10    ms          2  #
     4.10 - 8.19    ms         54  ##############################
     8.19 - 16.38   ms         72  ########################################
    16.38 - 32.77   ms         11  ######

    count     min us     avg us     p50 us     p90 us     p95 us     p99 us   p99.9 us     max us
      198    205.068   7888.001   7897.087  14352.383  16777.215  24772.607  25743.250  25743.250
$ sonde latency -T myopen probes.dat --worst 0 --rows 3 --by file | tail -n 5
    count   total ms     avg us     p50 us     p99 us     max us  file
        4     47.033  11758.366  11796.479  15459.926  15459.926  /etc/group
        6     39.305   6550.887   1441.791  12984.722  12984.722  /lib/x86_64-linux-gnu/libc.so.6
        6     30.020   5003.485   3571.711  11175.955  11175.955  /etc/ld.so.cache
          and 177 more

# Steps instead of powers of two, nanoseconds, only some events.

$ sonde latency -e irq_handler_entry,irq_handler_exit --by-cpu --bucket-range 20 --min-latency 40 --max-latency 130 --worst 0 events-v7-zstd.dat
from irq_handler_entry to irq_handler_exit on the same CPU
4782 measured

       duration             count
        0 - 40      us       3268  ########################################
       40 - 60      us       1336  ################
       60 - 80      us        112  #
       80 - 100     us         52  #
      100 - 120     us          5  #
      120 - 130     us          3  #
      130 - ...     us          6  #

    count     min us     avg us     p50 us     p90 us     p95 us     p99 us   p99.9 us     max us
     4782      4.978     37.028     36.607     47.359     54.271     84.991    140.287    975.363
$ sonde latency -e sys_enter -f 'id == 0' -e sys_exit -n --worst 1 events-v7-zstd.dat
from sys_enter to sys_exit
44 measured, 7632 ends without a beginning

       duration             count
     8.19 - 16.38   us          1  ##
    16.38 - 32.77   us          4  ########
    32.77 - 65.54   us         12  #########################
    65.54 - 131.07  us          4  ########
   131.07 - 262.14  us         19  ########################################
   262.14 - 524.29  us          2  ####
   524.29 - 1048.58 us          2  ####

    count     min us     avg us     p50 us     p90 us     p95 us     p99 us   p99.9 us     max us
       44     12.698    172.110    192.511    240.639    503.807   1012.716   1012.716   1012.716

the longest
             took us               from                 to     CPU  task
            1012.716       10.508822589       10.509835305       1  dd-129
$ sonde latency -e sys_enter -e sys_exit -F 'sys_enter:id == 0' -n --worst 1 events-v7-zstd.dat | head -n 2
from sys_enter to sys_exit
44 measured, 7632 ends without a beginning
$ sonde latency -e sys_enter -e sys_exit --csv --by '$comm' --rows 1 events-v7-zstd.dat
count,total_ns,min_ns,avg_ns,max_ns,p50_ns,p90_ns,p95_ns,p99_ns,p99.9_ns,$comm
262,3277325051,1174,12508874,2921855046,23679,847871,1720319,98566143,2921855046,bash

# Where events were lost, what was under way is given up.

$ sonde latency -e sys_enter -e sys_exit --worst 0 $GOLDEN/lost-events.dat | head -n 3
from sys_enter to sys_exit
65898 measured, 4 did not end, 24 ends without a beginning, 21 not measured because events were lost
events were lost in 9 places

# A clock that counts no time.

$ sonde latency -e sched_waking,sched_switch --by-field pid=next_pid --worst 1 $GOLDEN/clock-tsc.dat | sed -n "1,8p"
from sched_waking to sched_switch where pid = next_pid
3208 measured, 3149 ends without a beginning, 3 began again before they ended

       duration                    count
         32000 - 64000                 1  #
         64000 - 128000              494  #############
        128000 - 256000             1447  ########################################
        256000 - 512000              875  ########################
