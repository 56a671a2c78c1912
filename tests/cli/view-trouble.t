# view says what is wrong; what it does right is in tests/view (the leak sanitizer cannot live in its sandbox)
# covers: B02
# not: asan

$ sonde view
sonde: cannot open trace.dat: No such file or directory
[1]
$ sonde view --port 65536
sonde: --port is a number up to 65535
[2]
$ sonde view --token 12
sonde: a token must have 32 digits of 0-9a-f
[2]
$ sonde view --no-cache --beside
sonde: --no-cache, --cache-dir and --beside exclude each other
[2]
$ sonde view .
sonde: . is a directory, not a trace file
[1]
$ sonde view /etc/passwd
sonde: /etc/passwd is not a trace file (it does not begin like a trace.dat)
[1]
$ cp $GOLDEN/made-latency-v7.dat text.dat
$ sonde view text.dat
sonde: text.dat has no events to show; 'sonde report' prints its content
[1]
