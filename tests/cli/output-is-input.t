# a trace is not overwritten by what a command says about it
# covers: none

$ cp $GOLDEN/made-user.dat t.dat && cp t.dat same.dat && ln -s t.dat link.dat && ln t.dat hard.dat
$ for line in 'flame -o t.dat' 'graph -o t.dat -i' 'replay -o t.dat' 'functions -o t.dat' 'count -e all -o t.dat -i' 'latency -T parse -o t.dat -i' 'export --svg -o t.dat' 'export --html -o t.dat' 'export --perfetto -o t.dat' 'export --chrome -o t.dat' 'export --folded -o t.dat' 'export --graphviz -o t.dat' 'flame -o link.dat' 'flame -o hard.dat'; do sonde $line t.dat; echo "$line: $?"; cmp t.dat same.dat || cp same.dat t.dat; done
sonde: cannot write t.dat: it is a file that is read; name another one
flame -o t.dat: 1
sonde: cannot write t.dat: it is a file that is read; name another one
graph -o t.dat -i: 1
sonde: cannot write t.dat: it is a file that is read; name another one
replay -o t.dat: 1
sonde: cannot write t.dat: it is a file that is read; name another one
functions -o t.dat: 1
sonde: cannot write t.dat: it is a file that is read; name another one
count -e all -o t.dat -i: 1
sonde: cannot write t.dat: it is a file that is read; name another one
latency -T parse -o t.dat -i: 1
sonde: cannot write t.dat: it is a file that is read; name another one
export --svg -o t.dat: 1
sonde: cannot write t.dat: it is a file that is read; name another one
export --html -o t.dat: 1
sonde: cannot write t.dat: it is a file that is read; name another one
export --perfetto -o t.dat: 1
sonde: cannot write t.dat: it is a file that is read; name another one
export --chrome -o t.dat: 1
sonde: cannot write t.dat: it is a file that is read; name another one
export --folded -o t.dat: 1
sonde: cannot write t.dat: it is a file that is read; name another one
export --graphviz -o t.dat: 1
sonde: cannot write link.dat: it is a file that is read; name another one
flame -o link.dat: 1
sonde: cannot write hard.dat: it is a file that is read; name another one
flame -o hard.dat: 1

# Another file that the command reads counts, too.
$ sonde functions --diff same.dat -o same.dat t.dat
sonde: cannot write same.dat: it is a file that is read; name another one
[1]
$ sonde flame --diff same.dat -o same.dat t.dat
sonde: cannot write same.dat: it is a file that is read; name another one
[1]
$ cmp t.dat same.dat

# convert writes a new file and gives it the name at the end.
$ sonde convert --compression none -i same.dat same.dat && sonde functions --rows 1 same.dat; cmp -s t.dat same.dat
    calls    total us     self us      avg us      max us  function
        4    2501.800    2501.800     625.450    2500.000  next_token
          and 7 more
events were lost in 1 place; self times there are incomplete
2 returns without a recorded call are ignored
2 calls did not return; they end with the last event of their task
1 call whose end was lost is not counted
[1]
