# output that cannot be written: one line that says so, and status 1
# covers: none

$ for line in report info hist mem states functions 'report --json' 'report --profile' 'count -e all' 'dump --all -i' list 'export --svg'; do sonde $line $GOLDEN/tour.dat > /dev/full; echo "$line: $?"; done
sonde: cannot write the report: No space left on device
report: 1
sonde: cannot write the output: No space left on device
info: 1
sonde: cannot write the output: No space left on device
hist: 1
sonde: cannot write the output: No space left on device
mem: 1
sonde: cannot write the output: No space left on device
states: 1
sonde: cannot write the result: No space left on device
functions: 1
sonde: cannot write the report: No space left on device
report --json: 1
sonde: cannot write the report: No space left on device
report --profile: 1
sonde: cannot write the result: No space left on device
count -e all: 1
sonde: cannot write the output: No space left on device
dump --all -i: 1
sonde: cannot write the output: No space left on device
list: 1
sonde: cannot write the export: No space left on device
export --svg: 1
