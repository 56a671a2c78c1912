"""The queries of tests/duckdb: by trace, (the tables that they read, the query).

Both engines must read them in the same way: no division of integers, no LIKE (SQLite's ignores case), no
ORDER BY that leaves the order open.
"""
QUERIES = {
    "all-events": [
        # counting and grouping
        ("event", "SELECT count(*) FROM event"),
        ("event", "SELECT name, count(*) AS n FROM event GROUP BY name ORDER BY n DESC, name"),
        ("event", "SELECT system, count(*), count(DISTINCT name) FROM event GROUP BY system ORDER BY system"),
        ("event", "SELECT comm, count(*) FROM event GROUP BY comm ORDER BY comm"),
        ("event", "SELECT cpu, count(*), min(ts), max(ts) FROM event GROUP BY cpu ORDER BY cpu"),
        ("event", "SELECT cpu, name, count(*) FROM event GROUP BY cpu, name HAVING count(*) > 10 ORDER BY cpu, name"),
        ("event", "SELECT utid, count(*) FROM event GROUP BY utid ORDER BY utid LIMIT 20"),
        ("event", "SELECT tid, cpu, count(*) AS n FROM event GROUP BY tid, cpu ORDER BY n DESC, tid, cpu LIMIT 10"),
        ("event", "SELECT count(DISTINCT comm), count(DISTINCT tid), count(DISTINCT name) FROM event"),
        ("event", "SELECT min(ts), max(ts), max(ts) - min(ts) FROM event"),
        ("event", "SELECT count(*) FROM event WHERE name = 'sched_switch'"),
        ("event", "SELECT name, count(*) FROM event WHERE system IN ('sched', 'irq') GROUP BY name ORDER BY name"),
        ("event", "SELECT name, count(*) FROM event WHERE cpu = 0 AND system != 'sched' GROUP BY name ORDER BY name"),
        ("event", "SELECT count(*) FROM event WHERE comm = 'no such task' OR cpu < 1000"),
        # ranges and order
        ("event", "SELECT id, ts, cpu, name FROM event ORDER BY ts, cpu, id LIMIT 30"),
        ("event", "SELECT ts, cpu, name FROM event WHERE ts > (SELECT min(ts) + 1000000 FROM event) "
                  "ORDER BY ts, cpu, id LIMIT 15"),
        ("event", "SELECT count(*) FROM event WHERE ts BETWEEN (SELECT min(ts) + 2000000 FROM event) "
                  "AND (SELECT max(ts) - 2000000 FROM event)"),
        ("event", "SELECT ts, text FROM event WHERE name = 'sched_wakeup' ORDER BY ts DESC, id LIMIT 10"),
        ("event", "SELECT name, min(ts), max(ts) FROM event WHERE cpu IN (0, 1) GROUP BY name ORDER BY name"),
        ("event", "SELECT count(*) FROM event WHERE id IN (SELECT id FROM event WHERE cpu = 1)"),
        # fields of one kind of event
        ("sched_switch", "SELECT prev_comm, next_comm, count(*) AS n FROM sched_switch GROUP BY prev_comm, next_comm "
                         "ORDER BY n DESC, prev_comm, next_comm"),
        ("sched_switch", "SELECT prev_state, count(*) FROM sched_switch GROUP BY prev_state ORDER BY prev_state"),
        ("sched_switch", "SELECT next_pid, min(next_prio), max(next_prio) FROM sched_switch GROUP BY next_pid "
                         "ORDER BY next_pid"),
        ("sched_switch", "SELECT count(*) FROM sched_switch WHERE prev_pid = 0 AND next_pid != 0"),
        ("sched_switch", "SELECT ts, cpu, prev_comm, next_comm FROM sched_switch WHERE next_pid > 100 "
                         "ORDER BY ts, cpu LIMIT 20"),
        ("sched_switch", "SELECT count(*), sum(next_pid), sum(prev_prio) FROM sched_switch WHERE next_pid >= 10 "
                         "AND next_pid < 5000"),
        ("sched_switch", "SELECT next_comm, ts, lead(ts) OVER (PARTITION BY cpu ORDER BY ts, id) - ts AS dur "
                         "FROM sched_switch ORDER BY ts, id LIMIT 40"),
        ("sched_switch sched_wakeup", "SELECT s.next_comm, count(*) FROM sched_switch s WHERE s.next_pid IN "
                                      "(SELECT pid FROM sched_wakeup) GROUP BY 1 ORDER BY 1"),
        ("sched_wakeup", "SELECT target_cpu, comm, count(*) FROM sched_wakeup GROUP BY 1, 2 ORDER BY 1, 2"),
        ("sched_wakeup", "SELECT pid, count(*), avg(prio) FROM sched_wakeup GROUP BY pid ORDER BY pid"),
        ("sched_wakeup thread", "SELECT t.name, count(*) FROM sched_wakeup w JOIN thread t ON t.tid = w.pid "
                                "GROUP BY t.name ORDER BY t.name"),
        ("sys_enter", "SELECT id, count(*) FROM sys_enter GROUP BY id ORDER BY id"),
        ("sys_exit", "SELECT count(*), count(DISTINCT common_comm) FROM (SELECT comm AS common_comm FROM sys_exit "
                     "WHERE ret < 0)"),
        # computed tables
        ("thread", "SELECT count(*), count(name), min(tid), max(tid) FROM thread"),
        ("thread", "SELECT utid, tid, name FROM thread ORDER BY utid LIMIT 30"),
        ("event_kind", "SELECT system, name, count FROM event_kind ORDER BY system, name"),
        ("event_kind event", "SELECT k.name, k.count - e.n FROM event_kind k JOIN (SELECT name, system, count(*) AS n "
                             "FROM event GROUP BY name, system) e ON e.name = k.name AND e.system = k.system ORDER BY 1"),
        ("sched", "SELECT cpu, sum(dur), count(*) FROM sched GROUP BY cpu ORDER BY cpu"),
        ("sched thread", "SELECT t.name, sum(s.dur) AS total FROM sched s JOIN thread t USING (utid) GROUP BY t.name "
                         "ORDER BY total DESC, t.name LIMIT 10"),
        ("thread_state", "SELECT state, count(*), sum(dur) FROM thread_state GROUP BY state ORDER BY state"),
        ("thread_state", "SELECT utid, max(dur) FROM thread_state WHERE state = 'R' GROUP BY utid ORDER BY utid"),
        ("thread_state", "SELECT ts, dur, utid FROM thread_state WHERE dur > 1000000 ORDER BY dur DESC, ts, utid LIMIT 10"),
        ("thread_state thread", "SELECT w.name, count(*) AS n FROM thread_state s JOIN thread w ON w.utid = s.waker_utid "
                                "GROUP BY w.name ORDER BY n DESC, w.name"),
    ],
    "tour": [
        ("slice", "SELECT category, count(*), sum(dur), max(depth) FROM slice GROUP BY category ORDER BY category"),
        ("slice", "SELECT name, count(*) AS n, sum(dur) AS total FROM slice GROUP BY name ORDER BY total DESC, name LIMIT 20"),
        ("slice", "SELECT ts, dur, name FROM slice WHERE depth = 0 ORDER BY ts, id LIMIT 20"),
        ("slice", "SELECT count(*) FROM slice WHERE dur > 10000 AND category = 'function'"),
        ("slice", "SELECT name, dur - coalesce((SELECT sum(c.dur) FROM slice c WHERE c.parent_id = s.id), 0) AS self "
                  "FROM slice s ORDER BY self DESC, id LIMIT 10"),
        ("slice", "SELECT depth, count(*), avg(dur), min(dur) FROM slice GROUP BY depth ORDER BY depth"),
        ("slice", "SELECT name, row_number() OVER (PARTITION BY name ORDER BY dur DESC, id) AS place, dur FROM slice "
                  "WHERE category = 'syscall' ORDER BY name, place LIMIT 30"),
        ("thread_slice", "SELECT thread_name, category, sum(dur) FROM thread_slice GROUP BY 1, 2 ORDER BY 1, 2"),
        ("thread_state slice_with_task", "SELECT count(*) FROM thread_state s, slice_with_task l WHERE s.utid = l.utid AND l.ts >= s.ts "
                               "AND l.ts < s.ts + s.dur AND s.state = 'Running'"),
        ("thread_state", "WITH r AS (SELECT utid, dur FROM thread_state WHERE state IN ('R', 'R+')) "
                         "SELECT utid, count(*), sum(dur), max(dur) FROM r GROUP BY utid ORDER BY utid"),
        ("sched", "SELECT utid, ts, dur, ts - lag(ts + dur) OVER (PARTITION BY utid ORDER BY ts) AS away FROM sched "
                  "ORDER BY utid, ts"),
        ("sched event", "SELECT count(*) FROM sched s JOIN event e ON e.cpu = s.cpu AND e.ts >= s.ts "
                        "AND e.ts < s.ts + s.dur AND e.utid = s.utid"),
        ("sys_exit", "SELECT ret, count(*) FROM sys_exit WHERE ret < 0 GROUP BY ret ORDER BY ret"),
        ("funcgraph_exit", "SELECT depth, count(*), min(ts), max(ts) FROM funcgraph_exit GROUP BY depth "
                           "ORDER BY depth"),
        ("event", "SELECT CASE WHEN cpu = 0 THEN 'first' ELSE 'other' END AS which, count(*) FROM event GROUP BY 1 "
                  "ORDER BY 1"),
        ("event", "SELECT name FROM event WHERE cpu = 0 INTERSECT SELECT name FROM event WHERE cpu = 1 ORDER BY name"),
        ("event", "SELECT comm, name FROM event GROUP BY comm, name HAVING count(*) = 1 ORDER BY comm, name"),
    ],
    "fgraph-vfs": [
        ("slice", "SELECT p.name, c.name, count(*) FROM slice c JOIN slice p ON p.id = c.parent_id GROUP BY 1, 2 "
                  "ORDER BY 3 DESC, 1, 2 LIMIT 20"),
    ],
}
