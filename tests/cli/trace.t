# trace refuses what makes no sense, and says what to do instead

$ sonde trace
sonde: trace needs to know what to trace: a command, a process (-p PID), everything (-a), or a recorded file (-i FILE)
[2]
$ sonde trace -e opne true
sonde: trace: there is no system call 'opne'; did you mean 'open'?
[2]
$ sonde trace -e %nosuch true
sonde: trace: there is no set %nosuch of system calls; the sets are those of strace: %file, %network, %process, %desc, %memory, %signal, %ipc …
[2]
$ sonde trace -e '/(' true
sonde: trace: '(' is not a regular expression
[2]
$ sonde trace -p 1 -i x.dat
sonde: -a, -p and -i exclude each other, and so do -i and a command
[2]
$ sonde trace -z -Z true
sonde: -z and -Z exclude each other
[2]
$ sonde trace -S size true
sonde: trace: -S takes time, calls, errors, name, min, max, avg or nothing, not 'size'
[2]
$ sonde trace -s 100000 true
sonde: -s takes a number of bytes up to 2048
[2]
$ sonde trace --ring-size 100 true
sonde: --ring-size is a number of KB that is a power of 2, from 4 to 1048576
[2]
$ sonde trace --duration long true
sonde: trace: --duration takes milliseconds, not 'long'
[2]
$ sonde trace --cpu 3-1 -a
sonde: '3-1' is not a list of CPUs: 0,2-3
[2]
$ sonde trace -e signal=SIGHOP true
sonde: trace: invalid signal 'SIGHOP'
[2]
$ sonde trace -e status=lost true
sonde: trace: -e status= is failed, successful, unfinished or all, not 'lost'
[2]
$ sonde trace -i nosuch.dat
sonde: cannot open nosuch.dat: No such file or directory
[1]
