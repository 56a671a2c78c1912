# annotate needs samples, and says what it takes; tests/samples has the rest

$ sonde annotate
sonde: annotate takes a function and a file; 'sonde functions' lists functions
[2]
$ sonde annotate work nosuch.dat
sonde: cannot open nosuch.dat: No such file or directory
[1]
$ sonde annotate work $GOLDEN/tour.dat
sonde: …/tour.dat has no samples; record them with --sample
[1]
$ sonde annotate work one two
sonde: annotate takes a function and a file; 'sonde functions' lists functions
[2]
