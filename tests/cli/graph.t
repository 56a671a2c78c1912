# graph shows who calls whom, of all functions or of one
# covers: U01

$ cp $GOLDEN/made-user.dat .
$ sonde graph made-user.dat
# Function Call Graph for 'demo'
========== FUNCTION CALL GRAPH ==========
# TOTAL TIME   FUNCTION
    2.524 ms : (1) demo
    0.000 us :  +-(0) main
   74.100 us :  | (2) parse
    1.800 us :  |  +-(3) next_token
             :  |  |
    1.500 us :  |  +-(1) std::vector<int>::push_back(int&&)
             :  |  |
    0.000 us :  |  +-(1) read_all
             :  |
   24.740 us :  +-(1) work
   22.100 us :  |  +-(1) read_all
   21.300 us :  |  | (1) vfs_read
   20.300 us :  |  | (1) schedule
             :  |  |
    1.040 us :  |  +-(1) spin
    0.930 us :  |    (1) spin
    0.720 us :  |    (1) spin
    0.410 us :  |    (1) spin
             :  |
    2.500 ms :  +-(1) next_token
events were lost in 1 place
2 returns without a recorded call are ignored

# One function: the ways to it, and what it calls.
$ sonde graph made-user.dat read_all
# Function Call Graph for 'read_all'
=============== BACKTRACE ===============
 backtrace #0: hit 1, time   0.000 us
   [0] main
   [1] parse
   [2] read_all

 backtrace #1: hit 1, time  22.100 us
   [0] work
   [1] read_all

========== FUNCTION CALL GRAPH ==========
# TOTAL TIME   FUNCTION
   22.100 us : (2) read_all
   21.300 us : (1) vfs_read
   20.300 us : (1) schedule
events were lost in 1 place
2 returns without a recorded call are ignored
$ sonde graph -f +self,avg,min,max spin made-user.dat
# Function Call Graph for 'spin'
=============== BACKTRACE ===============
 backtrace #0: hit 1, time   1.040 us
   [0] work
   [1] spin

========== FUNCTION CALL GRAPH ==========
# TOTAL TIME  SELF TIME  TOTAL AVG  TOTAL MIN  TOTAL MAX   FUNCTION
    1.040 us   0.110 us   1.040 us   1.040 us   1.040 us : (1) spin
    0.930 us   0.210 us   0.930 us   0.930 us   0.930 us : (1) spin
    0.720 us   0.310 us   0.720 us   0.720 us   0.720 us : (1) spin
    0.410 us   0.410 us   0.410 us   0.410 us   0.410 us : (1) spin
events were lost in 1 place
2 returns without a recorded call are ignored
$ sonde graph -i made-user.dat 'n*n' | head -n 10
# Function Call Graph for 'n*n'
=============== BACKTRACE ===============
 backtrace #0: hit 3, time   1.800 us
   [0] main
   [1] parse
   [2] next_token

 backtrace #1: hit 1, time   2.500 ms
   [0] next_token
 (esc)

# Filters.
$ sonde graph -C schedule made-user.dat
# Function Call Graph for 'demo'
========== FUNCTION CALL GRAPH ==========
# TOTAL TIME   FUNCTION
   24.740 us : (1) demo
   24.740 us : (1) work
   22.100 us : (1) read_all
   21.300 us : (1) vfs_read
   20.300 us : (1) schedule
events were lost in 1 place
2 returns without a recorded call are ignored
$ sonde graph -t 2ms made-user.dat
# Function Call Graph for 'demo'
========== FUNCTION CALL GRAPH ==========
# TOTAL TIME   FUNCTION
    2.500 ms : (1) demo
    2.500 ms : (1) next_token
events were lost in 1 place
2 returns without a recorded call are ignored
$ sonde graph -D 2 -N parse --tid 101 made-user.dat
# Function Call Graph for 'worker'
========== FUNCTION CALL GRAPH ==========
# TOTAL TIME   FUNCTION
    2.524 ms : (1) worker
   24.740 us :  +-(1) work
   22.100 us :  |  +-(1) read_all
             :  |  |
    1.040 us :  |  +-(1) spin
             :  |
    2.500 ms :  +-(1) next_token
events were lost in 1 place
2 returns without a recorded call are ignored
$ sonde graph -H work -H spin --no-kernel made-user.dat
# Function Call Graph for 'demo'
========== FUNCTION CALL GRAPH ==========
# TOTAL TIME   FUNCTION
    2.522 ms : (1) demo
    0.000 us :  +-(0) main
   74.100 us :  | (2) parse
    1.800 us :  |  +-(3) next_token
             :  |  |
    1.500 us :  |  +-(1) std::vector<int>::push_back(int&&)
             :  |  |
    0.000 us :  |  +-(1) read_all
             :  |
   22.100 us :  +-(1) read_all
             :  |
    2.500 ms :  +-(1) next_token
events were lost in 1 place
2 returns without a recorded call are ignored
$ sonde graph -F nosuch made-user.dat
no call passes the filters
sonde: no function that was called matches 'nosuch'
$ sonde graph --json -F spin -D 2 made-user.dat | python3 -m json.tool --indent 1
{
 "unit": "ns",
 "nodes": [
  {
   "id": 0,
   "caller": null,
   "function": "worker",
   "calls": 1,
   "total": 1040,
   "self": 0
  },
  {
   "id": 1,
   "caller": 0,
   "function": "spin",
   "module": "demo",
   "calls": 1,
   "total": 1040,
   "self": 110,
   "min": 1040,
   "max": 1040
  },
  {
   "id": 2,
   "caller": 1,
   "function": "spin",
   "module": "demo",
   "calls": 1,
   "total": 930,
   "self": 930,
   "min": 930,
   "max": 930
  }
 ],
 "unknown": 2,
 "gaps": 1,
 "cut": 0
}
$ sonde graph --json made-user.dat next_token | python3 -m json.tool --indent 1 | head -n 28
{
 "unit": "ns",
 "backtraces": [
  {
   "calls": 3,
   "total": 1800,
   "functions": [
    "next_token",
    "parse",
    "main"
   ]
  },
  {
   "calls": 1,
   "total": 2500000,
   "functions": [
    "next_token"
   ]
  }
 ],
 "nodes": [
  {
   "id": 0,
   "caller": null,
   "function": "next_token",
   "module": "demo",
   "calls": 4,
   "total": 2501800,

# The kernel's functions alone.
$ sonde graph -D 3 $GOLDEN/fgraph-vfs.dat | head -n 8
# Function Call Graph for 'ls'
========== FUNCTION CALL GRAPH ==========
# TOTAL TIME   FUNCTION
   12.686 ms : (1) ls
  131.178 us :  +-(1) mutex_unlock
             :  |
   11.908 ms :  +-(6) do_sys_openat2
  289.469 us :  |  +-(6) getname

$ sonde graph made-user.dat nosuch
sonde: no call of 'nosuch' is in made-user.dat; 'sonde functions' lists them
[1]
$ sonde graph made-user.dat a b
sonde: graph takes a file and a function, not 'b' too
[2]
$ sonde graph -f speed made-user.dat
sonde: -f knows total, self, avg, min, max and addr, not 'speed'
[2]
$ sonde graph nosuch.dat main
sonde: cannot open nosuch.dat: No such file or directory
[1]
$ sonde graph --json -f self made-user.dat
sonde: -f has no effect on --json; omit one of them
[2]
