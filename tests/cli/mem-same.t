# mem prints what trace-cmd mem prints
# covers: T11
# needs: trace-cmd
# not: tsan

$ for f in all-events events-v6 events-v7-zstd stacks tour; do
> trace-cmd mem -i $GOLDEN/$f.dat >wanted 2>/dev/null
> sonde mem -i $GOLDEN/$f.dat | cmp - wanted && echo $f $(wc -l <wanted)
> done
all-events 56
events-v6 59
events-v7-zstd 2
stacks 2
tour 2
