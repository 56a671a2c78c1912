# sql answers questions about a trace as a table, CSV or JSON
# covers: B09

$ sonde sql $GOLDEN/tour.dat "SELECT name, count(*) FROM event GROUP BY name LIMIT 4"
name               count(*)
-----------------  --------
funcgraph_entry         790
funcgraph_exit          784
irq_handler_entry        22
irq_handler_exit         22
$ sonde sql --json $GOLDEN/tour.dat "SELECT ts, prev_comm, prev_state, next_pid FROM sched_switch LIMIT 2"
{"ts":151615155150,"prev_comm":"trace-cmd","prev_state":"R+","next_pid":15}
{"ts":151615434448,"prev_comm":"rcu_preempt","prev_state":"I","next_pid":234}
$ sonde sql --csv $GOLDEN/tour.dat "SELECT 'a,b' AS x, NULL AS y, '' AS z, 1.5 AS r, x'00ff' AS b"
x,y,z,r,b
"a,b",,"",1.5,00ff
$ sonde sql --json $GOLDEN/tour.dat "SELECT 'a\"b' AS x, NULL AS y, 1e999 AS z, x'00ff' AS b, -5 AS n"
{"x":"a\"b","y":null,"z":null,"b":"00ff","n":-5}

# several statements; a query from standard input; the file is trace.dat without another
$ cp $GOLDEN/tour.dat trace.dat
$ echo "SELECT count(*) AS n FROM sched_switch; SELECT max(dur) FROM sched" | sonde sql -
 n
--
49

 max(dur)
---------
145594085
$ echo "SELECT 1" | sonde sql --csv trace.dat
1
1

# two files; tasks of the second have other numbers
$ sonde sql $GOLDEN/tour.dat $GOLDEN/stacks.dat "SELECT machine_id, count(*), min(utid) FROM thread GROUP BY 1"
machine_id  count(*)   min(utid)
----------  --------  ----------
         0       105           0
         1        58  4294967296

# queries that come with sonde
$ sonde sql -q list
faults       Which code causes page faults? By task and, if stacks were recorded (-T), by stack.
irqs         Which CPU handles which interrupts, and for how long? In ns.
locks        Who waited for locks (futex) how long? In ns.
marks        What took longest between two marks of a task (trace_marker, sonde mark)? In ns.
migrations   Which tasks moved between CPUs most often?
offcpu       Where do tasks leave the CPU, and for how long? By stack, if stacks were recorded (-T). In ns.
runqueue     How long did each task wait for a CPU? In ns.
softirqs     When did soft interrupts come in storms? The 20 busiest periods of 10 ms of a CPU.
syscalls     Which system calls took the most time? In ns.
wakeups      Who wakes whom, and who woke the waker before?
$ sonde sql -q syscalls trace.dat | head -n 4
name            calls     total      mean   longest
--------------  -----  --------  --------  --------
pselect6            1  68408325  68408325  68408325
execve              4  22359810   5589952  17036212
$ sonde sql -q syscals trace.dat
sonde: there is no query 'syscals'; did you mean 'syscalls'?; -q list shows all
[2]

# mistakes
$ sonde sql trace.dat "SELECT comn FROM event"
sonde: there is no column 'comn'; did you mean 'comm'?
  SELECT comn FROM event
         ^^^^
[2]
$ sonde sql trace.dat "SELECT * FROM sched_swich"
sonde: there is no table 'sched_swich'; did you mean 'sched_switch'?
  SELECT * FROM sched_swich
                ^^^^^^^^^^^
[2]
$ sonde sql trace.dat "SELECT max(ts FROM event"
sonde: the query is wrong: near "FROM": syntax error
  SELECT max(ts FROM event
                ^^^^
[2]
$ sonde sql trace.dat "INSERT INTO thread VALUES (1)"
sonde: this query is not allowed: sonde sql only reads the trace; WITH NAME AS (SELECT …) names a part of a query
[1]
$ sonde sql trace.dat "ATTACH 'x' AS y"
sonde: this query is not allowed: sonde sql only reads the trace; WITH NAME AS (SELECT …) names a part of a query
[1]
$ sonde sql --csv --json trace.dat "SELECT 1"
sonde: --json, --csv and --parquet exclude each other
[2]
$ sonde sql --limit 5 trace.dat "SELECT 1"
sonde: sql: --limit is time=10s or memory=1G, not '5'
[2]
$ sonde sql nosuch.dat "SELECT 1"
sonde: cannot open nosuch.dat: No such file or directory
[1]
