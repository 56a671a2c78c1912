# convert keeps options, instances, clocks, lost events, latency texts and what it does not know
# covers: T20

# Options of every kind, one of them unknown, and a section that only version 7 can hold.
$ cat >make.py <<'END'
> import struct, tracedat
> from tracedat import Trace
> for version in (6, 7):
>     t = Trace(version)
>     tick = t.event("demo", "tick", ["int count"], '"count=%d", REC->count')
>     t.top.cpu(0).add(1_000_000_000, tick(count=1))
>     t.top.cpu(2).add(1_000_000_100, tick(count=2), missed=7)
>     t.instance("one", clock="mono").cpu(1).add(1_000_000_050, tick(count=3))
>     t.option(tracedat.DATE, "0x10")
>     t.option(tracedat.OFFSET, "5000")
>     t.option(tracedat.CPUSTAT, "CPU: 0\nentries: 1\n")
>     t.option(tracedat.PROCMAPS, "7 1 worker\n1000 2000 /bin/worker\n")
>     t.option(tracedat.GUEST, b"vm\0" + struct.pack("<QIII", 77, 1, 0, 4711))
>     t.option(tracedat.TIME_SHIFT, struct.pack("<QIIIqqq", 78, 1, 1, 1, 10, 20, 30))
>     t.option(tracedat.TSC2NSEC, struct.pack("<IIQ", 1 << 22, 22, 3))
>     t.option(tracedat.HOOK, "a,b/c,d")
>     t.option(99, b"nobody knows")
>     t.write(f"v{version}.dat")
> END
> python3 make.py
> sonde dump --options v6.dat
		[Option TRACECLOCK, 8 bytes]
[local]
		[Option DATE, 5 bytes]
0x10
		[Option OFFSET, 5 bytes]
5000
		[Option CPUSTAT, 19 bytes]
CPU: 0
entries: 1

		[Option PROCMAPS, 34 bytes]
7 1 worker
1000 2000 /bin/worker

		[Option GUEST, 23 bytes]
vm [Guest name]
0x4D [trace id]
1 [Guest CPUs]
  0 4711 [guest cpu, host pid]
		[Option TimeShift, 44 bytes]
0x4E [peer's trace id]
0x1 [peer's protocol flags]
0x1 [peer's CPU count]
1 [samples count for CPU 0]
	20 30 0 10[offset * scaling >> fraction @ time]

		[Option TSC2NSEC, 16 bytes]
4194304 22 3 [multiplier, shift, offset]
		[Option HOOK, 8 bytes]
a,b/c,d
 99 12	[Unknown option, size - skipping]
		[Option BUFFER, 12 bytes]
12288 [offset]
"one" [name]
	[11 options]

$ for from in 6 7; do for to in 6 7; do
> sonde convert -i v$from.dat --file-version $to $from-$to.dat
> sonde report v$from.dat >a; sonde report $from-$to.dat | cmp - a && echo $from to $to
> done; done
6 to 6
6 to 7
7 to 6
7 to 7
$ cat a
cpus=3
               <idle>-0     [000]     1.000021: tick:                 count=1
one:           <idle>-0     [001]     1.000021: tick:                 count=3
     CPU:2 [7 EVENTS DROPPED]
          <idle>-0     [002]     1.000021: tick:                 count=2
$ sonde dump --options v6.dat >a; for f in 6-6 7-6; do sonde dump --options $f.dat | grep -v offset >b
> grep -v offset a | cmp - b && echo $f; done
6-6
7-6
$ sonde dump --options 6-7.dat | grep -A 1 -E 'DATE|OFFSET|GUEST|TSC|Unknown'
		[Option DATE, 5 bytes]
0x10
		[Option OFFSET, 5 bytes]
5000
--
		[Option GUEST, 23 bytes]
vm [Guest name]
--
		[Option TSC2NSEC, 16 bytes]
4194304 22 3 [multiplier, shift, offset]
--
 99 12	[Unknown option, size - skipping]
		[Option CPUCOUNT, 4 bytes]

# A section of its own (here: BTF) goes along within version 7; version 6 has no place for it.
$ cat >section.py <<'END'
> import tracedat
> class WithBtf(tracedat.Trace):
>     def texts(self):
>         return super().texts() + [(tracedat.BTF, "BTF", b"all about types")]
> t = WithBtf(7)
> t.top.cpu(0).add(1000, t.event("demo", "tick", ["int n"], '"n=%d", REC->n')(n=1))
> t.write("btf.dat")
> END
> python3 section.py && sonde convert -i btf.dat --compression zstd z.dat && sonde convert -i z.dat --compression none n.dat
> grep -c 'all about types' n.dat; sonde dump --sections n.dat | grep 23
1
	[Section 23 @ 32              	"BTF", flags 0x0, 15 bytes]
$ sonde convert -i btf.dat --file-version 6 o.dat && sonde report o.dat | tail -n 1
sonde: o.dat: version 6 has no place for these, left out: BTF 23
          <idle>-0     [000]     0.000001: tick:                 n=1

# The text of a latency tracer
$ for v in v6 v7 v7zstd v7zlib; do for to in 6 7; do
> sonde convert -i $GOLDEN/made-latency-$v.dat --file-version $to out && sonde report out | cksum
> done; done | uniq -c
      8 1938076600 113808

# Sub-buffers of several sizes
$ sonde convert -i $GOLDEN/made-instances-v7.dat --file-version 6 out && sonde report out | cksum
> sonde convert -i out out7 && sonde report out7 | cksum; sonde report $GOLDEN/made-instances-v7.dat | cksum
> sonde report -p out | cut -d, -f1
276512495 1463
276512495 1463
276512495 1463
file page size is 8192
