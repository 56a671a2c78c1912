# list tells what a trace knows, sorted

$ cp $GOLDEN/tour.dat . && sonde list tour.dat | head -n 12
event systems:
exceptions
ftrace
irq
raw_syscalls
sched

events:
exceptions:page_fault_user
ftrace:bprint
ftrace:bputs
ftrace:branch
$ sonde list tour.dat | tail -n 6

buffer instances:
No buffer instances defined

clock:
[local]
$ sonde list -s tour.dat
exceptions
ftrace
irq
raw_syscalls
sched
$ sonde list -e sched: tour.dat
sched:sched_process_exec
sched:sched_switch
sched:sched_wakeup
$ sonde list -e WAKEUP -i tour.dat
ftrace:wakeup
sched:sched_wakeup
$ sonde list -e sched:wakeup tour.dat
sched:sched_wakeup
$ sonde list -e '^sys_' tour.dat
raw_syscalls:sys_enter
raw_syscalls:sys_exit
$ sonde list -esys_enter -F tour.dat
system: raw_syscalls
name: sys_enter
ID: 351
format:
	field:unsigned short common_type;	offset:0;	size:2;	signed:0;
	field:unsigned char common_flags;	offset:2;	size:1;	signed:0;
	field:unsigned char common_preempt_count;	offset:3;	size:1;	signed:0;
	field:int common_pid;	offset:4;	size:4;	signed:1;

	field:long id;	offset:8;	size:8;	signed:1;
	field:unsigned long args[6];	offset:16;	size:48;	signed:0;
 (esc)
$ sonde list -esys_enter -F --full tour.dat | tail -n 1
print fmt: "NR %ld (%lx, %lx, %lx, %lx, %lx, %lx)", REC->id, REC->args[0], REC->args[1], REC->args[2], REC->args[3], REC->args[4], REC->args[5]
$ sonde list -f 'mutex' tour.dat
mutex_lock
mutex_lock_io
mutex_unlock
ww_mutex_unlock
$ sonde list -f tour.dat | wc -l; sonde list -f tour.dat | LC_ALL=C sort -c
208
$ sonde list -f '\[' $GOLDEN/function-all.dat | head -n 2; sonde list -f vfs_read$ $GOLDEN/function-all.dat
__SCT__tp_func_9p_client_req [9pnet]
__SCT__tp_func_9p_client_res [9pnet]
vfs_read
$ sonde list -B tour.dat; sonde list -B $GOLDEN/instances-mono.dat
No buffer instances defined
one
two
$ sonde list -C tour.dat; sonde list -C $GOLDEN/instances-mono.dat; sonde list -C $GOLDEN/made-clock-unsaid-v6.dat
[local]
local global counter uptime perf [mono] mono_raw boot tai x86-tsc
The trace does not say which clock it was
$ sonde list -P tour.dat
ftrace:func_repeats
ftrace:funcgraph_entry
ftrace:funcgraph_exit
ftrace:function
ftrace:kernel_stack
ftrace:raw_data
ftrace:user_stack
sched:sched_switch
sched:sched_wakeup

# Without a trace
$ sonde list -c
Supported compression algorithms:
	zstd, …
	zlib, …
$ sonde list -O | head -n 5
  plugin:	ftrace
  option:	parent
    desc:	Print parent of functions for function events
     set:	0
------------
