# functions shows how long the functions of the kernel took
# covers: E01

$ cp $GOLDEN/fgraph-vfs.dat $GOLDEN/profile.dat .
$ sonde functions --rows 8 fgraph-vfs.dat
    calls    total us     self us      avg us      max us  function
        6   11908.957     142.762    1984.826    3215.903  do_sys_openat2
        6   11324.769      24.817    1887.461    3133.958  do_filp_open
        6   11299.952     119.526    1883.325    3130.894  path_openat
       14    7410.763     196.437     529.340     980.577  p9_client_rpc
        6    6589.464      17.401    1098.244    1903.458  vfs_open
        6    6572.063      84.296    1095.343    1901.199  do_dentry_open
        5    6131.705      82.428    1226.341    1839.703  v9fs_file_open
       14    3827.512    2147.468     273.393     713.572  schedule
          and 261 more
$ sonde functions -l 'vfs_*' -n vfs_getattr -s name fgraph-vfs.dat
    calls    total us     self us      avg us      max us  function
        6    6589.464      17.401    1098.244    1903.458  vfs_open
        7     606.730      70.300      86.675     238.904  vfs_read
$ sonde functions -s self --rows 3 fgraph-vfs.dat
    calls    total us     self us      avg us      max us  function
       14    3827.512    2147.468     273.393     713.572  schedule
       53     516.766     420.409       9.750      25.393  __kmem_cache_alloc_node
       14     301.315     301.315      21.522      30.199  vp_notify
          and 266 more
$ sonde functions -s avg --rows 3 fgraph-vfs.dat
    calls    total us     self us      avg us      max us  function
        6   11908.957     142.762    1984.826    3215.903  do_sys_openat2
        6   11324.769      24.817    1887.461    3133.958  do_filp_open
        6   11299.952     119.526    1883.325    3130.894  path_openat
          and 266 more
$ sonde functions -s max --rows 3 fgraph-vfs.dat
    calls    total us     self us      avg us      max us  function
        6   11908.957     142.762    1984.826    3215.903  do_sys_openat2
        6   11324.769      24.817    1887.461    3133.958  do_filp_open
        6   11299.952     119.526    1883.325    3130.894  path_openat
          and 266 more
$ sonde functions -s calls --rows 3 fgraph-vfs.dat
    calls    total us     self us      avg us      max us  function
      145     172.358     172.358       1.188       3.204  __cond_resched
      103     123.983     123.983       1.203       5.670  __rcu_read_lock
      103     125.052     125.052       1.214       2.875  __rcu_read_unlock
          and 266 more
$ sonde functions --by '$comm,$cpu' --rows 5 profile.dat
    calls    total us     self us      avg us      max us  function                          $comm             $cpu
       34 1281866.643 1281866.643   37701.960  300952.366  x64_sys_call                      trace-cmd         1
      101 1063428.870 1063428.870   10528.998   52326.728  do_idle                           <idle>            0
        2 1029041.922 1029041.922  514520.961  520025.581  schedule_timeout                  kcompactd0        1
        2  990345.701  990345.701  495172.850  927442.957  schedule                          kworker/0:0       0
       78  869823.535  869823.535   11151.583   86388.225  do_idle                           <idle>            1
          and 134 more
$ sonde functions --csv -l 'vfs_*' fgraph-vfs.dat | head -n 3
function,calls,total,self,avg,max,max_at
vfs_open,6,6589464,17401,1098244,1903458,52139820737
vfs_read,7,606730,70300,86675,238904,52129869045
$ sonde functions --json -l vfs_open fgraph-vfs.dat | python3 -m json.tool --indent 1
{
 "unit": "ns",
 "functions": [
  {
   "function": "vfs_open",
   "calls": 6,
   "total": 6589464,
   "self": 17401,
   "avg": 1098244,
   "max": 1903458,
   "max_at": 52139820737
  }
 ],
 "calls": 3247,
 "unknown": 0,
 "gaps": 0,
 "dropped": 0
}

# Without words: the file that the other commands read, too. A file is a file, even with the rights of a program.
$ sonde functions missing.dat
sonde: cannot open missing.dat: No such file or directory
[1]
$ echo text > text.dat; sonde functions text.dat
sonde: text.dat is not a trace file
[2]
$ : > empty.dat; sonde functions empty.dat
sonde: empty.dat is empty
[2]
$ sonde sched latency missing.dat
sonde: cannot open missing.dat: No such file or directory
[1]
$ sonde sched latency missing.data
sonde: cannot open missing.data: No such file or directory
[1]
$ cp $GOLDEN/fgraph-vfs.dat trace.dat; chmod +x trace.dat
$ sonde functions --rows 1 | head -n 2
    calls    total us     self us      avg us      max us  function
        6   11908.957     142.762    1984.826    3215.903  do_sys_openat2
$ sonde functions trace.dat --rows 1 | head -n 2
    calls    total us     self us      avg us      max us  function
        6   11908.957     142.762    1984.826    3215.903  do_sys_openat2
