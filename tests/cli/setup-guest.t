# setup-guest makes two pipes for each virtual CPU
# covers: none

$ sonde setup-guest --dir here -c 2 web
$ ls here/web
trace-pipe-cpu0.in
trace-pipe-cpu0.out
trace-pipe-cpu1.in
trace-pipe-cpu1.out
$ stat -c '%a %F' here/web here/web/trace-pipe-cpu1.out
750 directory
660 fifo

# Again, with other permissions: what is there stays.
$ sonde setup-guest --dir here -c 3 -p 600 web && stat -c '%a %F' here/web/trace-pipe-cpu[02].in
600 fifo
600 fifo

# What is in the way is not touched.
$ rm here/web/trace-pipe-cpu0.in && echo text >here/web/trace-pipe-cpu0.in && sonde setup-guest --dir here -c 1 web
sonde: here/web/trace-pipe-cpu0.in exists already and is not a pipe
[1]
$ cat here/web/trace-pipe-cpu0.in
text

$ sonde setup-guest --dir here -c 1 ../web
sonde: setup-guest: '../web' is no name of a guest: letters, digits and ._-+@ are
[2]
$ sonde setup-guest --dir here -c 1
sonde: setup-guest: name one guest
[2]
$ sonde setup-guest --dir here -c 0x10000 web
sonde: setup-guest: a guest has 1 to 4096 CPUs, not 65536
[2]
$ sonde setup-guest --dir here -c 1 -p 9 web
sonde: setup-guest: -p '9' is no mode like 0660
[2]
$ sonde setup-guest --dir here -c 1 -g nosuchgroup web
sonde: setup-guest: there is no group 'nosuchgroup'
[2]
$ (PATH=$(dirname $SONDE); sonde setup-guest --dir here web)
sonde: setup-guest: say with -c how many CPUs 'web' has: there is no virsh on this machine
[2]
$ (PATH=$(dirname $SONDE); sonde setup-guest --dir here -c 1 -a other)
sonde: cannot attach to 'other': there is no virsh on this machine
[1]

# libvirt is asked for the number of CPUs and gets a device for each.
$ cat >virsh <<'END'
> #!/bin/sh
> [ "$1" = vcpucount ] && echo 2 && exit
> echo "$1 $2 $3 $4" >>log; cat "$5" >>log
> END
> chmod +x virsh; PATH=$PWD:$PATH; sonde setup-guest --dir here -a other && sed "s|$PWD|/PWD|" log
attach-device --config -- other
<channel type='pipe'>
  <source path='/PWD/here/other/trace-pipe-cpu0'/>
  <target type='virtio' name='trace-pipe-cpu0'/>
</channel>
attach-device --config -- other
<channel type='pipe'>
  <source path='/PWD/here/other/trace-pipe-cpu1'/>
  <target type='virtio' name='trace-pipe-cpu1'/>
</channel>
$ printf '#!/bin/sh\necho "error: no domain"; exit 1\n' >virsh; sonde setup-guest --dir here -c 1 -a other
sonde: cannot attach to 'other': virsh says: error: no domain
[1]
