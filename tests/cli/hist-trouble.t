# hist says what is wrong
# covers: T11

$ sonde hist
sonde: cannot open trace.dat: No such file or directory
[1]
$ sonde hist one two
sonde: hist: 'two' is one file too many
[2]
$ sonde hist -i one two
sonde: hist: 'two' is one file too many
[2]
$ sonde hist -x
sonde: hist: unknown option -x; --help lists them
[2]
$ sonde hist .
sonde: . is a directory, not a trace file
[1]
$ sonde hist /etc/passwd
sonde: /etc/passwd is not a trace file (it does not begin like a trace.dat)
[1]
$ sonde hist $GOLDEN/made-empty-v7.dat 2>&1 | sed "s,$GOLDEN/,,"
sonde: there are no events in made-empty-v7.dat
$ sonde hist $GOLDEN/made-latency-v6.dat 2>&1 | sed "s,$GOLDEN/,,"
sonde: made-latency-v6.dat holds the text of a latency tracer, which has no call chains; 'sonde report' prints it
$ sonde hist --help | head -n 3
usage: sonde hist [options] [FILE]

show the most frequent call chains

# What comes before a cut is counted
$ head -c 20000 $GOLDEN/tour.dat >cut && sonde hist -P cut >out
sonde: cut is truncated…20000…
sonde: cut: …CPU 1…13599…
[1]
$ grep -c '^  %' out
49
$ cp $GOLDEN/made-damaged-length.dat . && sonde hist made-damaged-length.dat
  %100.00  (0) <idle>                           tick #15
         |
         --- *tick*
sonde: made-damaged-length.dat: a sub-buffer of CPU 0 at byte 8192 is truncated or damaged; some of its events are missing
[1]
