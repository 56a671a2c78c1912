# list without a file asks the running kernel
# covers: T16 X02 X03 X23

$ export SONDE_TRACEFS=t; mkdir -p t/options t/instances/one t/events/sched/sched_switch t/events/sched/sched_wakeup t/events/irq/irq_entry; cd t; echo 'local [mono]' > trace_clock; echo 'function nop' > available_tracers; echo 1 > options/overwrite; echo 0 > options/stacktrace; printf '%s\n' vfs_read vfs_write 'p9_read [9p]' > available_filter_functions; for e in events/*/*; do printf 'name: %s\nformat:\n\tfield:int a;\n\nprint fmt: "%%d", REC->a\n' $(basename $e) > $e/format; echo none > $e/filter; echo '# Available triggers:' > $e/trigger; done; cd ..
$ sonde list
event systems:
irq
sched

events:
irq:irq_entry
sched:sched_switch
sched:sched_wakeup

tracers:
function nop

options:
overwrite            1
stacktrace           0

buffer instances:
one

clocks:
local [mono]
$ sonde list -e wake
sched:sched_wakeup
$ sonde list -e sched: -F | head -n 6
system: sched
name: sched_switch
format:
	field:int a;

system: sched
$ sonde list -e sched_switch -F --full | tail -n 1
print fmt: "%d", REC->a
$ sonde list -s; sonde list -t; sonde list -p; sonde list -o over; sonde list -B; sonde list -C
irq
sched
function nop
function nop
overwrite            1
one
local [mono]
$ sonde list -f vfs; sonde list -f '9p.$'
vfs_read
vfs_write
p9_read [9p]
$ sonde list -P
sched:sched_switch
sched:sched_wakeup

# Filters and triggers
$ sonde list -e -l; sonde list -e sched -R
None of these events has a filter
None of these events has a trigger
$ echo 'prev_pid == 1' > t/events/sched/sched_switch/filter; echo 'traceoff:unlimited' > t/events/irq/irq_entry/trigger
$ sonde list -e -l; sonde list -e -R; sonde list -e sched: -l -R
sched:sched_switch
	prev_pid == 1
irq:irq_entry
	traceoff:unlimited
sched:sched_switch
	prev_pid == 1

# Trouble
$ sonde list -R
sonde: list: -l and -R show filters and triggers of events: add -e
[2]
$ cp $GOLDEN/tour.dat . && sonde list -t tour.dat
sonde: list: -t, -o, -l and -R ask the running kernel; a trace does not know it
[2]
$ sonde list -e '\('
sonde: list: '\(' is not a regular expression
[2]
$ sonde list -o '\('
sonde: list: '\(' is not a regular expression
[2]
$ rm t/available_filter_functions t/available_tracers; sonde list -f vfs
sonde: this kernel has no function tracer (CONFIG_FUNCTION_TRACER)
[1]
$ sonde list -t
sonde: this kernel has no t/available_tracers
[1]
$ SONDE_TRACEFS=/nosuch sonde list
sonde: SONDE_TRACEFS names /nosuch, which is not a tracing directory
[1]
$ sonde list -e nosuch; sonde list -e sched:nosuch -F; sonde list -o nosuch
sonde: list: no event of this kernel matches 'nosuch'
sonde: list: no event of this kernel matches 'sched:nosuch'
sonde: list: no option of this kernel matches 'nosuch'
[1]
$ sonde as trace-cmd list -e nosuch
