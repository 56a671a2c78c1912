# functions shows how long functions of programs took

$ cp $GOLDEN/made-user.dat .
$ sonde functions made-user.dat
    calls    total us     self us      avg us      max us  function
        4    2501.800    2501.800     625.450    2500.000  next_token
        2      74.100      70.800      37.050      70.000  parse
        1      24.740       1.600      24.740      24.740  work
        2      22.100       0.800      11.050      22.100  read_all
        1      21.300       1.000      21.300      21.300  vfs_read
        1      20.300      20.300      20.300      20.300  schedule
        1       1.500       1.500       1.500       1.500  std::vector<int>::push_back(int&&)
        4       1.040       1.040       0.775       1.040  spin
events were lost in 1 place; self times there are incomplete
2 returns without a recorded call are ignored
2 calls did not return; they end with the last event of their task
1 call whose end was lost is not counted

# Time in a function that calls itself counts once in the total.
$ sonde functions -l spin -f calls,total,self,avg,min,max,stdv made-user.dat
    calls    total us     self us      avg us      min us      max us     stdv us  function
        4       1.040       1.040       0.775       0.410       1.040       0.240  spin
events were lost in 1 place; self times there are incomplete
2 returns without a recorded call are ignored
2 calls did not return; they end with the last event of their task
1 call whose end was lost is not counted
$ sonde functions -s module,p99 -f +p50,p99,module made-user.dat
    calls    total us     self us      avg us      max us      p50 us      p99 us  function                          module
        1      21.300       1.000      21.300      21.300      21.300      21.300  vfs_read                          kernel
        1      20.300      20.300      20.300      20.300      20.300      20.300  schedule                          kernel
        4    2501.800    2501.800     625.450    2500.000       0.603    2500.000  next_token                        demo
        2      74.100      70.800      37.050      70.000       4.127      70.000  parse                             demo
        1      24.740       1.600      24.740      24.740      24.740      24.740  work                              demo
        1       1.500       1.500       1.500       1.500       1.500       1.500  std::vector<int>::push_back(int&&)  demo
        4       1.040       1.040       0.775       1.040       0.723       1.040  spin                              demo
        2      22.100       0.800      11.050      22.100       0.000      22.100  read_all                          libio.so.1
events were lost in 1 place; self times there are incomplete
2 returns without a recorded call are ignored
2 calls did not return; they end with the last event of their task
1 call whose end was lost is not counted
$ sonde functions --by '$task' -s self --rows 4 made-user.dat
    calls    total us     self us      avg us      max us  function                          $task
        1    2500.000    2500.000    2500.000    2500.000  next_token                        worker-101
        2      74.100      70.800      37.050      70.000  parse                             demo-100
        1      20.300      20.300      20.300      20.300  schedule                          worker-101
        3       1.800       1.800       0.600       0.700  next_token                        demo-100
          and 6 more
events were lost in 1 place; self times there are incomplete
2 returns without a recorded call are ignored
2 calls did not return; they end with the last event of their task
1 call whose end was lost is not counted
$ sonde functions -f all --json -l spin made-user.dat | python3 -m json.tool --indent 1
{
 "unit": "ns",
 "functions": [
  {
   "function": "spin",
   "total": 1040,
   "self": 1040,
   "avg": 775,
   "min": 410,
   "max": 1040,
   "stdv": 240,
   "p50": 723,
   "p90": 1040,
   "p95": 1040,
   "p99": 1040,
   "p99.9": 1040,
   "self_avg": 260,
   "self_min": 110,
   "self_max": 410,
   "self_stdv": 112,
   "calls": 4,
   "module": "demo"
  }
 ],
 "calls": 16,
 "unknown": 2,
 "gaps": 1,
 "dropped": 0,
 "open": 2,
 "cut": 1
}
$ sonde functions --csv -f calls,total,module made-user.dat
function,calls,total,module
next_token,4,2501800,demo
parse,2,74100,demo
work,1,24740,demo
read_all,2,22100,libio.so.1
vfs_read,1,21300,kernel
schedule,1,20300,kernel
std::vector<int>::push_back(int&&),1,1500,demo
spin,4,1040,demo
$ sonde functions -s speed made-user.dat
sonde: -s knows total, self, avg, min, max, stdv, p50, p90, p95, p99, p99.9, self-avg, self-min, self-max, self-stdv, calls, name and module, not 'speed'
[2]
$ sonde functions -f total,speed made-user.dat
sonde: -f knows total, self, avg, min, max, stdv, p50, p90, p95, p99, p99.9, self-avg, self-min, self-max, self-stdv, calls, name and module, not 'speed'
[2]

# Two traces: what the second has more or less, the largest change first.
$ cp $GOLDEN/made-user-slower.dat .
$ sonde functions --diff made-user-slower.dat -s self --rows 4 made-user.dat
       calls       change    total us       change     self us       change      avg us       change  function
           3           -1      15.300    -2486.500      15.300    -2486.500       5.100     -620.350  next_token
           1           -1      16.400      -57.700       0.400      -70.400      16.400      -20.650  parse
           0           -1       0.000      -20.300       0.000      -20.300       0.000      -20.300  schedule
           0           -1       0.000      -24.740       0.000       -1.600       0.000      -24.740  work
          and 6 more
$ sonde functions --diff made-user-slower.dat -f calls,max --csv made-user.dat
function,calls,calls_change,max,max_change
next_token,3,-1,5200,-2494800
parse,1,-1,16400,-53600
work,0,-1,0,-24740
read_all,0,-2,0,-22100
vfs_read,0,-1,0,-21300
schedule,0,-1,0,-20300
main,1,1,17500,17500
std::vector<int>::push_back(int&&),0,-1,0,-1500
spin,0,-4,0,-1040
check,1,1,700,700
$ sonde functions --diff made-user-slower.dat --json -l 'next*' made-user.dat
{"unit":"ns","functions":[{"function":"next_token","module":"demo","base":{"calls":4,"total":2501800,"self":2501800,"avg":625450},"other":{"calls":3,"total":15300,"self":15300,"avg":5100}}]}
$ sonde functions --diff made-user-slower.dat --by '$task' made-user.dat
sonde: --diff compares two files, without --by
[2]
$ sonde functions --diff nosuch.dat made-user.dat
sonde: cannot open nosuch.dat: No such file or directory
[1]

# A range: calls count with their time inside of it.
$ sonde functions --from 1.000002 --to 1.000012 -s name made-user.dat
    calls    total us     self us      avg us      max us  function
        3       1.550       1.550       0.516       0.700  next_token
        1       3.600       0.550       3.600       3.600  parse
        1      10.899       0.300      10.899      10.899  read_all
        1       9.899       9.899       9.899       9.899  schedule
        1       1.500       1.500       1.500       1.500  std::vector<int>::push_back(int&&)
        1      10.599       0.700      10.599      10.599  vfs_read
        1      10.999       0.100      10.999      10.999  work
7 calls reach beyond the range; only the time inside counts
1 call whose end was lost is not counted
$ sonde functions --from 1.000002 --to 1.000012 --json made-user.dat | grep -o '"clipped":[0-9]*'
"clipped":7
$ sonde functions --from 1.000002 -u true
sonde: --from and --to are for a file
[2]
$ sonde functions --from 1.000002 --diff made-user.dat made-user.dat
sonde: --diff compares whole files, without --from and --to
[2]
$ sonde functions --from +9s made-user.dat
no call is in this range of time
$ sonde replay --from +9s made-user.dat
# DURATION     TID     FUNCTION
sonde: no call is in this range of time
$ sonde graph --from +9s made-user.dat
no call passes the filters

# Options that have no effect on a file, or on calls, are refused.
$ for o in '-g main' '--graph-notrace main' '--module ext4' '--max-graph-depth 3' '--kernel-depth 3' '-P 1' -c --only-command '--interval 1'; do sonde functions $o -i made-user.dat; done
sonde: -g is for a live run, not for a file; omit it
sonde: --graph-notrace is for a live run, not for a file; omit it
sonde: --module is for a live run, not for a file; omit it
sonde: --max-graph-depth or --kernel-depth is for a live run, not for a file; omit it
sonde: --max-graph-depth or --kernel-depth is for a live run, not for a file; omit it
sonde: -P is for a live run, not for a file; omit it
sonde: -c is for a live run, not for a file; omit it
sonde: --only-command is for a live run, not for a file; omit it
sonde: --interval is for a live run, not for a file; omit it
[2]
$ for o in '--percent-limit 5' --inline --no-inline; do sonde functions $o made-user.dat; done
sonde: --percent-limit is for samples, not for calls; omit it
sonde: --inline is for samples, not for calls; omit it
sonde: --no-inline is for samples, not for calls; omit it
[2]
$ printf 'main;parse 3\nmain;work 1\n' >folded.txt; sonde functions -f total -i folded.txt
sonde: -f is for calls; the columns of samples follow from --by
[2]
$ sonde functions -n 'm*' --csv -i folded.txt
event,samples,weight,total_samples,total_weight,function,file
"folded stacks",1,3,1,3,"parse",""
"folded stacks",1,1,1,1,"work",""
