# functions, graph and flame of calls give the same answer with any number of threads
# not: tsan
# covers: B14

$ same() {
>     SONDE_JOBS=1 sonde "$@" >one 2>one.err; status=$?
>     for jobs in 2 3 7 16; do
>         SONDE_JOBS=$jobs sonde "$@" >many 2>many.err
>         [ $? = $status ] && cmp -s one many && cmp -s one.err many.err || echo "$jobs threads differ: $*"
>     done
> }

# Random calls: deep stacks over cuts, recursion, events that are lost with and without a mark.

$ for seed in 1 2; do
>     for which in user kernel; do
>         for words in "" lossy "lossy packed"; do
>             python3 $TESTS/lib/randomcalls.py calls.dat $which $seed $words
>             same functions -f all --json calls.dat
>             same graph calls.dat
>             same flame --folded calls.dat
>         done
>     done
> done

# Recorded ones, and traces with both sides.

$ for trace in $GOLDEN/*.dat; do
>     same functions -f all --csv "$trace"
>     same graph --json "$trace"
> done
$ python3 $TESTS/bench/grow $GOLDEN/fgraph-vfs.dat calls.dat 2
$ same functions calls.dat
$ same functions --by '$task' calls.dat
