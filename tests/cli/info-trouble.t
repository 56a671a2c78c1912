# info shows what it can of damaged files, and says what is wrong with the rest
# covers: T08

$ sonde info
sonde: cannot open trace.dat: No such file or directory
[1]
$ sonde info --nonsense
sonde: info: unknown option --nonsense; --help lists them
[2]
$ sonde info -n few tour.dat
sonde: info: --top needs a number, not 'few'
[2]
$ sonde info -n -3 tour.dat
sonde: info: -n needs a number from 0 on, not -3
[2]
$ sonde info --fast --count tour.dat
sonde: info: --fast and --count exclude each other
[2]
$ sonde info .
sonde: . is a directory, not a trace file
[1]
$ echo hello >greeting && sonde info greeting
sonde: greeting is not a trace file (it does not begin like a trace.dat)
[1]
$ sonde info --help | head -n 3
usage: sonde info [options] [FILE\xe2\x80\xa6] (esc)

summarize a trace file

# One bad file does not keep the others from being shown
$ cp $GOLDEN/tour.dat . && sonde info -n 0 nosuch.dat tour.dat /etc/passwd 2>&1 | grep -e dat -e passwd -e size
sonde: cannot open nosuch.dat: No such file or directory
tour.dat
  size         28288 bytes (27.6 KiB)
sonde: /etc/passwd is not a trace file (it does not begin like a trace.dat)

# Cut off in the data: what comes before is counted
$ head -c 20000 $GOLDEN/tour.dat >cut.dat && sonde info -n 1 cut.dat
cut.dat
  size         20000 bytes (19.5 KiB)
  format       version 7, little endian, 64-bit, sub-buffers of 4096 bytes
  compression  zstd 1.5.4, 65536 bytes of events in 11436 (ratio 5.73)
  machine      Linux (none) 6.1.0-54-amd64 x86_64
  recorded by  trace-cmd 3.1.6 not-a-git-repo
  clock        local
  trace id     0xf31106f284d94c36
  describes    29 events of 5 systems, kernel symbols (8.3 KiB), 165 trace_printk formats, 104 task names
  recorded     tracepoints, function calls (tracer function_graph), kernel stacks
  time         151.626494 to 151.768909, 0.142416 seconds
  events       571, 4009 per second, of 10 kinds, by 5 tasks
  lost         nothing in the readable part; 15238 more were recorded and are not in this file (record -m, or a part of a trace)
  damage       2 places, reported on standard error

  buffer (top), clock local
   CPU       events  per second            first             last        bytes    missed   overrun   dropped
     0          571        4009       151.626494       151.768909        24576         0         0         0
     1            0           0                -                -        40960         0         0         0
   all          571        4009       151.626494       151.768909        65536         0         0         0

       events    share  per second        bytes  by kind
          135   23.6 %         948         2700  ftrace:funcgraph_entry
  and 9 more kinds (-a shows all)

       events    share  by task
          261   45.7 %  <idle>-0
  and 4 more tasks (-a shows all)
sonde: cut.dat is truncated…20000…
sonde: cut.dat: …CPU 1…13599…
[1]
$ head -c 30 $GOLDEN/tour.dat >cut.dat && sonde info cut.dat
cut.dat
  size         30 bytes
  format       version 7, little endian, sub-buffers of 4096 bytes
  compression  zstd 1.5.4
  describes    0 events of 0 systems, no kernel symbols, 0 trace_printk formats, 0 task names
  events       0, of 0 kinds, by 0 tasks
  lost         nothing in the readable part; the kernel's own counters are not in the file
  damage       1 place, reported on standard error
sonde: cut.dat is truncated…30…
[1]
$ cp $GOLDEN/made-cut-v6.dat . && sonde info --json made-cut-v6.dat >json 2>stderr; python3 -c 'import json
> for line in json.load(open("json"))["damage"]: print("sonde: " + line)' | cmp - stderr
$ cp $GOLDEN/made-damaged-length.dat . && sonde info -n 0 made-damaged-length.dat | tail -n 3
sonde: made-damaged-length.dat: a sub-buffer of CPU 0 at byte 8192 is truncated or damaged; some of its events are missing
  buffer (top), clock local
   CPU       events  per second            first             last        bytes    missed   overrun   dropped
     0           15           7         1.000001         3.000005        12288         0         -         -

# Nothing in it, or only the text of a latency tracer
$ cp $GOLDEN/made-empty-v7.dat empty.dat && sonde info empty.dat
empty.dat
  size         4298 bytes (4.2 KiB)
  format       version 7, little endian, 64-bit, sub-buffers of 4096 bytes
  compression  none
  clock        local
  describes    1 event of 1 system, no kernel symbols, 0 trace_printk formats, 0 task names
  events       0, of 0 kinds, by 0 tasks
  lost         nothing; the kernel's own counters are not in the file

  buffer (top), clock local: empty
$ cp $GOLDEN/made-latency-v7zstd.dat latency.dat && sonde info latency.dat | tail -n 4
  events       0, of 0 kinds, by 0 tasks
  lost         nothing; the kernel's own counters are not in the file

  buffer (top): text of a latency tracer, 113800 bytes

# A thousand CPUs are not a thousand rows
$ cp $GOLDEN/made-many-cpus-v7.dat . && sonde info -n 0 made-many-cpus-v7.dat | tail -n 4
    42            1       66800         0.001000         0.001000         4096         0         -         -
    45            1       66800         0.001000         0.001000         4096         0         -         -
   and 484 more CPUs (-a shows all)
   all          500    33400134         0.001000         0.001015      2048000         0         -         -
$ sonde info -a made-many-cpus-v7.dat | wc -l
520
