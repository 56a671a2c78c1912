# top refuses what it does not know
# covers: E09

$ sonde top --sort color
sonde: unknown key 'color': they are function (symbol), file (dso), comm, thread (tid), process (pid), cpu
[2]
$ sonde top -d never
sonde: top: the delay is a number of seconds, not 'never'
[2]
$ sonde top --iterations 0
sonde: top: --iterations is a number from 1 on, not '0'
[2]
$ sonde top 17
sonde: top takes no argument, but there is '17'
[2]
$ sonde top -e cyles
sonde: top: unknown event 'cyles'; did you mean 'cycles'? (sonde counters --list lists all)
[2]
