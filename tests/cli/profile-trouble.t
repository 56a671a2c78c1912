# profile says what is wrong before it touches anything

$ sonde profile -S true
sonde: profile -S traces only what is named: an event, -e sched, or a tracer, -p function_graph
[2]
$ sonde profile --csv true
sonde: profile: unknown option --csv; --help lists them
[2]
$ sonde profile -F
sonde: -F needs a command to trace
[2]
$ sonde profile -H nonsense true
sonde: the hook 'nonsense' has no '/' between its start and its end; its form is [SYSTEM:]EVENT,FIELD[,PIDFIELD]/[SYSTEM:]EVENT,FIELD[,FLAGS]
[2]
$ sonde profile -o nowhere/profile.txt true
sonde: cannot write nowhere/profile.txt: No such file or directory
[1]
$ SONDE_TRACEFS=$PWD/nowhere sonde profile true
sonde: SONDE_TRACEFS names …/nowhere, which is not a tracing directory
[1]
