# Runs command lines with trace-cmd and with sonde in its place, and compares. The as-*.vmtest read this.
#
#   both 'WORDS' 'WORDS'…   a row of command lines, from a fresh tracing directory: after each of them text,
#                           exit status and what is set must be the same
#   check_state=            … but not what is set
#   finish                  fails if anything differed
#
# The programs run in $OUT/peer and $OUT/ours: what they write stays there. $OUT is the guest's own memory here,
# because each of a thousand small files of the host takes the guest some milliseconds.

export OUT=$TMPDIR
cd "$OUT"
mkdir -p bin peer ours
ln -sf "$(command -v sonde)" bin/trace-cmd
peer=$(command -v trace-cmd)
ours=$OUT/bin/trace-cmd
size=$(sed 's/.*expanded: //; s/)//' "$TRACING/buffer_size_kb")
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
	echo 0 > max_graph_depth
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

# Without what differs from run to run. Of an error only the first line counts: the rest is our own words.
# So is a usage text.
varies='offset=0x|bytes in size|uncompressed|events lost|Error reading stack'
judge() { # NAME NUMBER STATUS
	local to=$OUT/$1.$2 first= text
	echo "$3" > "$to.status"
	if [ "$3" = 255 ]; then : > "$to.out"; : > "$to.err"; return; fi
	text=$(< "$to.out")$(< "$to.err")
	[[ ! $text =~ $varies ]] || sed -E -i 's/offset=0x[0-9a-f]+/offset=N/; s/^( +)[0-9]+ bytes in size/\1N bytes in size/
		s/\([0-9]+ uncompressed\)/(N uncompressed)/; /[0-9]+ events lost/d
		/^Error reading stack tracer status$/,+1d' "$to.out" "$to.err"
	[ "$3" != 0 ] || return 0
	IFS= read -r first < "$to.err" || true
	echo "${first##  *}" > "$to.err"
}

row() { # PROGRAM NAME LINE…
	local program=$1 name=$2 i=0 line status
	shift 2
	fresh
	for line; do
		i=$((i + 1))
		cd "$OUT/$name"
		status=0
		eval "timeout -s INT 200 '$program' $line" < /dev/null > "$OUT/$name.$i.out" \
			2> "$OUT/$name.$i.err" || status=$?
		judge "$name" $i $status
		case "$line" in
		stat*|show*|list*|stack) : > "$OUT/$name.$i.state" ;; # they only look
		*) [ -z "${check_state-1}" ] || state > "$OUT/$name.$i.state" ;;
		esac
		cd "$OUT"
	done
}

differs() { # NUMBER LINE
	local what
	for what in status out err ${check_state-state}; do
		cmp -s "peer.$1.$what" "ours.$1.$what" && continue
		bad=$((bad + 1))
		echo "$what of: trace-cmd $2"
		diff "peer.$1.$what" "ours.$1.$what" | head -n 12
	done
}

both() { # LINE…
	local i=0 line
	row "$peer" peer "$@"
	row "$ours" ours "$@"
	for line; do
		i=$((i + 1))
		differs $i "$line"
	done
}

finish() {
	[ $bad = 0 ] || fail "$bad differences"
}

fresh
trap fresh EXIT # trace-cmd leaves tracing switched off
