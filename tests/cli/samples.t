# samples as tables, trees and folded stacks
# covers: E05 E13

$ cp $GOLDEN/made-samples.dat .
$ sonde functions made-samples.dat
2900 samples of cpu-clock, 2.900 s

   self   total   samples  function  file
 41.38% 100.00%      1200  work      demo
 20.69%  20.69%       600  helper    libdemo.so
 20.69%  20.69%       600  leaf      demo
 17.24%  17.24%       500  vfs_read  [kernel]
  0.00% 100.00%         0  main      demo

# By thread, with the time in all of it; only some rows.
$ sonde functions --by comm made-samples.dat
2900 samples of cpu-clock, 2.900 s

  share   samples  comm
 82.76%      2400  demo
 17.24%       500  worker
$ sonde functions --off-cpu --percent-limit 1 made-samples.dat
8 samples of off-cpu, 40.000 ms

   self   total   samples  function  file
100.00% 100.00%         8  schedule  [kernel]
… and 2 rows below 1 %
$ sonde functions -s total -l 'w*' --csv made-samples.dat
event,samples,weight,total_samples,total_weight,function,file
"cpu-clock",1200,1200000000,2900,2900000000,"work","demo"

# A second of it.
$ sonde graph --from +1s --to +1.2s made-samples.dat
# Function Call Graph for 'cpu-clock'
========== FUNCTION CALL GRAPH ==========
# TOTAL TIME   FUNCTION
  301.000 ms : (1) cpu-clock
  201.000 ms :  +-(201) demo
  201.000 ms :  | (201) main
  201.000 ms :  | (201) work
   51.000 ms :  |  +-(51) leaf
             :  |  |
   50.000 ms :  |  +-(50) helper
             :  |
  100.000 ms :  +-(100) worker
  100.000 ms :    (100) main
  100.000 ms :    (100) work
  100.000 ms :    (100) vfs_read
$ sonde export --folded made-samples.dat | tee x.folded
demo;main;work 1200000000
demo;main;work;leaf 600000000
demo;main;work;helper 600000000
worker;main;work;vfs_read_[k] 500000000
$ sonde functions --by function -i x.folded
4 samples of folded stacks, 2900000000 in all

   self   total   samples  function
 41.38% 100.00%         1  work
 20.69%  20.69%         1  helper
 20.69%  20.69%         1  leaf
 17.24%  17.24%         1  vfs_read
  0.00% 100.00%         0  main
  0.00%  82.76%         0  demo
  0.00%  17.24%         0  worker
$ sonde annotate leaf made-samples.dat
leaf in demo: 600 samples of cpu-clock, 20.69 % of all
cannot open /usr/bin/demo: No such file or directory

  share   samples
100.00%       600      3004  +0x4
