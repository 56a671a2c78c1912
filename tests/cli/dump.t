# dump shows the metadata of a trace as trace-cmd does
# covers: T20

$ cp $GOLDEN/tour.dat . && sonde dump tour.dat

 Tracing meta data in file tour.dat:
	[Initial format]
		7	[Version]
		0	[Little endian]
		8	[Bytes in a long]
		4096	[Page size, bytes]
		zstd	[Compression algorithm]
		…	[Compression version]
	[buffer "", "local" clock, 4096 page size, 2 cpus, 19509 bytes flyrecord data]
	[16 options]
	[Saved command lines, 1158 bytes]
	[Trace printk, 5729 bytes]
	[Kallsyms, 8530 bytes]
	[Events format, 4 systems]
	[Ftrace format, 18 events]
	[Header page, 205 bytes]
	[Header event, 205 bytes]
	[10 sections]
$ sonde dump --systems tour.dat
	[Section 18 @ 2092: "events format", flags 0x1, 1238 bytes]
	[Events format, 4 systems]
		exceptions 1 [system, events]
		irq 5 [system, events]
		sched 3 [system, events]
		raw_syscalls 2 [system, events]
$ sonde dump --head-page -i tour.dat
	[Section 16 @ 37: "headers", flags 0x1, 264 bytes]
	[Header page, 205 bytes]
	field: u64 timestamp;	offset:0;	size:8;	signed:0;
	field: local_t commit;	offset:8;	size:8;	signed:1;
	field: int overwrite;	offset:8;	size:1;	signed:1;
	field: char data;	offset:16;	size:4080;	signed:1;
 (esc)
$ sonde dump --cmd-lines tour.dat | head -n 4
	[Section 21 @ 7597: "command lines", flags 0x1, 409 bytes]
	[Saved command lines, 1158 bytes]
15 rcu_preempt
126 bash
$ sonde dump --sections --strings tour.dat
	[String @ offset]
		"headers" @ 0
		"ftrace events" @ 8
		"events format" @ 22
		"kallsyms" @ 36
		"printk" @ 45
		"command lines" @ 52
		"options" @ 66
		"buffer flyrecord" @ 74
		"options" @ 91
		"strings" @ 99
	[Section 16 @ 37              	"headers", flags 0x1, 256 compressed, 451 uncompressed]
	[Section 17 @ 317             	"ftrace events", flags 0x1, 1751 compressed, 11788 uncompressed]
	[Section 18 @ 2092            	"events format", flags 0x1, 1230 compressed, 6883 uncompressed]
	[Section 19 @ 3346            	"kallsyms", flags 0x1, 2845 compressed, 8534 uncompressed]
	[Section 20 @ 6215            	"printk", flags 0x1, 1358 compressed, 5733 uncompressed]
	[Section 21 @ 7597            	"command lines", flags 0x1, 401 compressed, 1166 uncompressed]
	[Section  0 @ 8022            	"options", flags 0x0, 510 bytes]
	[Section  3 @ 8548            	"buffer flyrecord", flags 0x1, 19509 compressed bytes]
	[Section  0 @ 28073           	"options", flags 0x0, 83 bytes]
	[Section 15 @ 28172           	"strings", flags 0x1, 92 compressed, 107 uncompressed]
	[10 sections]
$ sonde dump --options --flyrecord tour.dat | grep -v '^\(entries\|overrun\|commit\|bytes\|oldest\|now\|dropped\|read\)'
	[Section 0 @ 8022: "options", flags 0x0, 510 bytes]
		[Option HEADERS, 8 bytes] @ 37
		[Option FTRACE EVENTS, 8 bytes] @ 317
		[Option EVENT FORMATS, 8 bytes] @ 2092
		[Option KALLSYMS, 8 bytes] @ 3346
		[Option PRINTK, 8 bytes] @ 6215
		[Option CMDLINES, 8 bytes] @ 7597
		[Option CPUCOUNT, 4 bytes]
2
		[Option TRACECLOCK, 8 bytes]
[local]
		[Option UNAME, 35 bytes]
Linux (none) 6.1.0-54-amd64 x86_64
		[Option VERSION, 21 bytes]
3.1.6 not-a-git-repo
		[Option TRACEID, 8 bytes]
0xF31106F284D94C36
		[Option CPUSTAT, 150 bytes]
CPU: 0

		[Option CPUSTAT, 144 bytes]
CPU: 1

		[Option DONE, 8 bytes]
28073


	[Section 0 @ 28073: "options", flags 0x0, 83 bytes]
	[Section 3 @ 8548: "buffer flyrecord", flags 0x1, 19509 bytes]
		[Option BUFFER, 63 bytes]
8548 [offset]
"" [name]
"local" [clock]
4096 [Page size, bytes]
2 [CPUs]:
   0 8564	5031	[id, data offset and size]
   1 13595	14478	[id, data offset and size]
		[Option DONE, 8 bytes]
0
	[16 options]
$ sonde dump --clock tour.dat
[local]
$ cp tour.dat trace.dat && sonde dump -v && sonde dump --validate --summary | tail -n 1
File trace.dat is a valid trace-cmd file
File trace.dat is a valid trace-cmd file

# Version 6, big-endian, with an instance
$ sonde dump $GOLDEN/made-v6-be-4-8192.dat

 Tracing meta data in file …/made-v6-be-4-8192.dat:
	[Initial format]
		6	[Version]
		1	[Big endian]
		4	[Bytes in a long]
		8192	[Page size, bytes]
	[Header page, 205 bytes]
	[Header event, 205 bytes]
	[Ftrace format, 2 events]
	[Events format, 1 systems]
	[Kallsyms, 370 bytes]
	[Trace printk, 0 bytes]
	[Saved command lines, 21 bytes]
	3 [CPUs with tracing data]
	[4 options]
	[Flyrecord tracing data]
	[Tracing clock]
		[local]
$ sonde dump --flyrecord --clock --options $GOLDEN/made-v6-be-4-8192.dat
		[Option TRACECLOCK, 8 bytes]
[local]
		[Option UNAME, 24 bytes]
Linux demo 6.1.0 x86_64
		[Option VERSION, 14 bytes]
1.0 synthetic
		[Option BUFFER, 12 bytes]
114688 [offset]
"foo" [name]
	[4 options]
	[Flyrecord tracing data]
	       8192      40960	[offset, size of cpu 0]
	      49152      32768	[offset, size of cpu 1]
	      81920      32768	[offset, size of cpu 2]
	[Tracing clock]
		[local]

# --all is everything
$ sonde dump --all tour.dat | wc -l
1040
$ sonde dump --kallsyms --printk --ftrace-events --events --verbose=3 tour.dat | wc -l
823
