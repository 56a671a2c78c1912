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
sonde: record: -b wants a size in KB, not '0'
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
sonde: there is no compression 'lzw': use none, zstd, zlib or any
[2]

$ sonde record --file-version 6 --compression zstd -e sched true
sonde: version 6 has no compression; leave out --compression zstd
[2]

$ sonde record --date --ts-offset 5 -e sched true
sonde: --date and --ts-offset cannot be used together
[2]

$ sonde set -e sched true
sonde: set runs no command, but 'true' is given
[2]

$ SONDE_TRACEFS=/no/such/dir sonde start -e sched
sonde: SONDE_TRACEFS names /no/such/dir, which is no tracing directory
[1]

$ sonde extract now
sonde: extract takes no argument, but there is 'now'
[2]
