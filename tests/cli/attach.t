# attach ties a host's trace and a guest's together, so that they have one time
# covers: none

# A host on which two threads run a guest, and the guest, whose clock is 5 s behind.
$ cat >make.py <<'END'
> import tracedat
> def write(name, fill, **more):
>     trace = tracedat.Trace(7, **more)
>     trace.kallsyms = "c0000000 T start\n"
>     fill(trace)
>     open(name, "wb").write(trace.pack())
> def host(trace):
>     trace.cmdlines = {11: "CPU 0/KVM", 12: "CPU 1/KVM"}
>     entry = trace.event("kvm", "kvm_entry", ["unsigned int vcpu_id", "unsigned long rip"], '"vcpu %u", REC->vcpu_id')
>     for i in range(4):
>         trace.top.cpu(0).add(10_000_000_000 + 1000 * i, entry(pid=12 - i % 2, vcpu_id=1 - i % 2, rip=1))
> def guest(trace):
>     trace.cmdlines = {7: "inside"}
>     tick = trace.event("demo", "tick", ["int n"], '"%d", REC->n')
>     for cpu in (0, 1):
>         for i in range(2):
>             trace.top.cpu(cpu).add(5_000_000_500 + 1000 * i + 2000 * cpu, tick(pid=7, n=i))
> write("host.dat", host); write("guest.dat", guest)
> END
> python3 make.py && cp host.dat h.dat && cp guest.dat g.dat
$ sonde attach -c 2 -s 5000000000 h.dat g.dat 11 12
$ sonde report -i h.dat -i g.dat
h.dat: cpus=1
g.dat: cpus=2
h.dat:        CPU 1/KVM-12    [000]    10.000000: kvm_entry:             vcpu 1 rip 0x1
g.dat:           inside-7     [000]    10.000001: tick:                 0
h.dat:        CPU 0/KVM-11    [000]    10.000001: kvm_entry:             vcpu 0 rip 0x1
g.dat:           inside-7     [000]    10.000002: tick:                 1
h.dat:        CPU 1/KVM-12    [000]    10.000002: kvm_entry:             vcpu 1 rip 0x1
g.dat:           inside-7     [001]    10.000003: tick:                 0
h.dat:        CPU 0/KVM-11    [000]    10.000003: kvm_entry:             vcpu 0 rip 0x1
g.dat:           inside-7     [001]    10.000004: tick:                 1

# The files found each other by numbers that were made up; a second time only the guest's time changes.
$ sonde dump --options h.dat | grep -A 3 GUEST | sed 's/0x[0-9A-Fa-f]*/ID/'
		[Option GUEST, 29 bytes]
 [Guest name]
ID [trace id]
2 [Guest CPUs]
$ sonde attach -c 2 -s 5000000000,1,0 -s 5000000100,,,7 h.dat g.dat 11 12
sonde: h.dat knows this guest already; only g.dat is changed
$ sonde report -t -i h.dat -i g.dat | grep inside
g.dat:           inside-7     [000]    10.000000500: tick:                 0
g.dat:           inside-7     [000]    10.000001500: tick:                 1
g.dat:           inside-7     [001]    10.000002600: tick:                 0
g.dat:           inside-7     [001]    10.000003600: tick:                 1

# Without events of kvm the virtual CPU must be said.
$ sonde attach -s 5000000000 g.dat guest.dat 11 12
sonde: g.dat has no kvm_entry or kvm_exit events, which say what thread is which virtual CPU: name them as PID:VCPU
[1]
$ sonde attach -s 5000000000 g.dat guest.dat 11:0 12:1

# trace-cmd sees the same
$ cp host.dat h.dat; cp guest.dat g.dat; sonde attach -n web -s 5000000000 h.dat g.dat 11 12
$ which trace-cmd >/dev/null || echo same; trace-cmd report -i h.dat -i g.dat 2>/dev/null | sed 's/^ *//' >theirs; sonde report -i h.dat -i g.dat | sed 's/^ *//' | cmp - theirs && echo same
same

$ sonde attach h.dat g.dat 11
sonde: attach: say with -s what to add to the guest's time
[2]
$ sonde attach -s 1 h.dat g.dat
sonde: attach: name the host's trace, the guest's, and the threads of the host that run its virtual CPUs
[2]
$ sonde attach -s x h.dat g.dat 11
sonde: attach: -s 'x' is not OFFSET[,SCALE[,FRACTION[,TIME]]]
[2]
$ sonde attach -s 1,2,64 h.dat g.dat 11
sonde: attach: -s '1,2,64': a fraction is 0 to 63 bits
[2]
$ sonde attach -s 1 h.dat g.dat eleven
sonde: attach: 'eleven' is no PID, and no PID:VCPU
[2]
$ sonde attach -s 1 h.dat g.dat 99
sonde: the thread 99 runs no virtual CPU in h.dat; it is left out
sonde: none of the threads runs a virtual CPU in h.dat
[1]
$ sonde attach -s 1 h.dat g.dat 11:1 12:1
sonde: the threads 11 and 12 are both virtual CPU 1: of one guest there can be only one
[2]
$ sonde attach -s 1 nosuch.dat g.dat 11
sonde: cannot open nosuch.dat: No such file or directory
[1]
