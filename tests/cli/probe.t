# probe add, show, list and del, on a kernel that is made up
# covers: D01 D02 D09 D12 D13 D14 D15 Q07 B05
# needs: python3

$ python3 $TESTS/lib/btf.py k && export SONDE_BTF=k/btf SONDE_KALLSYMS=k/kallsyms SONDE_TRACEFS=k/tracing

# What the kernel would be given: the short form, perf's, the kernel's own
$ sonde probe add -D 'vfs_read(file->f_path.dentry->d_name.name, n=count:x16)'
p:probe/vfs_read vfs_read name=+0(+40(+24(%di))):string n=%dx:x16
$ sonde probe add -D vfs_read file count
p:probe/vfs_read vfs_read file=%di:x64 count=%dx:u64
$ sonde probe add -D my:ev=vfs_read%return '$retval'
r:my/ev vfs_read ret=$retval:s64
$ sonde probe add -D 'irqfd_inject(container_of(work, struct irqfd, inject)->kvm->userspace_pid)' 'vfs_write($params)'
p:probe/irqfd_inject irqfd_inject userspace_pid=+8(-16(%di)):s32
p:probe/vfs_write vfs_write file=%di:x64 count=%si:u64
$ sonde probe add -D 'irqfd_inject+16(((struct kvm *)%bp)->userspace_pid)' 'irqfd_inject+16(container_of(%bx, struct irqfd, inject)->kvm->userspace_pid)'
p:probe/irqfd_inject irqfd_inject+16 userspace_pid=+8(%bp):s32
p:probe/irqfd_inject_1 irqfd_inject+16 userspace_pid=+8(-16(%bx)):s32
$ sonde probe add -D 'p:grp/name vfs_read+0x10 count=%dx:u64'
p:grp/name vfs_read+0x10 count=%dx:u64
$ sonde probe add -D -a vfs_read -a vfs_read
p:probe/vfs_read vfs_read
p:probe/vfs_read_1 vfs_read
$ sonde probe add -n 'vfs_read(count) if count > 10'
sonde: a condition belongs to a recording, not to a permanent probe; define the probe without it, and then: sonde record -e probe:vfs_read -f 'count > 10'
  vfs_read(count) if count > 10
                     ^~~~~~~~~~
[1]
$ sonde probe add -n 'vfs_write%return($params)'
sonde: file is not available when vfs_write returns, because this kernel's probes do not keep arguments (since 6.9 they do); a recording joins the entry with the return: use this definition with 'sonde record -e'. A probe at the entry is vfs_write(file)
  vfs_write%return($params)
                   ^~~~~~~
[1]
$ sonde probe show 'vfs_read(file->f_hint, file->f_sizes[1])'
probe:vfs_read, kprobe
place:
  vfs_read
arguments:
  f_hint               enum rw_hint (BTF), read as +4(%di):u32, shown by name
  f_sizes              int (BTF), read as +44(%di):s32
the kernel is given:
  p:probe/vfs_read vfs_read f_hint=+4(%di):u32 f_sizes=+44(%di):s32
cost: by the function tracer's hook where the kernel has it there, else a breakpoint: 0.1 to 0.5 us a hit

# Several functions of one name are all meant
$ sonde probe add -D 'twin_made(x)'
sonde: there are 2 functions twin_made in this kernel, and all of them are probed; their arguments are read as BTF describes them for one of them
p:probe/twin_made _text+1114128 x=%di:s32
p:probe/twin_made _text+2162704 x=%di:s32
$ sonde probe add -D 'twin_made%return'
sonde: there are 2 functions twin_made in this kernel, and all of them are probed
r:probe/twin_made__return _text+1114128
r:probe/twin_made__return _text+2162704
$ sonde probe add -D 'twin_m*'
p:probe/twin_m_ _text+1114128
p:probe/twin_m_ _text+2162704

# A pattern is for what can be probed; what cannot is counted, what is named is refused
$ export SONDE_BLACKLIST=k/blacklist
$ sonde probe add -n 'glob_*(x)'
sonde: 4 of the functions that match are left out, 1 on the kernel's blacklist (NOKPROBE): glob_black; 1 without the tracer's hook (notrace): glob_hidden; 1 without code (inlined): glob_gone; 1 without what is to be recorded: glob_bare
would be defined:
  probe:glob_  (kprobe on glob_one and 1 more place, with x)
$ sonde probe add -n 'glob_*%return($retval)'
sonde: 4 of the functions that match are left out, 1 on the kernel's blacklist (NOKPROBE): glob_black; 1 without the tracer's hook (notrace): glob_hidden; 1 without code (inlined): glob_gone; 1 without what is to be recorded: glob_bare
would be defined:
  probe:glob___return  (kretprobe on glob_one and 1 more place, with ret)
$ sonde probe add -n 'glob_b*'
sonde: 1 of the functions that match are left out, 1 on the kernel's blacklist (NOKPROBE): glob_black
would be defined:
  probe:glob_b_  (kprobe on glob_bare)
$ sonde probe add -n 'glob_bl*'
sonde: no function that matches 'glob_bl*' can be probed (1 on the kernel's blacklist (NOKPROBE): glob_black); name their callers
  glob_bl*
  ^~~~~~~~
[1]
$ sonde probe add -n 'glob_ba*(x)'
sonde: there is no variable 'x' in glob_bare; BTF has no parameters for it: it has none, so omit them, or it is assembler, whose prototype is unknown: use $arg1 or %REG
  glob_ba*(x)
           ^
[1]
$ sonde probe add -n glob_black
sonde: cannot probe glob_black: it is on the kernel's blacklist (NOKPROBE), because probes use it; probe one of its callers
  glob_black
  ^~~~~~~~~~
[1]
$ sonde probe add -D cut_one
sonde: the compiler changed cut_one into cut_one.constprop.0, which is probed; its parameters are unknown
p:probe/cut_one cut_one.constprop.0
$ sonde probe add -D 'cut_one(x)'
sonde: the variables of cut_one.constprop.0 are unknown: BTF does not describe it (it is assembler, or the compiler changed its parameters); use $arg1 or %REG, or give the DWARF of the kernel: --vmlinux FILE
  cut_one(x)
          ^
[1]
$ sonde probe add -n inlined_one
sonde: inlined_one has no code in this kernel: the compiler inlined it into all its callers, or dropped it (exit code); probe one of its callers, or give the kernel's DWARF: --vmlinux FILE
  inlined_one
  ^~~~~~~~~~~
[1]

# Defining: all or none
$ export SONDE_RUN_DIR=$PWD/run
$ sonde probe add 'vfs_read(count)' 'vfs_write%return($retval)'
defined:
  probe:vfs_read  (kprobe on vfs_read, with count)
  probe:vfs_write__return  (kretprobe on vfs_write, with ret)

to use them:     sonde record -e probe:vfs_read -e probe:vfs_write__return sleep 1
to remove them:  sonde probe del probe:vfs_read probe:vfs_write__return
$ cat k/tracing/dynamic_events; echo
p:probe/vfs_read vfs_read count=%dx:u64r4096:probe/vfs_write__return vfs_write ret=$retval:s64
$ printf 'p:probe/vfs_read vfs_read count=%%dx:u64\nr:probe/vfs_write__return vfs_write ret=$retval:s64\np:probe_a/work /tmp/a:0x1139 n=%%di:s32\n' > k/tracing/dynamic_events
$ printf '  vfs_read 12 0\n  vfs_write__return 3 1\n' > k/tracing/kprobe_profile; printf '  /tmp/a work 7\n' > k/tracing/uprobe_profile
$ sonde probe list
probe:vfs_read           kprobe     off        12 hits            vfs_read count=%dx:u64
probe:vfs_write__return  kretprobe  off         3 hits, 1 missed  vfs_write ret=$retval:s64
probe_a:work             uprobe     off         7 hits            /tmp/a:0x1139 n=%di:s32
$ sonde probe list --json 'vfs_*'
{"group":"probe","event":"vfs_read","kind":"kprobe","definition":"p:probe/vfs_read vfs_read count=%dx:u64","on":false,"hits":12,"missed":0}
{"group":"probe","event":"vfs_write__return","kind":"kretprobe","definition":"r:probe/vfs_write__return vfs_write ret=$retval:s64","on":false,"hits":3,"missed":1}
$ cp k/tracing/dynamic_events kept; cp k/tracing/uprobe_profile hits
$ printf 'f:probe/vfs_read__return vfs_read%%return ret=$retval\nt:own/switch sched_switch\n' >> k/tracing/dynamic_events; printf '  /tmp/a work 1234567890\n' > k/tracing/uprobe_profile
$ sonde probe list
probe:vfs_read           kprobe       off          12 hits            vfs_read count=%dx:u64
probe:vfs_write__return  kretprobe    off           3 hits, 1 missed  vfs_write ret=$retval:s64
probe_a:work             uprobe       off  1234567890 hits            /tmp/a:0x1139 n=%di:s32
probe:vfs_read__return   fprobe exit  off           - hits            vfs_read%return ret=$retval
own:switch               tprobe       off           - hits            sched_switch
$ sonde probe list own:switch
own:switch  tprobe  off         - hits  sched_switch
$ mv kept k/tracing/dynamic_events; mv hits k/tracing/uprobe_profile
$ sonde probe list nothing
no probe of that name is defined
$ sonde probe show work
probe_a:work, uprobe, off
the kernel was given:
  p:probe_a/work /tmp/a:0x1139 n=%di:s32  (7 hits, 0 missed)
cost: a breakpoint in the program, on an instruction that has to be stepped over: 2 to 10 us a hit, in every process that runs it
$ mkdir -p k/tracing/events/probe/vfs_read; sonde probe add 'vfs_read=vfs_read(count)'
sonde: the event probe:vfs_read exists already; give this one another name (NAME=\xe2\x80\xa6), or remove the old one: 'sonde probe del probe:vfs_read' (esc)
  vfs_read=vfs_read(count)
  ^~~~~~~~
[1]
$ sonde probe add -n -f 'vfs_read=vfs_read(count)'
would be defined:
  probe:vfs_read_1  (kprobe on vfs_read, with count)
$ sonde probe del 'vfs_*'
2 probes removed
$ sonde probe del nothing
sonde: there is no probe 'nothing'; 'sonde probe list' lists them
[1]
$ sonde probe del 'vfs_read(count)'
sonde: there is no probe 'vfs_read(count)'; 'sonde probe list' lists them, and a probe is removed by its name, not by its definition
[1]
$ sonde probe del
sonde: probe del needs a name, GROUP:EVENT or EVENT, or a glob: '*' is all of them
[2]
$ sonde probe add
sonde: probe add needs a definition, as 'vfs_read(file, count)' or 'bash:readline%return($retval:string)'
[2]
$ sonde probe show
sonde: probe show needs a definition, or the name of a probe that is defined (GROUP:EVENT)
[2]
$ sonde probe
sonde: probe needs a sub-command; 'sonde probe --help' lists them
[2]
$ sonde probe --help
usage: sonde probe SUB-COMMAND [options] [arguments]

define probes, and find what can be probed

sub-commands:
  add       define probes that stay until they are deleted
  del       delete probes by name or glob
  list      list the defined probes and their hits
  show      show one probe in detail: what it reads, where, and what it costs
  funcs     list the functions that can be probed
  lines     show source lines and which of them can be probed
  vars      show the variables that can be read at a place

'sonde probe SUB-COMMAND --help' lists the options of one; 'man sonde-probe' is the manual.

# From boot on names mean nothing yet.
$ sonde record --boot -e 'vfs_read(count)'
sonde: the probe 'vfs_read(count)' cannot be set from boot by name; 'sonde probe add -D' prints it as --probe takes it
[2]
$ sonde probe add 'vfs_read%return($retval, $duration)'
sonde: only a recording can measure the duration of a call, not a permanent probe: sonde record -e 'vfs_read%return($retval, $duration)'
  vfs_read%return($retval, $duration)
                           ^~~~~~~~~
[1]
$ sonde record --max-rate -5 -e sched true
sonde: record: --max-rate takes a number of hits per second above 0, not '-5'
[2]
