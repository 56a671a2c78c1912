# restore builds a trace from the raw files of CPUs
# covers: T17

# The raw data of each CPU, as a recorder leaves it behind.
$ cat >raw.py <<'END'
> import os, sys, traceload
> trace = traceload.load(sys.argv[1])
> for buffer in [trace.top] + trace.instances:
>     for number, cpu in buffer.cpus.items():
>         name = f".{buffer.name}" if buffer.name else ""
>         open(f"{sys.argv[2]}{name}.cpu{number}", "wb").write(cpu.pack())
> END
> cp $GOLDEN/tour.dat . && python3 raw.py tour.dat trace.dat && ls
raw.py
tour.dat
trace.dat.cpu0
trace.dat.cpu1

# A partial trace says what they mean; the order of files does not matter.
$ sonde restore -i tour.dat -o whole.dat trace.dat.cpu1 trace.dat.cpu0 && sonde report tour.dat >a
> sonde report whole.dat | cmp - a && sonde report --uname whole.dat
cpus=2
Linux (none) 6.1.0-54-amd64 x86_64
3.1.6 not-a-git-repo

# The default target is trace.dat.
$ sonde restore -i tour.dat trace.dat.cpu0 trace.dat.cpu1 && cmp trace.dat whole.dat

# One CPU alone keeps its number.
$ sonde restore -i tour.dat -o one.dat trace.dat.cpu1 && sonde report one.dat | sed -n '1p;$p' | cut -c1-45
cpus=2
           sleep-234   [001]   151.732952: fu

# Files of instances
$ python3 raw.py $GOLDEN/made-instances-v6.dat many.dat && ls many.dat.*
many.dat.a.cpu1
many.dat.cpu0
many.dat.longer-name.cpu0
$ sonde restore -i $GOLDEN/made-instances-v6.dat -o many.dat many.dat.* && sonde list -B many.dat
> sonde report many.dat | cksum; sonde report $GOLDEN/made-instances-v6.dat | cksum
a
longer-name
276512495 1463
276512495 1463

# A file that ends within a sub-buffer
$ head -c 10000 trace.dat.cpu1 >short.cpu1 && sonde restore -i tour.dat -o short.dat short.cpu1
> sonde dump -v short.dat; sonde report -R -q short.dat | wc -l
sonde: a sub-buffer in short.cpu1 is truncated or damaged; its whole events are kept
File short.dat is a valid trace-cmd file
284
