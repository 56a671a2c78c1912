# a script is called for calls and events of a trace
# covers: U01

$ cp $GOLDEN/made-user.dat .
$ cat > calls.py <<'END'
> import sys
> def sonde_begin(ctx):
>     print("begin", ctx["trace"], ctx["record"], ctx["cmds"], sys.argv)
> def sonde_entry(ctx):
>     print("  " * ctx["depth"] + "->", ctx["name"], ctx["tid"], ctx["cpu"], ctx["module"], ctx["task"])
> def sonde_exit(ctx):
>     print("  " * ctx["depth"] + "<-", ctx["name"], ctx.get("duration"), "open" if "open" in ctx else "")
> def sonde_event(ctx):
>     print("event", ctx["name"], ctx["fields"], ctx["info"])
> def sched__sched_switch(ctx):
>     print("switch", ctx["fields"]["next_comm"])
> def sonde_lost(ctx):
>     print("lost", ctx["count"], "on CPU", ctx["cpu"])
> def sonde_end():
>     print("end")
> END
$ sonde script calls.py made-user.dat -- one two
begin made-user.dat False ['calls.py', 'one', 'two'] ['calls.py', 'one', 'two']
-> main 100 1 demo demo
  -> parse 100 1 demo demo
    -> next_token 100 1 demo demo
-> work 101 0 demo worker
  -> read_all 101 0 libio.so.1 worker
    <- next_token 500  (esc)
    -> next_token 100 1 demo demo
    -> vfs_read 101 0 kernel worker
event irq:irq_handler_entry {'irq': 9, 'name': 'disk'} irq=9 name=disk
event irq:irq_handler_exit {'irq': 9, 'ret': 1} irq=9 ret=handled
    <- next_token 600  (esc)
    -> next_token 100 1 demo demo
      -> schedule 101 0 kernel worker
switch swapper/0
    <- next_token 700  (esc)
    -> std::vector<int>::push_back(int&&) 100 0 demo demo
    <- std::vector<int>::push_back(int&&) 1500  (esc)
  <- parse 4100  (esc)
switch worker
      <- schedule 20300  (esc)
    <- vfs_read 21300  (esc)
  <- read_all 22100  (esc)
  -> spin 101 0 demo worker
    -> spin 101 0 demo worker
      -> spin 101 0 demo worker
        -> spin 101 0 demo worker
        <- spin 410  (esc)
      <- spin 720  (esc)
    <- spin 930  (esc)
  <- spin 1040  (esc)
<- work 24740  (esc)
lost 5 on CPU 0
  <- parse None  (esc)
  -> next_token 101 0 demo worker
  <- next_token 2500000  (esc)
<- work None  (esc)
  -> parse 100 0 demo demo
    -> read_all 100 0 libio.so.1 demo
    <- read_all 0 open
  <- parse 70000 open
<- main None  (esc)
end
$ sonde script -F read_all -D 2 calls.py made-user.dat
begin made-user.dat False ['calls.py'] ['calls.py']
-> read_all 101 0 libio.so.1 worker
  -> vfs_read 101 0 kernel worker
event irq:irq_handler_entry {'irq': 9, 'name': 'disk'} irq=9 name=disk
event irq:irq_handler_exit {'irq': 9, 'ret': 1} irq=9 ret=handled
switch swapper/0
switch worker
  <- vfs_read 21300  (esc)
<- read_all 22100  (esc)
lost 5 on CPU 0
-> read_all 100 0 libio.so.1 demo
<- read_all 0 open
end
$ sonde script --no-event --tid 100 -N parse calls.py made-user.dat
begin made-user.dat False ['calls.py'] ['calls.py']
-> main 100 1 demo demo
lost 5 on CPU 0
<- main None  (esc)
end

# The same in Lua gives the same order.
$ cat > calls.lua <<'END'
> function sonde_begin(ctx) print("begin", ctx.trace, ctx.record, ctx.cmds[1], ctx.cmds[2], arg[0], arg[1]) end
> function sonde_entry(ctx) print("->", ctx.depth, ctx.name, ctx.tid, ctx.cpu, ctx.module, ctx.task) end
> function sonde_exit(ctx) print("<-", ctx.depth, ctx.name, ctx.duration, ctx.open) end
> function sonde_event(ctx) print("event", ctx.name, ctx.fields.irq, ctx.info) end
> function sched__sched_switch(ctx) print("switch", ctx.fields.next_comm) end
> function sonde_lost(ctx) print("lost", ctx.count, ctx.cpu) end
> function sonde_end() print("end") end
> END
$ sonde script -t 1us calls.lua made-user.dat -- one
begin	made-user.dat	false	calls.lua	one	calls.lua	one
->	0	main	100	1	demo	demo
->	1	parse	100	1	demo	demo
->	0	work	101	0	demo	worker
->	1	read_all	101	0	libio.so.1	worker
->	2	vfs_read	101	0	kernel	worker
event	irq:irq_handler_entry	9	irq=9 name=disk
event	irq:irq_handler_exit	9	irq=9 ret=handled
->	3	schedule	101	0	kernel	worker
switch	swapper/0
->	2	std::vector<int>::push_back(int&&)	100	0	demo	demo
<-	2	std::vector<int>::push_back(int&&)	1500	nil
<-	1	parse	4100	nil
switch	worker
<-	3	schedule	20300	nil
<-	2	vfs_read	21300	nil
<-	1	read_all	22100	nil
->	1	spin	101	0	demo	worker
<-	1	spin	1040	nil
<-	0	work	24740	nil
lost	5	0
<-	1	parse	nil	nil
->	1	next_token	101	0	demo	worker
<-	1	next_token	2500000	nil
<-	0	work	nil	nil
->	1	parse	100	0	demo	demo
<-	1	parse	70000	true
<-	0	main	nil	nil
end

# Names of uftrace and of perf.
$ cat > uftrace.lua <<'END'
> UFTRACE_FUNCS = {"^next", "work"}
> function uftrace_begin(ctx) print(ctx.record, ctx.version ~= nil, #ctx.cmds) end
> function uftrace_entry(ctx) print("entry", ctx.tid, ctx.depth, ctx.timestamp, ctx.name, ctx.cpu) end
> function uftrace_exit(ctx) print("exit", ctx.tid, ctx.depth, ctx.duration, ctx.name) end
> function uftrace_event(ctx) print("event", ctx.tid, ctx.name, ctx.args) end
> function uftrace_end() print("end") end
> END
$ sonde script uftrace.lua made-user.dat
false	true	1
entry	100	2	1000001250	next_token	nil
entry	101	0	1000001500	work	nil
exit	100	2	500	next_token
entry	100	2	1000001800	next_token	nil
event	101	irq:irq_handler_entry	irq=9 name=disk
event	101	irq:irq_handler_exit	irq=9 ret=handled
exit	100	2	600	next_token
entry	100	2	1000002450	next_token	nil
event	101	sched:sched_switch	worker:101 [120] S ==> swapper/0:0 [120]
exit	100	2	700	next_token
event	0	sched:sched_switch	swapper/0:0 [120] R ==> worker:101 [120]
exit	101	0	24740	work
entry	101	1	1002027240	next_token	nil
exit	101	1	2500000	next_token
exit	101	0	nil	work
end
$ cat > perf.py <<'END'
> def trace_begin():
>     print("begin")
> def irq__irq_handler_exit(event_name, context, common_cpu, common_secs, common_nsecs, common_pid, common_comm,
>                           common_callchain, irq, ret, perf_sample_dict):
>     print(event_name, common_cpu, common_secs, common_nsecs, common_pid, common_comm, irq, ret)
> def trace_unhandled(event_name, context, event_fields_dict):
>     print(event_name, event_fields_dict)
> def trace_end():
>     print("end")
> END
$ sonde script perf.py made-user.dat
begin
irq__irq_handler_entry {'irq': 9, 'name': 'disk'}
irq__irq_handler_exit 0 1 2400 101 worker 9 1
sched__sched_switch {'prev_comm': 'worker', 'prev_pid': 101, 'prev_prio': 120, 'prev_state': 1, 'next_comm': 'swapper/0', 'next_pid': 0, 'next_prio': 120}
sched__sched_switch {'prev_comm': 'swapper/0', 'prev_pid': 0, 'prev_prio': 120, 'prev_state': 0, 'next_comm': 'worker', 'next_pid': 101, 'next_prio': 120}
end

# A trace without calls.
$ cat > count.py <<'END'
> from collections import Counter
> names = Counter()
> def sonde_event(ctx):
>     names[ctx["name"]] += 1
> def sonde_end():
>     for name in sorted(names):
>         print(name, names[name])
> END
$ cp $GOLDEN/made-processes.dat .
$ sonde script count.py made-processes.dat
sched:sched_switch 5
sched:sched_waking 5

# Examples to begin with run.
$ sonde script --example lua > x.lua; sonde script x.lua made-user.dat
functions in made-user.dat
       4 calls     2501.800 us  next_token
       4 calls        3.100 us  spin
       2 calls       74.100 us  parse
       2 calls       22.100 us  read_all
       1 calls        0.000 us  main
       1 calls       20.300 us  schedule
       1 calls        1.500 us  std::vector<int>::push_back(int&&)
       1 calls       21.300 us  vfs_read
       1 calls       24.740 us  work
$ sonde script --example py > x.py; sonde script x.py made-user.dat | sort
       1 calls        0.000 us  main
       1 calls        1.500 us  std::vector<int>::push_back(int&&)
       1 calls       20.300 us  schedule
       1 calls       21.300 us  vfs_read
       1 calls       24.740 us  work
       2 calls       22.100 us  read_all
       2 calls       74.100 us  parse
       4 calls        3.100 us  spin
       4 calls     2501.800 us  next_token
functions in made-user.dat

# A script that ends itself.
$ printf 'import sys\ndef sonde_entry(ctx):\n    print("first")\n    sys.exit(7)\n' > exit.py
$ sonde script exit.py made-user.dat
first
[7]
