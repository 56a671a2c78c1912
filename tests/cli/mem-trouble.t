# mem says what is wrong
# covers: T11

$ sonde mem
sonde: cannot open trace.dat: No such file or directory
[1]
$ sonde mem one two
sonde: mem: 'two' is one file too many
[2]
$ sonde mem --nonsense
sonde: mem: unknown option --nonsense; --help lists them
[2]
$ sonde mem .
sonde: . is a directory, not a trace file
[1]
$ sonde mem /etc/passwd
sonde: /etc/passwd is not a trace file (it does not begin like a trace.dat)
[1]
$ cp $GOLDEN/instances-mono.dat . && sonde mem instances-mono.dat
sonde: there are no events in the top buffer of instances-mono.dat; 'sonde info' shows where they are
[1]
$ sonde mem -B three instances-mono.dat
sonde: there is no buffer 'three' in instances-mono.dat; 'sonde info' names them
[1]
$ cp $GOLDEN/made-latency-v7.dat . && sonde mem made-latency-v7.dat
sonde: made-latency-v7.dat holds the text of a latency tracer, which has no allocations; 'sonde report' prints it
[1]
$ sonde mem --help | head -n 3
usage: sonde mem [options] [FILE]

sum up kernel memory by allocating function

# What comes before a cut is counted
$ head -c 5000000 $GOLDEN/events-v6.dat >cut && sonde mem cut 2>stderr >out
[1]
$ cat stderr && sed -n 3p out
sonde: cut is truncated: it ends at byte 5000000, but its directory promises 2180288 bytes more, from CPU 1 on
sonde: cut: a sub-buffer of CPU 1 at byte 4997120 is truncated or damaged; some of its events are missing
                   kvmalloc_node	12296	524288	511992		 5242880    5119920		  524288     511992	12296
$ cp $GOLDEN/made-damaged-length.dat . && sonde mem made-damaged-length.dat
                Function            	Waste	Alloc	req		TotAlloc     TotReq		MaxAlloc     MaxReq	MaxWaste
                --------            	-----	-----	---		--------     ------		--------     ------	--------
sonde: made-damaged-length.dat: a sub-buffer of CPU 0 at byte 8192 is truncated or damaged; some of its events are missing
[1]
