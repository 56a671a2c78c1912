# dump shows what is left of a damaged file, and says what is no trace
# covers: T20

$ sonde dump --nonsense
sonde: dump: unknown option --nonsense; --help lists them
[2]
$ sonde dump a b
sonde: dump: 'b' is one file too many
[2]
$ sonde dump
sonde: cannot open trace.dat: No such file or directory
[1]
$ sonde dump /etc/passwd
sonde: /etc/passwd is not a trace file (it does not begin like a trace.dat)
[1]
$ sonde dump -v .
sonde: . is a directory, not a trace file
[1]
$ head -c 5 $GOLDEN/tour.dat >short && sonde dump short
sonde: short is not a trace file (it does not begin like a trace.dat)
[1]

# Cut off in the data, in a text, in the head
$ head -c 20000 $GOLDEN/tour.dat >cut && sonde dump cut

 Tracing meta data in file cut:
	[Initial format]
		7	[Version]
		0	[Little endian]
		8	[Bytes in a long]
		4096	[Page size, bytes]
		zstd	[Compression algorithm]
		…	[Compression version]
	[14 options]
	[Saved command lines, 1158 bytes]
	[Trace printk, 5729 bytes]
	[Kallsyms, 8530 bytes]
	[Events format, 4 systems]
	[Ftrace format, 18 events]
	[Header page, 205 bytes]
	[Header event, 205 bytes]
	[8 sections]
sonde: …cut…
…
[1]
$ head -c 1000 $GOLDEN/tour.dat >cut && sonde dump -v cut
sonde: …cut…
…
[1]
$ head -c 20 $GOLDEN/tour.dat >cut && sonde dump cut

 Tracing meta data in file cut:
	[Initial format]
		7	[Version]
		0	[Little endian]
		8	[Bytes in a long]
		4096	[Page size, bytes]
			[Compression algorithm]
			[Compression version]
	[0 options]
	[0 sections]
sonde: …cut…
…
[1]
$ head -c 1000 $GOLDEN/events-v6.dat >cut && sonde dump cut | tail -n 5
sonde: …cut…
…
		8	[Bytes in a long]
		4096	[Page size, bytes]
	[Header page, 205 bytes]
	[Header event, 205 bytes]
	[Ftrace format, 18 events]
$ for v in 6 7; do sonde dump -v $GOLDEN/made-empty-v$v.dat; done
File …/made-empty-v6.dat is a valid trace-cmd file
File …/made-empty-v7.dat is a valid trace-cmd file
$ sonde dump $GOLDEN/tour.dat >/dev/full
sonde: cannot write the output: No space left on device
[1]
