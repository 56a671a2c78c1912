# restore takes what it needs to know from a tracing directory
# covers: T17

# A small one, made of a trace
$ cat >dir.py <<'END'
> import os, pathlib, re, sys, traceload
> trace, root = traceload.load(sys.argv[1]), pathlib.Path(sys.argv[2])
> def put(name, text):
>     (root / name).parent.mkdir(parents=True, exist_ok=True)
>     (root / name).write_text(text if isinstance(text, str) else text.decode())
> def put_formats(system, formats):
>     for text in formats:
>         text = text if isinstance(text, str) else text.decode() if isinstance(text, bytes) else text.text()
>         put(f"events/{system}/{re.match('name: (.*)', text)[1]}/format", text)
> info = trace.header_info()
> page = int.from_bytes(info[12:20], "little")
> put("events/header_page", info[20:20 + page])
> put("events/header_event", info[20 + page + 21:])
> put_formats("ftrace", trace.ftrace_events)
> for system, formats in trace.systems.items():
>     put_formats(system, formats)
> put("events/enable", "0\n")
> put("printk_formats", trace.printk)
> put("saved_cmdlines", trace.cmdline_text())
> put("trace_clock", "local [mono] boot\n")
> put("kallsyms", trace.kallsyms)
> for number, cpu in trace.top.cpus.items():
>     open(f"trace.dat.cpu{number}", "wb").write(cpu.pack())
> END
> cp $GOLDEN/tour.dat . && python3 dir.py tour.dat tracing && ls tracing tracing/events
tracing:
events
kallsyms
printk_formats
saved_cmdlines
trace_clock

tracing/events:
enable
exceptions
ftrace
header_event
header_page
irq
raw_syscalls
sched
$ sonde restore -t tracing -k tracing/kallsyms trace.dat.cpu0 trace.dat.cpu1 && sonde report tour.dat >a
> sonde report | cmp - a && sonde list -C trace.dat
local [mono] boot
$ sonde report --uname | grep -c "$(uname -r)"; sonde report --version
1
cpus=2
sonde 0.1.0
$ sonde dump trace.dat | grep -E 'Version|algorithm|buffer|Kallsyms|command|systems'
		7	[Version]
		zstd	[Compression algorithm]
	[buffer "", "mono" clock, 4096 page size, 2 cpus, 19509 bytes flyrecord data]
	[Saved command lines, 1158 bytes]
	[Kallsyms, 8530 bytes]
	[Events format, 4 systems]

# In two steps: -c when the kernel runs, -i when only files are left.
$ rm trace.dat; sonde restore -c -t tracing -k tracing/kallsyms && ls *.dat && rm -r tracing
> sonde dump -v trace-partial.dat && sonde report trace-partial.dat
tour.dat
trace-partial.dat
File trace-partial.dat is a valid trace-cmd file
cpus=0
$ sonde restore -i trace-partial.dat trace.dat.cpu* && sonde report | cmp - a
