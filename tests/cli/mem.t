# mem sums up kernel memory by the function that allocated it
# covers: T11

$ sonde mem $GOLDEN/events-v6.dat | head -n 12
                Function            	Waste	Alloc	req		TotAlloc     TotReq		MaxAlloc     MaxReq	MaxWaste
                --------            	-----	-----	---		--------     ------		--------     ------	--------
                 alloc_pipe_info	408	1216	808		    1216        808		    1216        808	408
                       xas_alloc	120	8760	8640		    8760       8640		    8760       8640	120
                        mm_alloc	56	1152	1096		   10368       9864		    2304       2192	112
radix_tree_node_alloc.constprop.0	56	4088	4032		 1177344    1161216		   29200      28800	400
                    copy_process	56	9600	9544		   64320      63600		   32064      31808	256
                   prepare_creds	48	576	528		    5760       5280		    1344       1232	112
             security_task_alloc	16	64	48		     320        240		     192        144	48
                     alloc_inode	8	640	632		     640        632		     640        632	8
             virtqueue_add_split	0	0	0		 1090976    1068784		    2048       2032	16
                          dup_fd	0	0	0		    3520       3520		     704        704	0
$ sonde mem --json -i $GOLDEN/events-v6.dat | head -n 2
{"function":"alloc_pipe_info","waste":408,"current":{"allocated":1216,"requested":808},"total":{"allocated":1216,"requested":808},"max":{"allocated":1216,"requested":808},"max_waste":408}
{"function":"xas_alloc","waste":120,"current":{"allocated":8760,"requested":8640},"total":{"allocated":8760,"requested":8640},"max":{"allocated":8760,"requested":8640},"max_waste":120}

# Allocations that are freed, that are not, that are allocated twice, and by an unknown function
$ cat >make <<'END'
> import tracedat as td
> t = td.Trace()
> alloc = t.event("kmem", "kmalloc", ["unsigned long call_site", "const void * ptr",
>     "size_t bytes_req", "size_t bytes_alloc"], '"%p", REC->ptr')
> free = t.event("kmem", "kfree", ["unsigned long call_site", "const void * ptr"], '"%p", REC->ptr')
> t.kallsyms = "0000000000001000 T one\n0000000000002000 T two\n0000000000003000 T end\n"
> def a(cpu, time, site, ptr, req, got):
>     t.top.cpu(cpu).add(time, alloc(call_site=site, ptr=ptr, bytes_req=req, bytes_alloc=got))
> def f(cpu, time, ptr):
>     t.top.cpu(cpu).add(time, free(call_site=0x1000, ptr=ptr))
> a(0, 1000, 0x1001, 0xaa, 100, 128)
> f(1, 1001, 0xaa)
> a(0, 1002, 0x1001, 0xbb, 10, 16)
> a(1, 1003, 0x2001, 0xaa, 60, 64)
> a(0, 1004, 0x9999, 0xcc, 1 << 33, 3 << 33)
> a(1, 1005, 0x2001, 0xbb, 7, 8)
> f(0, 1006, 0xdd)
> f(0, 1007, 0xbb)
> t.instance("aside").cpu(0).add(2000, alloc(call_site=0x1001, ptr=1, bytes_req=1, bytes_alloc=8))
> t.write("mem.dat")
> END
$ python3 make && sonde mem mem.dat
                Function            	Waste	Alloc	req		TotAlloc     TotReq		MaxAlloc     MaxReq	MaxWaste
                --------            	-----	-----	---		--------     ------		--------     ------	--------
                          0x9999	17179869184	25769803776	8589934592		25769803776   8589934592		25769803776   8589934592	17179869184
                             one	6	16	10		     144        110		     128        100	28
                             two	4	64	60		      72         67		      72         67	5
$ sonde mem -B aside mem.dat | tail -n 1
                             one	7	8	1		       8          1		       8          1	7
