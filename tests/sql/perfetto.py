"""Queries as Perfetto's documentation writes them, and the trace on which each must find rows.

They use its tables, columns, functions and INCLUDE as the pages named in the first column do: cpu-scheduling,
cpu-freq, memory-counters, syscalls and funcgraph under data-sources; perfetto-sql-getting-started and
common-queries under analysis; trace-analysis (quickstart); ftrace, cpu-profiling and system-tracing under
getting-started. Names of threads and slices are those of the traces here. "counters" is the trace that the suite
makes.
"""
DOCUMENTED = [
    ("cpu-scheduling", "tour", "select ts, dur, cpu, end_state, priority, process.name, thread.name from sched_slice "
     "left join thread using (utid) left join process using (upid)"),
    ("cpu-scheduling", "tour", "select * from sched_slice limit 1"),
    ("cpu-freq", "counters", "select ts, tr.name, cpu, value from counter left join cpu_counter_track as tr "
     "on counter.track_id = tr.id where tr.name = 'cpuidle' or tr.name = 'cpufreq'"),
    ("memory-counters", "counters", "select c.ts, c.value, tr.name as counter, p.name as process, p.pid from counter as c "
     "left join process_counter_track as tr on tr.id = c.track_id left join process as p using (upid) "
     "where tr.name like 'mem.%'"),
    ("memory-counters", "counters", "select c.ts, tr.name, c.value / 1024 as kb from counters as c "
     "left join counter_track as tr on tr.id = c.track_id"),
    ("syscalls", "tour", "select ts, dur, th.name as thread, sl.name, depth from slices as sl "
     "left join thread_track as tt on tt.id = sl.track_id left join thread as th on th.utid = tt.utid"),
    ("funcgraph", "fgraph-vfs", "SELECT slice.name, COUNT(*) AS calls, SUM(dur) AS total FROM slice "
     "JOIN track ON track.id = slice.track_id WHERE track.name = 'Funcgraph' GROUP BY slice.name "
     "ORDER BY total DESC LIMIT 5"),
    ("perfetto-sql-getting-started", "tour", "SELECT ts, dur, name FROM slice LIMIT 10;"),
    ("perfetto-sql-getting-started", "fgraph-vfs", "SELECT DISTINCT utid FROM slice JOIN thread_track "
     "ON thread_track.id = slice.track_id WHERE slice.name = 'vfs_read'"),
    ("perfetto-sql-getting-started", "counters", "SELECT upid FROM counter JOIN process_counter_track AS tr "
     "ON tr.id = counter.track_id WHERE tr.name = 'mem.rss.anon' AND value > 1000"),
    ("perfetto-sql-getting-started", "tour", "SELECT tid, name FROM thread WHERE utid = 234"),
    ("perfetto-sql-getting-started", "fgraph-vfs", "SELECT thread.name AS who FROM slice JOIN thread_track "
     "ON thread_track.id = slice.track_id JOIN thread USING (utid) WHERE slice.name = 'vfs_read' GROUP BY who"),
    ("perfetto-sql-getting-started", "tour", "INCLUDE PERFETTO MODULE slices.with_context;\n"
     "SELECT thread_name, process_name, name, ts, dur FROM thread_or_process_slice;"),
    ("perfetto-sql-getting-started", "tour", "SELECT EXTRACT_ARG(arg_set_id, 'prev_comm') FROM ftrace_event "
     "WHERE name = 'sched_switch'"),
    ("perfetto-sql-getting-started", "tour", "SELECT (SELECT string_value FROM args WHERE key = 'prev_comm' AND "
     "args.arg_set_id = e.arg_set_id) FROM ftrace_event e WHERE name = 'sched_switch'"),
    ("trace-processor", "tour", "SELECT type FROM slice JOIN track ON track.id = slice.track_id "
     "WHERE slice.name = 'vfs_read' OR depth = 0"),
    ("common-queries", "all-events", "SELECT SUM((SELECT dur FROM sched WHERE sched.ts > ready.ts AND "
     "sched.utid = ready.utid ORDER BY ts LIMIT 1)) AS ran FROM thread AS waker JOIN thread_state AS ready "
     "ON ready.waker_utid = waker.utid WHERE waker.name = 'swapper/0'"),
    ("common-queries", "all-events", "SELECT waker.name, SUM((SELECT dur FROM sched WHERE sched.ts > ready.ts AND "
     "sched.utid = ready.utid ORDER BY ts LIMIT 1)) AS ran FROM thread AS waker "
     "LEFT JOIN process AS its USING (upid) JOIN thread_state AS ready ON ready.waker_utid = waker.utid "
     "WHERE waker.utid != 0 GROUP BY 1 ORDER BY 2 desc"),
    ("trace-analysis", "tour", "SELECT ts, dur, name FROM slice"),
    ("trace-analysis", "counters", "SELECT ts, value FROM counter"),
    ("trace-analysis", "tour", "SELECT ts, dur, cpu, utid FROM sched"),
    ("ftrace", "tour", "SELECT * FROM ftrace_event JOIN args USING (arg_set_id)"),
    ("ftrace", "counters", "SELECT * FROM counter JOIN counter_track ct ON ct.id = counter.track_id "
     "WHERE ct.type = 'cpu_frequency'"),
    ("cpu-profiling", "counters", "select ts, cpu, name, value from counter c join perf_counter_track p "
     "on (p.id = c.track_id) order by 1, 2 asc"),
    ("cpu-profiling", "made-samples", "SELECT ts, utid, cpu, callsite_id FROM perf_sample"),
    ("system-tracing", "tour", "INCLUDE PERFETTO MODULE sched.with_context;\n"
     "SELECT * FROM sched_with_thread_process LIMIT 100;"),
    ("system-tracing", "counters", "INCLUDE PERFETTO MODULE linux.cpu.frequency;\n"
     "SELECT * FROM cpu_frequency_counters LIMIT 100;"),
    ("system-tracing", "counters", "SELECT * FROM counter LIMIT 100"),
]

# What people write who know its tables.
USUAL = [
    "select thread.name, sum(dur) as s from sched join thread using(utid) group by utid order by s desc limit 5",
    "SELECT * FROM thread_state WHERE utid = 234",
    "SELECT state, SUM(dur) as total_dur FROM thread_state WHERE utid = 234 GROUP BY state",
    "select * from slice where name = 'vfs_read' order by dur desc limit 10",
    "SELECT ts, dur, name FROM slice WHERE dur > 1e6",
    "SELECT thread.name, slice.name, count(*) FROM slice JOIN thread_track ON slice.track_id = thread_track.id "
    "JOIN thread USING (utid) GROUP BY 1, 2",
    "SELECT name, COUNT(*) AS event_count FROM slice GROUP BY name ORDER BY event_count DESC",
    "SELECT ts, name FROM ftrace_event WHERE name LIKE 'sched%' LIMIT 10",
    "SELECT name, count(*) FROM ftrace_event GROUP BY name",
    "SELECT * FROM thread WHERE name = 'sleep'",
    "SELECT upid, pid, name FROM process",
    "SELECT cpu, sum(dur) / 1e6 AS busy_ms FROM sched WHERE utid != 0 GROUP BY cpu",
    "WITH runnable AS (SELECT utid, dur FROM thread_state WHERE state = 'R') "
    "SELECT thread.name, avg(dur) FROM runnable JOIN thread USING (utid) GROUP BY 1",
    "SELECT ts, dur, utid, LEAD(ts) OVER (PARTITION BY utid ORDER BY ts) AS next FROM sched",
    "SELECT IIF(dur > 1000, 'long', 'short') AS kind, count(*) FROM slice GROUP BY kind",
    "SELECT waker.name, count(*) FROM thread_state JOIN thread waker ON waker.utid = waker_utid GROUP BY 1",
    "SELECT parent.name, child.name FROM slice child JOIN slice parent ON parent.id = child.parent_id LIMIT 20",
    "SELECT thread_name, process_name, sum(dur) FROM thread_slice GROUP BY 1, 2",
    "SELECT cpu, ucpu FROM cpu",
    "SELECT trace_start(), trace_end(), trace_dur(), start_ts, end_ts FROM trace_bounds",
]
