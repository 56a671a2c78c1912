# check-events says what is wrong
# covers: T20

$ sonde check-events one two
sonde: check-events: 'two' is one file too many
[2]
$ sonde check-events -t dir one
sonde: check-events: -t and a file exclude each other
[2]
$ sonde check-events --nonsense
sonde: check-events: unknown option --nonsense; --help lists them
[2]
$ sonde check-events nosuch.dat
sonde: cannot open nosuch.dat: No such file or directory
[1]
$ sonde check-events .
sonde: . is a directory, not a trace file
[1]
$ sonde check-events /etc/passwd
sonde: /etc/passwd is not a trace file (it does not begin like a trace.dat)
[1]
$ sonde check-events -t nosuch
sonde: nosuch is not a tracing directory: cannot read nosuch/events/header_page: No such file or directory
[1]
$ sonde check-events --help | head -n 3
usage: sonde check-events [options] [FILE]

check that all event formats can be parsed

# A file that is truncated in its formats: the rest of them are checked
$ head -c 100000 $GOLDEN/events-v6.dat >cut && sonde check-events cut 2>&1 | cut -c 1-60
63 event formats of cut: 63 compile
sonde: cut is truncated…
