# report prints the text of a latency tracer, whatever the file's version and compression
# covers: T08

$ sonde report $GOLDEN/made-latency-v6.dat | head -n 4
cpus=0
# tracer: irqsoff
#
  <idle>-0       0d..1..    0us : func_0 <-caller_0
$ sonde report $GOLDEN/made-latency-v7zstd.dat | tail -n 3
  <idle>-0       2d..1.. 1998us : func_1998 <-caller_1998
  <idle>-0       3d..1.. 1999us : func_1999 <-caller_1999
 (esc)
