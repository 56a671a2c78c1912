# info shows how a trace was recorded: clock, date, guests, hooks, mappings, whatever options say
# covers: T08

$ cat >make <<'END'
> import tracedat as td
> def trace(version):
>     t = td.Trace(version=version)
>     tick = t.event("demo", "tick", ["int count"], '"%d", REC->count')
>     t.option(td.DATE, b"0x5ee6b280\0")
>     t.option(td.OFFSET, b"-25\0")
>     t.option(td.HOOK, b"sched_waking,pid/sched_switch,next_pid\0")
>     t.option(td.VERSION, b"sonde 9.9\0")
>     t.option(td.TRACEID, t.num("Q", 0xfedcba9876543210))
>     t.option(td.GUEST, b"gu\x1best\0" + t.num("QIIIII", 0xabc, 2, 0, 100, 1, 101))
>     t.option(td.PROCMAPS, b"1f 2 my prog\n400000 500000 /bin/p\n7f00 7fff /lib/c\n\0")
>     t.option(td.TSC2NSEC, t.num("IIQ", 5000000, 24, 0))
>     t.option(td.TIME_SHIFT, t.num("QIIIqqq", 0x77, 0, 1, 1, 5, 6, 1) + t.num("q", 0))
>     t.top.cpu(2).add(10_000_000_000, tick(pid=31, count=1))
>     t.top.cpu(2).add(20_000_000_000, tick(pid=31, count=1))
>     t.write(f"v{version}.dat")
> trace(6)
> trace(7)
> END
$ python3 make && sonde info v6.dat v7.dat
v6.dat
  size         8192 bytes (8.0 KiB)
  format       version 6, little endian, 64-bit, sub-buffers of 4096 bytes
  compression  none
  recorded by  sonde 9.9
  clock        local, counts to nanoseconds by * 5000000 >> 24, wall clock at +1592.177280 s, offset -25
  trace id     0xfedcba9876543210
  guest of     trace 0x77, clocks compared 1 time on 1 CPU
  guest        gu\x1best, trace 0xabc, 2 virtual CPUs
  hook         sched_waking,pid/sched_switch,next_pid
  mappings     my prog-31, 2 ranges
  describes    1 event of 1 system, no kernel symbols, 0 trace_printk formats, 0 task names
  recorded     tracepoints
  time         1970-01-01 00:26:35.157512 UTC to 1970-01-01 00:26:38.137744 UTC, 2.980232 seconds
  events       2, 1 per second, of 1 kind, by 1 task
  lost         nothing; the kernel's own counters are not in the file

  buffer (top), clock local
   CPU       events  per second            first             last        bytes    missed   overrun   dropped
     2            2           1      1595.157512      1598.137744         4096         0         -         -

       events    share  per second        bytes  by kind
            2  100.0 %           1           24  demo:tick

       events    share  by task
            2  100.0 %  <...>-31

v7.dat
  size         8394 bytes (8.2 KiB)
  format       version 7, little endian, 64-bit, sub-buffers of 4096 bytes
  compression  none
  recorded by  sonde 9.9
  clock        local, counts to nanoseconds by * 5000000 >> 24, wall clock at +1592.177280 s, offset -25
  trace id     0xfedcba9876543210
  guest of     trace 0x77, clocks compared 1 time on 1 CPU
  guest        gu\x1best, trace 0xabc, 2 virtual CPUs
  hook         sched_waking,pid/sched_switch,next_pid
  mappings     my prog-31, 2 ranges
  describes    1 event of 1 system, no kernel symbols, 0 trace_printk formats, 0 task names
  recorded     tracepoints
  time         1970-01-01 00:26:35.157512 UTC to 1970-01-01 00:26:38.137744 UTC, 2.980232 seconds
  events       2, 1 per second, of 1 kind, by 1 task
  lost         nothing; the kernel's own counters are not in the file

  buffer (top), clock local
   CPU       events  per second            first             last        bytes    missed   overrun   dropped
     2            2           1      1595.157512      1598.137744         4096         0         -         -

       events    share  per second        bytes  by kind
            2  100.0 %           1           24  demo:tick

       events    share  by task
            2  100.0 %  <...>-31

# Ids that no format describes
$ cat >make <<'END'
> import tracedat as td
> t = td.Trace()
> tick = t.event("demo", "tick", ["int count"], '"%d", REC->count')
> page = t.top.cpu(0).page(1000)
> page.event(1, tick(pid=5, count=1))
> page.event(1, t.num("HBBi", 9999, 0, 0, 5))
> page.event(1, t.num("HBBi", 65535, 0, 0, -7), long_form=True)
> t.write("ids.dat")
> END
$ python3 make && sonde info ids.dat | sed -n '/by kind/,$p'
       events    share  per second        bytes  by kind
            1   33.3 %   500000000           12  demo:tick
            1   33.3 %   500000000            8  unknown, id 9999
            1   33.3 %   500000000            8  unknown, id 65535

       events    share  by task
            2   66.7 %  <...>-5
            1   33.3 %  <...>--7
