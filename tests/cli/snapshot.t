# snapshot takes, empties, frees and prints
# covers: T18

$ export SONDE_TRACEFS=t; mkdir -p t/per_cpu/cpu0 t/per_cpu/cpu1 t/instances/one; echo '[local]' > t/trace_clock; for d in t t/per_cpu/cpu1 t/instances/one; do echo frozen > $d/snapshot; done
$ sonde snapshot
frozen
$ sonde snapshot -s && cat t/snapshot; echo; sonde snapshot -r && cat t/snapshot; echo; sonde snapshot -f && cat t/snapshot; echo
1
2
0
$ sonde snapshot -s -B one && cat t/instances/one/snapshot; echo
1
$ sonde snapshot -s -c 1 && sonde snapshot -c 1; echo
1

# None was taken: not the kernel's words
$ printf '# tracer: nop\n#\n#\n# * Snapshot is freed *\n#\n# Snapshot commands:\n# echo 0 > snapshot : Clears and frees snapshot buffer\n' > t/instances/one/snapshot; sonde snapshot -B one
sonde: there is no snapshot; 'sonde snapshot -s -B one' takes one
[1]

# Trouble
$ sonde snapshot -s -f
sonde: snapshot: -s, -r and -f exclude each other
[2]
$ sonde snapshot -B two
sonde: no tracing instance 'two'; 'sonde list -B' lists them
[1]
$ sonde snapshot -c 5
sonde: there is no CPU 5; the last one is 1
[2]
$ rm t/snapshot; sonde snapshot
sonde: this kernel has no snapshots (CONFIG_TRACER_SNAPSHOT)
[1]
$ sonde snapshot yes
sonde: snapshot takes no argument, but there is 'yes'
[2]
