# agent says what is wrong with its command line, and is for this machine only unless told otherwise
# covers: none

$ sonde agent more
sonde: agent: 'more' is one word too many
[2]
$ sonde agent --public
sonde: agent: --public is for a network: add -N CLIENT
[2]
$ sonde agent --bind 127.0.0.1
sonde: agent: --bind is for a network: add -N CLIENT
[2]
$ sonde agent -N localhost --bind 127.0.0.1 --public
sonde: agent: --public is every address, --bind one
[2]
$ sonde agent -N localhost -D --debug
sonde: agent: --debug stays in the foreground, -D not
[2]
$ sonde agent -N localhost -p 0 --key nokey
sonde: cannot read the key nokey: No such file or directory
[1]
$ sonde agent -N localhost -p nosuchport
sonde: agent: 'nosuchport' is not a port (-p): a number up to 65535
[2]

$ sonde agent -N localhost -p 0 >log 2>&1 & until grep -qs only log; do sleep 0.1; done; kill -INT $!; wait $!; echo $?
0
$ sed 's/:[0-9]*$/:PORT/' log | grep -v '::1'
sonde: listening on 127.0.0.1:PORT
sonde: only this machine can connect; --public or --bind ADDR lets others in

# What is no request gets no answer.
$ cat >try.py <<'END'
> import re, socket, struct, subprocess, time
> with open("log", "w") as log:
>     agent = subprocess.Popen(["sonde", "agent", "-N", "127.0.0.1", "-p", "0"], stderr=log)
> while not (found := re.search(r"127.0.0.1:(\d+)\n.*only", open("log").read(), re.S)):
>     time.sleep(0.1)
> def ask(data):
>     before = open("log").read().count("\n")
>     with socket.create_connection(("127.0.0.1", int(found[1])), timeout=60) as host:
>         host.sendall(data)
>         got = host.recv(100)
>     while open("log").read().count("\n") == before:
>         time.sleep(0.1)
>     while open(f"/proc/{agent.pid}/task/{agent.pid}/children").read():
>         time.sleep(0.1)    # it serves one at a time
>     return got
> def message(cmd, fixed=b"", body=b""):
>     return struct.pack(">III", 12 + len(fixed) + len(body), cmd, len(fixed)) + fixed + body
> def words(*args):
>     text = b"".join(a.encode() + b"\0" for a in args)
>     return message(6, bytes(16), struct.pack(">III", 0, 4 + len(text), len(args)) + text)
> try:
>     for data in (b"GET / HTTP/1.0\r\n\r\n", message(0), message(6, bytes(16), b"\xff" * 20), words(),
>                  words("-e", "sched", "touch", "here"), words("-o", "file", "-e", "sched"),
>                  *(words("-e", "sched", *more.split()) for more in ("--rt-prio=5", "-r 5", "--poll", "--top",
>                  "--take-over", "--vmlinux=/dev/zero", "--debug-dir=/", "--source=/", "-k", "-K", "-D", "-s 0",
>                  "--user=root", "--probe=p:a/b c", "-B other", "--boot", "-b 900G")),
>                  words("-e", "sched", "-f", "pid == 1\ntwo"), words("-e", "x\x1b[2J")):
>         print(ask(data))
> finally:
>     agent.terminate()
>     agent.wait()
> for line in open("log"):
>     if not re.match("sonde: (listening|only)", line):
>         print(re.sub(r"127.0.0.1:\d+", "HOST", line), end="")
> END
> python3 try.py; ls
b''
b''
b''
b''
b''
b''
b''
b''
b''
b''
b''
b''
b''
b''
b''
b''
b''
b''
b''
b''
b''
b''
b''
b''
b''
sonde: HOST: received a message with an invalid size of 1195725856 bytes
sonde: HOST: received a CLOSE message instead of TRACE_REQ
sonde: HOST: received an invalid TRACE_REQ message: its parameters are truncated
sonde: HOST: the host names no event and no tracer
sonde: HOST: an agent runs no commands: 'touch' is refused
sonde: HOST: an agent does not take this from its host: unknown option -o; --help lists them
sonde: HOST: an agent does not take this from its host: unknown option --rt-prio; --help lists them
sonde: HOST: an agent does not take this from its host: unknown option -r; --help lists them
sonde: HOST: an agent does not take this from its host: unknown option --poll; --help lists them
sonde: HOST: an agent does not take this from its host: unknown option --top; --help lists them
sonde: HOST: an agent does not take this from its host: unknown option --take-over; --help lists them
sonde: HOST: an agent does not take this from its host: unknown option --vmlinux; --help lists them
sonde: HOST: an agent does not take this from its host: unknown option --debug-dir; --help lists them
sonde: HOST: an agent does not take this from its host: unknown option --source; --help lists them
sonde: HOST: an agent does not take this from its host: unknown option -k; --help lists them
sonde: HOST: an agent does not take this from its host: unknown option -K; --help lists them
sonde: HOST: an agent does not take this from its host: unknown option -D; --help lists them
sonde: HOST: an agent does not take this from its host: unknown option -s; --help lists them
sonde: HOST: an agent does not take this from its host: unknown option --user; --help lists them
sonde: HOST: an agent does not take this from its host: unknown option --probe; --help lists them
sonde: HOST: an agent does not take this from its host: unknown option -B; --help lists them
sonde: HOST: an agent does not take this from its host: unknown option --boot; --help lists them
sonde: HOST: an agent does not take this from its host: -b 900G is more than this agent gives: … KB for each CPU
sonde: HOST: the filter (-f) contains a newline: 'pid == 1\x0atwo'; remove it
sonde: HOST: the event (-e) contains an escape character: 'x\x1b[2J'; remove it
log
try.py
