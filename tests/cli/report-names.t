# report can look through the trace for the names of tasks before it shows the first line
# covers: Q09

$ PYTHONPATH=$TESTS/lib python3 -c 'import sys, traceload; t = traceload.load(sys.argv[1]); t.cmdlines = {}; t.write("t.dat")' $GOLDEN/events-v6.dat
$ sonde report t.dat | sed -n 2p | cut -c 1-50
           <...>-146   [000]    22.188315: kmem_ca
$ sonde report t.dat | grep -c '<\.\.\.>'
28
$ sonde report --all-names t.dat | sed -n 2p | cut -c 1-50
            bash-146   [000]    22.188315: kmem_ca
$ sonde report --all-names t.dat | grep -c '<\.\.\.>'
0
[1]
