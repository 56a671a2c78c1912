# report merges several files by time and names each
# covers: T08

$ ln -s $GOLDEN/made-clock-mono-v6.dat a.dat
> ln -s $GOLDEN/made-clock-mono-v7.dat bcd.dat
> sonde report -i a.dat -i bcd.dat | head -n 8
  a.dat: cpus=2
bcd.dat: cpus=2
  a.dat:           <idle>-0     [000]     0.500000: tick:                 count=0 func=0x0 comm= big=0 small=0 name=
bcd.dat:           <idle>-0     [000]     0.500000: tick:                 count=0 func=0x0 comm= big=0 small=0 name=
  a.dat:           <idle>-0     [001]     0.501235: tick:                 count=1 func=0x0 comm= big=0 small=0 name=
bcd.dat:           <idle>-0     [001]     0.501235: tick:                 count=1 func=0x0 comm= big=0 small=0 name=
  a.dat:           <idle>-0     [000]     0.502469: tick:                 count=2 func=0x0 comm= big=0 small=0 name=
bcd.dat:           <idle>-0     [000]     0.502469: tick:                 count=2 func=0x0 comm= big=0 small=0 name=

$ sonde report -i a.dat -i bcd.dat --ts-offset 1000 | head -n 6
  a.dat: cpus=2
bcd.dat: cpus=2
  a.dat:           <idle>-0     [000]     0.500000: tick:                 count=0 func=0x0 comm= big=0 small=0 name=
bcd.dat:           <idle>-0     [000]     0.500001: tick:                 count=0 func=0x0 comm= big=0 small=0 name=
  a.dat:           <idle>-0     [001]     0.501235: tick:                 count=1 func=0x0 comm= big=0 small=0 name=
bcd.dat:           <idle>-0     [001]     0.501236: tick:                 count=1 func=0x0 comm= big=0 small=0 name=
