# report merges the buffers of a file by time and names each
# covers: T08

$ sonde report $GOLDEN/made-instances-v7.dat
cpus=2
                       <idle>-0     [000]     1.000000: tick:                 count=0 func=0x0 comm= big=0 small=0 name=
          a:           <idle>-0     [001]     1.000001: tick:                 count=100 func=0x0 comm= big=0 small=0 name=
                       <idle>-0     [000]     1.000001: tick:                 count=1 func=0x0 comm= big=0 small=0 name=
longer-name:           <idle>-0     [000]     1.000002: tick:                 count=200 func=0x0 comm= big=0 small=0 name=
                       <idle>-0     [000]     1.000002: tick:                 count=2 func=0x0 comm= big=0 small=0 name=
                       <idle>-0     [000]     1.000003: tick:                 count=3 func=0x0 comm= big=0 small=0 name=
                       <idle>-0     [000]     1.000004: tick:                 count=4 func=0x0 comm= big=0 small=0 name=
                       <idle>-0     [000]     1.000005: tick:                 count=5 func=0x0 comm= big=0 small=0 name=
                       <idle>-0     [000]     1.000006: tick:                 count=6 func=0x0 comm= big=0 small=0 name=
                       <idle>-0     [000]     1.000007: tick:                 count=7 func=0x0 comm= big=0 small=0 name=
                       <idle>-0     [000]     1.000008: tick:                 count=8 func=0x0 comm= big=0 small=0 name=
                       <idle>-0     [000]     1.000009: tick:                 count=9 func=0x0 comm= big=0 small=0 name=
$ sonde report $GOLDEN/instances-mono.dat | sed -n 1,4p
cpus=2
two:        trace-cmd-185   [000]    76.743219: sys_enter_openat:     dfd: 0xffffff9c, filename: 0x55656fb2acf0, flags: 0x00000000, mode: 0x00000000
two:             bash-187   [001]    76.744203: softirq_raise:        vec=9 [action=RCU]
two:        trace-cmd-185   [000]    76.744240: softirq_raise:        vec=1 [action=TIMER]

# -B: only some of the buffers; - is the top one
$ sonde report -B longer-name $GOLDEN/made-instances-v7.dat
cpus=2
longer-name:           <idle>-0     [000]     1.000002: tick:                 count=200 func=0x0 comm= big=0 small=0 name=
$ sonde report -B a -B - $GOLDEN/made-instances-v7.dat | cut -c1-30 | sort | uniq -c
     10              <idle>-0     [000
      1 a:           <idle>-0     [001
      1 cpus=2
$ sonde report -B nosuch $GOLDEN/made-instances-v7.dat
sonde: no input has a buffer 'nosuch'; 'sonde list -B -i FILE' names them
[1]
