# report --profile --json: the same numbers for programs
# covers: P14 P15

$ ln -s $GOLDEN/*.dat .
$ sonde report --profile --json tour.dat >out
$ head -n 1 out
{"profile":"tour.dat","unit":"ns","first":151609943181,"last":151768909220,"events":[{"system":"ftrace","event":"funcgraph_entry","count":790},{"system":"ftrace","event":"funcgraph_exit","count":784},{"system":"exceptions","event":"page_fault_user","count":94},{"system":"irq","event":"softirq_raise","count":80},{"system":"irq","event":"softirq_exit","count":80},{"system":"irq","event":"softirq_entry","count":80},{"system":"ftrace","event":"kernel_stack","count":74},{"system":"raw_syscalls","event":"sys_exit","count":61},{"system":"raw_syscalls","event":"sys_enter","count":60},{"system":"sched","event":"sched_switch","count":49},{"system":"sched","event":"sched_wakeup","count":25},{"system":"irq","event":"irq_handler_exit","count":22},{"system":"irq","event":"irq_handler_entry","count":22},{"system":"sched","event":"sched_process_exec","count":1}],"missing":[],"gaps":0,"not_counted":0}
$ cat >look <<'EOF'
> import json
> head, *tasks = map(json.loads, open("out"))
> for t in tasks[:3]:
>     print(t["pid"], t["comm"], t["run"])
>     for r in t["rows"][:4]:
>         print(" ", r["kind"], r["name"], r["count"], r["total"], r["avg"], r["max"], r["max_at"], r["min"])
>         for s in r.get("stacks", [])[:1]:
>             print("    ", s["count"], s.get("total"), s["frames"][:4])
> faults = [r for t in tasks for r in t["rows"] if r["name"] == "page_fault_user"]
> print(faults[0]["count"] == sum(v["count"] for v in faults[0]["values"]), faults[0]["values"][0])
> total = sum(r["count"] for t in tasks for r in t["rows"] if r["kind"] == "syscall")
> print(total, [e["count"] for e in head["events"] if e["event"] == "sys_exit"])
> EOF
$ python3 look
15 rcu_preempt 29401464
  running running 21 29401464 1400069 5835495 151653039035 123626
  off-cpu sched_switch:I 20 84537413 4226870 7778152 151689104637 340067
     18 82008490 ['trace_event_raw_event_sched_switch', '__traceiter_sched_switch', '__schedule', 'schedule']
  wakeup sched_wakeup 21 10024632 477363 4225700 151693330337 126365
     1 4225700 ['trace_event_raw_event_sched_wakeup_template', '__traceiter_sched_wakeup', 'ttwu_do_wakeup', 'try_to_wake_up']
  softirq softirq_entry:SCHED 5 148664 29732 38688 151634793579 24345
233 trace-cmd 17542201
  running running 3 17542201 5847400 8821870 151693330337 2392520
  off-cpu sched_switch:S 1 63466513 63466513 63466513 151759518937 63466513
     1 63466513 ['trace_event_raw_event_sched_switch', '__traceiter_sched_switch', '__schedule', 'schedule']
  off-cpu sched_switch:R+ 1 329567 329567 329567 151693659904 329567
     1 329567 ['trace_event_raw_event_sched_switch', '__traceiter_sched_switch', '__schedule', 'preempt_schedule_common']
  wakeup sched_wakeup 2 736703 368351 414397 151759933334 322306
     2 736703 ['trace_event_raw_event_sched_wakeup_template', '__traceiter_sched_wakeup', 'ttwu_do_wakeup', 'sched_ttwu_pending']
234 sleep 7607092
  running running 1 7607092 7607092 7607092 151623041540 7607092
  off-cpu sched_switch:R+ 2 552893 276446 279298 151615434448 273595
     1 279298 ['trace_event_raw_event_sched_switch', '__traceiter_sched_switch', '__schedule', 'preempt_schedule_common']
  syscall syscall:execve 4 22359810 5589952 17036212 151633909552 983468
  syscall syscall:openat 4 5884264 1471066 2201758 151716421622 1157733
True {'value': 140143894649040, 'count': 2}
59 [61]
$ sonde report --profile --json -G tour.dat | sed -n 2p | cut -c 1-110
{"cpu":0,"run":92391570,"rows":[{"kind":"running","name":"running","count":20,"total":92391570,"avg":4619578,"
$ sonde report --profile --json --by-comm tour.dat | sed -n 2p | cut -c 1-110
{"group":"rcu_preempt","tasks":1,"run":29401464,"rows":[{"kind":"running","name":"running","count":21,"total":
$ sonde report --profile --json stacks.dat | head -n 1 | grep -o '"missing.*'
"missing":[{"what":"system calls","events":"raw_syscalls","record":"-e raw_syscalls"},{"what":"interrupts","events":"irq_handler","record":"-e irq"},{"what":"soft interrupts","events":"softirq","record":"-e irq"},{"what":"page faults","events":"page_fault","record":"-e exceptions"},{"what":"times of functions","events":"function graph","record":"-p function_graph"}],"gaps":0,"not_counted":0}
