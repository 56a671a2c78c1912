# Runs a command line with trace-cmd and with sonde in its place, and compares. The as-*.vmtest read this.
#
#   before='COMMANDS;'   what both find set
#   same WORDS…          text, exit status and what is set afterwards must be the same
#   check_state=         … but not what is set
#   finish               fails if anything differed

mkdir -p bin
ln -sf "$(command -v sonde)" bin/trace-cmd
peer=$(command -v trace-cmd)
ours=$OUT/bin/trace-cmd
size=$(cat "$TRACING/buffer_size_kb")
bad=0

fresh() {
	local d
	for d in "$TRACING"/instances/*/; do [ ! -d "$d" ] || rmdir "$d"; done
	cd "$TRACING"
	echo 0 > tracing_on
	echo nop > current_tracer
	echo > set_event
	for d in sched irq timer; do echo 0 > events/$d/filter; done
	echo '!stacktrace' > events/sched/sched_switch/trigger || true
	echo > set_ftrace_filter
	echo > set_graph_function
	echo > set_event_pid
	echo local > trace_clock
	echo "$size" > buffer_size_kb
	echo 3 > tracing_cpumask
	echo 1 > options/overwrite
	echo 0 > options/stacktrace
	echo 0 > options/event-fork
	echo 0 > options/function-fork
	echo > trace
	echo 1 > tracing_on
	cd "$OUT"
}

state() { # one process: a guest is slow
	cd "$TRACING"
	grep -s '' {.,instances/*}/{tracing_on,current_tracer,set_event,set_event_pid,set_ftrace_pid} \
		{.,instances/*}/{set_ftrace_filter,set_graph_function,trace_clock,buffer_size_kb} \
		{.,instances/*}/{tracing_cpumask,options/{overwrite,stacktrace,event-fork}} \
		{.,instances/*}/events/sched/sched_switch/{filter,trigger} || true
	cd "$OUT"
}

# What differs from run to run. A message about an error keeps its first line only: the rest is ours.
mask() {
	sed -E 's/offset=0x[0-9a-f]+/offset=N/; s/^( +)[0-9]+ bytes in size/\1N bytes in size/
		s/\([0-9]+ uncompressed\)/(N uncompressed)/; s/[0-9]+ events lost/N events lost/
		/^Error reading stack tracer status$/,+1d' "$1"
}

one() { # PROGRAM NAME WORDS…
	local program=$1 name=$2
	shift 2
	fresh
	rm -f trace.dat
	eval "$before"
	set +e
	timeout -s INT "${patience-60}" "$program" "$@" < /dev/null > "$name.raw" 2> "$name.rawerr"
	echo $? > "$name.status"
	set -e
	mask "$name.raw" > "$name.out"
	mask "$name.rawerr" > "$name.err"
	grep -q '^0$' "$name.status" || sed -i '2,$d;/^  /d' "$name.err"
	if grep -q '^255$' "$name.status"; then : > "$name.out"; : > "$name.err"; fi
	state > "$name.state"
}

same() { # WORDS…
	local what
	one "$peer" peer "$@"
	one "$ours" ours "$@"
	for what in status out err ${check_state-state}; do
		cmp -s "peer.$what" "ours.$what" && continue
		diff "peer.$what" "ours.$what" > difference || true
		bad=$((bad + 1))
		echo "$what of: $before trace-cmd $*"
		head -n 12 difference
		[ $what != status ] || head -n 3 ours.rawerr
	done
}

finish() {
	fresh
	[ $bad = 0 ] || fail "$bad differences"
}
