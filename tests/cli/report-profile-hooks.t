# report --profile -H times pairs of events that the user names; those stored in the file count too
# covers: P14 F04

$ ln -s $GOLDEN/*.dat .
$ sonde report --profile -H raw_syscalls:sys_enter,id/raw_syscalls:sys_exit,id tour.dat | grep -E '^  (sys_enter|syscall).*(pselect|=270)'
  syscall:pselect6                               1  68.41 ms  68.41 ms  68.41 ms  151.764321    68.41 ms  151.764321
  sys_enter..sys_exit id=270                     1  68.41 ms  68.41 ms  68.41 ms  151.764321    68.41 ms  151.764321

# The start says whom it is about; anyone can end it.
$ sonde report --profile -H sched_wakeup,pid,pid/sched_switch,next_pid tour.dat | grep -E '^task|^  sched_wakeup' | head -n 6
task: rcu_preempt-15   29.40 ms on a CPU
  sched_wakeup until it runs                    21  10.02 ms  477.4 us  4.226 ms  151.693330    126.4 us  151.735570
  sched_wakeup..sched_switch pid=15             21  10.02 ms  477.4 us  4.226 ms  151.693330    126.4 us  151.735570
task: trace-cmd-233   17.54 ms on a CPU
  sched_wakeup until it runs                     2  736.7 us  368.4 us  414.4 us  151.759933    322.3 us  151.684508
  sched_wakeup..sched_switch pid=233             2  736.7 us  368.4 us  414.4 us  151.759933    322.3 us  151.684508

# For the whole machine, and by CPU
$ sonde report --profile -H softirq_raise,vec/softirq_exit,vec,g tour.dat | sed -n '/whole/,/^$/p'
the whole machine
  event                                      count     total       avg       max  at                 min  at
  softirq_raise..softirq_exit vec=9             35  18.90 ms  539.9 us  4.106 ms  151.698663    4.194 us  151.643107
  softirq_raise..softirq_exit vec=7             30  7.219 ms  240.6 us  2.303 ms  151.652935    19.28 us  151.702912
  softirq_raise..softirq_exit vec=1             15  6.623 ms  441.6 us  2.325 ms  151.652904    84.33 us  151.701040
 (esc)
$ sonde report --profile -H softirq_raise,vec/softirq_exit,vec,gp tour.dat | grep -A 3 '^CPU'
CPU 0
  event                                      count     total       avg       max  at                 min  at
  softirq_raise..softirq_exit vec=7             28  6.961 ms  248.6 us  2.303 ms  151.652935    19.28 us  151.702912
  softirq_raise..softirq_exit vec=1             12  5.583 ms  465.3 us  2.325 ms  151.652904    84.33 us  151.701040
--
CPU 1
  event                                      count     total       avg       max  at                 min  at
  softirq_raise..softirq_exit vec=9             24  17.05 ms  710.6 us  4.106 ms  151.698663    4.194 us  151.643107
  softirq_raise..softirq_exit vec=1              3  1.040 ms  346.7 us  490.4 us  151.615113    104.8 us  151.631309

$ cat >make <<'EOF'
> import tracedat as td
> t = td.Trace(version=7)
> begin = t.event("demo", "begin", ["int job", "int who"], '"%d", REC->job')
> end = t.event("demo", "end", ["int job"], '"%d", REC->job')
> t.option(td.HOOK, b"begin,job,who/demo:end,job\0")
> t.option(td.HOOK, b"gone,job/demo:end,job\0")
> t.option(td.HOOK, b"nonsense\0")
> t.top.cpu(0).add(1_000_000_000, begin(pid=31, job=1, who=8))
> t.top.cpu(0).add(1_000_001_500, begin(pid=31, job=2, who=8))
> t.top.cpu(0).add(1_000_003_000, end(pid=8, job=1))
> t.top.cpu(0).add(1_000_009_000, end(pid=8, job=2))
> t.write("hooks.dat")
> EOF
$ python3 make && sonde report --profile hooks.dat
sonde: ignoring the hook gone..end: the trace has no event 'gone'
profile of hooks.dat: 9.000 us from 1.000000 to 1.000009
events: begin 2, end 2
no sched_switch events: times on and off the CPU are not shown; record with -e sched_switch
no sched_wakeup events: wakeup latencies are not shown; record with -e sched_wakeup
no raw_syscalls events: system calls are not shown; record with -e raw_syscalls
no irq_handler events: interrupts are not shown; record with -e irq
no softirq events: soft interrupts are not shown; record with -e irq
no page_fault events: page faults are not shown; record with -e exceptions
no function graph events: times of functions are not shown; record with -p function_graph
no kernel_stack events: stacks are not shown; record with -T

task: <...>-8
  event                                      count     total       avg       max  at                 min  at
  begin..end job=2                               1  7.500 us  7.500 us  7.500 us  1.000009      7.500 us  1.000009
  begin..end job=1                               1  3.000 us  3.000 us  3.000 us  1.000003      3.000 us  1.000003

nothing measured: <...>-31
sonde: hooks.dat: the hook 'nonsense' has no '/' between its start and its end; its form is [SYSTEM:]EVENT,FIELD[,PIDFIELD]/[SYSTEM:]EVENT,FIELD[,FLAGS]
[1]
