# diff compares two traces; the same trace twice has no differences
# covers: B08

$ cp $GOLDEN/tour.dat $GOLDEN/stacks.dat $GOLDEN/fgraph-vfs.dat .
$ sonde diff stacks.dat stacks.dat
A: stacks.dat, 1.93 s, 37 measures
B: stacks.dat, 1.93 s, 37 measures
Nothing differs by more than chance (16 comparisons)
$ sonde diff fgraph-vfs.dat fgraph-vfs.dat
A: fgraph-vfs.dat, 116 ms, 269 measures
B: fgraph-vfs.dat, 116 ms, 269 measures
Nothing differs by more than chance (72 comparisons)
$ sonde diff --only wakeup,runtime tour.dat stacks.dat
A: tour.dat, 159 ms, 86 measures
B: stacks.dat, 1.93 s, 37 measures
    change          A          B    times A    times B        cost   chance  what
       new          -     959 ms          0       1907     +959 ms  <0.01 %  ls (CPU time): only in B
       new          -    60.6 us          0       1894     +115 ms  <0.01 %  ls (wait for a CPU after a wakeup): only in B
   -64.2 %     477 us     122 us         21        258    -56.6 ms  <0.01 %  rcu_preempt (wait for a CPU after a wakeup): each takes less time
           longest in A 4.23 ms at 151.693330, in B 1.39 ms at 67.460136
$ sonde diff --all -n 3 --only runtime stacks.dat stacks.dat
A: stacks.dat, 1.93 s, 37 measures
B: stacks.dat, 1.93 s, 37 measures
Nothing differs by more than chance (4 comparisons)
    change          A          B    times A    times B        cost   chance  what
    +0.0 %     172 ms     172 ms         78         78    +0.00 ns    100 %  bash (CPU time): may be chance
    +0.0 %    2.15 ms    2.15 ms         21         21    +0.00 ns    100 %  ksoftirqd/1 (CPU time): may be chance
    +0.0 %     959 ms     959 ms       1907       1907    +0.00 ns    100 %  ls (CPU time): may be chance
and 1 more (-n shows more)
$ sonde diff --csv --all --only runtime -n 1 stacks.dat stacks.dat | head -n 2
kind,name,where,what,ratio,low,high,chance,certain,cost_ns,a_n,a_total,b_n,b_total
runtime,"bash","",total,1.000000,0.672554,1.486869,1.000000000,0,0,78,171691953,78,171691953
$ sonde diff --json fgraph-vfs.dat fgraph-vfs.dat | python3 -c 'import json,sys; d=json.load(sys.stdin); print(d["tested"], d["certain"], d["differences"])'
72 0 []
$ sonde diff fgraph-vfs.dat stacks.dat
A: fgraph-vfs.dat, 116 ms, 269 measures
B: stacks.dat, 1.93 s, 37 measures
B has no 'kernel-function': 269 measures of A are left out
A has no 'wakeup', 'blocked', 'runtime': 37 measures of B are left out
sonde: nothing in fgraph-vfs.dat and stacks.dat can be compared: both need 20 events of the same kind and name
[1]
$ sonde diff --json fgraph-vfs.dat stacks.dat | python3 -c 'import json,sys; d=json.load(sys.stdin); print(d["a"]["left_out"], d["b"]["left_out"])'
sonde: nothing in fgraph-vfs.dat and stacks.dat can be compared: both need 20 events of the same kind and name
{'kernel-function': 269} {'wakeup': 15, 'blocked': 6, 'runtime': 16}
$ sonde diff stacks.dat
sonde: diff compares two traces: sonde diff BEFORE.dat AFTER.dat
[2]
$ sonde diff stacks.dat no-such.dat
sonde: cannot open no-such.dat: No such file or directory
[1]
$ sonde diff --only colour stacks.dat stacks.dat
sonde: --only knows function, kernel-function, syscall, wakeup, blocked, lock, disk, irq, softirq, runtime, samples, not 'colour'
[2]
$ sonde diff --min much stacks.dat stacks.dat
sonde: --min takes a percentage, not 'much'
[2]
$ sonde diff --json --csv stacks.dat stacks.dat
sonde: --json and --csv exclude each other
[2]
