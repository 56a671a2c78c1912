"""A traced program that lies to its recorder: hostile.py SEED. Runs under `sonde record -u`.

It says hellos that are mutated, takes the rings that it gets, and scribbles over all of them: heads,
states, records. The recorder must neither die nor wait for ever; what it stores may be nonsense.
"""
import mmap
import os
import pathlib
import random
import socket
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.dont_write_bytecode = True
from mutate import ODD, mutate, number, overwrite  # noqa: E402  (found through the line above)

HELLO = struct.Struct("=IIIIIIQ32s")        # src/runtime/snrt.h
MAGIC, VERSION = 0x54524e53, 3
SLOTS_AT, RING_AT, SLOT_BYTES, N_SLOTS = 65536, 4096, 4096 + (2 << 20), 512
STATES_AT, LIVE = 40, 2
ROUNDS = 30


def say(name, raw):
    """The descriptors that come with the answer."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as client:
        client.settimeout(30)
        try:
            client.connect("\0" + name)
            client.send(raw)
            return socket.recv_fds(client, 4096, 2)[1]
        except OSError:
            return []


def scribble(memory, chance):
    """One slot, which says that it is alive, or the page that all share."""
    slot = chance.randrange(8)
    at = SLOTS_AT + slot * SLOT_BYTES
    head = chance.choice((chance.randrange(1 << 21) & ~7, chance.choice(ODD) & ((1 << 64) - 1)))
    ring = bytearray(struct.pack("<QQ", chance.getrandbits(64), chance.choice(ODD) & ((1 << 64) - 1)) * 512)
    for _ in range(8):
        chance.choice((number, overwrite))(ring, chance.randrange(len(ring) - 64), chance)
    memory[at + RING_AT:at + RING_AT + 4096] = bytes(ring)[:4096].ljust(4096, b"\0")
    memory[at:at + 8] = struct.pack("<Q", head)
    pid = chance.choice((os.getpid(), os.getppid(), 1, 0, chance.getrandbits(32)))
    memory[at + 44:at + 56] = struct.pack("<III", pid, pid, chance.choice((0, 1, 2, 99)))
    if chance.random() < 0.5:
        where = at + chance.randrange(0, 200, 8)
        memory[where:where + 8] = struct.pack("<Q", chance.choice(ODD) & ((1 << 64) - 1))
    state = STATES_AT + 4 * slot
    memory[state:state + 4] = struct.pack("<I", chance.choice((LIVE, LIVE, LIVE, 1, 0, chance.getrandbits(32))))


def main():
    chance = random.Random(int(sys.argv[1]))
    name, key = os.environ["SONDE_RT"].split(".")
    hello = HELLO.pack(MAGIC, VERSION, 1, 0, 1, 0, 0, key.encode())
    for _ in range(5):
        for fd in say(name, mutate(hello, chance)):
            os.close(fd)
    rings = say(name, hello)
    if len(rings) != 2:
        sys.exit("the recorder refuses a right hello")
    with mmap.mmap(rings[0], SLOTS_AT + N_SLOTS * SLOT_BYTES) as memory:
        for _ in range(ROUNDS):
            scribble(memory, chance)


main()
