# count shows how often events came, by any key
# covers: D21 X33

$ cp $GOLDEN/events-v7-zstd.dat $GOLDEN/probes.dat $GOLDEN/lost-events.dat .
$ sonde count -e sched_switch --by 'prev_comm,$cpu' --rows 5 events-v7-zstd.dat
     count  prev_comm    $cpu
      3681  swapper/0    0     ########################################
      3467  ls           0     #####################################
      1612  swapper/1    1     #################
      1175  ls           1     ############
       314  rcu_preempt  1     ###
            and 18 more
     10704  in 23 rows
$ sonde count -e sched -e irq_handler_entry -i events-v7-zstd.dat
     count  $event
     10704  sched_switch                 ########################################
      5932  sched_stat_runtime           ######################
      5399  sched_wakeup                 ####################
      5399  sched_waking                 ####################
      4782  irq_handler_entry            #################
        27  sched_migrate_task           #
        20  sched_wake_idle_without_ipi  #
        10  sched_process_wait           #
         6  sched_process_exec           #
         6  sched_process_exit           #
         5  sched_process_fork           #
         5  sched_wakeup_new             #
         4  sched_process_free           #
     32299  in 13 rows

# Names of values are those that the event itself prints; several probes feed one table.

$ sonde count -e softirq_entry --by vec events-v7-zstd.dat
     count  vec
      1492  SCHED  ########################################
      1486  RCU    #######################################
       463  TIMER  ############
      3441  in 3 rows
$ sonde count -e myopen,myopenret --by '$comm,ret' --rows 6 probes.dat
     count  $event     $comm   ret
       180  myopen     ls      -    ########################################
       175  myopenret  ls      3    ######################################
         9  myopen     fib_pg  -    ##
         8  myopenret  fib_pg  3    #
         5  myopen     dd      -    #
         5  myopenret  dd      3    #
            and 6 more
       396  in 12 rows
$ sonde count -e myopen --by file --rows 3 probes.dat
     count  file
         6  /etc/ld.so.cache                 ########################################
         6  /lib/x86_64-linux-gnu/libc.so.6  ########################################
         4  /etc/group                       ##########################
            and 177 more
       198  in 180 rows
$ sonde count -e sched_switch -f 'next_pid == 12345' --csv events-v7-zstd.dat
count
0
$ sonde count -e sched_switch -f 'next_pid == 12345' --sum next_pid --csv events-v7-zstd.dat
count,sum,min,max
0,0,,
$ sonde count -e sched_switch -f 'next_pid == 0' --by next_comm,next_pid --csv events-v7-zstd.dat
count,next_comm,next_pid
3681,swapper/0,0
1612,swapper/1,0
$ sonde count -e sched_switch -F 'sched_switch:prev_state == 2' --by prev_comm --json events-v7-zstd.dat
{"by":"sonde","rows":[{"prev_comm":"ls","count":4639},{"prev_comm":"bash","count":81},{"prev_comm":"dd","count":11},{"prev_comm":"sleep","count":11},{"prev_comm":"sync","count":11},{"prev_comm":"trace-cmd","count":11}],"total":4764,"gaps":0,"dropped":0}
$ sonde count -e sys_enter --by '$comm' lost-events.dat
     count  $comm
     61104  sysloop    ########################################
      4086  ls         ##
       542  trace-cmd  #
       101  dd         #
        45  sleep      #
        45  sync       #
     65923  in 6 rows
events were lost in 9 places
$ sonde count --how bpf -F 'sched_switch:prev_state == 2' -e sched_switch true
sonde: this cannot be counted by bpf: -F is for the program; what the kernel is to filter follows -f
[1]

# a number is shown as the event's own line shows it: letters, names of bits, the place in a function, a device
$ sonde count -e sched_switch --by prev_state events-v7-zstd.dat
     count  prev_state
      5298  R           ########################################
      4764  D           ###################################
       503  I           ###
       129  S           #
         6  Z           #
         4  R+          #
     10704  in 6 rows
$ cp $GOLDEN/all-events.dat .
$ sonde count -e kmalloc --by call_site,gfp_flags --rows 2 --csv all-events.dat
count,call_site,gfp_flags
171,p9pdu_readf+0x7c9,GFP_NOFS
162,tracing_buffers_splice_read+0x233,GFP_KERNEL|__GFP_ZERO

# buffers of a file are taken together, which is told, or chosen
$ cp $GOLDEN/instances-mono.dat .
$ sonde count -e all instances-mono.dat | tail -n 1
sonde: instances-mono.dat has 2 buffers with events, which are taken together; -B NAME chooses: two, one
     14164  in 7 rows
$ sonde count -B two -e all instances-mono.dat | tail -n 1
      9530  in 6 rows
$ sonde count -B three -e all instances-mono.dat
sonde: no input has a buffer 'three'; 'sonde list -B -i FILE' names them
[1]
$ sonde count -B two -e sched_switch true
sonde: -B chooses a buffer of a file (-i), and there is none
[2]
$ for a in '--rows 0' '--rows -1' '--by='; do sonde count -e all $a instances-mono.dat; done
sonde: count: --rows takes a number from 1 on, not '0'
sonde: count: --rows takes a number from 1 on, not '-1'
sonde: count: --by takes fields, $comm, $pid, $task, $cpu and $event, with commas between, not ''
[2]

# system calls by name
$ sonde count -e sys_enter --by '$syscall' --rows 2 events-v7-zstd.dat
     count  $syscall
      3003  getppid   ########################################
      1540  statx     ####################
            and 50 more
      7676  in 52 rows

# the function that was hit, of whatever tells of functions
$ sonde count -e funcgraph_entry --by '$func' --rows 2 $GOLDEN/tour.dat
     count  $func
       166  exit_to_user_mode_prepare  ########################################
        94  up_read                    ######################
            and 45 more
       790  in 47 rows

# Ranges of numbers, sums of them.

$ sonde count -e sched_stat_runtime --by runtime.buckets=2000000 events-v7-zstd.dat
     count  runtime
      5713  0..1999999        ########################################
       172  2000000..3999999  #
        40  4000000..5999999  #
         5  6000000..7999999  #
         2  8000000..9999999  #
      5932  in 5 rows
$ sonde count -e sched_stat_runtime --by comm --sum runtime --rows 2 events-v7-zstd.dat
     count     sum runtime           avg           min           max  comm
      4992      1754615106      351485.4         40338       6072690  ls    ########################
       142       185337907     1305196.5         80437       7395839  bash  ##
            and 12 more
      5932      2311118267  in 14 rows
$ sonde count -e myopenret --by ret.log2 --sum ret --json probes.dat
{"by":"sonde","rows":[{"ret":[-7,-4],"count":1,"sum":-6,"min":-6,"max":-6},{"ret":[2,3],"count":192,"sum":576,"min":3,"max":3},{"ret":[4,7],"count":5,"sum":20,"min":4,"max":4}],"total":198,"sum":590,"gaps":0,"dropped":0}
$ sonde count -e myopenret --by '$comm.log2' probes.dat
sonde: $comm is no whole number, which ranges are made of
[2]
$ sonde count -e myopenret --by ret.log3 probes.dat
sonde: count: '.log3' of ret is not known; ranges are ret.log2 and ret.buckets=100
[2]
$ sonde count -e myopenret --sum file probes.dat
sonde: no counted event has a field 'file' (--sum); there are __probe_func, __probe_ret_ip, ret; $comm, $pid, $task, $cpu and $event work for all
[1]
$ sonde count -e myopenret --by retu probes.dat
sonde: no counted event has a field 'retu' (--by); the nearest is ret; $comm, $pid, $task, $cpu and $event work for all
[1]
$ sonde count -e myopenret --by '$retval.log2' probes.dat
     count  ret
         1  -7..-4  #
       192  2..3    ########################################
         5  4..7    #
       198  in 3 rows
$ sonde count -e myopenret --sum '$retval' probes.dat
     count         sum ret           avg           min           max
       198             590           3.0            -6             4  ##############################
       198             590  in 1 row
$ sonde count -e myopenret --each probes.dat
sonde: --each goes with an interval: -I SECONDS
[2]

# A filter of several events is of those that have its fields.

$ sonde count -e sched_waking,sched_switch -f 'next_comm == "ls"' events-v7-zstd.dat
sonde: sched_waking has no field 'next_comm', which the filter tests; it is not filtered
     count  $event
      5399  sched_waking  ########################################
      4641  sched_switch  ##################################
     10040  in 2 rows
$ sonde count -e sched_waking,sched_switch -f 'next_commm == "ls"' events-v7-zstd.dat
sonde: sched_waking has no field 'next_commm', which the filter tests
[1]
