# info tells of hits of probes that were missed, also where the first CPU has no events
# covers: D21

$ cat > make.py <<'END'
> import tracedat
> trace = tracedat.Trace(version=7)
> tick = trace.event("demo", "tick", ["int count"], '"count=%d", REC->count')
> trace.top.cpu(1).add(1000, tick(count=1))
> trace.option(tracedat.CPUSTAT, "CPU: 0\nentries: 0\nread events: 0\nmissed hits of probes: 5\n")
> trace.option(tracedat.CPUSTAT, "CPU: 1\nentries: 0\nread events: 1\n")
> trace.write("m.dat")
> END
$ python3 make.py
$ sonde info m.dat | grep lost
  lost         5 missed hits of probes
