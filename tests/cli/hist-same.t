# hist prints what trace-cmd hist prints, on every trace without instances
# covers: T11
# needs: trace-cmd
# not: tsan

$ for f in all-events clock-tsc events-v6 events-v7-none events-v7-zstd fgraph-vfs follow function-all \
> function-filtered lost-events probes profile stacks tour made-times; do
> for o in "" -P; do
> trace-cmd hist $o -i $GOLDEN/$f.dat >wanted 2>/dev/null
> sonde hist $o -i $GOLDEN/$f.dat | cmp - wanted && echo $f $o $(grep -c '%' wanted) >>compared
> done; done
$ wc -l <compared
30
