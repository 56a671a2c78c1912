# report --profile says what is wrong with what it is asked for
# covers: P14 P15

$ ln -s $GOLDEN/*.dat .
$ sonde report -G tour.dat
sonde: -G, -H and --by-comm go with --profile
[2]
$ sonde report --by-comm -H a,b/c,d tour.dat
sonde: -G, -H and --by-comm go with --profile
[2]
$ sonde report --profile --csv tour.dat
sonde: --profile has text and --json, but no --csv
[2]
$ sonde report --profile -H sys_enter tour.dat
sonde: the hook 'sys_enter' has no '/' between its start and its end; its form is [SYSTEM:]EVENT,FIELD[,PIDFIELD]/[SYSTEM:]EVENT,FIELD[,FLAGS]
[2]
$ sonde report --profile -H sys_enter,id/sys_exit tour.dat
sonde: the hook 'sys_enter,id/sys_exit' does not say which event ends it, and by which field; its form is [SYSTEM:]EVENT,FIELD[,PIDFIELD]/[SYSTEM:]EVENT,FIELD[,FLAGS]
[2]
$ sonde report --profile -H sys_enter,id/sys_exit,id,q tour.dat
sonde: the hook 'sys_enter,id/sys_exit,id,q' has a flag that is none of p, g and s; its form is [SYSTEM:]EVENT,FIELD[,PIDFIELD]/[SYSTEM:]EVENT,FIELD[,FLAGS]
[2]
$ sonde report --profile -H nosuch,id/sys_exit,id tour.dat
sonde: the trace has no event 'nosuch' to hook; 'sonde report -E' lists its events
[1]
$ sonde report --profile -H sys_enter,nosuch/sys_exit,id tour.dat
sonde: the event raw_syscalls:sys_enter has no field 'nosuch' to hook; 'sonde report --event sys_enter' shows its fields
[2]
$ sonde report --profile made-latency-v7.dat
sonde: made-latency-v7.dat holds the text of a latency tracer, which has no events to profile; 'sonde report' prints it
[1]
$ sonde report --profile made-empty-v7.dat
profile of made-empty-v7.dat: no events
$ sonde report --profile made-damaged-commit.dat 2>/dev/null | head -n 2
profile of made-damaged-commit.dat: 2.000 s from 1.000001 to 3.000005
events: tick 15
