# ctl talks to a recording that runs

$ sonde ctl
sonde: ctl: what shall the recording do? status, functions, on, off, mark or stop
[2]
$ sonde ctl -p 1 status
sonde: process 1 is not a recording of yours
[1]
$ sonde ctl -p x status
sonde: ctl: --pid needs a number, not 'x'
[2]
