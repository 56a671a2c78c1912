# stack PID names what is wrong
# covers: V04

$ sonde stack x
sonde: stack: 'x' is not a process id
[2]
$ sonde stack 4194000
sonde: there is no process 4194000
[1]
