# restore says what is wrong
# covers: T17

$ sonde restore
sonde: restore: name what was left behind, like trace.dat.cpu0, or a damaged trace
[2]
$ sonde restore --nonsense
sonde: restore: unknown option --nonsense; --help lists them
[2]
$ sonde restore nosuch.cpu0
sonde: cannot open nosuch.cpu0: No such file or directory
[1]
$ sonde restore /etc/passwd
sonde: /etc/passwd is neither a trace nor the data of a CPU: its name has no 'cpuN'
[2]
$ sonde restore -c file.cpu0
sonde: restore: -c takes no data, so no 'file.cpu0'
[2]
$ sonde restore -c -i partial.dat
sonde: restore: -c makes a partial trace, -i uses one; not both
[2]
$ sonde restore -i partial.dat -t dir file.cpu0
sonde: restore: with -i nothing is read from a tracing directory
[2]
$ cp $GOLDEN/tour.dat . && : >file.cpu0 && : >other.cpu0
> sonde restore -i nosuch.dat file.cpu0
sonde: cannot open nosuch.dat: No such file or directory
[1]
$ sonde restore -i /etc/passwd file.cpu0
sonde: /etc/passwd is not a trace file (it does not begin like a trace.dat)
[1]
$ sonde restore -i tour.dat file.cpu0 other.cpu0
sonde: file.cpu0 and other.cpu0 are both of CPU 0
[2]
$ sonde restore -t . file.cpu0
sonde: . is not a tracing directory: cannot read ./events/header_page: No such file or directory
[1]
$ mkdir -p tracing/events && echo hello >tracing/events/header_page && sonde restore -t tracing file.cpu0
sonde: tracing/events/header_page does not describe a sub-buffer
[1]
$ sonde restore -i tour.dat -o /nosuch/dir/x file.cpu0
sonde: cannot create /nosuch/dir/x: No such file or directory
[1]
$ sonde restore -i tour.dat . file.cpu0
sonde: . is neither a trace nor the data of a CPU: its name has no 'cpuN'
[2]
$ ls
file.cpu0
other.cpu0
tour.dat
tracing
$ sonde restore -i tour.dat -o empty.dat file.cpu0 && sonde report empty.dat
cpus=2
