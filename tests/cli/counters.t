# counters prints what it counts, and names what is wrong
# covers: E08

$ sonde counters -e duration_time true | sed 's/[0-9.,]* s /N s /g; s/  *[0-9,]* ns/ N ns/'
'true': N s elapsed, N s user, N s system

 N ns     duration_time
$ sonde counters --list | grep -E '^(context-switches|task-clock|duration_time)' | tr -s ' '
context-switches or cs software
task-clock software
duration_time measured by sonde
$ sonde counters -x, -e duration_time,cs:u true | cut -d, -f2,3
ns,duration_time
,cs:u
$ sonde counters -e duration_time false > /dev/null
[1]

# Trouble
$ sonde counters -e cyles true
sonde: counters: unknown event 'cyles'; did you mean 'cycles'? (sonde counters --list lists all)
[2]
$ sonde counters -e nosuchpmu/event=3/ true
sonde: counters: unknown PMU 'nosuchpmu' (sonde counters --list lists all)
[2]
$ sonde counters -e '{cs,faults' true
sonde: counters: group '{cs,faults': the closing '}' is missing
[2]
$ sonde counters -e cs:y true
sonde: counters: event 'cs:y': unknown modifier; they are u k h I G H p P S D W e b
[2]
$ sonde counters -e mem:x true
sonde: counters: breakpoint 'mem:x': write mem:ADDRESS[/LENGTH][:ACCESS], with a length of 1, 2, 4 or 8 and an access of r, w, x
[2]
$ sonde counters -p 999999999
sonde: there is no process 999999999
[1]
$ sonde counters -r 3
sonde: -r needs a command and excludes -I
[2]
$ sonde counters -r 0 true
sonde: -r takes a number of runs, at least 1
[2]
$ sonde counters -I 0 true
sonde: -I takes milliseconds, at least 1
[2]
$ sonde counters nosuchprogram
sonde: there is no command 'nosuchprogram'
[1]
