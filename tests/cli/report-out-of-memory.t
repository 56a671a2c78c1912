# report without enough memory says so and fails, instead of succeeding with part of the output
# not: asan tsan

# From too little to start to more than enough: which of them fail depends on the libraries' size.
$ sonde report $GOLDEN/function-all.dat > whole
$ for kb in $(seq 12000 2000 60000); do
>     (ulimit -v $kb; exec $SONDE report $GOLDEN/function-all.dat) > part 2> why
>     status=$?
>     [ $status = 0 ] && cmp whole part && continue
>     [ $status = 0 ] || [ ! -s why ] && echo "$kb: status $status and no word about it"
>     grep -q memory why && echo refused
> done | sort -u
refused

# the limits at which it used to print wrong names, or fewer lines
$ (ulimit -v 30000; sonde report $GOLDEN/function-all.dat 2>&1 >part) | tail -n 1
sonde: out of memory; this may be the reason
