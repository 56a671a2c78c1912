# sched says what is missing
# covers: E07

$ cp $GOLDEN/tour.dat $GOLDEN/function-all.dat .
$ sonde sched
sonde: sched needs a sub-command; 'sonde sched --help' lists them
[2]
$ sonde sched latencies
sonde: there is no 'sched latencies'; 'sonde sched --help' lists what there is
[2]
$ sonde sched latency -i no-such.dat
sonde: cannot open no-such.dat: No such file or directory
[1]
$ sonde sched latency function-all.dat
sonde: there is no sched_switch in function-all.dat; record with 'sonde sched record'
[1]
$ sonde sched latency -s size tour.dat
sonde: sched latency: --sort takes runtime, switch, avg, max or pid, not 'size'
[2]
$ sonde sched latency --worst -1 tour.dat
sonde: --worst takes a number from 0 to 10000
[2]
$ sonde sched latency -C 1-x tour.dat
sonde: sched latency: '1-x' is not a list of CPUs such as 0,2-3
[2]
$ sonde sched timehist -t me tour.dat
sonde: sched timehist: -t takes numbers with commas between, not 'me'
[2]
$ sonde sched timehist --max-stack 0 tour.dat
sonde: --max-stack takes a number from 1 to 128
[2]
$ sonde sched chains -s name tour.dat
sonde: --sort takes wait, sleep or count, not 'name'
[2]
$ sonde sched chains --depth 9 tour.dat
sonde: --depth takes a number from 1 to 8
[2]
$ sonde sched map --color-pids a tour.dat
sonde: sched map: 'a' is not a list of numbers
[2]
$ sonde sched summary --rows -1 tour.dat
sonde: --rows takes a number of rows
[2]
$ sonde sched latency -B foo tour.dat
sonde: there is no buffer 'foo' in tour.dat; 'sonde info' names them
[1]
$ sonde sched latency --from tomorrow tour.dat
sonde: --from needs a time like 12.345678, +1.5s or +20ms, not 'tomorrow'
[2]
$ sonde sched latency --task nosuch tour.dat
sonde: nothing in tour.dat matches the tasks, CPUs and times
[1]
$ sonde sched timehist --cpu 99 tour.dat
sonde: nothing in tour.dat matches the tasks, CPUs and times
[1]
$ sonde sched record -C 0-x true
sonde: sched record: '0-x' is not a list of CPUs such as 0,2-3
[2]
