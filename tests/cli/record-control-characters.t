# text with control characters never reaches the kernel or the journal
# covers: none

$ try() { sonde record -o t.dat "$@" true; }; nl='
> '
$ for option in -B -C -O -l -P --probe --module; do try -e sched -p nop $option "a${nl}b"; done
sonde: the instance (-B) contains a newline: 'a\x0ab'; remove it
sonde: the clock (-C) contains a newline: 'a\x0ab'; remove it
sonde: the option (-O) contains a newline: 'a\x0ab'; remove it
sonde: the function (-l) contains a newline: 'a\x0ab'; remove it
sonde: the process (-P) contains a newline: 'a\x0ab'; remove it
sonde: the probe (--probe) contains a newline: 'a\x0ab'; remove it
sonde: the module (--module) contains a newline: 'a\x0ab'; remove it
[2]
$ try -e "sched${nl}all"
sonde: the event (-e) contains a newline: 'sched\x0aall'; remove it
[2]
$ try -e sched -f "pid == 1${nl}2"
sonde: the filter (-f) contains a newline: 'pid == 1\x0a2'; remove it
[2]
$ try -e sched -R "traceoff${nl}x"
sonde: the trigger (-R) contains a newline: 'traceoff\x0ax'; remove it
[2]
$ try -e sched -f "$(printf 'comm == "\033]0;x\007"')"
sonde: the filter (-f) contains an escape character: 'comm == "\x1b]0;x\x07"'; remove it
[2]
$ try --probe "p:one do_sys_open${nl}p:two do_exit" -e sched
sonde: the probe (--probe) contains a newline: 'p:one do_sys_open\x0ap:two do_exit'; remove it
[2]
$ ls
