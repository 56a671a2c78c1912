# split cuts a trace into pieces that together are the whole
# covers: T13

$ cp $GOLDEN/tour.dat . && sonde report -R -q tour.dat >tour.txt
> sonde split -i tour.dat -e 100 && sonde report -R tour.dat.1 >piece && head -n 101 tour.txt | cmp - piece

# -o names the pieces, -r makes them all: joined again they are the whole.
$ sonde split -i tour.dat -o by-events -e 500 -r && ls by-events.*
by-events.0001
by-events.0002
by-events.0003
by-events.0004
by-events.0005
$ join() { for f in "$@"; do sonde report -R -q $f | tail -n +2; done; }
> tail -n +2 tour.txt >all; join by-events.* | cmp - all
$ sonde split -i tour.dat -o by-time -m 40 -r && join by-time.* | cmp - all; ls by-time.* | wc -l
4
$ sonde split -i tour.dat -o by-us -u 40000 -r && for f in by-time.*; do cmp $f by-us${f#by-time}; done
$ sonde split -i tour.dat -o whole && join whole.1 | cmp - all

# Each CPU by itself: the pieces are not in order over all of them, but nothing is missing.
$ sort all >sorted; for how in '-e 300 -c' '-p 3' '-m 30 -c'; do rm -f part.*
> sonde split -i tour.dat -o part -r $how && join part.* | sort | cmp - sorted && ls part.* | wc -l; done
6
5
5

# Between two times, of one CPU
$ sonde split -i tour.dat -o some 151.65 151.7 && sonde report some.1 | cut -c1-45 | sed -n '2p;$p'
     rcu_preempt-15    [000]   151.650580: so
           sleep-234   [001]   151.699886: fu
$ sonde split -i tour.dat -o some +20ms +30ms && sonde report some.1 | cut -c1-45 | sed -n '2p;$p'
          <idle>-0     [000]   151.630522: so
=> secondary_startup_64_no_verify (ffffffff82
$ sonde split -i tour.dat -o some -e 3 151.65 && sonde report some.1 | cut -c1-45
cpus=2
     rcu_preempt-15    [000]   151.650580: so
     rcu_preempt-15    [000]   151.650632: so
           sleep-234   [001]   151.650744: fu
$ sonde split -i tour.dat -o some -C 0 -e 2 && sonde report some.1 | cut -c1-45
cpus=2
          <idle>-0     [000]   151.626494: fu

# The default is trace.dat; version and compression stay.
$ cp tour.dat trace.dat && sonde split -e 1 && sonde dump trace.dat.1 | grep -E 'Version|algorithm'
		7	[Version]
		zstd	[Compression algorithm]
$ sonde convert -i tour.dat --file-version 6 trace.dat && sonde split -e 1 && sonde dump trace.dat.1 | grep Version
		6	[Version]
