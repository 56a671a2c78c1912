# A task's name is the one that the file has, whichever events are asked for
# covers: X33

$ cat > make.py <<'END'
> import tracedat
> trace = tracedat.Trace(version=6)
> trace.cmdlines = {7: "after"}
> switch = trace.event("sched", "sched_switch", ["char prev_comm[16]", "int prev_pid", "int prev_prio",
>     "long prev_state", "char next_comm[16]", "int next_pid", "int next_prio"], '"%s", REC->prev_comm')
> tick = trace.event("demo", "tick", ["int count"], '"count=%d", REC->count')
> cpu = trace.top.cpu(0)
> cpu.add(1000, switch(pid=3, prev_comm="other", prev_pid=3, next_comm="before", next_pid=7))
> cpu.add(2000, tick(pid=7, count=1))
> cpu.add(3000, tick(pid=3, count=2))
> open("n.dat", "wb").write(trace.pack())
> END
$ python3 make.py
$ sonde count -i n.dat -e tick --by '$task'
     count  $task
         1  after-7  ########################################
         1  other-3  ########################################
         2  in 2 rows
$ sonde count -i n.dat -e all --by '$task'
     count  $event        $task
         1  sched_switch  <...>-3  ########################################
         1  tick          after-7  ########################################
         1  tick          other-3  ########################################
         3  in 3 rows
$ sonde report --json -F tick n.dat
{"ts":2000,"cpu":0,"pid":7,"comm":"after","system":"demo","event":"tick","fields":{"count":1},"info":"count=1"}
{"ts":3000,"cpu":0,"pid":3,"comm":"other","system":"demo","event":"tick","fields":{"count":2},"info":"count=2"}
