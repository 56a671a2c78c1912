# probe funcs, lines and vars say what is missing
# covers: D08 D11 Q15 Q16

$ sonde probe funcs -x /no/such/program
sonde: cannot open /no/such/program: No such file or directory
[1]

$ sonde probe lines
sonde: probe lines: name a function or a file
[2]

$ sonde probe vars
sonde: probe vars: name a function or a line
[2]

$ sonde probe vras
sonde: there is no 'probe vras'; did you mean probe vars; 'sonde probe --help' lists what there is
[2]

$ sonde probe lines -x /bin/sh main:9-3
sonde: probe lines: 'main:9-3' is no range of lines; it is written FUNC:2-9, FUNC:2+7 or FILE:20-30
[2]

$ echo hello > text && sonde probe funcs -x ./text 2>&1 | sed "s|$PWD|DIR|"
sonde: DIR/text is not a program, library or kernel: not a valid ELF file

# The running kernel's functions, from a list of its symbols; data is left out
$ printf 'ffffffff81000010 T vfs_read\nffffffff81000020 t vfs_readv\nffffffff81000030 D vfs_data\nffffffff81000040 t helper\t[kvm]\n' > kallsyms
$ export SONDE_KALLSYMS=$PWD/kallsyms
$ sonde probe funcs
helper
vfs_read
vfs_readv
$ sonde probe funcs 'vfs_*v'
vfs_readv
$ sonde probe funcs -m kvm
helper
$ sonde probe funcs nothing
sonde: there is no function 'nothing'
[1]
$ sonde probe funcs --json vfs_read
{"functions":[{"name":"vfs_read","symbol":"vfs_read","address":"0xffffffff81000010","bytes":0,"inlined":0}]}
$ sonde probe funcs --marks
sonde: probe funcs: marks are in programs and libraries; -x says which
[2]

# A name without a slash: the file here after -x, then $PATH and the libraries; last of all here for TARGET:FUNC
$ cp /bin/true qq_here && readelf -h qq_here | sed -n 's/.*Entry point.*0x/0x/p' > entry
$ sonde probe add -D -x qq_here $(cat entry) | sed "s|$PWD|DIR|; s/$(sed s/0x// entry)/N/g"
p:probe_qq_here/abs_N DIR/qq_here:0xN
$ sonde probe add -D qq_here:$(cat entry) | sed "s|$PWD|DIR|; s/$(sed s/0x// entry)/N/g"
p:probe_qq_here/abs_N DIR/qq_here:0xN
$ sonde probe funcs -x libc.so.6 getpid
getpid
$ sonde probe funcs -x qq_nowhere
sonde: there is no program 'qq_nowhere' here or in $PATH and no library of that name; give its path
[1]
