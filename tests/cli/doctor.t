# doctor says what a kernel can trace and why not; here on a made-up tracing directory
# covers: X39 X02 Q25 X34

$ mkdir -p t/instances t/options t/events/sched/sched_switch && cd t
$ echo "[local] global mono" >trace_clock
$ echo "function_graph irqsoff nop" >available_tracers
$ echo "sched:sched_switch" >available_events
$ touch trace_marker snapshot events/sched/sched_switch/filter events/sched/sched_switch/trigger README
$ export SONDE_TRACEFS=$PWD
$ sonde doctor irqsoff snapshot marker mono
  yes  marker          write your own lines into the trace
  yes  irqsoff         the longest time with interrupts off
  yes  snapshot        a second buffer to swap with
  yes  mono            the clock of CLOCK_MONOTONIC
$ sonde doctor irqsoff hwlat | head -n 2
  yes  irqsoff         the longest time with interrupts off
  no   hwlat           delays caused by the hardware
$ sonde doctor irqsoff hwlat >/dev/null
[1]

# As JSON
$ sonde doctor --json irqsoff clocks | tr '{' '\n' | tail -n 2
"name":"irqsoff","group":"Latency and other tracers","what":"the longest time with interrupts off","answer":"yes","tried":false,"why":null,"remedy":null},
"name":"clocks","group":"Buffers and clocks","what":"the clocks for timestamps","answer":"yes","tried":false,"why":"global local mono","remedy":null}]}
$ sonde doctor --json | tr ',' '\n' | grep -c '"name":'
57

# Nothing is left behind
$ ls instances

# All of it has a head and groups
$ sonde doctor | sed -n 's/^\(options\|lockdown\).*/\1/p; /^[A-Z][a-z ]*$/p'
options
lockdown
The tracing directory
Events
Functions
Latency and other tracers
Probes
Buffers and clocks
Functions of programs
Names
Beside the tracing directory

# Functions of programs need no tracing directory
$ SONDE_TRACEFS=/none sonde doctor user-hooks user-memory user-libraries
  yes  user-hooks      record -u with compilers' hooks: -pg, -mfentry, -fpatchable-function-entry, XRay (x86_64)
  yes  user-libraries  programs and their libraries: preload a library (sonde's library goes to …)
  yes  user-memory     memory that a program shares with sonde (memfd)

# Mistakes
$ sonde doctor irqsof
sonde: unknown ability 'irqsof'; did you mean irqsoff; 'sonde doctor' lists them all
[2]
$ SONDE_TRACEFS=/none sonde doctor tracefs | head -n 2
  no   tracefs         the kernel's tracing directory
                       why:    SONDE_TRACEFS names /none, which is not a tracing directory
