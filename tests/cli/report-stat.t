# report --stat shows what the recorder counted
# covers: T08

$ sonde report --stat $GOLDEN/lost-events.dat | head -n 40
cpus=2

Kernel buffer statistics:
  Note: "entries" are the entries left in the kernel ring buffer and are not
        recorded in the trace data. They should all be zero.

CPU: 0
entries: 0
overrun: 1851
commit overrun: 0
bytes: 0
oldest event ts:   112.199685
now ts:   112.218271
dropped events: 0
read events: 26011

CPU: 1
entries: 0
overrun: 4932
commit overrun: 0
bytes: 0
oldest event ts:   112.200739
now ts:   112.219989
dropped events: 0
read events: 128548


CPU0 data recorded at offset=0x1000
    1347584 bytes in size
CPU1 data recorded at offset=0x14a000
    6291456 bytes in size
