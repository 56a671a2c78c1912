# report says where events were lost, and how many if the kernel knew
# covers: T08

$ sonde report $GOLDEN/lost-events.dat | grep DROPPED
CPU:0 [589 EVENTS DROPPED]
CPU:0 [1262 EVENTS DROPPED]
CPU:1 [896 EVENTS DROPPED]
CPU:1 [421 EVENTS DROPPED]
CPU:1 [1177 EVENTS DROPPED]
CPU:1 [420 EVENTS DROPPED]
CPU:1 [84 EVENTS DROPPED]
CPU:1 [1682 EVENTS DROPPED]
CPU:1 [252 EVENTS DROPPED]

# Also on pages that begin with a time instead of an event, and where there was no room for a count.
$ sonde report $GOLDEN/made-missed.dat | grep -A 1 DROPPED | cut -c1-72
CPU:0 [1455 EVENTS DROPPED]
          <idle>-0     [000]     2.000000: tick:                 count=1
CPU:0 [EVENTS DROPPED]
          <idle>-0     [000]     3.000000: tick:                 count=2
CPU:0 [7 EVENTS DROPPED]
          <idle>-0     [000]     4.268435: tick:                 count=3
CPU:0 [8 EVENTS DROPPED]
          <idle>-0     [000]     5.000001: tick:                 count=4
CPU:0 [EVENTS DROPPED]
          <idle>-0     [000]     6.000000: tick:                 count=5
