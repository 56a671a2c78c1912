# options lists what report -O can set, with what it is set to without -O
# covers: T14

$ sonde options
  plugin:	ftrace
  option:	parent
    desc:	Print parent of functions for function events
     set:	0
------------
  plugin:	ftrace
  option:	indent
    desc:	Try to show function call indents, based on parents
     set:	1
------------
  plugin:	ftrace
  option:	offset
    desc:	Show function names as well as their offsets
     set:	0
============
  plugin:	fgraph
  option:	tailprint
    desc:	Print function name at function exit in function graph
     set:	0
------------
  plugin:	fgraph
  option:	depth
    desc:	Show the depth of each entry
     set:	0

# Names and values that do not exist are an error, not ignored.
$ sonde report -O nosuch $GOLDEN/tour.dat 2>&1
sonde: report: there is no plugin option 'nosuch'; 'sonde options' lists them
[2]
$ sonde report -O ftrace:parent=maybe $GOLDEN/tour.dat 2>&1
sonde: report: plugin option 'ftrace:parent' is 0, 1, true or false, not 'maybe'
[2]
$ sonde options something 2>&1
sonde: options takes no argument, but there is 'something'
[2]
