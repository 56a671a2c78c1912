# sample says what is wrong before it samples
# covers: E03

$ sonde sample -e cpu-clokc true
sonde: sample: unknown event 'cpu-clokc'; did you mean 'cpu-clock'? (sonde counters --list lists all)
[2]
$ sonde sample -F 0 true
sonde: sample: a rate is a number of samples a second from 1 to 1000000, not '0'
[2]
$ sonde sample -F fast true
sonde: sample: a rate is a number of samples a second from 1 to 1000000, not 'fast'
[2]
$ sonde sample --stacks deep true
sonde: sample: --stacks is fp, dwarf, dwarf,BYTES, lbr or none, not 'deep'
[2]
$ sonde sample -C x true
sonde: sample: 'x' is no list of CPUs such as 0,2-5
[2]
