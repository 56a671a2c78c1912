# recipe lists, shows and asks; here of traces that exist
# covers: C01 C08 C10 Q26

$ sonde recipe list | head -n 3
  block            block device requests: time from issue to completion
  irq              interrupts: which, how often, how long their handlers run, and what they interrupt
  irqlive          interrupts of devices and of the local timer, as they happen
$ sonde recipe show softirq | grep -v about
name: softirq
summary: softirqs: raised, run and finished, as they happen
  was busy, or with other softirqs), and how long it ran.
event: irq:softirq_raise
event: irq:softirq_entry
event: irq:softirq_exit
live: yes
show: time irq:softirq_raise to irq:softirq_entry by CPU vec per vec as from raise to run
show: time irq:softirq_entry to irq:softirq_exit by CPU vec per vec as run time
show: count irq:softirq_entry by CPU as runs by CPU
$ sonde recipe softirq -i $GOLDEN/events-v6.dat
softirq: 68990 events, 2.026 s from 22.188315 to 24.213939

from raise to run
    count   total ms     avg us     p99 us     max us             at  vec
      852     91.951    107.923    393.215   1206.576      22.504544  RCU
      904     61.155     67.649    294.911    836.303      22.508331  SCHED
      275     20.916     76.057    294.911    750.433      22.508050  TIMER

run time
    count   total ms     avg us     p99 us     max us             at  vec
      852     39.637     46.522    196.607   1107.964      22.695951  RCU
      904     33.719     37.299    147.455    419.450      22.504513  SCHED
      275     12.801     46.548    163.839    275.183      22.508326  TIMER

runs by CPU
    count  CPU
     1044  1
      987  0
$ sonde recipe irq -i $GOLDEN/events-v6.dat
irq: 68990 events, 2.026 s from 22.188315 to 24.213939

time in handlers
    count   total ms     avg us     p99 us     max us             at  irq  name
     2015     81.479     40.436     98.303    561.199      22.504074  25   virtio0-requests
        1      0.067     67.330     67.330     67.330      22.261924  27   virtio1-requests

interrupts by CPU
    count  irq  CPU
     2015  25   1
        1  27   1

who was interrupted
    count  task
     2010  <idle>
        6  ls

what was interrupted
        2016 events, without a stack
$ sonde recipe wakeup -i $GOLDEN/events-v6.dat --json | head -c 200; echo
{"recipe":"wakeup","notes":[],"events":68990,"first":22188315078,"last":24213939982,"gaps":0,"answers":[{"title":"from wakeup to run","unit":"ns","rows":[{"comm":"ls","pid":"147","count":1898,"total":

# A recipe of one's own, by its path and by its name
$ cat >mine.recipe <<'END'
> # how often who switches, and the stacks
> name: mine
> summary: switches
>   of tasks
> show: count sched:sched_switch by COMM CPU top 3 as who is switched away
> show: time sched_switch to sched_switch by prev_pid=next_pid per prev_comm top 3 as off the CPU
> show: graph top 2
> show: stacks sched:sched_switch top 2 as ways to a switch
> END
$ sonde recipe ./mine.recipe -i $GOLDEN/events-v6.dat
mine: 68990 events, 2.026 s from 22.188315 to 24.213939

who is switched away
    count  COMM    CPU
     1986  <idle>  1
     1909  ls      1
      362  <idle>  0
          and 14 more

off the CPU
    count   total ms     avg us     p99 us     max us             at  prev_comm
      295   1990.903   6748.822  12582.911  46978.880      24.209988  rcu_preempt
       76   1883.113  24777.806 1628488.120 1628488.120      23.940653  bash
        3   1535.353 511784.444 515598.872 515598.872      23.534649  kcompactd0
          and 10 more
          15 had not ended when the trace ended

graph top 2
        no call graph was traced

ways to a switch
        4755 events, without a stack
$ mkdir -p conf/sonde/recipes && cp mine.recipe conf/sonde/recipes
$ export XDG_CONFIG_HOME=$PWD/conf
$ sonde recipe list | tail -n 1
  mine             switches of tasks (your own)
$ sonde recipe mine -i $GOLDEN/stacks.dat | tail -n 20
        no call graph was traced

ways to a switch
     1416  __schedule
           <- schedule_idle
           <- do_idle
           <- cpu_startup_entry
           <- start_secondary
           <- secondary_startup_64_no_verify
      854  __schedule
           <- schedule
           <- p9_client_rpc
           <- p9_client_readlink
           <- v9fs_vfs_get_link_dotl
           <- vfs_readlink
           <- do_readlinkat
           <- __x64_sys_readlink
           <- do_syscall_64
           <- entry_SYSCALL_64_after_hwframe
          and 39 more

# Other headings; the part of a stack beyond a function
$ cat >beyond.recipe <<'END'
> name: beyond
> show: count sched:sched_switch by prev_comm/who CPU/on_CPU top 2
> show: stacks sched:sched_switch beyond do_idle schedule* top 2 as from where
> END
$ sonde recipe ./beyond.recipe -i $GOLDEN/stacks.dat
beyond: 13880 events, 1.934 s from 67.458726 to 69.393082

count sched:sched_switch by prev_comm/who CPU/on_CPU top 2
    count  who        on CPU
     1416  swapper/1  1
     1244  ls         1
          and 21 more

from where
     1416  cpu_startup_entry
           <- start_secondary
           <- secondary_startup_64_no_verify
      854  p9_client_rpc
           <- p9_client_readlink
           <- v9fs_vfs_get_link_dotl
           <- vfs_readlink
           <- do_readlinkat
           <- __x64_sys_readlink
           <- do_syscall_64
           <- entry_SYSCALL_64_after_hwframe
          and 39 more

# Time in functions
$ printf 'name: g\nshow: graph top 4 as calls\n' >g.recipe
$ sonde recipe g.recipe -i $GOLDEN/fgraph-vfs.dat
g: 6497 events, 115.578 ms from 52.057113 to 52.172691

calls
    count   total ms    self ms     avg us     max us             at  function
        6     11.909      0.143   1984.826   3215.903      52.109001  do_sys_openat2
        6     11.325      0.025   1887.461   3133.958      52.108988  do_filp_open
        6     11.300      0.120   1883.325   3130.894      52.108986  path_openat
       14      7.411      0.196    529.340    980.577      52.139005  p9_client_rpc
          and 265 more

# The time between two probes, without counting by eye
$ printf 'name: t\nshow: time myopen to myopenret by PID per COMM top 3 as from entry to return\n' >t.recipe
$ sonde recipe t.recipe -i $GOLDEN/probes.dat
t: 403 events, 9.607 s from 117.480355 to 127.087692

from entry to return
    count   total ms     avg us     p99 us     max us             at  COMM
      180   1508.811   8382.283  25165.823  25743.250     117.736975  ls
        2     21.915  10957.362  11175.955  11175.955     126.782747  sync
        5     18.622   3724.494  12984.722  12984.722     126.601478  dd
          and 2 more
