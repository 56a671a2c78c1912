# stack shows the deepest stack and says what it does not see
# covers: Q24

$ export SONDE_TRACEFS=t; mkdir t; echo '[local]' > t/trace_clock; sonde stack
sonde: this kernel has no stack tracer (CONFIG_STACK_TRACER)
[1]
$ echo 96 > t/stack_max_size; printf '%s\n' '        Depth    Size   Location    (2 entries)' '        -----    ----   --------' '  0)       96      48   vfs_read+0x5/0x10' '  1)       48      48   do_syscall_64+0x1/0x2' '# a comment' > t/stack_trace
$ sonde stack | sed 's/is on/is off/'
The stack tracer is off. The deepest stack so far took 96 bytes:

        Depth    Size   Location    (2 entries)
        -----    ----   --------
  0)       96      48   vfs_read+0x5/0x10
  1)       48      48   do_syscall_64+0x1/0x2

Only stacks of tasks are seen. Interrupts run on stacks of their own, which this
tracer never looks at. For the calls made there: sonde record -p function_graph
-g handle_irq_event; for the bytes that each function takes: scripts/checkstack.pl
in the kernel's source.
$ sonde stack --reset && cat t/stack_max_size; echo
0
$ sonde stack | sed 's/is on\. It has seen no stack yet\./is off. It has seen no stack yet: …/' | head -n 1
The stack tracer is off. It has seen no stack yet: start it with 'sonde stack --start'.
$ sonde stack --reset --verbose
sonde: writing 0 to t/stack_max_size

# Trouble
$ sonde stack --start --stop
sonde: stack: --start and --stop exclude each other
[2]
$ sonde stack start
sonde: stack: 'start' is not a process id
[2]
