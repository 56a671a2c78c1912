# convert does not overwrite a perf.data that somebody meant as the source
# covers: none

$ printf 'PERFILE2%096d' 0 > perf.data; cp perf.data kept.data
$ sonde convert perf.data
sonde: convert: perf.data is a perf.data and would be overwritten; name the target, too: sonde convert perf.data trace.dat
[2]
$ cmp perf.data kept.data
