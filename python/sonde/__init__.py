# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads traces: trace.dat of sonde and trace-cmd, perf.data, uftrace.data.

    import sonde

    trace = sonde.open("trace.dat")
    for e in trace.events("sched_switch: next_pid > 0"):
        print(e.ts, e.cpu, e.comm, e.name, e["next_pid"], e.text("prev_state"))

    table = trace.columns("$ts", "$cpu", "next_pid", "prev_state:text", events="sched_switch")
    table["next_pid"].numpy()               # without a copy; table.pandas(): a DataFrame
    trace.sql("SELECT name, sum(dur) FROM slice GROUP BY name")
    for s in trace.states(): ...

It calls libsonde.so with ctypes, so nothing is compiled. The library is searched in $SONDE_LIBRARY,
beside this file, and where the dynamic linker looks. A mistake raises sonde.Error, with one sentence
of the library. Damaged files open as far as they can be read: Trace.damage lists what is missing.

An object belongs to one thread at a time. Several iterators of one trace may run in several threads.
"""
import collections
import ctypes
import ctypes.util
import os
import pathlib
import struct

__all__ = ["Column", "Columns", "Error", "Event", "Field", "Kind", "Rows", "State", "Trace", "open", "version"]

TYPES = ("null", "integer", "unsigned", "real", "text", "bytes")
NULL, INTEGER, UNSIGNED, REAL, TEXT, BYTES = range(len(TYPES))
STATES = ("unknown", "running", "runnable", "preempted", "sleeping", "blocked", "stopped", "idle", "dead")


class Error(Exception):
    """A sentence that says what is wrong; errno is positive."""

    def __init__(self, text, code=0):
        super().__init__(text)
        self.errno = -code


# --- the library ------------------------------------------------------------------------------------------------------

c_int, c_size, c_str, c_ptr = ctypes.c_int, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_void_p
c_u32, c_u64, c_i32, c_i64 = ctypes.c_uint32, ctypes.c_uint64, ctypes.c_int32, ctypes.c_int64


class _Error(ctypes.Structure):
    _fields_ = [("code", c_int), ("text", ctypes.c_char * 1000)]


class _Select(ctypes.Structure):
    _fields_ = [("size", c_size), ("filters", ctypes.POINTER(c_str)), ("n_filters", c_size),
                ("rejects", ctypes.POINTER(c_str)), ("n_rejects", c_size), ("cpus", ctypes.POINTER(c_u32)),
                ("n_cpus", c_size), ("tasks", ctypes.POINTER(c_str)), ("n_tasks", c_size),
                ("pids", ctypes.POINTER(c_str)), ("n_pids", c_size), ("buffers", ctypes.POINTER(c_str)),
                ("n_buffers", c_size), ("start", c_str), ("end", c_str)]


class _Event(ctypes.Structure):
    _fields_ = [("ts", c_u64), ("kind", c_ptr), ("data", c_ptr), ("comm", c_str), ("size", c_u32), ("cpu", c_u32),
                ("pid", c_i32), ("tgid", c_i32), ("file", c_u32), ("source", c_u32), ("missed", c_i64)]


class _Column(ctypes.Structure):
    _fields_ = [("type", c_int), ("n", c_size), ("values", c_ptr), ("nulls", c_ptr), ("texts", ctypes.POINTER(c_str)),
                ("n_texts", c_size)]


class _State(ctypes.Structure):
    _fields_ = [("ts", c_u64), ("dur", c_u64), ("comm", c_str), ("kind", c_int), ("pid", c_i32), ("file", c_u32),
                ("cpu", c_i32), ("waker_pid", c_i32), ("is_open", c_i32)]


class _Cell(ctypes.Structure):
    _fields_ = [("type", c_int), ("integer", c_i64), ("real", ctypes.c_double), ("text", c_ptr), ("len", c_size)]


_ON_STATE = ctypes.CFUNCTYPE(c_int, c_ptr, ctypes.POINTER(_State))
_ON_COLUMNS = ctypes.CFUNCTYPE(c_int, c_ptr, ctypes.POINTER(c_str), c_size)
_ON_ROW = ctypes.CFUNCTYPE(c_int, c_ptr, ctypes.POINTER(_Cell), c_size)
_IS_STOPPED = ctypes.CFUNCTYPE(c_int, c_ptr)


class _Rows(ctypes.Structure):
    _fields_ = [("size", c_size), ("ctx", c_ptr), ("columns", _ON_COLUMNS), ("row", _ON_ROW),
                ("is_stopped", _IS_STOPPED), ("time_ns", c_u64), ("memory_bytes", c_u64)]


# struct sonde_packed: ts, missed, data_at, size, cpu, pid, tgid, kind, comm, file, source, reserved
_PACKED = struct.Struct("=QqIIIiiIIIII")

_FUNCTIONS = {      # name: (result, arguments)
    "version": (c_str, []),
    "open_files": (c_int, [ctypes.POINTER(c_ptr), ctypes.POINTER(c_str), c_size, ctypes.POINTER(_Error)]),
    "close": (None, [c_ptr]),
    "trace_n_files": (c_size, [c_ptr]),
    "trace_path": (c_str, [c_ptr, c_size]),
    "trace_range": (c_int, [c_ptr, ctypes.POINTER(c_u64), ctypes.POINTER(c_u64)]),
    "trace_is_ns": (c_int, [c_ptr]),
    "trace_damage": (c_str, [c_ptr, ctypes.POINTER(c_size)]),
    "trace_n_kinds": (c_size, [c_ptr, c_size]),
    "trace_kind": (c_ptr, [c_ptr, c_size, c_size]),
    "trace_find_kind": (c_ptr, [c_ptr, c_size, c_str, c_str]),
    "trace_symbol": (c_str, [c_ptr, c_size, c_u64, ctypes.POINTER(c_u64)]),
    "kind_name": (c_str, [c_ptr]),
    "kind_system": (c_str, [c_ptr]),
    "kind_id": (c_int, [c_ptr]),
    "kind_n_fields": (c_size, [c_ptr]),
    "kind_field": (c_ptr, [c_ptr, c_size]),
    "kind_find": (c_ptr, [c_ptr, c_str]),
    "field_name": (c_str, [c_ptr]),
    "field_type_name": (c_str, [c_ptr]),
    "field_type": (c_int, [c_ptr]),
    "field_place": (None, [c_ptr, ctypes.POINTER(c_size), ctypes.POINTER(c_size)]),
    "field_is_plain": (c_int, [c_ptr, c_ptr]),
    "events_new": (c_int, [ctypes.POINTER(c_ptr), c_ptr, ctypes.POINTER(_Select), ctypes.POINTER(_Error)]),
    "events_free": (None, [c_ptr]),
    "events_packed": (c_int, [c_ptr, ctypes.POINTER(c_ptr), ctypes.POINTER(c_size), ctypes.POINTER(c_ptr),
                              ctypes.POINTER(c_size)]),
    "events_error": (c_int, [c_ptr, ctypes.POINTER(_Error)]),
    "events_damage": (c_str, [c_ptr, ctypes.POINTER(c_size)]),
    "events_kind": (c_ptr, [c_ptr, c_u32]),
    "events_comm": (c_str, [c_ptr, c_u32]),
    "event_integer": (c_int, [ctypes.POINTER(_Event), c_ptr, ctypes.POINTER(c_i64)]),
    "event_real": (c_int, [ctypes.POINTER(_Event), c_ptr, ctypes.POINTER(ctypes.c_double)]),
    "event_bytes": (c_int, [ctypes.POINTER(_Event), c_ptr, ctypes.POINTER(c_ptr), ctypes.POINTER(c_size)]),
    "event_text": (c_ptr, [c_ptr, ctypes.POINTER(_Event), c_ptr, ctypes.POINTER(c_size)]),
    "event_info": (c_ptr, [c_ptr, ctypes.POINTER(_Event), ctypes.POINTER(c_size)]),
    "columns_read": (c_int, [ctypes.POINTER(c_ptr), c_ptr, ctypes.POINTER(c_str), c_size, c_size,
                             ctypes.POINTER(_Error)]),
    "columns_free": (None, [c_ptr]),
    "columns_get": (c_int, [c_ptr, c_size, ctypes.POINTER(_Column)]),
    "states": (c_int, [c_ptr, _ON_STATE, c_ptr, ctypes.POINTER(_Error)]),
    "sql": (c_int, [c_ptr, c_str, ctypes.POINTER(_Rows), ctypes.POINTER(_Error)]),
}


def _find_library():
    beside = pathlib.Path(__file__).resolve().parent / "libsonde.so.0"
    named = os.environ.get("SONDE_LIBRARY")
    names = [named] if named else [str(beside)] * beside.exists() + ["libsonde.so.0"]
    for name in names:
        try:
            return ctypes.CDLL(name)
        except OSError as why:
            error = why
    if named:
        raise ImportError(f"cannot load the library that $SONDE_LIBRARY names: {error}")
    raise ImportError(f"cannot load libsonde: {error}; install it, or name the file in $SONDE_LIBRARY")


class _Library:
    """The functions of libsonde without their prefix."""

    def __init__(self):
        found = _find_library()
        for name, (result, arguments) in _FUNCTIONS.items():
            function = getattr(found, f"sonde_{name}")
            function.restype, function.argtypes = result, arguments
            setattr(self, name, function)


_lib = _Library()


def version():
    """The version of the library."""
    return _lib.version().decode()


def _text(data):
    return data.decode("utf-8", "surrogateescape")


def _raise(code, error):
    raise Error(_text(error.text) or os.strerror(-code), code)


def _words(words):
    """A sequence of texts as an array for the library, or one text."""
    if words is None:
        return None, 0
    words = [words] if isinstance(words, (str, bytes)) else list(words)
    return (c_str * len(words))(*(os.fsencode(w) for w in words)), len(words)


# --- kinds of events --------------------------------------------------------------------------------------------------

_PLAIN = {(1, 1): "=B", (1, 2): "=b", (2, 1): "=H", (2, 2): "=h", (4, 1): "=I", (4, 2): "=i", (8, 1): "=Q", (8, 2): "=q"}


class Field:
    """A field of a kind of event: name, type ("integer", "text" …), type_name ("pid_t"), offset, size."""
    __slots__ = ("name", "type", "type_name", "offset", "size", "_at", "_read")

    def __init__(self, kind, at):
        offset, size = c_size(), c_size()
        _lib.field_place(at, offset, size)
        self._at = at
        self.name, self.type_name = _text(_lib.field_name(at)), _text(_lib.field_type_name(at))
        self.type = TYPES[_lib.field_type(at)]
        self.offset, self.size = offset.value, size.value
        form = _PLAIN.get((self.size, _lib.field_is_plain(kind, at)))
        self._read = struct.Struct(form).unpack_from if form else None

    def __repr__(self):
        return f"<sonde.Field {self.name}: {self.type_name}>"


class Kind:
    """A kind of event: system, name, id, fields (a dict of Field by name)."""
    __slots__ = ("name", "system", "id", "fields", "_at", "_all", "_owner")

    def __init__(self, at, owner):
        self._at, self._owner = at, owner      # the library keeps it as long as its owner
        self.name, self.system, self.id = _text(_lib.kind_name(at)), _text(_lib.kind_system(at)), _lib.kind_id(at)
        fields = (Field(at, _lib.kind_field(at, i)) for i in range(_lib.kind_n_fields(at)))
        self.fields = {f.name: f for f in fields}
        self._all = dict(self.fields)

    def find(self, name):
        """Also finds the fields of all events: common_pid … None: there is no such field."""
        field = self._all.get(name)
        if field is None:
            at = _lib.kind_find(self._at, name.encode())
            if at:
                field = self._all[name] = Field(self._at, at)
        return field

    def __repr__(self):
        return f"<sonde.Kind {self.system}:{self.name}>"


# --- events -----------------------------------------------------------------------------------------------------------

class _Batch:
    """Up to 1024 events. Their data is a copy, so events stay valid."""
    __slots__ = ("owner", "block")

    def __init__(self, owner, block):
        self.owner, self.block = owner, block


class Event:
    """An event. e["FIELD"] is the value of a field, e.text("FIELD") what report shows, e.info the whole text."""
    __slots__ = ("_p", "_batch")

    def __init__(self, packed, batch):
        self._p, self._batch = packed, batch

    ts = property(lambda self: self._p[0], doc="time in nanoseconds, or units of the trace's clock: Trace.is_ns")
    missed = property(lambda self: self._p[1], doc="events lost before this one on its CPU; -1: an unknown number")
    cpu = property(lambda self: self._p[4])
    pid = property(lambda self: self._p[5], doc="the thread")
    tgid = property(lambda self: self._p[6], doc="its process; -1: unknown")
    file = property(lambda self: self._p[9], doc="number of the file")
    source = property(lambda self: self._p[10], doc="number of the buffer")
    kind = property(lambda self: self._batch.owner._kinds[self._p[7]], doc="None: the file does not describe the event")
    comm = property(lambda self: self._batch.owner._comms[self._p[8]], doc="name of the task at that time")
    data = property(lambda self: self._batch.block[self._p[2]:self._p[2] + self._p[3]], doc="the bytes of the event")

    @property
    def name(self):
        kind = self._batch.owner._kinds[self._p[7]]
        return kind.name if kind else ""

    @property
    def system(self):
        kind = self.kind
        return kind.system if kind else ""

    def __getitem__(self, name):
        """The value of a field: int, float, str or bytes. KeyError: the event has no such field."""
        p, batch = self._p, self._batch
        kind = batch.owner._kinds[p[7]]
        field = kind and (kind.fields.get(name) or kind.find(name))
        if not field:
            raise KeyError(name)
        if field._read and field.offset + field.size <= p[3]:
            return field._read(batch.block, p[2] + field.offset)[0]
        return self._value(field)

    def get(self, name, otherwise=None):
        """The value of a field, or another value if the event has no such field."""
        try:
            return self[name]
        except KeyError:
            return otherwise

    def __contains__(self, name):
        kind = self.kind
        return bool(kind and kind.find(name))

    def keys(self):
        kind = self.kind
        return list(kind.fields) if kind else []

    def _event(self):
        p = self._p
        at = ctypes.cast(ctypes.c_char_p(self._batch.block), c_ptr).value + p[2]
        kind = self.kind
        return _Event(ts=p[0], kind=kind and kind._at, data=at, size=p[3], cpu=p[4], pid=p[5], tgid=p[6], file=p[9],
                      source=p[10], missed=p[1])

    def _value(self, field):
        event, length = self._event(), c_size()
        if field.type == "text":
            text = _lib.event_text(self._batch.owner._pointer(), event, field._at, length)
            return _text(ctypes.string_at(text, length.value)) if text else None
        if field.type == "bytes":
            data = c_ptr()
            ok = _lib.event_bytes(event, field._at, data, length)
            return ctypes.string_at(data, length.value) if ok and length.value else b"" if ok else None
        value = ctypes.c_double() if field.type == "real" else c_i64()
        read = _lib.event_real if field.type == "real" else _lib.event_integer
        if not read(event, field._at, value):
            return None
        return value.value % (1 << 64) if field.type == "unsigned" else value.value

    def text(self, name):
        """A field as report shows it: flags, enums and functions by name."""
        kind, length = self.kind, c_size()
        field = kind and kind.find(name)
        if not field:
            raise KeyError(name)
        text = _lib.event_text(self._batch.owner._pointer(), self._event(), field._at, length)
        return _text(ctypes.string_at(text, length.value)) if text else None

    @property
    def info(self):
        """The whole event as report shows it, behind its name."""
        length = c_size()
        text = _lib.event_info(self._batch.owner._pointer(), self._event(), length)
        return _text(ctypes.string_at(text, length.value)) if text else ""

    def __repr__(self):
        return f"<sonde.Event {self.ts} [{self.cpu}] {self.comm}-{self.pid} {self.name}: {self.info}>"


class Events:
    """An iterator over events; Trace.events() makes it."""

    def __init__(self, trace, select):
        at, error = c_ptr(), _Error()
        code = _lib.events_new(at, trace._pointer(), select, error)
        if code < 0:
            _raise(code, error)
        self._at, self._trace = at, trace
        self._kinds, self._comms, self._left = [], [], iter(())

    def __del__(self):
        self.close()

    def close(self):
        """Frees the library's part. Events that were read stay readable, but for their texts."""
        at, self._at = getattr(self, "_at", None), None
        if at:
            _lib.events_free(at)

    def _pointer(self):
        if not self._at:
            raise Error("these events are closed")
        return self._at

    def __iter__(self):
        return self

    def __next__(self):
        for event in self._left:
            return event
        self._left = self._fill()
        for event in self._left:
            return event
        raise StopIteration

    def _fill(self):
        """The next batch as an iterator of events; an empty one at the end."""
        packed, n, block, n_block = c_ptr(), c_size(), c_ptr(), c_size()
        code = _lib.events_packed(self._pointer(), packed, n, block, n_block)
        if code < 0:
            error = _Error()
            _lib.events_error(self._at, error)
            _raise(code, error)
        if not code:
            return iter(())
        rows = ctypes.string_at(packed, n.value * _PACKED.size)
        batch = _Batch(self, ctypes.string_at(block, n_block.value))
        self._learn(rows)
        return iter([Event(row, batch) for row in _PACKED.iter_unpack(rows)])

    def _learn(self, rows):
        """Gets the kinds and names that are new in this batch: their numbers only grow."""
        n_kinds = n_comms = 0
        for row in _PACKED.iter_unpack(rows):
            if row[7] >= n_kinds:
                n_kinds = row[7] + 1
            if row[8] >= n_comms:
                n_comms = row[8] + 1
        for i in range(len(self._kinds), n_kinds):
            at = _lib.events_kind(self._at, i)
            self._kinds.append(Kind(at, self) if at else None)
        for i in range(len(self._comms), n_comms):
            self._comms.append(_text(_lib.events_comm(self._at, i)))

    @property
    def damage(self):
        """Sentences about data that was missing when these events were read."""
        return _sentences(_lib.events_damage, self._pointer())


def _sentences(function, at):
    found, pos = [], c_size(0)
    while (text := function(at, pos)) is not None:
        found.append(_text(text))
    return found


# --- columns ----------------------------------------------------------------------------------------------------------

class Column:
    """The values of a field: values (a memoryview), nulls (a memoryview of bytes, or None), texts (a list, or None).

    In a column of texts the values are numbers of texts, -1 for null.
    """

    def __init__(self, owner, name, c):
        forms = {INTEGER: c_i64, UNSIGNED: c_u64, REAL: ctypes.c_double, TEXT: c_i32}
        self.name, self.type = name, TYPES[c.type]
        self.values = self._view(owner, forms[c.type], c.values, c.n)
        self.nulls = self._view(owner, ctypes.c_uint8, c.nulls, c.n) if c.nulls else None
        self.texts = [_text(c.texts[i]) for i in range(c.n_texts)] if c.type == TEXT else None

    @staticmethod
    def _view(owner, form, at, n):
        array = (form * n).from_address(at) if n else (form * 0)()
        array.owner = owner         # whoever has the view keeps the memory
        return memoryview(array).cast("B").cast(form._type_)

    def __len__(self):
        return len(self.values)

    def __getitem__(self, i):
        """The value of a row, None for null; of a slice a list of them."""
        if isinstance(i, slice):
            return [self[k] for k in range(*i.indices(len(self)))]
        if self.nulls is not None and self.nulls[i]:
            return None
        value = self.values[i]
        return self.texts[value] if self.texts is not None else value

    def numpy(self):
        """The values as an array, without a copy."""
        import numpy
        return numpy.frombuffer(self.values, dtype=self.values.format) if len(self) else numpy.array([], self.values.format)

    def pandas(self):
        """The values as a pandas array: texts are categories, null is NA."""
        import numpy
        import pandas
        if self.texts is not None:
            return pandas.Categorical.from_codes(self.numpy(), categories=pandas.Index(self.texts, dtype=object))
        if self.nulls is None:
            return self.numpy()
        null = numpy.frombuffer(self.nulls, dtype=bool)
        if self.type == "real":
            return numpy.where(null, numpy.nan, self.numpy())
        return pandas.arrays.IntegerArray(self.numpy(), null)


class Columns(collections.abc.Mapping):
    """Columns by the words that they were asked for."""

    class _Memory:
        """The library's arrays, until nobody has a view of them."""

        def __init__(self, at):
            self.at = at

        def __del__(self):
            _lib.columns_free(self.at)

    def __init__(self, at, words):
        memory, self._columns = self._Memory(at), {}
        for i, word in enumerate(words):
            c = _Column()
            _lib.columns_get(at, i, c)
            self._columns[word] = Column(memory, word, c)

    def __getitem__(self, word):
        return self._columns[word]

    def __iter__(self):
        return iter(self._columns)

    def __len__(self):
        return len(self._columns)

    @property
    def n_rows(self):
        return len(next(iter(self._columns.values())))

    def numpy(self):
        """A dict of numpy arrays, without a copy."""
        return {word: column.numpy() for word, column in self.items()}

    def pandas(self):
        """A DataFrame; numbers without null are not copied."""
        import pandas
        return pandas.DataFrame({word: column.pandas() for word, column in self.items()}, copy=False)


# --- traces -----------------------------------------------------------------------------------------------------------

State = collections.namedtuple("State", "ts dur comm pid state cpu waker_pid is_open file")
State.__doc__ = "What a task did from ts for dur: running, runnable, preempted, sleeping, blocked …"


class Rows(list):
    """Rows of a query, as tuples; columns are their names."""
    columns = ()

    def dicts(self):
        return [dict(zip(self.columns, row)) for row in self]

    def pandas(self):
        import pandas
        return pandas.DataFrame(self, columns=list(self.columns))


class Trace:
    """One or more trace files on one clock."""

    def __init__(self, *paths):
        at, error = c_ptr(), _Error()
        words, n = _words([os.fspath(p) for p in paths])
        code = _lib.open_files(at, words, n, error)
        if code < 0:
            _raise(code, error)
        self._at = at

    def __del__(self):
        self.close()

    def __enter__(self):
        return self

    def __exit__(self, *why):
        self.close()

    def close(self):
        at, self._at = getattr(self, "_at", None), None
        if at:
            _lib.close(at)

    def _pointer(self):
        if not self._at:
            raise Error("the trace is closed")
        return self._at

    @property
    def paths(self):
        return [_text(_lib.trace_path(self._pointer(), i)) for i in range(_lib.trace_n_files(self._pointer()))]

    @property
    def range(self):
        """The times of the first and the last event; None: there are no events."""
        first, last = c_u64(), c_u64()
        return (first.value, last.value) if _lib.trace_range(self._pointer(), first, last) else None

    @property
    def is_ns(self):
        """Whether times are nanoseconds."""
        return bool(_lib.trace_is_ns(self._pointer()))

    @property
    def damage(self):
        """Sentences about data that the files lack."""
        return _sentences(_lib.trace_damage, self._pointer())

    def kinds(self, file=0):
        """The kinds of events that a file describes."""
        return [Kind(_lib.trace_kind(self._pointer(), file, i), self)
                for i in range(_lib.trace_n_kinds(self._pointer(), file))]

    def kind(self, name, file=0):
        """The kind of that name, "sched_switch" or "sched:sched_switch"; None: there is none."""
        system, _, last = name.rpartition(":")
        at = _lib.trace_find_kind(self._pointer(), file, system.encode() or None, last.encode())
        return Kind(at, self) if at else None

    def symbol(self, address, file=0):
        """The function at an address, and the offset in it; None: unknown."""
        offset = c_u64()
        name = _lib.trace_symbol(self._pointer(), file, address, offset)
        return None if name is None else (_text(name), offset.value)

    def events(self, filters=None, *, rejects=None, cpus=None, tasks=None, pids=None, buffers=None, start=None,
               end=None):
        """Iterates over events in the order of time.

        tasks and pids select events of, or about, tasks. filters: "EVENTS" or "EVENTS: CONDITION" as `sonde report -F` takes them, or several. start and end: as its
        --from and --to.
        """
        select = _Select(size=ctypes.sizeof(_Select))
        kept = []
        if pids is not None:
            pids = [str(p) for p in ([pids] if isinstance(pids, (int, str)) else pids)]
        for name, words in (("filters", filters), ("rejects", rejects), ("tasks", tasks), ("pids", pids),
                            ("buffers", buffers)):
            array, n = _words(words)
            if n:
                kept.append(array)
                setattr(select, name, ctypes.cast(array, ctypes.POINTER(c_str)))
                setattr(select, f"n_{name}", n)
        if cpus is not None:
            cpus = [cpus] if isinstance(cpus, int) else list(cpus)
            array = (c_u32 * len(cpus))(*cpus)
            select.cpus, select.n_cpus = ctypes.cast(array, ctypes.POINTER(c_u32)), len(cpus)
        select.start = None if start is None else str(start).encode()
        select.end = None if end is None else str(end).encode()
        return Events(self, select)

    def columns(self, *words, events=None, max_rows=0, **select):
        """Reads fields of many events into arrays. words: names of fields, $ts, $cpu, $pid, $tgid, $comm, $event,
        $system, or FIELD:text. events: filters, or Events to go on with."""
        source = events if isinstance(events, Events) else self.events(events, **select)
        at, error = c_ptr(), _Error()
        array, n = _words(words)
        code = _lib.columns_read(at, source._pointer(), array, n, max_rows, error)
        if code < 0:
            _raise(code, error)
        return Columns(at, words)

    def states(self):
        """What tasks did, as a list of State; the viewer and `sonde states` show the same."""
        found, error = [], _Error()

        def visit(_, state):
            s = state.contents
            found.append(State(s.ts, s.dur, _text(s.comm), s.pid, STATES[s.kind], s.cpu, s.waker_pid, bool(s.is_open),
                               s.file))
            return 0

        code = _lib.states(self._pointer(), _ON_STATE(visit), None, error)
        if code < 0:
            _raise(code, error)
        return found

    def sql(self, query, *, seconds=0, memory=0):
        """Runs SQL over the trace and returns the rows of its last statement. Ctrl-C ends the query."""
        rows, error, failed = Rows(), _Error(), []

        def guarded(function):
            def call(*words):
                try:
                    return function(*words) or 0
                except BaseException as why:        # must not get lost between the languages
                    failed.append(why)
                    return -1
            return call

        def columns(_, names, n):
            rows.clear()
            rows.columns = tuple(_text(names[i]) for i in range(n))

        def value(cell):
            if cell.type == INTEGER:
                return cell.integer
            if cell.type == REAL:
                return cell.real
            if cell.type == NULL:
                return None
            data = ctypes.string_at(cell.text, cell.len) if cell.len else b""
            return _text(data) if cell.type == TEXT else data

        def row(_, cells, n):
            rows.append(tuple(value(cells[i]) for i in range(n)))

        sink = _Rows(size=ctypes.sizeof(_Rows), columns=_ON_COLUMNS(guarded(columns)), row=_ON_ROW(guarded(row)),
                     is_stopped=_IS_STOPPED(guarded(lambda _: 0)), time_ns=int(seconds * 1e9), memory_bytes=memory)
        code = _lib.sql(self._pointer(), query.encode(), sink, error)
        if failed:
            raise failed[0]
        if code < 0:
            _raise(code, error)
        return rows


def open(*paths):       # noqa: A001  (as gzip.open)
    """Opens one or more files as one trace: Trace."""
    return Trace(*paths)
