# recipe says what is wrong with a recipe or a command line
# covers: none

$ sonde recipe softirk
sonde: there is no recipe 'softirk'; did you mean softirq; 'sonde recipe list' lists them
[2]
$ sonde recipe show
sonde: recipe show takes the name of a recipe
[2]
$ sonde recipe ./none.recipe
sonde: cannot read ./none.recipe: No such file or directory
[1]
$ sonde recipe irq -i $GOLDEN/tour.dat ls
sonde: with -i there is no command to run: 'ls'
[2]
$ sonde recipe irq -d x
sonde: recipe: --duration needs a number, not 'x'
[2]
$ sonde recipe irq -i none.dat
sonde: cannot open none.dat: No such file or directory
[1]
$ try() { printf "$1" >bad.recipe; sonde recipe bad.recipe -i $GOLDEN/tour.dat; }
$ try 'summary: no name\n'
sonde: bad.recipe: the recipe has no name
[2]
$ try 'name: x\nevnet: sched\n'
sonde: bad.recipe, line 2: unknown recipe keyword 'evnet'; did you mean event
[2]
$ try '  goes on\n'
sonde: bad.recipe, line 1 begins with a blank, but there is no line before it to continue
[2]
$ try 'name: x\nevent\n'
sonde: bad.recipe, line 2: a ':' must follow 'event'
[2]
$ try 'name: x\nduration: long\n'
sonde: bad.recipe: 'long' is not a number of seconds or levels
[2]
$ try 'name: x\nshow: sum sched_switch\n'
sonde: the recipe x, show: 'sum' is not a question; there are count, time, stacks and graph
[2]
$ try 'name: x\nshow: count\n'
sonde: the recipe x, show: 'count' names no event
[2]
$ try 'name: x\nshow: time sched_switch by CPU\n'
sonde: the recipe x, show: 'time sched_switch by CPU' needs the word 'to' and an event behind it
[2]
$ try 'name: x\nshow: count a b c d e f g h i\n'
sonde: the recipe x, show: 'i' is one word too many (at most 8 there)
[2]
$ try 'name: x\nshow: count a by b c d e f\n'
sonde: the recipe x, show: 'f' is one word too many (at most 4 there)
[2]
$ try 'name: x\nshow: time a to b by c d e f g\n'
sonde: the recipe x, show: 'g' is one field too many (at most 4)
[2]
$ try 'name: x\nshow: count a top many\n'
sonde: the recipe x, show: top takes a number of rows, not 'many'
[2]
$ sonde recipe irq -l vfs_read
sonde: the recipe irq traces no functions, so -l has nothing to choose from
[2]

# A kernel that has nothing of it
$ mkdir t && echo "[local]" >t/trace_clock && echo nop >t/available_tracers
$ export SONDE_TRACEFS=$PWD/t
$ sonde recipe runqueue
sonde: nothing in the recipe runqueue can be traced here: probes, which this kernel does not have ('sonde doctor kprobes' says why)
[1]
$ sonde recipe irq
sonde: nothing in the recipe irq can be traced here: this kernel has no event irq:irq_handler_exit
[1]
