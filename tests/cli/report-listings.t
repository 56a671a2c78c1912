# report lists what a file holds: functions, printk formats, events and their formats
# covers: P02 P03 P04 P05

$ sonde report -f $GOLDEN/tour.dat | head -n 4
ffffffff82000075 secondary_startup_64_no_verify
ffffffff82000160 verify_cpu
ffffffff820032d0 ret_from_fork
ffffffff82003300 rewind_stack_and_make_dead
$ sonde report -P $GOLDEN/tour.dat | head -n 4
ffffffff8315b060 mt_find
ffffffff8315b068 mtree_erase
ffffffff8315b080 mtree_store_range
ffffffff8315b098 mtree_load
$ sonde report -E $GOLDEN/tour.dat
exceptions:page_fault_user
ftrace:bprint
ftrace:bputs
ftrace:branch
ftrace:context_switch
ftrace:func_repeats
ftrace:funcgraph_entry
ftrace:funcgraph_exit
ftrace:function
ftrace:hwlat
ftrace:kernel_stack
ftrace:mmiotrace_map
ftrace:mmiotrace_rw
ftrace:osnoise
ftrace:print
ftrace:raw_data
ftrace:timerlat
ftrace:user_stack
ftrace:wakeup
irq:irq_handler_entry
irq:irq_handler_exit
irq:softirq_entry
irq:softirq_exit
irq:softirq_raise
raw_syscalls:sys_enter
raw_syscalls:sys_exit
sched:sched_process_exec
sched:sched_switch
sched:sched_wakeup
$ sonde report --events $GOLDEN/events-v6.dat | head -n 12

system: sched
name: sched_waking
ID: 322
format:
	field:unsigned short common_type;	offset:0;	size:2;	signed:0;
	field:unsigned char common_flags;	offset:2;	size:1;	signed:0;
	field:unsigned char common_preempt_count;	offset:3;	size:1;	signed:0;
	field:int common_pid;	offset:4;	size:4;	signed:1;

	field:char comm[16];	offset:8;	size:16;	signed:1;
	field:pid_t pid;	offset:24;	size:4;	signed:1;
$ sonde report --event sched:sched_switch $GOLDEN/events-v6.dat

system: sched
name: sched_switch
ID: 319
format:
	field:unsigned short common_type;	offset:0;	size:2;	signed:0;
	field:unsigned char common_flags;	offset:2;	size:1;	signed:0;
	field:unsigned char common_preempt_count;	offset:3;	size:1;	signed:0;
	field:int common_pid;	offset:4;	size:4;	signed:1;

	field:char prev_comm[16];	offset:8;	size:16;	signed:1;
	field:pid_t prev_pid;	offset:24;	size:4;	signed:1;
	field:int prev_prio;	offset:28;	size:4;	signed:1;
	field:long prev_state;	offset:32;	size:8;	signed:1;
	field:char next_comm[16];	offset:40;	size:16;	signed:1;
	field:pid_t next_pid;	offset:56;	size:4;	signed:1;
	field:int next_prio;	offset:60;	size:4;	signed:1;

print fmt: "prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s%s ==> next_comm=%s next_pid=%d next_prio=%d", REC->prev_comm, REC->prev_pid, REC->prev_prio, (REC->prev_state & ((((0x00000000 | 0x00000001 | 0x00000002 | 0x00000004 | 0x00000008 | 0x00000010 | 0x00000020 | 0x00000040) + 1) << 1) - 1)) ? __print_flags(REC->prev_state & ((((0x00000000 | 0x00000001 | 0x00000002 | 0x00000004 | 0x00000008 | 0x00000010 | 0x00000020 | 0x00000040) + 1) << 1) - 1), "|", { 0x00000001, "S" }, { 0x00000002, "D" }, { 0x00000004, "T" }, { 0x00000008, "t" }, { 0x00000010, "X" }, { 0x00000020, "Z" }, { 0x00000040, "P" }, { 0x00000080, "I" }) : "R", REC->prev_state & (((0x00000000 | 0x00000001 | 0x00000002 | 0x00000004 | 0x00000008 | 0x00000010 | 0x00000020 | 0x00000040) + 1) << 1) ? "+" : "", REC->next_comm, REC->next_pid, REC->next_prio
 (esc)
$ sonde report --event mm_page $GOLDEN/events-v6.dat | grep name:
name: mm_page_pcpu_drain
name: mm_page_free_batched
name: mm_page_free
name: mm_page_alloc_zone_locked
name: mm_page_alloc_extfrag
name: mm_page_alloc
$ sonde report --uname $GOLDEN/tour.dat
cpus=2
Linux (none) 6.1.0-54-amd64 x86_64
3.1.6 not-a-git-repo
$ sonde report --version $GOLDEN/tour.dat
cpus=2
3.1.6 not-a-git-repo
$ sonde report --cpus $GOLDEN/tour.dat
List of CPUs in …/tour.dat with data:
  0
  1
$ sonde report --first-event --last-event $GOLDEN/tour.dat
List of CPUs in …/tour.dat with data:
  0	First event:  151.626494	Last event:  151.768909
  1	First event:  151.609943	Last event:  151.732952
$ sonde report -p $GOLDEN/tour.dat
file page size is 4096, and host page size is 4096
$ sonde report -e $GOLDEN/tour.dat
file is little endian and host is little endian
