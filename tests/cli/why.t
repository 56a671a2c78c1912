# why shows the critical path of a task
# covers: B07

$ cp $GOLDEN/tour.dat $GOLDEN/stacks.dat .
$ sonde why --task rcu_preempt -n 6 tour.dat
rcu_preempt-15, 151.614876 to 151.768909: 154.033 ms in 63 steps, the 6 longest:

         time  length cpu  task            what it did
   151.615434  7.29ms      rcu_preempt-15  idles in rcu_gp_fqs_loop until soft interrupt 1 (TIMER)
   151.623315  7.36ms      rcu_preempt-15  idles in rcu_gp_fqs_loop until soft interrupt 9 (RCU)
   151.655878  6.85ms      rcu_preempt-15  idles in rcu_gp_fqs_loop until soft interrupt 1 (TIMER)
   151.681326  7.78ms      rcu_preempt-15  idles in rcu_gp_fqs_loop until soft interrupt 1 (TIMER)
   151.715370  7.31ms      rcu_preempt-15  idles in rcu_gp_fqs_loop until soft interrupt 1 (TIMER)
   151.738840  30.1ms      rcu_preempt-15  idles in rcu_gp_kthread; its waker is unknown

 share     time  cause              tasks
 74.4%    115ms  idle               rcu_preempt-15
 19.1%   29.4ms  running            rcu_preempt-15
  6.5%   10.0ms  waiting for a CPU  rcu_preempt-15

had the CPU meanwhile: trace-cmd-233 4.23ms, sleep-234 591us and 2 more
$ sonde why --task bash -n 0 stacks.dat
bash-175, 67.458726 to 69.392753: 1.934 s in 159 steps

 share     time  cause              tasks
 91.3%    1.77s  sleeping           bash-175
  7.7%    148ms  running            bash-175
  0.6%   11.4ms  blocked            bash-175
  0.2%   4.48ms  preempted          bash-175
  0.2%   3.67ms  waiting for a CPU  bash-175

had the CPU meanwhile: trace-cmd-174 4.31ms, kworker/1:1-35 171us and 1 more
$ sonde why --task bash-175 --from +100ms --to +120ms -n -1 stacks.dat
bash-175, 67.558726 to 67.578726: 20.000 ms in 10 steps

         time  length cpu  task      what it did
    67.558726  17.3ms   1  bash-175  runs
    67.576029   270us      bash-175  is blocked in p9_client_rpc until an interrupt
    67.576299  89.8us   1  bash-175  waits for the idle CPU to wake up
    67.576389   222us   1  bash-175  runs
    67.576611   172us      bash-175  is blocked in p9_client_rpc until an interrupt
    67.576783  64.3us   1  bash-175  waits for the idle CPU to wake up
    67.576848   247us   1  bash-175  runs
    67.577095   185us      bash-175  is blocked in p9_client_rpc until an interrupt
    67.577280  58.2us   1  bash-175  waits for the idle CPU to wake up
    67.577338  1.39ms   1  bash-175  runs

 share     time  cause              tasks
 95.8%   19.2ms  running            bash-175
  3.1%    627us  blocked            bash-175
  1.1%    212us  waiting for a CPU  bash-175
$ sonde why --task 233 --to +5ms --json tour.dat | python3 -m json.tool --indent 1
{
 "unit": "ns",
 "task": "trace-cmd-233",
 "pid": 233,
 "from": 151609943181,
 "to": 151614943181,
 "path": [
  {
   "start": 151609943181,
   "end": 151614943181,
   "ns": 5000000,
   "task": "trace-cmd-233",
   "pid": 233,
   "state": "unknown",
   "cpu": -1,
   "depth": 0,
   "why": "what it does is not known",
   "waker": null
  }
 ],
 "has_more": false,
 "sums": [
  {
   "task": "trace-cmd-233",
   "pid": 233,
   "state": "unknown",
   "ns": 5000000
  }
 ],
 "had": []
}

# The stack of a switch tells where the task sleeps.
$ sonde why --task ls --from 67.7807 --to 67.7855 stacks.dat
ls-176, 67.780700 to 67.785500: 4.800 ms in 4 steps

         time  length cpu  task    what it did
    67.780700  80.9us   0  ls-176  runs
    67.780781  4.39ms      ls-176  is blocked in p9_virtio_zc_request until an interrupt
    67.785169   294us   0  ls-176  waits for the idle CPU to wake up
    67.785463  36.7us   0  ls-176  runs

 share     time  cause              tasks
 91.4%   4.39ms  blocked            ls-176
  6.1%    294us  waiting for a CPU  ls-176
  2.5%    118us  running            ls-176
