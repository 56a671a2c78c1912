# a recording tells which process a thread belongs to, and the command line of each
# covers: X25 Q18

$ sonde report --tgid $GOLDEN/made-processes.dat | head -n 4
cpus=1
          <idle>-0     (    0) [000]     1.000000: sched_waking:         comm=prog pid=20 prio=120 target_cpu=000
          <idle>-0     (    0) [000]     1.000010: sched_switch:         swapper/0:0 [120] R ==> prog:20 [120]
            prog-20    (   20) [000]     1.000020: sched_waking:         comm=sonde pid=30 prio=120 target_cpu=000
$ sonde report $GOLDEN/made-processes.dat | sed -n 2p
          <idle>-0     [000]     1.000000: sched_waking:         comm=prog pid=20 prio=120 target_cpu=000

# JSON and CSV have it without being asked, where the file tells.
$ sonde report --json $GOLDEN/made-processes.dat | sed -n 7p
{"ts":1000060000,"cpu":0,"pid":21,"tgid":20,"comm":"worker","system":"sched","event":"sched_waking","fields":{"comm":"other","pid":40,"prio":120,"target_cpu":0},"info":"comm=other pid=40 prio=120 target_cpu=000"}
$ sonde report --csv $GOLDEN/made-processes.dat | sed -n '1p;8p'
ts,cpu,pid,tgid,comm,buffer,missed,system,event,info
1000060000,0,21,20,worker,,,sched,sched_waking,comm=other pid=40 prio=120 target_cpu=000
$ sonde report --json $GOLDEN/tour.dat | grep -c tgid
0
[1]

$ sonde report --processes $GOLDEN/made-processes.dat
      2  [<...>]
     20  /bin/prog -v 'two words' 'it'\''s' ''
     30  sonde record
     40  other --long \xe2\x80\xa6 (esc)
$ sonde report --processes $GOLDEN/tour.dat 2>&1 | sed 's|/.*/||'
sonde: tour.dat has no list of processes: another program or an older sonde recorded it
$ sonde info $GOLDEN/made-processes.dat | sed -n '/by task/,$p'
       events    share  by task
            3   30.0 %  prog-20  /bin/prog -v 'two words' 'it'\''s' ''
            3   30.0 %  worker-21 (of 20)  /bin/prog -v 'two words' 'it'\''s' ''
            2   20.0 %  <idle>-0
            1   10.0 %  sonde-30  sonde record
            1   10.0 %  sonde-31 (of 30)  sonde record
$ sonde info --json $GOLDEN/made-processes.dat | grep -o '"by_task":.*' | cut -d] -f1
"by_task":[{"pid":20,"tgid":20,"comm":"prog","cmdline":"/bin/prog -v 'two words' 'it'\\''s' ''","events":3,"percent":30.000},{"pid":21,"tgid":20,"comm":"worker","cmdline":"/bin/prog -v 'two words' 'it'\\''s' ''","events":3,"percent":30.000},{"pid":0,"tgid":0,"comm":"<idle>","events":2,"percent":20.000},{"pid":30,"tgid":30,"comm":"sonde","cmdline":"sonde record","events":1,"percent":10.000},{"pid":31,"tgid":30,"comm":"sonde","cmdline":"sonde record","events":1,"percent":10.000}

# It goes along.
$ sonde convert -i $GOLDEN/made-processes.dat --compression zstd packed.dat && sonde report --processes packed.dat | head -n 2
      2  [<...>]
     20  /bin/prog -v 'two words' 'it'\''s' ''
$ sonde split -i $GOLDEN/made-processes.dat -o part && sonde report --processes -i part* | head -n 2
      2  [<...>]
     20  /bin/prog -v 'two words' 'it'\''s' ''
$ sonde convert -i $GOLDEN/made-processes.dat --file-version 6 six.dat && sonde report --processes six.dat | head -n 2
      2  [<...>]
     20  /bin/prog -v 'two words' 'it'\''s' ''
