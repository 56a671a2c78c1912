# states shows how long tasks ran, waited, slept and were blocked
# covers: B07

$ cp $GOLDEN/tour.dat $GOLDEN/stacks.dat .
$ sonde states tour.dat
151.609943 to 151.768909: 158.966 ms, 2 CPUs: 64.7% busy, 30.1% idle, 5.2% unknown
   run   cpu%   wait preempt  sleep   idle switch  wakes maxwait  task
 158ms  99.7%      .   553us      .      .      2      0   279us  sleep-234
29.4ms  18.5% 10.0ms       .      .  115ms     21     21  4.23ms  rcu_preempt-15
17.5ms  11.0%  737us   330us 66.1ms      .      3      2   414us  trace-cmd-233
 247us   0.2%  319us       .      .  105ms      1      1   319us  kworker/0:0-7
 199us   0.1%  339us       .  142ms      .      1      1   339us  kcompactd0-33
$ sonde states -n 3 stacks.dat
67.458726 to 69.393083: 1.934 s, 2 CPUs: 37.3% busy, 62.7% idle, 0.0% unknown
   run   cpu%   wait preempt  sleep  block switch  wakes maxwait  task
 967ms  50.0%  115ms  1.97ms      .  345ms   1915   1902  3.01ms  ls-176
 148ms   7.7% 3.67ms  4.48ms  1.77s 11.4ms     53     52  4.48ms  bash-175
 118ms   6.1% 1.37ms   135us      . 4.27ms     20     18   139us  dd-178
and 15 more
$ sonde states --by comm -n 3 -s wakeups stacks.dat
67.458726 to 69.393083: 1.934 s, 2 CPUs: 37.3% busy, 62.7% idle, 0.0% unknown
   run   cpu%   wait preempt  sleep  block   idle switch  wakes maxwait tasks  name
 967ms  50.0%  115ms  1.97ms      .  345ms      .   1915   1902  3.01ms     1  ls
29.3ms   1.5% 31.6ms       .      .      .  1.87s    258    258  1.39ms     1  rcu_preempt
 148ms   7.7% 3.67ms  4.48ms  1.77s 11.4ms      .     53     52  4.48ms     1  bash
and 13 more
$ sonde states --by process -s name --from +100ms --to +200ms -n 4 stacks.dat
67.558726 to 67.658726: 100.000 ms, 2 CPUs: 46.6% busy, 53.4% idle
   run   cpu%   wait  sleep  block   idle switch  wakes maxwait tasks  process
24.5ms  24.5%  212us 74.6ms  627us      .      3      3  89.8us     1  bash-175
 122us   0.1%  196us 91.7ms      .      .      1      1   196us     1  kcompactd0-33
51.5us   0.1% 29.2us 23.9ms      .      .      1      1  29.2us     1  ksoftirqd/0-14
   0ns   0.0%      .      .      .  100ms      0      0       .     1  kworker/0:0-7
and 5 more
$ sonde states -t sleep -t 233 tour.dat
151.609943 to 151.768909: 158.966 ms, 2 CPUs: 64.7% busy, 30.1% idle, 5.2% unknown
   run   cpu%   wait preempt  sleep switch  wakes maxwait  task
 158ms  99.7%      .   553us      .      2      0   279us  sleep-234
17.5ms  11.0%  737us   330us 66.1ms      3      2   414us  trace-cmd-233
$ sonde states -t 'k*' --color always tour.dat | cat -v
151.609943 to 151.768909: 158.966 ms, 2 CPUs: 64.7% busy, 30.1% idle, 5.2% unknown
^[[1m   run   cpu%   wait  sleep   idle switch  wakes maxwait  task^[[0m
 247us   0.2%  319us      .  105ms      1      1   319us  kworker/0:0-7
 199us   0.1%  339us  142ms      .      1      1   339us  kcompactd0-33
$ sonde states --csv -s maxwait -n 2 tour.dat
task,tasks,unknown,running,runnable,preempted,sleeping,blocked,stopped,idle,dead,switches,wakeups,migrations,preemptions,max_wait
rcu_preempt-15,1,0,29401464,10024632,0,0,0,0,114606682,0,21,21,1,0,4225700
trace-cmd-233,1,0,17542201,736703,329567,66114588,0,0,0,0,3,2,0,1,414397
$ sonde states --json -t sleep-234 tour.dat | python3 -m json.tool --indent 1
{
 "unit": "ns",
 "from": 151609943181,
 "to": 151768909220,
 "tasks": [
  {
   "task": "sleep-234",
   "comm": "sleep",
   "pid": 234,
   "tgid": -1,
   "unknown": 0,
   "running": 158413146,
   "runnable": 0,
   "preempted": 552893,
   "sleeping": 0,
   "blocked": 0,
   "stopped": 0,
   "idle": 0,
   "dead": 0,
   "switches": 2,
   "wakeups": 0,
   "migrations": 0,
   "preemptions": 2,
   "max_wait": 279298,
   "max_wait_at": 151615155150,
   "max_wait_more": false
  }
 ],
 "cpus": [
  {
   "cpu": 0,
   "busy": 46836825,
   "idle": 95578808,
   "unknown": 16550406,
   "switches": 45
  },
  {
   "cpu": 1,
   "busy": 158966039,
   "idle": 0,
   "unknown": 0,
   "switches": 4
  }
 ]
}
