# convert says what is wrong and leaves the target alone
# covers: T20

$ cp $GOLDEN/tour.dat . && echo precious >target
> sonde convert -i tour.dat
sonde: convert: no target; name it with -o or as last argument
[2]
$ sonde convert -i tour.dat a b
sonde: convert: 'b' is one name too many: there is one target
[2]
$ sonde convert -i tour.dat -o a b
sonde: convert: 'b' is one name too many: there is one target
[2]
$ sonde convert -i tour.dat --nonsense target
sonde: convert: unknown option --nonsense; --help lists them
[2]
$ sonde convert -i tour.dat --file-version 5 target
sonde: convert: there is no version 5, only 6 and 7
[2]
$ sonde convert -i tour.dat --file-version six target
sonde: convert: --file-version needs a number, not 'six'
[2]
$ sonde convert -i tour.dat --compression lzma target
sonde: unknown compression 'lzma': use none, zstd, zlib or any
[2]
$ sonde convert -i tour.dat --file-version 6 --compression zstd target
sonde: version 6 has no compression; omit --compression zstd
[2]
$ sonde convert -i nosuch.dat target
sonde: cannot open nosuch.dat: No such file or directory
[1]
$ sonde convert -i . target
sonde: . is a directory, not a trace file
[1]
$ sonde convert -i /etc/passwd target
sonde: /etc/passwd is not a trace file (it does not begin like a trace.dat)
[1]
$ sonde convert -i /dev/null target
sonde: /dev/null is empty, so it is no trace file
[1]
$ sonde convert target
sonde: cannot open trace.dat: No such file or directory
[1]
$ cat target
precious

# Where nothing can be written
$ sonde convert -i tour.dat /nosuch/dir/out.dat
sonde: cannot create /nosuch/dir/out.dat: No such file or directory
[1]
$ mkdir dir && sonde convert -i tour.dat dir
sonde: cannot write dir: it is a directory
[1]
$ sonde convert -i tour.dat /dev/full
sonde: cannot write /dev/full: a trace needs a regular file, not a device or pipe
[1]
$ ls dir

# A file that may not grow (a full disk looks the same): the old one stays, nothing is left behind.
$ (trap '' XFSZ; ulimit -f 20; sonde convert -i tour.dat --compression none target); cat target; ls -A
sonde: target was not written: File too large
precious
dir
target
tour.dat

# A source that is truncated: what is there is converted.
$ head -c 20000 tour.dat >cut.dat && sonde convert -i cut.dat whole.dat
sonde: …cut…
…
[1]
$ sonde dump -v whole.dat && sonde report cut.dat 2>/dev/null >cut.txt; sonde report whole.dat | cmp - cut.txt; wc -l <cut.txt
File whole.dat is a valid trace-cmd file
1325
$ sonde convert -i $GOLDEN/made-cut-v6.dat --file-version 7 out.dat
sonde: …cut…
…
[1]
$ sonde report out.dat >a; sonde report $GOLDEN/made-cut-v6.dat 2>/dev/null | cmp - a && wc -l <a
479
$ head -c 300 tour.dat >cut.dat && sonde convert -i cut.dat out.dat; sonde report out.dat
sonde: …cut…
…
cpus=0
