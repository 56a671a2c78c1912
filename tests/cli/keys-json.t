# JSON of count, latency and functions has each key once and numbers as numbers, whatever the fields are called
# covers: X33

$ cat > make.py <<'END'
> import struct
> import tracedat
> trace = tracedat.Trace(version=7)
> begin = trace.event("demo", "begin", ["int count", "int max", "int sum", "float ratio"], '"count=%d", REC->count')
> end = trace.event("demo", "end", ["int count"], '"count=%d", REC->count')
> cpu = trace.top.cpu(0)
> for i, ratio in enumerate((0.5, 0.5, -3e20, float("nan"))):
>     cpu.add(1000 * i + 1000, begin(pid=7, count=40, max=i // 2, sum=9, ratio=struct.pack("<f", ratio)))
>     cpu.add(1000 * i + 1500, end(pid=7, count=40))
> trace.write("k.dat")
> END
$ python3 make.py
$ cat > once.py <<'END'
> import json, sys
> def once(pairs):
>     names = [name for name, _ in pairs]
>     assert len(set(names)) == len(names), names
>     return dict(pairs)
> def refuse(word):
>     raise ValueError(word)
> for row in json.load(sys.stdin, object_pairs_hook=once, parse_constant=refuse)[sys.argv[1]]:
>     row.pop("histogram", 0), row.pop("percentiles", 0)
>     print(row)
> END
$ sonde count -e begin --by ratio --json k.dat | python3 once.py rows
{'ratio': 0.5, 'count': 2}
{'ratio': 'nan', 'count': 1}
{'ratio': -3e+20, 'count': 1}
$ sonde count -e begin --by count,max,count --json k.dat | python3 once.py rows
{'by.count': 40, 'max': 0, 'by.count.2': 40, 'count': 2}
{'by.count': 40, 'max': 1, 'by.count.2': 40, 'count': 2}
$ sonde count -e begin --by count,max,sum --sum sum --json k.dat | python3 once.py rows
{'by.count': 40, 'by.max': 0, 'by.sum': 9, 'count': 2, 'sum': 18, 'min': 9, 'max': 9}
{'by.count': 40, 'by.max': 1, 'by.sum': 9, 'count': 2, 'sum': 18, 'min': 9, 'max': 9}
$ sonde count -e begin --by max,max.log2 --json k.dat | python3 once.py rows
{'max': 0, 'max.2': [0, 0], 'count': 2}
{'max': 1, 'max.2': [1, 1], 'count': 2}
$ sonde count -e begin --by 'max,$comm' --sum sum --csv k.dat
count,sum,min,max,by.max,$comm
2,18,9,9,0,<...>
2,18,9,9,1,<...>
$ sonde latency -e begin,end --by A.count,B.count,max,ratio --json k.dat | python3 once.py groups
{'A.count': 40, 'B.count': 40, 'by.max': 0, 'ratio': 0.5, 'count': 2, 'total': 1000, 'min': 500, 'avg': 500, 'max': 500}
{'A.count': 40, 'B.count': 40, 'by.max': 1, 'ratio': -3e+20, 'count': 1, 'total': 500, 'min': 500, 'avg': 500, 'max': 500}
{'A.count': 40, 'B.count': 40, 'by.max': 1, 'ratio': 'nan', 'count': 1, 'total': 500, 'min': 500, 'avg': 500, 'max': 500}
$ sonde latency -e begin,end --by A.count,max,max --json k.dat | python3 once.py groups
{'by.count': 40, 'by.max': 0, 'by.max.2': 0, 'count': 2, 'total': 1000, 'min': 500, 'avg': 500, 'max': 500}
{'by.count': 40, 'by.max': 1, 'by.max.2': 1, 'count': 2, 'total': 1000, 'min': 500, 'avg': 500, 'max': 500}
$ sonde latency -e begin,end --by A.count,max,max --json k.dat | python3 once.py worst
{'took': 500, 'from': 1000, 'to': 1500, 'from_cpu': 0, 'cpu': 0, 'pid': 7, 'comm': '<...>', 'group': {'by.count': 40, 'by.max': 0, 'by.max.2': 0}}
{'took': 500, 'from': 2000, 'to': 2500, 'from_cpu': 0, 'cpu': 0, 'pid': 7, 'comm': '<...>', 'group': {'by.count': 40, 'by.max': 0, 'by.max.2': 0}}
{'took': 500, 'from': 3000, 'to': 3500, 'from_cpu': 0, 'cpu': 0, 'pid': 7, 'comm': '<...>', 'group': {'by.count': 40, 'by.max': 1, 'by.max.2': 1}}
{'took': 500, 'from': 4000, 'to': 4500, 'from_cpu': 0, 'cpu': 0, 'pid': 7, 'comm': '<...>', 'group': {'by.count': 40, 'by.max': 1, 'by.max.2': 1}}
$ sonde latency -e begin,end --by A.count --csv k.dat
count,total_ns,min_ns,avg_ns,max_ns,p50_ns,p90_ns,p95_ns,p99_ns,p99.9_ns,by.count
4,2000,500,500,500,500,500,500,500,500,40
$ sonde functions --json -l vfs_open --by '$cpu,$cpu' $GOLDEN/fgraph-vfs.dat | python3 once.py functions
{'function': 'vfs_open', '$cpu': 1, '$cpu.2': 1, 'calls': 6, 'total': 6589464, 'self': 17401, 'avg': 1098244, 'max': 1903458, 'max_at': 52139820737}
