# report gives rows for programs: JSON objects with typed fields, and CSV
# covers: Q10

$ sonde report --json $GOLDEN/lost-events.dat | head -n 1
{"ts":100380073598,"cpu":1,"pid":207,"comm":"sysloop","system":"raw_syscalls","event":"sys_exit","fields":{"id":1,"ret":1},"info":"NR 1 = 1"}
$ sonde report --json $GOLDEN/lost-events.dat | python3 -c 'import json, sys; print(len([json.loads(l) for l in sys.stdin]))'
154559
$ sonde report $GOLDEN/lost-events.dat | grep -vc -e cpus= -e DROPPED
154559
$ sonde report --json $GOLDEN/lost-events.dat | grep -o '"missed":[0-9a-z]*' | head -n 2
"missed":589
"missed":1262
$ sonde report --json --cpu 1 $GOLDEN/stacks.dat | sed -n 2p | cut -c 1-400
{"ts":67459965140,"cpu":1,"pid":175,"comm":"bash","system":"ftrace","event":"kernel_stack","fields":{"size":12},"stack":[{"addr":"0xffffffff820d9aff","symbol":"trace_event_raw_event_sched_wakeup_template"},{"addr":"0xffffffff820d7b49","symbol":"__traceiter_sched_wakeup"},{"addr":"0xffffffff820df706","symbol":"ttwu_do_wakeup"},{"addr":"0xffffffff820e1738","symbol":"try_to_wake_up"},{"addr":"0xfffff
$ sonde report --csv $GOLDEN/probes.dat | sed -n 1,3p
ts,cpu,pid,tgid,comm,buffer,missed,system,event,info
117480355703,1,218,,fib_pg,,,sched,sched_process_exec,filename=/usr/bin/bash pid=218 old_pid=218
117496645617,1,218,,fib_pg,,,kprobes,myopen,"(ffffffff823620d0) dfd=-100 file=""/etc/ld.so.cache"" flags=0x88000"
$ sonde report --json --tgid $GOLDEN/instances-mono.dat | head -n 1
{"ts":76743218991,"cpu":0,"pid":185,"comm":"trace-cmd","buffer":"two","system":"syscalls","event":"sys_enter_openat","fields":{"__syscall_nr":257,"dfd":4294967196,"filename":"0x55656fb2acf0","flags":0,"mode":0},"info":"dfd: 0xffffff9c, filename: 0x55656fb2acf0, flags: 0x00000000, mode: 0x00000000"}
$ sonde report --syscall-names $GOLDEN/lost-events.dat | sed -n 2,4p
         sysloop-207   [001]   100.380074: sys_exit:             NR 1 write = 1
         sysloop-207   [001]   100.380495: sys_enter:            NR 59 execve (7ffe28a89b90, 7ffe28a89ff8, 7ffe28a8a018, 7fc5d75dbe70, 7ffe28a8aef6, 558139d6e770)
         sysloop-207   [001]   100.381364: sys_exit:             NR 59 execve = -2
