"""Changes bytes as an enemy would: flipped bits, odd numbers, pieces cut out, doubled or moved."""
import struct

ODD = (0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff, 1 << 63, (1 << 64) - 1)


def place(data, chance):
    """An offset; heads and tails have most of the lengths and offsets, so they come more often."""
    n = len(data)
    part = chance.random()
    if part < 0.3:
        return chance.randrange(min(n, 256))
    if part < 0.5:
        return chance.randrange(min(n, 4096))
    if part < 0.6:
        return n - 1 - chance.randrange(min(n, 1024))
    return chance.randrange(n)


def flip(data, at, chance):
    data[at] ^= 1 << chance.randrange(8)


def overwrite(data, at, chance):
    for k in range(at, min(len(data), at + chance.choice((1, 2, 4, 8, 64)))):
        data[k] = chance.randrange(256)


def number(data, at, chance):
    size = chance.choice((1, 2, 4, 8))
    value = chance.choice(ODD) + chance.choice((-1, 0, 0, 1))
    raw = struct.pack(chance.choice("<>") + "Q", value & (1 << 64) - 1)
    data[at:at + size] = raw[:size] if chance.random() < 0.5 else raw[-size:]


def cut(data, at, chance):
    del data[at:at + chance.choice((1, 4, 16, 256, 4096))]


def double(data, at, chance):
    size = chance.choice((1, 4, 16, 256))
    data[at:at] = data[at:at + size] * chance.choice((1, 2, 50))


def move(data, at, chance):
    size, source = chance.choice((4, 8, 64, 512)), place(data, chance)
    data[at:at + size] = data[source:source + size]


def end_early(data, at, chance):
    del data[at:]


def mutate(data, chance, most=4):
    data = bytearray(data)
    for _ in range(chance.randint(1, most)):
        if data:
            change = chance.choice((flip, flip, overwrite, number, number, number, cut, double, move, end_early)
                                   if chance.random() < 0.3 else (flip, overwrite, number))
            change(data, place(data, chance), chance)
    return bytes(data)
