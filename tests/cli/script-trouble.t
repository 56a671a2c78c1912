# a script that is wrong

$ cp $GOLDEN/made-user.dat .
$ printf 'function sonde_entry(ctx)\n  print(ctx.nothing.more)\nend\n' > bad.lua
$ sonde script bad.lua made-user.dat
sonde: bad.lua:2: attempt to index a nil value (field 'nothing')
[1]
$ printf 'x = = 1\n' > syntax.lua
$ sonde script syntax.lua made-user.dat
sonde: syntax.lua:1: unexpected symbol near '='
[1]
$ printf 'function sonde_entry(ctx)\n  error({})\nend\n' > object.lua
$ sonde script object.lua made-user.dat
sonde: the script failed with an error that is no text
[1]
$ printf 'def sonde_entry(ctx):\n    print(ctx["nothing"])\n' > bad.py
$ sonde script bad.py made-user.dat
sonde: bad.py:2: KeyError: 'nothing'
[1]
$ printf 'def sonde_entry(ctx:\n' > syntax.py
$ sonde script syntax.py made-user.dat 2>&1 | sed 's/\(py:[0-9]*\):.*/\1/'
sonde: syntax.py:1
$ printf 'import no_such_module\n' > import.py
$ sonde script import.py made-user.dat
sonde: import.py:1: ModuleNotFoundError: No module named 'no_such_module'
[1]
$ printf 'def sonde_end():\n    1 / 0\n' > end.py
$ sonde script end.py made-user.dat
sonde: end.py:2: ZeroDivisionError: division by zero
[1]
$ printf 'import os\ndef sonde_entry(ctx):\n    os.kill(os.getpid(), 9)\n' > killed.py
$ sonde script killed.py made-user.dat
sonde: python3 was killed by signal 9
[1]
$ printf 'x = 1\n' > empty.py
$ sonde script empty.py made-user.dat
sonde: empty.py defines none of the functions that sonde calls: sonde_begin, sonde_entry, sonde_exit, sonde_event, sonde_end (sonde script --example prints a script)
[1]
$ sonde script none.lua made-user.dat
sonde: cannot read none.lua: No such file or directory
[1]
$ sonde script made-user.dat
sonde: cannot open trace.dat: No such file or directory
[1]
$ sonde script
sonde: script needs a script, FILE.lua or FILE.py (sonde script --example lua prints one)
[2]
$ sonde script bad.lua none.dat
sonde: cannot open none.dat: No such file or directory
[1]
$ sonde script bad.lua made-user.dat more.dat
sonde: script reads one file, not 'made-user.dat' and 'more.dat'; arguments of the script follow --
[2]
$ sonde script --example perl
sonde: --example knows lua and py, not 'perl'
[2]
$ sonde script --record bad.lua
sonde: --record needs a command to record
[2]
