# help tells about all commands and about each, the same way as --help

$ sonde --help
sonde shows what happened on a Linux machine.

usage: sonde COMMAND [options] [arguments]

commands:
  record          record what happens into a trace.dat
…
  help            explain a command

'sonde COMMAND --help' tells about a command, 'man sonde-COMMAND' more.

$ sonde help > all; sonde --help | cmp - all; sonde -h | cmp - all
$ sonde help report | head -n 6
usage: sonde report [options] [FILE\xe2\x80\xa6] (esc)

print the events of a trace file

options:
  -i, --input FILE            read FILE (default trace.dat); more than one: merged by time
$ for c in $(sonde help --list-commands | cut -f 1); do
>   sonde help $c > about; sonde $c --help | cmp - about; sonde $c -h | cmp - about
>   grep -q "^usage: sonde $c" about || echo "$c: no usage"
> done
$ sonde help options
usage: sonde options

list what report -O can set

options:
  -h, --help                  this text
$ sonde --version
sonde [0-9]+\.[0-9]+\.[0-9]+ (re)

# Without a command: the same text, as an error.
$ sonde 2> text
[2]
$ cmp text all

# For programs.
$ sonde help --list-commands | grep -P '^(report|options|help)\t'
report\x09file\x09print the events of a trace file\x09[options] [FILE\xe2\x80\xa6] (esc)
options\x09\x09list what report -O can set\x09 (esc)
help	command	explain a command	[COMMAND [SUB-COMMAND]]
$ sonde help --list-options report | grep -P '\t--(input|color|json)\t|^-O\t'
-i	--input	FILE	file	read FILE (default trace.dat); more than one: merged by time
	--json			one JSON object per event, with typed fields
-O		OPTION	@plugin-option	plugin option, [PLUGIN:]NAME[=VALUE]
	--color	WHEN	always never auto	colours: always, never or auto (a terminal)
$ sonde help --man report | head -n 9
.TP
\fB\-i\fR, \fB\-\-input\fR \fIFILE\fR
Read FILE (default trace.dat); more than one: merged by time.
.SS Which events
.TP
\fB\-\-cpu\fR \fILIST\fR
Only these CPUs: 0,2\-4.
.TP
\fB\-\-pid\fR \fILIST\fR
