# list says what is wrong

$ sonde list --nonsense
sonde: list: unknown option --nonsense; --help lists them
[2]
$ sonde list nosuch.dat
sonde: cannot open nosuch.dat: No such file or directory
[1]
$ sonde list /etc/passwd
sonde: /etc/passwd is not a trace file (it does not begin like a trace.dat)
[1]
$ sonde list .
sonde: . is a directory, not a trace file
[1]
$ cp $GOLDEN/tour.dat . && sonde list -e '\(' tour.dat
sonde: list: '\(' is not a regular expression
[2]
$ sonde list -F tour.dat
sonde: list: -F shows the fields of events: add -e
[2]
$ sonde list -e --full tour.dat
sonde: list: --full goes with -e and -F
[2]
$ sonde list -e a b tour.dat
sonde: list: 'b' is one word too many
[2]
$ sonde list -e nosuchevent tour.dat
sonde: list: no event of tour.dat matches 'nosuchevent'
[1]
$ sonde list -f nosuchfunction tour.dat
sonde: list: no function of tour.dat matches 'nosuchfunction'
[1]
$ head -c 20000 tour.dat >cut.dat && sonde list -e sys_ cut.dat
raw_syscalls:sys_enter
raw_syscalls:sys_exit
sonde: …cut…
…
[1]
