# record, start, set and extract refuse a wrong command line before they touch anything
# covers: Q19

$ sonde record -f 'pid == 1' -e sched true
sonde: record: the filter 'pid == 1' must come after the event (-e) it is for
[2]

$ sonde record -e sched -B other -R stacktrace true
sonde: record: the trigger 'stacktrace' must come after the event (-e) it is for
[2]

$ sonde record -F -e sched
sonde: -F needs a command to trace
[2]

$ sonde record -c -e sched true
sonde: -c is for the children of what -F or -P picks out; give one of them
[2]

$ sonde record -p function -p function_graph true
sonde: record: a buffer has one tracer, but -p function and -p function_graph are given; use -B for a second buffer
[2]

$ sonde record -b 0 -e sched true
sonde: record: -b takes a size in KB, or with a unit (K, M, G), not '0'
[2]

$ sonde record -m 1T -e sched true
sonde: record: -m takes a size in KB, or with a unit (K, M, G), not '1T'
[2]

$ sonde record -b 4M -m 1g --ts-offset x -e sched true
sonde: --ts-offset takes a number, not 'x'
[2]

$ sonde record --max-rate 0 -e sched true
sonde: record: --max-rate takes a number of hits per second above 0, not '0'
[2]

$ sonde record --cmdlines-size 0 -e sched true
sonde: record: --cmdlines-size takes a number of names from 1 to 32768, not '0'
[2]

$ sonde record -e sched -v sleep 1
sonde: -v excludes the events (-e) that follow it, but none follows
[2]

$ sonde record -l vfs_read true
sonde: -l needs a tracer: -p function or -p function_graph
[2]

$ sonde record -e sched -g vfs_read true
sonde: -g needs a tracer: -p function_graph
[2]

$ sonde record -o '' -e sched true
sonde: -o needs the name of a file, not ''
[2]

$ sonde record -M none -e sched true
sonde: record: 'none' is not a mask of CPUs (-M): hex digits, as f0
[2]

$ sonde record -B a/b -e sched true
sonde: record: 'a/b' cannot be the name of an instance (-B)
[2]

$ sonde record --file-version 5 -e sched true
sonde: --file-version is 6 or 7
[2]

$ sonde record --compression lzw -e sched true
sonde: unknown compression 'lzw': use none, zstd, zlib or any
[2]

$ sonde record --file-version 6 --compression zstd -e sched true
sonde: version 6 has no compression; omit --compression zstd
[2]

$ sonde record --date --ts-offset 5 -e sched true
sonde: --date and --ts-offset cannot be used together
[2]

$ sonde set -e sched true
sonde: set runs no command, but 'true' is given
[2]

$ sonde set
sonde: set needs a setting to change; 'sonde set --help' lists them
[2]

$ sonde record -N localhost -e sched true
sonde: the port is missing: 'localhost' is not HOST:PORT
[2]

$ sonde record -N localhost:99999 -e sched true
sonde: '99999' is not a port: the last one is 65535
[2]

$ sonde record -N localhost:1 -o foo.dat -e sched true
sonde: -o and -N do not go together: the listener names the file
[2]

# Nothing is written where there is nothing, and nothing stays of what failed
$ mkdir -p t/instances; echo '[local]' > t/trace_clock; echo before > trace.dat
$ SONDE_TRACEFS=t sonde extract -a; cat trace.dat
sonde: there are no instances to extract from (-a); leave out -a for the top level
before
$ SONDE_TRACEFS=t sonde set -v -B nope
sonde: no tracing instance 'nope'; this kernel has no instances now
[1]
$ SONDE_TRACEFS=t sonde start -B new -e sched; ls t/instances
sonde: this kernel has no t/instances/new/tracing_on

# What set changed before it failed is put back
$ mkdir -m 700 run; mkdir -p k/options k/instances; echo '[local]' > k/trace_clock; echo 1 > k/tracing_on; echo 7 > k/buffer_size_kb; echo 128 > k/saved_cmdlines_size; echo 0 > k/options/sym-offset
$ export SONDE_RUN_DIR=$PWD/run; SONDE_TRACEFS=k sonde set -b 100 --cmdlines-size 50 -O sym-offset -O nosuch; echo $(cat k/buffer_size_kb) $(cat k/saved_cmdlines_size) $(cat k/options/sym-offset)
sonde: this kernel has no trace option 'nosuch'; 'sonde list -o' lists them
7 128 0
$ SONDE_TRACEFS=k sonde set -b 100 --cmdlines-size 50 -O sym-offset; echo $(cat k/buffer_size_kb) $(cat k/saved_cmdlines_size) $(cat k/options/sym-offset); ls run
100 50 1
lock

$ SONDE_TRACEFS=/no/such/dir sonde start -e sched
sonde: SONDE_TRACEFS names /no/such/dir, which is not a tracing directory
[1]

$ sonde extract now
sonde: extract takes no argument, but there is 'now'
[2]

$ sonde record -o - -e sched true
sonde: a recording cannot go to standard output; name a file with -o, or use 'sonde stream' to print events
[2]

$ sonde extract -o -
sonde: a recording cannot go to standard output; name a file with -o, or use 'sonde stream' to print events
[2]

$ sonde recipe irq -o - true
sonde: a recording cannot go to standard output; name a file with -o, or use 'sonde stream' to print events
[2]
