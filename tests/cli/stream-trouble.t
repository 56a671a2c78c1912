# stream says what is wrong before it touches anything

$ sonde stream
sonde: stream needs to know what to print: an event, -e sched, a tracer, -p function, a program's functions, -u, or --sample
[2]
$ sonde stream -e sched -o trace.dat
sonde: stream: unknown option -o; --help lists them
[2]
$ sonde stream -e sched --json --csv
sonde: stream: --json and --csv exclude each other
[2]
$ sonde stream -e sched -F
sonde: -F needs a command to trace
[2]
$ sonde stream -e sched -r 100 true
sonde: -r takes a real-time priority from 1 to 99
[2]
$ SONDE_TRACEFS=$PWD/nowhere sonde stream -e sched true
sonde: SONDE_TRACEFS names …/nowhere, which is not a tracing directory
[1]
$ sonde stream -u
sonde: -u needs a command whose functions are traced, or running processes (-P)
[2]
$ sonde stream -u --kernel-depth deep -- true
sonde: stream: --kernel-depth is a number of calls, not 'deep'
[2]
$ sonde stream -u -p function --kernel-depth 3 -- true
sonde: --kernel-depth is for the tracer function_graph, not for function
[2]
