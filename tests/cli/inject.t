# inject: what cannot be made to fail, and how not, here with a made-up debugfs; tests/vm/inject.vmtest does it
# covers: none

$ mkdir -p d/fail_function d/error_injection && : > d/fail_function/inject && export SONDE_DEBUGFS=d
$ printf '%s\t%s\n' __x64_sys_openat ERRNO __x64_sys_openat2 ERRNO __do_sys_getpid ERRNO 'open_ctree [btrfs]' ERRNO make_bio NULL look ERRNO_NULL is_full TRUE odd '(unknown)' > d/error_injection/list

# What can fail
$ sonde inject list
__do_sys_getpid                          ERRNO      returns an error number such as -EIO
__x64_sys_openat                         ERRNO      returns an error number such as -EIO
__x64_sys_openat2                        ERRNO      returns an error number such as -EIO
is_full                                  TRUE       returns true
look                                     ERRNO_NULL returns an error number such as -EIO, or NULL
make_bio                                 NULL       returns NULL
odd                                      ?          returns a kind that sonde does not know
open_ctree                               ERRNO      returns an error number such as -EIO (module btrfs)
$ sonde inject list openat
__x64_sys_openat                         ERRNO      returns an error number such as -EIO
$ sonde inject list '*tree'
open_ctree                               ERRNO      returns an error number such as -EIO (module btrfs)
$ sonde inject list tree
sonde: no function that can fail is called 'tree'; a part of a name needs stars: '*NAME*'
[1]

# Not on the list: with what is near by
$ sonde inject opnat=-EIO true
sonde: 'opnat' is not among the 8 functions that can be made to fail ('sonde inject list'); the nearest is 'openat'
[1]
$ sonde inject no_sys_openat2=-EIO true
sonde: 'no_sys_openat2' is not among the 8 functions that can be made to fail ('sonde inject list'); the nearest is '__x64_sys_openat2'
[1]
$ sonde inject zzzz=-EIO true
sonde: 'zzzz' is not among the 8 functions that can be made to fail ('sonde inject list')
[1]

# Values that its callers would not take for a failure
$ sonde inject openat=NULL true
sonde: '__x64_sys_openat' cannot fail with NULL: it returns an error number such as -EIO then
[2]
$ sonde inject sys_openat=12 true
sonde: '__x64_sys_openat' cannot fail with 12: it returns an error number such as -EIO then; did you mean -12?
[2]
$ sonde inject getpid=-5000 true
sonde: '__do_sys_getpid' cannot fail with -5000: it returns an error number such as -EIO then
[2]
$ sonde inject make_bio=-EIO true
sonde: 'make_bio' cannot fail with -EIO: it returns NULL then
[2]
$ sonde inject is_full=2 true
sonde: 'is_full' cannot fail with 2: it returns true then
[2]
$ sonde inject look true
sonde: say what 'look' is to return: look=-EIO
[2]
$ sonde inject odd=1 true
sonde: 'odd' fails in a way that this version of sonde does not know, so sonde does not change it
[1]
$ sonde inject openat=-ENOENTT true
sonde: unknown error 'ENOENTT'; did you mean -ENOENT?
[2]
$ sonde inject openat=soon true
sonde: 'soon' is not a value to fail with; use an error such as -ENOMEM or -12, NULL, or true
[2]

# Where, and which
$ sonde inject
sonde: inject: say what shall fail, and how: openat=-ENOENT; 'sonde inject list' shows what can
[2]
$ sonde inject openat=-EIO
sonde: inject: say where it shall fail: a command, or a process (-p PID)
[2]
$ sonde inject openat=-EIO -p 1 true
sonde: inject: a command and a process (-p) exclude each other
[2]
$ sonde inject openat=-EIO -p 4194304
sonde: there is no process 4194304
[1]
$ sonde inject -e openat=-EIO --probability 101 true
sonde: inject: --probability is 1 to 100, not 101
[2]
$ sonde inject --every 0 openat=-EIO true
sonde: inject: --every is 1 to 2147483647, not 0
[2]
$ sonde inject openat=-EIO --times=-1 true
sonde: inject: --times is 0 to 2147483647, not -1
[2]
$ sonde inject list a b
sonde: inject list takes one pattern
[2]

# Nothing of it is there
$ rm -r d/fail_function; sonde inject openat=-EIO true 2>&1 | grep -o '^sonde: this kernel cannot make functions fail: .*CONFIG_FAIL_FUNCTION'  | cut -c 1-46
sonde: this kernel cannot make functions fail:
$ sonde inject list 2>/dev/null
[1]
