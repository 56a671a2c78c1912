# report without enough memory says so and fails, instead of succeeding with part of the output
# not: asan tsan

# From too little to start to more than enough: which of them fail depends on the libraries' size.
$ sonde report $GOLDEN/events-v6.dat > whole
$ for kb in $(seq 12000 2000 60000); do
>     (ulimit -v $kb; exec $SONDE report $GOLDEN/events-v6.dat) > part 2> why
>     status=$?
>     [ $status = 0 ] && cmp whole part && continue
>     [ $status = 0 ] || [ ! -s why ] && echo "$kb: status $status and no word about it"
>     grep -q memory why && echo refused
> done | sort -u
refused

# It stops where memory ends, which also depends on the libraries: no line has a wrong name.
$ (ulimit -v 30000; exec $SONDE report $GOLDEN/events-v6.dat 2>/dev/null) > part; cmp whole part 2>&1 | grep -v EOF
[1]
