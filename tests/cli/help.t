# help lists all commands, and the options of each, the same way as --help

$ sonde --help
sonde shows what happens on a Linux machine.

usage: sonde COMMAND [options] [arguments]

record events
  record          record events into a trace file
…
  help            show help for a command

'sonde COMMAND --help' lists the options of a command; 'man sonde-COMMAND' is its manual.

$ sonde help > all; sonde --help | cmp - all; sonde -h | cmp - all
$ sonde help report | head -n 6
usage: sonde report [options] [FILE\xe2\x80\xa6] (esc)

print the events of a trace file

options:
  -i, --input FILE            read FILE (default: trace.dat); several files are merged by time
$ for c in $(sonde help --list-commands | cut -f 1); do
>   sonde help $c > about; sonde $c --help | cmp - about; sonde $c -h | cmp - about
>   grep -q "^usage: sonde $c" about || echo "$c: no usage"
> done
$ sonde help options
usage: sonde options

list the plugin options for report -O

options:
  -h, --help                  show this help
$ sonde --version
sonde [0-9]+\.[0-9]+\.[0-9]+ (re)

# Without a command: the same text, as an error.
$ sonde 2> text
[2]
$ cmp text all

# For programs.
$ sonde help --list-commands | grep -P '^(report|options|help)\t'
report\x09file\x09print the events of a trace file\x09[options] [FILE\xe2\x80\xa6] (esc)
options\x09\x09list the plugin options for report -O\x09 (esc)
help	command	show help for a command	[COMMAND [SUB-COMMAND]]
$ sonde help --list-options report | grep -P '\t--(input|color|json)\t|^-O\t'
-i	--input	FILE	file	read FILE (default: trace.dat); several files are merged by time
	--json			print one JSON object per event, with typed fields
-O		OPTION	@plugin-option	set a plugin option: [PLUGIN:]NAME[=VALUE]
	--color	WHEN	always never auto	use colours: always, never or auto (on a terminal)
$ sonde help --man report | head -n 9
.TP
\fB\-i\fR, \fB\-\-input\fR \fIFILE\fR
Read FILE (default: trace.dat); several files are merged by time.
.SS Which events
.TP
\fB\-\-cpu\fR \fILIST\fR
Show only these CPUs: 0,2\-4.
.TP
\fB\-\-pid\fR \fILIST\fR
