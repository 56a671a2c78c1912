# listen is for this machine only unless told otherwise, and says what is wrong with its command line
# covers: T15

$ sonde listen
sonde: listen: name a port with -p, or -p 0 for any that is free
[2]
$ sonde listen -p 0 more
sonde: listen: 'more' is one word too many
[2]
$ sonde listen -p 0 --bind 127.0.0.1 --public
sonde: listen: --public is every address, --bind one
[2]
$ sonde listen -p 0 -V --public
sonde: listen: a vsock has no addresses: leave out --public
[2]
$ sonde listen -p 0 --max-clients 0
sonde: listen: --max-clients is 1 to 256
[2]
$ sonde listen -p 0 --timeout 0
sonde: listen: --timeout is 1 to 3600 seconds
[2]
$ sonde listen -p 0 -o ../there
sonde: listen: '../there' has a slash: name the directory with -d
[2]
$ sonde listen -p 0 -D --debug
sonde: listen: --debug stays in the foreground, -D not
[2]
$ sonde listen -p 0 -d nowhere
sonde: cannot write nowhere: No such file or directory
[1]
$ sonde listen -p nosuchport
sonde: listen: 'nosuchport' is not a port (-p): a number up to 65535
[2]
$ sonde listen -p 99999
sonde: listen: '99999' is not a port (-p): a number up to 65535
[2]
$ sonde listen -p 0 --key nokey
sonde: cannot read the key nokey: No such file or directory
[1]
$ sonde listen -p 0 --bind 192.0.2.200
sonde: cannot listen on port 0: Cannot assign requested address
[1]

# Nobody but this machine is let in unless that is asked for. Ctrl-C ends it.
$ sonde listen -p 0 >log 2>&1 & until grep -qs only log; do sleep 0.1; done; kill -INT $!; wait $!; echo $?; sed 's/:[0-9]*$/:PORT/' log | grep -v '::1'
0
sonde: listening on 127.0.0.1:PORT
sonde: only this machine can connect; --public or --bind ADDR lets others in

# A port that is taken
$ sonde listen -p 0 >taken 2>&1 & until grep -qs only taken; do sleep 0.1; done; port=$(sed -n 's/.*127.0.0.1:\([0-9]*\)$/\1/p' taken)
> sonde listen -p $port 2>&1 | sed "s/$port/PORT/"; kill $!; wait $!
sonde: port PORT is in use: choose another with -p, or -p 0 for any free one

# In the background, with a log; what it is told goes there.
$ sonde listen -p 0 -D -l here.log >pid; sed 's/[0-9]*$/PID/' pid
process PID
$ sed 's/:[0-9]*$/:PORT/; s/^[0-9-]* [0-9:]* //' here.log | grep -v '::1'
sonde: listening on 127.0.0.1:PORT
sonde: only this machine can connect; --public or --bind ADDR lets others in
$ kill $(sed 's/process //' pid)
