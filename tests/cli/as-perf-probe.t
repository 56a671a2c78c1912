# as perf probe: on a kernel that is made up
# covers: D01 D09 D13 D15 Q07
# needs: python3

$ python3 $TESTS/lib/btf.py k && export SONDE_BTF=k/btf SONDE_KALLSYMS=k/kallsyms SONDE_TRACEFS=k/tracing SONDE_RUN_DIR=$PWD/run

# What the kernel would be given: without a sign in hex, text as a pointer, what is no variable as it is written
$ sonde as perf probe -D 'vfs_read file count' -D 'vfs_read%return $retval %di n=%si:u8'
p:probe/vfs_read vfs_read file=%di:x64 count=%dx:x64
r:probe/vfs_read__return vfs_read $retval %di n=%si:u8
$ sonde as perf probe -D 'vfs_read count:u8 file->f_path.dentry->d_name.name:string'
p:probe/vfs_read vfs_read count_u8=%dx:u8 name=+0(+40(+24(%di))):string
$ sonde as perf probe -D 'vfs_*'
p:probe/vfs_read vfs_read
p:probe/vfs_write vfs_write
$ sonde as perf probe --bootconfig -D 'vfs_read count'
ftrace.event.kprobes.vfs_read.probe = 'vfs_read count=%dx:x64'

# Defining: all or none, and what is said about it goes to stderr
$ sonde as perf probe vfs_read count 2>/dev/null
$ sonde as perf probe -a 'vfs_write count' -a 'my:ev=vfs_read%return $retval'
Added new events:
  probe:vfs_write      (on vfs_write with count)
  my:ev__return        (on vfs_read%return with $retval)

You can now use it in all perf tools, such as:

	perf record -e my:ev__return -aR sleep 1
 (esc)
$ cat k/tracing/dynamic_events; echo
p:probe/vfs_read vfs_read count=%dx:x64p:probe/vfs_write vfs_write count=%si:x64r4096:my/ev__return vfs_read $retval
$ mkdir -p k/tracing/events/probe/vfs_read; sonde as perf probe vfs_read
Error: event "vfs_read" already exists.
 Hint: Remove existing event by 'perf probe -d'
       or force duplicates by 'perf probe -f'
       or set 'force=yes' in BPF source.
  Error: Failed to add events.
[239]
$ sonde as perf probe -f vfs_read file
Added new event:
  probe:vfs_read_1     (on vfs_read with file)

You can now use it in all perf tools, such as:

	perf record -e probe:vfs_read_1 -aR sleep 1
 (esc)
$ sonde as perf probe -q vfs_read
[239]
$ sonde as perf probe -a vfs_read -a nosuch
Failed to find symbol nosuch in kernel
  Error: Failed to add events.
there is no function 'nosuch' in this kernel; if its source has one, it is a macro, or inlined everywhere (--vmlinux FILE finds where), or in a module that is not loaded; 'sonde probe funcs' lists the functions; write a function of a program as PROGRAM:nosuch
  nosuch
  ^~~~~~
[254]
$ sonde as perf probe 'vfs_read nosuch'
Failed to find the location of the 'nosuch' variable at this address.
 Perhaps it has been optimized out.
 Use -V with the --range option to show 'nosuch' location range.
  Error: Failed to add events.
there is no variable 'nosuch' in vfs_read; there are file, buf, count, pos
  vfs_read nosuch
           ^~~~~~
[254]
$ sonde as perf probe 'vfs_read file->nosuch'
  Error: Failed to add events.
there is no member 'nosuch' in struct file; it has f_flags, f_hint, f_path, f_sizes
  vfs_read file->nosuch
                 ^~~~~~
[234]

# The list
$ printf 'p:probe/vfs_read vfs_read+0 count=%%dx:u64\nr8:probe/vfs_write__return vfs_write+0 arg1=$retval\np:probe/late _text+16\np:probe_a/work /no/such:0x1139 n=%%di:s32\n' > k/tracing/dynamic_events
$ sonde as perf probe -l
  probe:late           (on _text+16)
  probe:vfs_read       (on vfs_read with count)
  probe:vfs_write__return (on vfs_write%return with arg1)
  probe_a:work         (on 0x1139 in /no/such with n)
$ sonde as perf probe -l 'vfs*'
  probe:vfs_read       (on vfs_read with count)
  probe:vfs_write__return (on vfs_write%return with arg1)
$ sonde as perf probe --list 'probe_a:*'
  probe_a:work         (on 0x1139 in /no/such with n)
$ printf 'ffffffff81000000 T _text\nffffffff81000008 T early\nffffffff81000100 T behind\n' > symbols && SONDE_KALLSYMS=symbols sonde as perf probe -l '!vfs* & l?te'
  probe:late           (on early+8)
$ sonde as perf probe -d 'vfs_read|work'
Removed event: probe:vfs_read
Removed event: probe_a:work
$ sonde as perf probe -d nothing -d 'none*'
"nothing|none*" does not hit any event.
  Error: Failed to delete events.
[254]
$ sonde as perf probe -d '(a'  2>&1 | head -4
Filter parse error at 3.
Source: "(a"
           ^
 (esc)

# What can be probed
$ sonde as perf probe -F | grep -c '^_'
0
[1]
$ sonde as perf probe -F 'vfs_* | irqfd_inject & !nothing'
irqfd_inject
vfs_read
vfs_write
$ sonde as perf probe -F 'vfs_r*'
vfs_read
$ sonde as perf probe -V vfs_read
Available variables at vfs_read
	@<vfs_read+0>
		char*	buf
		long int*	pos
		size_t	count
		struct file*	file
$ sonde as perf probe --filter 'c*' -V vfs_read
Available variables at vfs_read
	@<vfs_read+0>
		size_t	count
$ sonde as perf probe -V nosuch
  Error: Failed to show vars.
the kernel's BTF has no function 'nosuch'; what is missing there needs the kernel's DWARF (-k FILE)
[254]

# Mistakes
$ sonde as perf probe 'vfs_read:x'
  Error: Failed to add events.
'vfs_read' is not a loaded module, a program in PATH, a library, or a system with an event x; write its path, as in ./vfs_read:x
  vfs_read:x
  ^~~~~~~~
[254]
$ sonde as perf probe 'vfs_read+x'
Semantic error :There is non-digit character in offset.
this is no offset; after '+' comes a number of bytes, as in +36 or +0x24
  vfs_read+x
           ^
  Error: Command Parse Error.
[234]
$ sonde as perf probe 'vfs_read%ret'
Semantic error :%ret is not supported.
after '%' of a function only 'return' is known, as in vfs_read%return
  vfs_read%ret
          ^~~~
  Error: Command Parse Error.
[161]
$ sonde as perf probe '1a=vfs_read'
Semantic error :1a is bad for event name -it must follow C symbol-naming rule.
'1' cannot begin the name of an event; use letters, digits and _
  1a=vfs_read
  ^
  Error: Command Parse Error.
[234]
$ sonde as perf probe --nosuch 2>&1 | head -4
  Error: unknown option `nosuch'

 Usage: perf probe [<options>] 'PROBEDEF' ['PROBEDEF' ...]
    or: perf probe [<options>] --add 'PROBEDEF' [--add 'PROBEDEF' ...]
$ sonde as perf probe -a vfs_read -d vfs_read 2>&1 | head -3
 Error: switch `d' cannot be used with switch `a'
 Usage: perf probe [<options>] 'PROBEDEF' ['PROBEDEF' ...]
    or: perf probe [<options>] --add 'PROBEDEF' [--add 'PROBEDEF' ...]
$ sonde as perf probe -a 2>&1 | head -2
 Error: switch `a' requires a value
 Usage: perf probe [<options>] 'PROBEDEF' ['PROBEDEF' ...]
$ sonde as perf probe -v -q vfs_read
  Error: -v and -q are exclusive.
[234]
$ sonde as perf probe --cache -l
  Error: --cache is not offered: probes are looked up anew each time, and marks of a program's author (SDT) are found in the program: -x PROGRAM %PROVIDER:NAME
[234]
$ sonde as perf probe -D vfs_read -x /bin/true 2>&1 | head -3
  Error: -x/-m must follow the probe definitions.

 Usage: perf probe [<options>] 'PROBEDEF' ['PROBEDEF' ...]
$ sonde as perf probe -x ./nosuch -F 2>&1 | head -1
Failed to get the absolute path of ./nosuch: No such file or directory
$ sonde as perf probe -L vfs_read:5-2 2>&1 | head -1
Semantic error :Start line must be smaller than end line.
$ sonde as perf probe -L vfs_read:5x 2>&1 | head -1
Semantic error :Tailing with invalid str 'x'.
$ sonde as perf probe --li 2>&1 | head -1
 Error: Ambiguous option: li (could be --line or --list)
