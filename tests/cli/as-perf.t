# as perf: what it knows, and what is refused in perf's words
# covers: E01

$ sonde as perf

 usage: perf [--version] [--help] COMMAND [ARGS]

 The commands of perf that sonde knows are:
   annotate        Read perf.data (created by perf record) and display annotated code
   diff            Read perf.data files and display the differential profile
   ftrace          simple wrapper for kernel's ftrace functionality
   list            List all symbolic event types
   probe           Define new dynamic tracepoints
   record          Run a command and record its profile into perf.data
   report          Read perf.data (created by perf record) and display the profile
   stat            Run a command and gather performance counter statistics
   top             System profiling tool.
   script          Read perf.data (created by perf record) and display trace output
   sched           Tool to trace/measure scheduler properties (latencies)
   trace           strace inspired tool
[1]
$ sonde as perf --version
perf version sonde-0.1.0
$ sonde as perf kvm
perf: sonde does not know the perf command 'kvm'; 'sonde as perf --help' lists those that it knows.
[1]
$ sonde as perf ftrace latency
Should provide a function or events to measure
[234]
$ sonde as perf ftrace latency -T vfs_read -e a,b
Please specify either of function or events
[234]
$ sonde as perf ftrace latency -T vfs_read --min-latency 3
--min-latency works only with --bucket-range
[234]
$ sonde as perf ftrace latency -T vfs_read --max-latency 3
--max-latency works only with --bucket-range
[234]
$ sonde as perf ftrace latency -T vfs_read --bucket-range 10 --max-latency 15
--max-latency must be larger than min-latency + bucket-range
[234]
$ sonde as perf ftrace profile -s speed
Unknown sort key: speed
[234]
$ sonde as perf ftrace -m 4 true
-m takes a size with its unit, B, K, M or G, not '4'
[234]
$ sonde as perf ftrace -m 100B true
buffer size too small, must larger than 1KB.
[234]
$ sonde as perf ftrace --graph-opts args,nonsense true
Unknown option: nonsense
[234]
$ sonde as perf ftrace --graph-opts thresh true
Unknown option: thresh
[234]
$ sonde as perf ftrace --graph-opts depth=x true
'depth' takes a number, not 'x'
[234]
$ sonde as perf ftrace --func-opts args true
Unknown option: args
[234]
$ sonde as perf ftrace -C 3-1 true
Invalid CPU list: 3-1
[234]
$ ln -s "$(command -v sonde)" perf && ./perf ftrace profile -h

 Usage: perf ftrace [<options>] [<command>]
    or: perf ftrace [<options>] -- [<command>] [<options>]
    or: perf ftrace {trace|latency|profile} [<options>] [<command>]
    or: perf ftrace {trace|latency|profile} [<options>] -- [<command>] [<options>]

  -T, --trace-funcs func      Trace given functions using function tracer
  -N, --notrace-funcs func    Do not trace given functions
  -G, --graph-funcs func      Trace given functions using function_graph tracer
  -g, --nograph-funcs func    Set nograph filter on given functions
  -m, --buffer-size size      Size of per cpu buffer, needs to use a B, K, M or G suffix.
  -s, --sort key              Sort result by key: total (default), avg, max, count, name.
      --graph-opts options    Graph tracer options, available options:
                              nosleep-time,noirqs,thresh=<n>,depth=<n>
  -p, --pid pid               Trace on existing process id
      --tid tid               Trace on existing thread id (exclusive to --pid)
  -v, --verbose               Be more verbose
  -a, --all-cpus              System-wide collection from all CPUs
  -C, --cpu cpu               List of cpus to monitor
  -h, --help                  show this help
[129]
$ sonde as perf stat record true
perf stat record is not supported: -o FILE writes the counts as text, 'sonde record --counters' into a trace
[255]
