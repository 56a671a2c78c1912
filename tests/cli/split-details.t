# split keeps lost events, options and instances, in every shape of file
# covers: T13

$ sonde split -i $GOLDEN/made-missed.dat -o missed && sonde report missed.1 >a
> sonde report $GOLDEN/made-missed.dat | cmp - a && grep -c DROPPED a
5
$ sonde split -i $GOLDEN/lost-events.dat -o lost -r -e 20000 && for f in lost.*; do sonde report -q $f | tail -n +2; done >a
> sonde report -q $GOLDEN/lost-events.dat | tail -n +2 | cmp - a && grep -c DROPPED a
9

# Times of every size, and steps back
$ sonde split -i $GOLDEN/made-times.dat -o times && sonde report -t times.1 >a; sonde report -t $GOLDEN/made-times.dat | cmp - a

# Byte order, size of long, size of sub-buffer, version, compression
$ sonde report $GOLDEN/made-v6-le-8-4096.dat | tail -n +2 | sort >whole
> for f in $GOLDEN/made-v[67]-*.dat; do rm -f p.*; sonde split -i $f -o p -r -e 250 || echo $f
> for p in p.*; do sonde report $p | tail -n +2; done | sort | cmp - whole || echo $f; ls p.* | wc -l; done | uniq -c
     48 4

# All buffers by default, together in time; or some, under other names
$ show() { sonde report $1 | cut -c1-50; }
> sonde split -i $GOLDEN/made-instances-v7.dat -o i -e 4 && show i.1
cpus=2
                       <idle>-0     [000]     1.00
          a:           <idle>-0     [001]     1.00
                       <idle>-0     [000]     1.00
longer-name:           <idle>-0     [000]     1.00
$ sonde split -i $GOLDEN/made-instances-v7.dat -o i --top -e 1 && show i.1
cpus=2
          <idle>-0     [000]     1.000000: tick:   (esc)
$ sonde split -i $GOLDEN/made-instances-v7.dat -o i -B a -B longer-name && show i.1
cpus=2
          a:           <idle>-0     [001]     1.00
longer-name:           <idle>-0     [000]     1.00
$ sonde split -i $GOLDEN/made-instances-v7.dat -o i -B a -t --top -b above -e 3 && show i.1
cpus=2
above:           <idle>-0     [000]     1.000000:  (esc)
                 <idle>-0     [001]     1.000001:  (esc)
above:           <idle>-0     [000]     1.000001:  (esc)
$ sonde split -i $GOLDEN/made-instances-v6.dat -o i -B a -t && show i.1
cpus=2
          <idle>-0     [001]     1.000001: tick:   (esc)

# A clock that only counts, a trace with a date
$ sonde split -i $GOLDEN/made-clock-counter-v7.dat -o c 1002469134 1004938268 && show c.1
cpus=2
          <idle>-0     [000]  1002469134: tick:    (esc)
          <idle>-0     [001]  1003703701: tick:    (esc)
          <idle>-0     [000]  1004938268: tick:    (esc)
$ sonde split -i $GOLDEN/made-clock-global-v6.dat -o c -e 2 && show c.1; show $GOLDEN/made-clock-global-v6.dat | head -n 3
cpus=2
          <idle>-0     [000]   101.000000: tick:   (esc)
          <idle>-0     [001]   101.001235: tick:   (esc)
cpus=2
          <idle>-0     [000]   101.000000: tick:   (esc)
          <idle>-0     [001]   101.001235: tick:   (esc)

# Many short pieces are much larger than their source, because of the metadata: that is said, once.
$ cp $GOLDEN/tour.dat . && sonde split -i tour.dat -o tiny -e 5 -r; ls tiny.* | wc -l
sonde: the first 64 pieces take 29 times the space of tour.dat, because each contains all its metadata; to save space, make longer pieces, or first compress the file with 'sonde convert --compression zstd'
445
