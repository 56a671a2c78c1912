# stream says what is wrong before it touches anything

$ sonde stream
sonde: stream needs to know what to print: an event, -e sched, or a tracer, -p function
[2]
$ sonde stream -e sched -o trace.dat
sonde: stream: unknown option -o; --help lists them
[2]
$ sonde stream -e sched --json --csv
sonde: stream: --json and --csv cannot both be had
[2]
$ sonde stream -e sched -F
sonde: -F needs a command to trace
[2]
$ sonde stream -e sched -r 100 true
sonde: -r wants a real-time priority from 1 to 99
[2]
$ SONDE_TRACEFS=$PWD/nowhere sonde stream -e sched true
sonde: SONDE_TRACEFS names …/nowhere, which is not a tracing directory
[1]
