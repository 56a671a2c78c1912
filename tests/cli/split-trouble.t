# split says what is wrong
# covers: T13

$ cp $GOLDEN/tour.dat .
> sonde split -i tour.dat --nonsense
sonde: split: unknown option --nonsense; --help lists them
[2]
$ sonde split -i tour.dat -s 1 -m 1
sonde: split: -s and -m: a piece has one measure
[2]
$ sonde split -i tour.dat -e 0
sonde: split: -e needs a number above 0, not '0'
[2]
$ sonde split -i tour.dat -e many
sonde: split: -e needs a number above 0, not 'many'
[2]
$ sonde split -i tour.dat -p -3
sonde: split: -p needs a number above 0, not '-3'
[2]
$ sonde split -i tour.dat 1 2 3
sonde: split: '3' is one time too many: there is a start and an end
[2]
$ sonde split -i tour.dat noon
sonde: START needs a time like 12.345678, +1.5s or +20ms, not 'noon'
[2]
$ sonde split -i tour.dat 3 2
sonde: the end 2 comes before the start 3
[2]
$ sonde split -i tour.dat 99999999999999999999
sonde: START 99999999999999999999 is later than any time a trace can have
[2]
$ sonde split -i tour.dat -C 7
sonde: tour.dat has no events of CPU 7
[1]
$ sonde split -i tour.dat -B nosuch
sonde: tour.dat has no buffer 'nosuch'; 'sonde list -B' shows them
[1]
$ sonde split -i tour.dat -t
sonde: split: -t must follow -B: it makes that buffer the top one
[2]
$ sonde split -i tour.dat -b name
sonde: split: -b must follow --top: it names that buffer
[2]
$ sonde split -i tour.dat --top -B nosuch -t
sonde: tour.dat has no buffer 'nosuch'; 'sonde list -B' shows them
[1]
$ sonde split -i $GOLDEN/made-clock-counter-v7.dat -s 1
sonde: the clock of …/made-clock-counter-v7.dat does not count time; use -e or -p instead of -s
[2]
$ sonde split -i $GOLDEN/made-latency-v7.dat -e 1
sonde: …/made-latency-v7.dat cannot be split: it holds a latency tracer's text, not events
[1]
$ sonde split -i nosuch.dat
sonde: cannot open nosuch.dat: No such file or directory
[1]
$ sonde split -i /etc/passwd
sonde: /etc/passwd is not a trace file (it does not begin like a trace.dat)
[1]
$ sonde split -i .
sonde: . is a directory, not a trace file
[1]
$ sonde split -i tour.dat -o /nosuch/dir/piece
sonde: cannot create /nosuch/dir/piece.1: No such file or directory
[1]
$ ls
tour.dat

# Nothing there: a trace without events, and a word about it.
$ sonde split -i tour.dat -o none 5 6 && sonde report none.1
sonde: no event of tour.dat is in that part
cpus=2

# A piece that cannot be written leaves the one that was there.
$ echo precious >part.1; (trap '' XFSZ; ulimit -f 10; sonde split -i tour.dat -o part); cat part.1; ls -A | grep part
sonde: part.1 was not written: File too large
precious
part.1

# A source that is truncated
$ head -c 20000 tour.dat >cut.dat && sonde split -i cut.dat -o cut -r -e 1000
sonde: …cut…
…
[1]
$ for f in cut.0*; do sonde report -R -q $f | tail -n +2; done >a; sonde report -R -q cut.dat 2>/dev/null | tail -n +2 | cmp - a; wc -l <a
571
