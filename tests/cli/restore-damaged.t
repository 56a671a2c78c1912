# restore writes a sound trace of what is left of a damaged one
# covers: T17

$ cp $GOLDEN/tour.dat . && head -c 20000 tour.dat >cut.dat
> sonde restore -o whole.dat cut.dat
sonde: …cut…
…
$ sonde dump -v whole.dat && sonde report whole.dat >a; sonde report cut.dat 2>/dev/null | cmp - a
File whole.dat is a valid trace-cmd file

# Whatever is wrong in one place: the result can be read without a complaint, and has the same events.
$ for f in $GOLDEN/made-damaged-*.dat $GOLDEN/made-cut-*.dat; do sonde restore -o out.dat $f 2>/dev/null
> sonde report out.dat >a || echo $f; sonde report $f 2>/dev/null | cmp - a && echo $(basename $f) $(wc -l <a); done
made-damaged-commit.dat 16
made-damaged-cut-header.dat 16
made-damaged-length.dat 16
made-damaged-record.dat 16
made-damaged-short-record.dat 17
made-damaged-zero-length.dat 16
made-cut-v6.dat 479
made-cut-v7.dat 908
made-cut-v7zstd.dat 306

# A sound one is copied.
$ sonde restore -o same.dat tour.dat && sonde report tour.dat >a; sonde report same.dat | cmp - a

# The damaged file is not touched, unless it is the target.
$ sonde restore cut.dat
sonde: restore: name the file to write with -o; cut.dat stays as it is
[2]
$ cksum <cut.dat; head -c 20000 tour.dat | cksum
3262969272 20000
3262969272 20000
$ sonde restore -o cut.dat cut.dat 2>/dev/null && cmp cut.dat whole.dat
