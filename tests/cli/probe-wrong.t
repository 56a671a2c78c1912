# more than fifty wrong definitions: each answer points at the spot and says what to do
# covers: B06 D13 Q13 Q19
# needs: python3

# A kernel that is made up: its types, its symbols, its tracing directory.
$ python3 $TESTS/lib/btf.py k && export SONDE_BTF=k/btf SONDE_KALLSYMS=k/kallsyms SONDE_TRACEFS=k/tracing SONDE_BLACKLIST=k/blacklist
$ try() { while IFS= read -r line; do sonde probe add -n -- "$line" > out 2>&1; printf "%s: %s\n" $? "$(sed "s/$(uname -r)/VERSION/g" out)"; done; }

# The text itself
$ try << 'EOF'
> vfs_read(
> vfs_read(file
> vfs_read(file count)
> vfs_read(file, )
> vfs_read file, count
> vfs_read(file) count
> vfs_read(file) if
> vfs_read(file-f_flags)
> vfs_read(file->)
> vfs_read(file->f_sizes[count])
> vfs_read(file->f_sizes[1)
> vfs_read(count == 5)
> vfs_read(count + 1)
> vfs_read(strlen(buf))
> vfs_read(42)
> vfs_read(a=count, a=file)
> vfs_read(common_pid=count)
> vfs_read(count:u65)
> vfs_read(count:int)
> vfs_read(count:b3@2)
> vfs_read(count:u8[100])
> vfs_read(count@usr)
> vfs_read(container_of(file, struct irqfd))
> my-event=vfs_read
> =vfs_read
> vfs_read%retrun
> vfs_read:12x
> vfs_read+abc
> vfs_read+4%return
> vfs_read%return($retvl)
> vfs_read($retval)
> vfs_read($count)
> vfs_read($arg0)
> prog.c
> prog.c:0
> bash:
> %
> -:probe/vfs_read
> EOF
2: sonde: an argument is missing here: name a variable, or remove the sign before it
  vfs_read(
           ^
2: sonde: the parenthesis is not closed; add a ')'
  vfs_read(file
               ^
2: sonde: a comma is missing between two arguments
  vfs_read(file count)
                ^
2: sonde: an argument is missing here: name a variable, or remove the sign before it
  vfs_read(file, )
                 ^
2: sonde: without parentheses, blanks separate arguments; omit the comma, or write FUNCTION(a, b)
  vfs_read file, count
               ^
2: sonde: only a condition can follow the closing parenthesis: 'if FILTER'
  vfs_read(file) count
                 ^
2: sonde: the condition after 'if' is missing; write a filter, as in 'if count > 4096'
  vfs_read(file) if
                   ^
2: sonde: a probe cannot calculate; write '->' for a member of the struct that a pointer points to
  vfs_read(file-f_flags)
               ^
2: sonde: a member's name is missing after '->'
  vfs_read(file->)
               ^~
2: sonde: an index must be a number, as in [3], not a variable or a calculation
  vfs_read(file->f_sizes[count])
                         ^~~~~
2: sonde: the bracket that opens here is not closed; add a ']'
  vfs_read(file->f_sizes[1)
                        ^
2: sonde: write a condition after the definition: FUNCTION(a, b) if a == VALUE
  vfs_read(count == 5)
                 ^
2: sonde: a probe cannot calculate: record both as separate arguments
  vfs_read(count + 1)
                 ^
2: sonde: a probe cannot call functions; only container_of(POINTER, TYPE, MEMBER) is known
  vfs_read(strlen(buf))
           ^~~~~~
2: sonde: a number alone is not recorded; to record it, write \42
  vfs_read(42)
           ^~
2: sonde: two arguments have the name a; choose another name
  vfs_read(a=count, a=file)
                    ^
2: sonde: every event has a field common_pid already; choose another name
  vfs_read(common_pid=count)
           ^~~~~~~~~~
2: sonde: there is no type 'u65'; the nearest is u64
  vfs_read(count:u65)
                 ^~~
2: sonde: there is no type 'int'; types are u8 to u64, s8 to s64, x8 to x64, char, string, ustring, symbol and bWIDTH@OFFSET/BITS; write a type of C as a cast before the name: (int)x
  vfs_read(count:int)
                 ^~~
2: sonde: this is no bit field; write bWIDTH@OFFSET/BITS, as in b3@5/32: 3 bits from bit 5 on, of 32
  vfs_read(count:b3@2)
                 ^~~~
2: sonde: write an array as TYPE[N] with N from 1 to 64, as in u8[16]
  vfs_read(count:u8[100])
                   ^~~~~
2: sonde: only '@user' can follow an argument: it reads the program's memory
  vfs_read(count@usr)
                ^~~~
2: sonde: a ',' is missing here, after the type: container_of(POINTER, TYPE, MEMBER)
  vfs_read(container_of(file, struct irqfd))
                                          ^
2: sonde: '-' cannot be in the name of an event; use letters, digits and _
  my-event=vfs_read
    ^
2: sonde: the name of the event is missing; omit its separator, too
  =vfs_read
  ^
2: sonde: after '%' of a function only 'return' is known, as in vfs_read%return
  vfs_read%retrun
          ^~~~~~~
2: sonde: this is no number of a line; write digits only
  vfs_read:12x
           ^~~
2: sonde: this is no offset; after '+' comes a number of bytes, as in +36 or +0x24
  vfs_read+abc
           ^~~
2: sonde: a function returns as a whole: leave the line or offset out, or leave %return out
  vfs_read+4%return
           ^
2: sonde: there is no '$retvl'; did you mean $retval?
  vfs_read%return($retvl)
                  ^~~~~~
2: sonde: $retval is known only when vfs_read returns; write vfs_read%return
  vfs_read($retval)
           ^~~~~~~
2: sonde: there is no '$count'; write a variable without $; with $ there are $retval, $argN, $stackN, $comm, $duration, $vars and $params
  vfs_read($count)
           ^~~~~~
2: sonde: arguments count from 1: $arg1 is the first
  vfs_read($arg0)
           ^~~~~
2: sonde: prog.c is a source file; say which line of it, as in prog.c:25
  prog.c
  ^~~~~~
2: sonde: lines of a file count from 1; those of a function from 0, as in FUNCTION:0
  prog.c:0
         ^
2: sonde: nothing follows bash: name a function (bash:FUNCTION) or a line (bash:LINE)
  bash:
       ^
2: sonde: write a mark as %PROVIDER:NAME, as in '%libstdcxx:throw'; a register belongs among the arguments
  %
   ^
2: sonde: this line removes a probe; 'sonde probe del GROUP:EVENT' does that
  -:probe/vfs_read
  ^~

# Names that are not there
$ try << 'EOF'
> vfs_raed(count)
> nothing_like_it(count)
> some_data
> no_types_known(x)
> do_nothing(x)
> do_nothing%return($retval)
> vfs_read(cuont)
> vfs_read(file->f_pth)
> vfs_read(file->f_path.dentry.d_name)
> vfs_read(file.f_flags)
> vfs_read(count->x)
> vfs_read(*count)
> vfs_read(file->f_sizes[9])
> vfs_read((struct flie *)buf)
> vfs_read(container_of(file, struct irqfd, injct))
> vfs_read(file->f_path)
> vfs_read(%xyz)
> vfs_read($arg9)
> vfs_read:3(count)
> vfs_read+4(count)
> vfs_read%return($retval, count)
> nosuchprogram:main(argc)
> /no/such/program:main
> sched:sched_swich(next_comm)
> sched:sched_switch(next_com)
> schd:sched_switch(next_comm)
> vfs_read(%ag)
> vfs_read(file->quxquux)
> vfs_read(&count)
> vfs_read((strct file *)buf)
> glob_black(x)
> inlined_one(x)
> nothing_*(x)
> glob_*(count)
> %nosuch:mark
> vfs_read(file->f_path.mnt->mnt_id)
> p:a/b ./k/nosuch:0x10
> p:a/b ./k/kallsyms:main
> r:a/b ./k/kallsyms:0x99999999(0x10)
> vfs_read(@nosuchsym)
> vfs_read(@some_dtaa)
> vfs_read+100000
> sched_switch(next_comm)
> vfs_read(some_data)
> vfs_read(file->f_hint) if f_hint == LONG
> vfs_read(file->f_hint) if f_hint == XYZ
> glob_one(x:u8[3])
> vfs_read(count:u8[3])
> nosuch.c:12(x)
> EOF
1: sonde: there is no function 'vfs_raed' in this kernel; the nearest is vfs_read; if its source has one, it is a macro, or inlined everywhere (--vmlinux FILE finds where), or in a module that is not loaded; 'sonde probe funcs' lists the functions; write a function of a program as PROGRAM:vfs_raed
  vfs_raed(count)
  ^~~~~~~~
1: sonde: there is no function 'nothing_like_it' in this kernel; if its source has one, it is a macro, or inlined everywhere (--vmlinux FILE finds where), or in a module that is not loaded; 'sonde probe funcs' lists the functions; write a function of a program as PROGRAM:nothing_like_it
  nothing_like_it(count)
  ^~~~~~~~~~~~~~~
1: sonde: some_data is data of the kernel, not a function; name a function
  some_data
  ^~~~~~~~~
1: sonde: the variables of no_types_known are unknown: BTF does not describe it (it is assembler, or the compiler changed its parameters); use $arg1 or %REG, or give the DWARF of the kernel: --vmlinux FILE
  no_types_known(x)
                 ^
1: sonde: there is no variable 'x' in do_nothing; BTF has no parameters for it: it has none, so omit them, or it is assembler, whose prototype is unknown: use $arg1 or %REG
  do_nothing(x)
             ^
1: sonde: do_nothing returns nothing (void); omit $retval
  do_nothing%return($retval)
                    ^~~~~~~
1: sonde: there is no variable 'cuont' in vfs_read; the nearest is count
  vfs_read(cuont)
           ^~~~~
1: sonde: there is no member 'f_pth' in struct file; the nearest is f_path
  vfs_read(file->f_pth)
                 ^~~~~
2: sonde: file->f_path.dentry is a pointer: write file->f_path.dentry->d_name
  vfs_read(file->f_path.dentry.d_name)
                               ^~~~~~
2: sonde: file is a pointer: write file->f_flags
  vfs_read(file.f_flags)
                ^~~~~~~
2: sonde: count is size_t, not a pointer; cast it: ((struct NAME *)count)->x
  vfs_read(count->x)
                  ^
2: sonde: count is size_t, neither an array nor a pointer; omit the * or the index, or cast it: (int *)x
  vfs_read(*count)
            ^~~~~
1: sonde: file->f_sizes has 4 elements: the last is [3]
  vfs_read(file->f_sizes[9])
                         ^
1: sonde: there is no type 'struct flie *' in the debug information; the nearest is struct file
  vfs_read((struct flie *)buf)
            ^~~~~~~~~~~~~
1: sonde: there is no member 'injct' in struct irqfd; the nearest is inject
  vfs_read(container_of(file, struct irqfd, injct))
                                            ^~~~~
2: sonde: struct path is not a single value; name one of its members: mnt, dentry
  vfs_read(file->f_path)
           ^~~~~~~~~~~~
2: sonde: x86_64 has no register 'xyz'; it has %ax, %dx, %cx, %bx, %si, %di, %bp, %sp, %r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15
  vfs_read(%xyz)
            ^~~
2: sonde: only the first 6 arguments are in registers; the others are on the stack: $stack1 is the first
  vfs_read($arg9)
           ^~~~~
1: sonde: lines of the kernel need its DWARF, and there is none; install the kernel's debug package (linux-image-VERSION-dbg on Debian, debuginfo-install kernel with rpm), or name the file: --vmlinux FILE
  vfs_read:3(count)
           ^
1: sonde: the variables of vfs_read are unknown: without DWARF they are known only where the function begins; omit the offset, use %REG, or give the DWARF of the kernel: --vmlinux FILE
  vfs_read+4(count)
             ^~~~~
1: sonde: count is not available when vfs_read returns, because this kernel's probes do not keep arguments (since 6.9 they do); a recording joins the entry with the return: use this definition with 'sonde record -e'. A probe at the entry is vfs_read(count)
  vfs_read%return($retval, count)
                           ^~~~~
1: sonde: 'nosuchprogram' is not a loaded module, a program in PATH, a library, or a system with an event main; write its path, as in ./nosuchprogram:main
  nosuchprogram:main(argc)
  ^~~~~~~~~~~~~
1: sonde: cannot read a program or library /no/such/program; check the path
  /no/such/program:main
  ^~~~~~~~~~~~~~~~
1: sonde: the system sched has no event 'sched_swich'; the nearest is sched_switch
  sched:sched_swich(next_comm)
        ^~~~~~~~~~~
1: sonde: sched:sched_switch is an event, and this kernel does not support probes on events (CONFIG_EPROBE_EVENTS, since 5.15); record the event itself: -e sched:sched_switch
  sched:sched_switch(next_com)
  ^~~~~
1: sonde: 'schd' is not a loaded module, a program in PATH, a library, or a system of events; the nearest system is sched
  schd:sched_switch(next_comm)
  ^~~~
2: sonde: x86_64 has no register 'ag'; the nearest is %ax
  vfs_read(%ag)
            ^~
1: sonde: there is no member 'quxquux' in struct file; it has f_flags, f_hint, f_path, f_sizes
  vfs_read(file->quxquux)
                 ^~~~~~~
2: sonde: count has no address here: it is not in memory that a pointer points to; record its value instead
  vfs_read(&count)
           ^~~~~~
2: sonde: 'strct file *' is not written as a type of C, as in struct kvm * or u64
  vfs_read((strct file *)buf)
            ^~~~~~~~~~~~
1: sonde: cannot probe glob_black: it is on the kernel's blacklist (NOKPROBE), because probes use it; probe one of its callers
  glob_black(x)
  ^~~~~~~~~~
1: sonde: inlined_one has no code in this kernel: the compiler inlined it into all its callers, or dropped it (exit code); probe one of its callers, or give the kernel's DWARF: --vmlinux FILE
  inlined_one(x)
  ^~~~~~~~~~~
1: sonde: no function of this kernel matches 'nothing_*'; 'sonde probe funcs' lists them
  nothing_*(x)
  ^~~~~~~~~
1: sonde: there is no variable 'count' in glob_one; there are x
  glob_*(count)
         ^~~~~
1: sonde: there is no program or library 'nosuch'; name the file that has the mark: PATH:%nosuch:mark
  %nosuch:mark
          ^~~~
1: sonde: the type behind a void * is unknown, so it has no member 'mnt_id'; cast it: ((struct NAME *)x)->mnt_id
  vfs_read(file->f_path.mnt->mnt_id)
                             ^~~~~~
1: sonde: cannot read a program or library ./k/nosuch; check the path
  p:a/b ./k/nosuch:0x10
        ^~~~~~~~~~
2: sonde: in the kernel's own grammar a place in a program is an offset in its file, as in ./k/kallsyms:0x1234; to use a name, omit 'p:' before it: './k/kallsyms:main'
  p:a/b ./k/kallsyms:main
                     ^~~~
2: sonde: this is beyond the end of ./k/kallsyms, which has 521 bytes; 'sonde probe add -D' shows the offset of a function
  r:a/b ./k/kallsyms:0x99999999(0x10)
                     ^~~~~~~~~~
1: sonde: the kernel has no symbol 'nosuchsym'; /proc/kallsyms lists what it has
  vfs_read(@nosuchsym)
            ^~~~~~~~~
1: sonde: the kernel has no symbol 'some_dtaa'; the nearest is some_data
  vfs_read(@some_dtaa)
            ^~~~~~~~~
2: sonde: this is beyond the end of vfs_read, which has 4096 bytes; an offset counts bytes from the beginning of the function
  vfs_read+100000
           ^~~~~~
1: sonde: there is no function 'sched_switch' in this kernel, but an event; write an event with its system: sched:sched_switch(FIELD, \xe2\x80\xa6) (esc)
  sched_switch(next_comm)
  ^~~~~~~~~~~~
1: sonde: there is no variable 'some_data' in vfs_read, but a global one in the kernel, whose type is unknown: write @some_data, which reads a whole word, or add its type, @some_data:u32 if it is an unsigned int
  vfs_read(some_data)
           ^~~~~~~~~
2: sonde: f_hint is never 'LONG'; the nearest name is HINT_LONG
  vfs_read(file->f_hint) if f_hint == LONG
                                      ^~~~
2: sonde: f_hint is never 'XYZ'; its names are HINT_NONE, HINT_SHORT, HINT_LONG
  vfs_read(file->f_hint) if f_hint == XYZ
                                      ^~~
2: sonde: x is a number, not an address, so there is nothing to list; omit ':u8[3]'
  glob_one(x:u8[3])
             ^~~~~
0: sonde: count is a number and is used as an address: u8[3] shows the memory there
would be defined:
  probe:vfs_read  (kprobe on vfs_read, with count)
2: sonde: nosuch.c is a source of which program? name it: PROGRAM:nosuch.c:12 (if it belongs to the kernel: --vmlinux FILE)
  nosuch.c:12(x)
  ^~~~~~~~
$ sonde probe show './my dir/prog:work'
sonde: the kernel does not accept a path with a blank; give the program or library a path without one
  ./my dir/prog:work
      ^
[2]

# A kernel without probes of its own functions: what is wrong with the definition comes first
$ mv k/tracing/kprobe_events k/
$ try << 'EOF'
> vfs_read(cuont)
> vfs_read(count)
> EOF
1: sonde: there is no variable 'cuont' in vfs_read; the nearest is count
  vfs_read(cuont)
           ^~~~~
1: sonde: this kernel does not support probes on its functions (CONFIG_KPROBES); events and probes in programs work
  vfs_read(count)
  ^~~~~~~~
$ mv k/kprobe_events k/tracing/

# Nothing was defined by all this.
$ cat k/tracing/dynamic_events
$ sonde probe list
no probe is defined; 'sonde probe add' defines one
