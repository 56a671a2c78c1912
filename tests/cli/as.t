# sonde as trace-cmd: the words, the layout and the exit status of that program
# covers: none

$ sonde as
sonde: as: which program's command line is it? sonde knows: trace-cmd, perf, uftrace and strace
[2]
$ sonde as vi x
sonde: as: sonde cannot be 'vi'; it knows: trace-cmd, perf, uftrace and strace
[2]
$ sonde as trace-cmd | head -5

trace-cmd version 3.1.6 (sonde 0.1.0)

usage:
  trace-cmd [COMMAND] ...

$ ln -s "$(command -v sonde)" trace-cmd; ./trace-cmd help > help; echo $?; sonde as trace-cmd nosuch | cmp - help; sonde as trace-cmd --version | cmp - help
255

# A wrong word: getopt's message, the usage of the command, 255.
$ ./trace-cmd stop -z
stop: invalid option -- 'z'

trace-cmd version 3.1.6 (sonde 0.1.0)

usage:
 trace-cmd stop [-B buf ...] [-a] [-t]
          -B this instance; repeatable
          -a all instances
          -t with -B: also the top level

[255]
$ ./trace-cmd report --json > /dev/null
report: unrecognized option '--json'
[255]
$ ./trace-cmd split -s > /dev/null
split: option requires an argument -- 's'
[255]

# An error: what errno says, the sentence, its number.
$ ./trace-cmd report -i nosuch.dat
trace-cmd: No such file or directory
  cannot open nosuch.dat: No such file or directory
[2]
$ ./trace-cmd convert -i nosuch.dat -o x
trace-cmd: No such file or directory
  cannot open nosuch.dat: No such file or directory
[2]

# Guests are for record, and names for guests.
$ ./trace-cmd start -A web@3 -e sched
  guests (-A) can only be recorded
[255]
$ ./trace-cmd record -e sched --name web true
  --name is the name of a guest (-A)
[255]
$ ./trace-cmd list --nosuch > /dev/null
list: invalid option -- '--nosuch'
list: invalid option -- '-'
[255]
$ ./trace-cmd list -e '['
trace-cmd: No such file or directory
  list: '[' is not a regular expression
[2]

# What works on files is sonde's command of that name.
$ for c in report hist mem dump; do ./trace-cmd $c -i $GOLDEN/tour.dat > a; sonde $c -i $GOLDEN/tour.dat > b; cmp a b || echo $c; done
$ ./trace-cmd report -t $GOLDEN/tour.dat > a; sonde report -t $GOLDEN/tour.dat | cmp - a
$ ./trace-cmd report -i $GOLDEN/tour.dat x > /dev/null
[255]

# What looks at the kernel: a directory of plain files stands for it.
$ export SONDE_TRACEFS=t; for d in t t/instances/one; do mkdir -p $d/events/sched/sched_switch $d/options; echo 1 > $d/tracing_on; echo nop > $d/current_tracer; echo events > $d/trace; echo 0 > $d/events/enable; echo 1408 > $d/buffer_size_kb; echo 2816 > $d/buffer_total_size_kb; done; echo '[local] mono' > t/trace_clock; echo 1 > t/options/overwrite; echo 0 > t/options/raw
$ ./trace-cmd stat -B one
Instance: one

Events:
 All disabled

Buffer size in kilobytes (per cpu):
   1408

Buffer total size in kilobytes:
   2816

Tracing is enabled
 (esc)
$ ./trace-cmd list -o | sort
noraw
overwrite
$ ./trace-cmd list -s
sched
 (esc)

$ ./trace-cmd stop -B one && cat t/tracing_on t/instances/one/tracing_on
1
0 (no-eol)
$ ./trace-cmd stop -a && cat t/tracing_on t/instances/one/tracing_on
00 (no-eol)
$ ./trace-cmd clear --all -B one && cat t/trace t/instances/one/trace
$ echo events > t/trace; echo 1 > t/tracing_on
$ ./trace-cmd stop -B nosuch
trace-cmd: No such file or directory
  no tracing instance 'nosuch'; 'sonde list -B' lists them
[2]
$ ./trace-cmd show -f
t/trace
events
$ ./trace-cmd show --tracing_on --current_tracer
1
nop
$ ./trace-cmd show -s -p
  -s and -p do not go together
[255]
