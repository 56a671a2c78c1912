# replay shows calls of programs and of the kernel in the order of time
# covers: U03

$ cp $GOLDEN/made-user.dat .
$ sonde replay made-user.dat
# DURATION     TID     FUNCTION
            [   100] | main() {
            [   100] |   parse() {
   0.500 us [   100] |     next_token();
            [   101] | work() {
            [   101] |   read_all() {
   0.600 us [   100] |     next_token();
            [   101] |     vfs_read() {
            [   101] |       /* irq_handler_entry: irq=9 name=disk */
            [   101] |       /* irq_handler_exit: irq=9 ret=handled */
   0.700 us [   100] |     next_token();
            [   101] |       schedule() {
            [   101] |         /* sched_switch: worker:101 [120] S ==> swapper/0:0 [120] */
   1.500 us [   100] |     std::vector<int>::push_back(int&&);
   4.100 us [   100] |   } /* parse */
  20.000 us [   101] |         /* runs again */
  20.300 us [   101] |       } /* schedule */
  21.300 us [   101] |     } /* vfs_read */
  22.100 us [   101] |   } /* read_all */
            [   101] |   spin() {
            [   101] |     spin() {
            [   101] |       spin() {
   0.410 us [   101] |         spin();
   0.720 us [   101] |       } /* spin */
   0.930 us [   101] |     } /* spin */
   1.040 us [   101] |   } /* spin */
  24.740 us [   101] | } /* work */
                     | /* 5 events lost on CPU 0 */
            [   101] |   } /* parse */
   2.500 ms [   101] |   next_token();
            [   101] | } /* work */
            [   100] |   parse() {
            [   100] |     read_all() {
   0.000 us [   100] |     /* read_all: no return */
  70.000 us [   100] |   /* parse: no return */
            [   100] | } /* main */

# Filters by function: with what it calls, without, the paths to it, only itself hidden.
$ sonde replay -F parse made-user.dat
# DURATION     TID     FUNCTION
            [   100] | parse() {
   0.500 us [   100] |   next_token();
   0.600 us [   100] |   next_token();
   0.700 us [   100] |   next_token();
   1.500 us [   100] |   std::vector<int>::push_back(int&&);
   4.100 us [   100] | } /* parse */
                     | /* 5 events lost on CPU 0 */
            [   101] | } /* parse */
            [   100] | parse() {
            [   100] |   read_all() {
   0.000 us [   100] |   /* read_all: no return */
  70.000 us [   100] | /* parse: no return */
$ sonde replay -N read_all -N parse made-user.dat
# DURATION     TID     FUNCTION
            [   100] | main() {
            [   101] | work() {
            [   101] |   /* irq_handler_entry: irq=9 name=disk */
            [   101] |   /* irq_handler_exit: irq=9 ret=handled */
            [   101] |   /* sched_switch: worker:101 [120] S ==> swapper/0:0 [120] */
  20.000 us [   101] |   /* runs again */
            [   101] |   spin() {
            [   101] |     spin() {
            [   101] |       spin() {
   0.410 us [   101] |         spin();
   0.720 us [   101] |       } /* spin */
   0.930 us [   101] |     } /* spin */
   1.040 us [   101] |   } /* spin */
  24.740 us [   101] | } /* work */
                     | /* 5 events lost on CPU 0 */
   2.500 ms [   101] |   next_token();
            [   101] | } /* work */
            [   100] | } /* main */
$ sonde replay -C schedule made-user.dat
# DURATION     TID     FUNCTION
            [   101] | work() {
            [   101] |   read_all() {
            [   101] |     vfs_read() {
            [   101] |       /* irq_handler_entry: irq=9 name=disk */
            [   101] |       /* irq_handler_exit: irq=9 ret=handled */
            [   101] |       schedule() {
            [   101] |         /* sched_switch: worker:101 [120] S ==> swapper/0:0 [120] */
  20.000 us [   101] |         /* runs again */
  20.300 us [   101] |       } /* schedule */
  21.300 us [   101] |     } /* vfs_read */
  22.100 us [   101] |   } /* read_all */
  24.740 us [   101] | } /* work */
                     | /* 5 events lost on CPU 0 */
$ sonde replay -H work -H vfs_read --tid 101 --no-event made-user.dat
# DURATION     TID     FUNCTION
            [   101] | read_all() {
  20.300 us [   101] |   schedule();
  22.100 us [   101] | } /* read_all */
            [   101] | spin() {
            [   101] |   spin() {
            [   101] |     spin() {
   0.410 us [   101] |       spin();
   0.720 us [   101] |     } /* spin */
   0.930 us [   101] |   } /* spin */
   1.040 us [   101] | } /* spin */
                     | /* 5 events lost on CPU 0 */
            [   101] |   } /* parse */
   2.500 ms [   101] |   next_token();
$ sonde replay --match regex -F '^(sp|next)' made-user.dat
# DURATION     TID     FUNCTION
   0.500 us [   100] | next_token();
   0.600 us [   100] | next_token();
   0.700 us [   100] | next_token();
            [   101] | spin() {
            [   101] |   spin() {
            [   101] |     spin() {
   0.410 us [   101] |       spin();
   0.720 us [   101] |     } /* spin */
   0.930 us [   101] |   } /* spin */
   1.040 us [   101] | } /* spin */
                     | /* 5 events lost on CPU 0 */
   2.500 ms [   101] | next_token();
$ sonde replay -F '*@libio.so.1' -F nosuch made-user.dat
# DURATION     TID     FUNCTION
            [   101] | read_all() {
            [   101] |   vfs_read() {
            [   101] |     /* irq_handler_entry: irq=9 name=disk */
            [   101] |     /* irq_handler_exit: irq=9 ret=handled */
            [   101] |     schedule() {
            [   101] |       /* sched_switch: worker:101 [120] S ==> swapper/0:0 [120] */
  20.000 us [   101] |       /* runs again */
  20.300 us [   101] |     } /* schedule */
  21.300 us [   101] |   } /* vfs_read */
  22.100 us [   101] | } /* read_all */
                     | /* 5 events lost on CPU 0 */
            [   100] | read_all() {
   0.000 us [   100] | /* read_all: no return */
sonde: no function that was called matches 'nosuch'
$ sonde replay -N '*@kernel' --no-event --tid 101 made-user.dat
# DURATION     TID     FUNCTION
            [   101] | work() {
  22.100 us [   101] |   read_all();
            [   101] |   spin() {
            [   101] |     spin() {
            [   101] |       spin() {
   0.410 us [   101] |         spin();
   0.720 us [   101] |       } /* spin */
   0.930 us [   101] |     } /* spin */
   1.040 us [   101] |   } /* spin */
  24.740 us [   101] | } /* work */
                     | /* 5 events lost on CPU 0 */
            [   101] |   } /* parse */
   2.500 ms [   101] |   next_token();
            [   101] | } /* work */

# Depth and duration.
$ sonde replay -D 1 made-user.dat
# DURATION     TID     FUNCTION
            [   100] | main() {
            [   101] | work() {
            [   101] |   /* irq_handler_entry: irq=9 name=disk */
            [   101] |   /* irq_handler_exit: irq=9 ret=handled */
            [   101] |   /* sched_switch: worker:101 [120] S ==> swapper/0:0 [120] */
  20.000 us [   101] |   /* runs again */
  24.740 us [   101] | } /* work */
                     | /* 5 events lost on CPU 0 */
            [   101] | } /* work */
            [   100] | } /* main */
$ sonde replay -t 20us --no-event made-user.dat
# DURATION     TID     FUNCTION
            [   100] | main() {
            [   101] | work() {
            [   101] |   read_all() {
            [   101] |     vfs_read() {
  20.300 us [   101] |       schedule();
  21.300 us [   101] |     } /* vfs_read */
  22.100 us [   101] |   } /* read_all */
  24.740 us [   101] | } /* work */
                     | /* 5 events lost on CPU 0 */
            [   101] |   } /* parse */
   2.500 ms [   101] |   next_token();
            [   101] | } /* work */
            [   100] |   parse() {
  70.000 us [   100] |   /* parse: no return */
            [   100] | } /* main */

# A range: absolute, or since the first event.
$ sonde replay -r 1us~2us --no-event made-user.dat
# DURATION     TID     FUNCTION
            [   100] | main() { /* began before the range */
            [   100] |   parse() {
   0.500 us [   100] |     next_token();
            [   101] | work() {
            [   101] |   read_all() {
   0.600 us [   100] |     next_token(); /* returned after the range */
  21.300 us [   101] |     vfs_read(); /* returned after the range */
   4.100 us [   100] |   } /* parse: returned after the range */
  22.100 us [   101] |   } /* read_all: returned after the range */
  24.740 us [   101] | } /* work: returned after the range */
            [   100] | } /* main */
$ sonde replay --from 1.004527 made-user.dat
# DURATION     TID     FUNCTION
   2.500 ms [   101] |   next_token(); /* began before the range */
            [   101] | } /* work */
            [   100] | main() { /* began before the range */
            [   100] |   parse() {
            [   100] |     read_all() {
   0.000 us [   100] |     /* read_all: no return */
  70.000 us [   100] |   /* parse: no return */
            [   100] | } /* main */

# Fields and layout.
$ sonde replay -f +time,delta,elapsed,task,module,addr -D 2 --tid 100 made-user.dat
# DURATION     TID        TIMESTAMP      TIMEDELTA   ELAPSED        TASK NAME      MODULE NAME    ADDRESS     FUNCTION
            [   100]        1.000000000              0.000 us            demo             demo           10 | main() {
   4.100 us [   100]        1.000001000   1.000 us   1.000 us            demo             demo           20 |   parse();
                            1.002026240              2.026 ms                                               | /* 5 events lost on CPU 0 */
            [   100]        1.004528240   4.527 ms   4.528 ms            demo             demo           20 |   parse() {
  70.000 us [   100]        1.004598240  70.000 us   4.598 ms            demo             demo           20 |   /* parse: no return */
            [   100]        1.004598240   0.000 us   4.598 ms            demo             demo           10 | } /* main */
$ sonde replay -f none --tid 100 --no-comment --libname made-user.dat
main@demo() {
  parse@demo() {
    next_token@demo();
    next_token@demo();
    next_token@demo();
    std::vector<int>::push_back(int&&)@demo;
  }
/* 5 events lost on CPU 0 */
  parse@demo() {
    read_all@libio.so.1() {
    /* read_all@libio.so.1: no return */
  /* parse@demo: no return */
}
$ sonde replay --flat --tid 101 --no-merge made-user.dat | head -n 8
[0] ==> 101/0: ip (work), time (1000001500)
[1] ==> 101/1: ip (read_all), time (1000001600)
[2] ==> 101/2: ip (vfs_read), time (1000001900)
[3] 101/3: /* irq_handler_entry: irq=9 name=disk */, time (1000002100)
[4] 101/3: /* irq_handler_exit: irq=9 ret=handled */, time (1000002400)
[5] ==> 101/3: ip (schedule), time (1000002600)
[6] 101/4: /* sched_switch: worker:101 [120] S ==> swapper/0:0 [120] */, time (1000002700)
[7] 101/4: /* runs again */, time (1000022700)
$ sonde replay --column-view --task-newline --no-event -D 2 made-user.dat | head -n 16
# DURATION     TID     FUNCTION
            [   100] | main() {
   4.100 us [   100] |   parse();
                     |
            [   101] |         work() {
  22.100 us [   101] |           read_all();
   1.040 us [   101] |           spin();
  24.740 us [   101] |         } /* work */
                     | /* 5 events lost on CPU 0 */
            [   101] |           } /* parse */
   2.500 ms [   101] |           next_token();
            [   101] |         } /* work */
                     |
            [   100] |   parse() {
  70.000 us [   100] |   /* parse: no return */
            [   100] | } /* main */
$ sonde replay --json made-user.dat | sed -n '3p;7,8p;12p;15p;27,28p;$p'
{"ts":1000001250,"kind":"call","cpu":1,"pid":100,"comm":"demo","depth":2,"function":"next_token","module":"demo","duration":500}
{"ts":1000001900,"kind":"enter","cpu":0,"pid":101,"comm":"worker","depth":2,"function":"vfs_read","module":"kernel"}
{"ts":1000002100,"kind":"event","cpu":0,"pid":101,"comm":"worker","depth":3,"system":"irq","event":"irq_handler_entry","info":"irq=9 name=disk"}
{"ts":1000002700,"kind":"event","cpu":0,"pid":101,"comm":"worker","depth":4,"system":"sched","event":"sched_switch","info":"worker:101 [120] S ==> swapper/0:0 [120]"}
{"ts":1000022700,"kind":"back","cpu":0,"pid":101,"comm":"worker","depth":4,"duration":20000}
{"ts":1002026240,"kind":"lost","cpu":0,"missed":5}
{"ts":1002026240,"kind":"leave","cpu":0,"pid":101,"comm":"worker","depth":1,"function":"parse","module":"demo"}
{"ts":1004598240,"kind":"leave","cpu":0,"pid":100,"comm":"demo","depth":0,"function":"main","module":"demo"}
$ sonde replay --no-kernel --no-event --tid 101 made-user.dat | head -n 4
# DURATION     TID     FUNCTION
            [   101] | work() {
  22.100 us [   101] |   read_all();
            [   101] |   spin() {
$ sonde replay --kernel-only --event-full made-user.dat
# DURATION     TID     FUNCTION
            [   101] | vfs_read() {
            [   101] |   /* irq_handler_entry: irq=9 name=disk */
            [   101] |   /* irq_handler_exit: irq=9 ret=handled */
            [   101] |   schedule() {
            [   101] |     /* sched_switch: worker:101 [120] S ==> swapper/0:0 [120] */
            [     0] | /* sched_switch: swapper/0:0 [120] R ==> worker:101 [120] */
  20.000 us [   101] |     /* runs again */
  20.300 us [   101] |   } /* schedule */
  21.300 us [   101] | } /* vfs_read */
                     | /* 5 events lost on CPU 0 */

# The kernel's functions alone.
$ sonde replay $GOLDEN/fgraph-vfs.dat | sed -n '1,12p'
# DURATION     TID     FUNCTION
 131.178 us [   168] | mutex_unlock();
            [   168] | do_sys_openat2() {
            [   168] |   getname() {
            [   168] |     getname_flags.part.0() {
            [   168] |       kmem_cache_alloc() {
   2.304 us [   168] |         __cond_resched();
   1.350 us [   168] |         should_failslab();
  25.104 us [   168] |       } /* kmem_cache_alloc */
            [   168] |       __check_object_size() {
   1.522 us [   168] |         check_stack_object();
   1.111 us [   168] |         is_vmalloc_addr();

# What cannot be done.
$ sonde replay -f speed made-user.dat
sonde: -f knows duration, tid, addr, time, delta, elapsed, task, module and none, not 'speed'
[2]
$ sonde replay --match like made-user.dat
sonde: --match takes glob or regex, not 'like'
[2]
$ sonde replay --match regex -F '(' made-user.dat
sonde: '(' is not a regular expression: Unmatched ( or \(
[2]
$ sonde replay -r 5 made-user.dat
sonde: -r takes FROM~TO, not '5'
[2]
$ sonde replay a b
sonde: replay reads one file, not 'a' and 'b'
[2]
$ sonde replay $GOLDEN/events-v6.dat
\x23 DURATION     TID     FUNCTION (esc)
sonde: no calls were traced; -u and -p function_graph record them
$ sonde replay -t 5 made-user.dat
sonde: -t 5 has no unit: write 5ns, 5us, 5ms or 5s
[2]
$ sonde replay -D 0 made-user.dat
sonde: replay: -D takes a number of nested calls from 1 on, not '0'
[2]
$ sonde replay --tid 99999 made-user.dat
# DURATION     TID     FUNCTION
                     | /* 5 events lost on CPU 0 */
sonde: no task with the id 99999 made a call; there are: 100 demo, 101 worker
$ sonde graph --tid 99999,100 -D 1 made-user.dat
no call passes the filters
sonde: no task with the id 99999 made a call; there are: 100 demo, 101 worker

# JSON has no lines that could look different.
$ for o in '-f time' --flat --no-comment --column-view '--column-offset 3' --task-newline --libname; do sonde replay --json $o made-user.dat; done
sonde: -f has no effect on --json; omit one of them
sonde: --flat has no effect on --json; omit one of them
sonde: --no-comment has no effect on --json; omit one of them
sonde: --column-view has no effect on --json; omit one of them
sonde: --column-offset has no effect on --json; omit one of them
sonde: --task-newline has no effect on --json; omit one of them
sonde: --libname has no effect on --json; omit one of them
[2]

$ sonde replay --short-names --tid 100 -f none made-user.dat | grep push_back
    std::vector::push_back();
$ sonde replay --short-names -F 'std::vector::push_back' -f none made-user.dat
std::vector::push_back();
/* 5 events lost on CPU 0 */
$ sonde graph --short-names -f self made-user.dat | grep push_back
    1.500 us :  |  +-(1) std::vector::push_back
$ sonde functions --short-names -l 'std::vector::*' made-user.dat
    calls    total us     self us      avg us      max us  function
        1       1.500       1.500       1.500       1.500  std::vector::push_back
events were lost in 1 place; self times there are incomplete
2 returns without a recorded call are ignored
2 calls did not return; they end with the last event of their task
1 call whose end was lost is not counted
$ sonde export --folded --short-names made-user.dat | grep push_back
main;parse;std::vector::push_back 1500
$ sonde export --chrome --short-names made-user.dat
sonde: --short-names is for --folded, --graphviz, --mermaid and samples
[2]
