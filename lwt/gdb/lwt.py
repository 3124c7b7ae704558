"""The lightweight threads that wait, in gdb: of a process or of a core file.

    gdb -x lwt/gdb/lwt.py PROGRAM CORE        or -p PROCESS, or (gdb) source lwt/gdb/lwt.py
    (gdb) lwt threads

For each thread of each pool that waits: its name, the depth of its spawn, why it waits, and its stack. Needs the program's
symbols, and no debugging information; with that, frames have their lines.
"""

import struct

import gdb
import gdb.unwinder

# Of lwt_debugger (lwt/threads/debugger.cc), in order.
_LAYOUT = ("version", "next", "blocks", "block_count", "block_threads", "descriptor_bytes", "sp", "stack", "body", "depth",
           "name", "waits_for", "resume_offset", "frame_pointer_offset", "saved_bytes", "unused")
_VERSION = 1
# The registers of pc, stack pointer and frame pointer.
_REGISTERS = {"i386:x86-64": ("rip", "rsp", "rbp"), "aarch64": ("pc", "sp", "x29")}
_MOST_FRAMES = 64


def _read(address, form):
    values = struct.unpack("<" + form, gdb.selected_inferior().read_memory(address, struct.calcsize("<" + form)).tobytes())
    return values[0] if len(values) == 1 else values


def _text(address):
    if not address:
        return "thread"
    return gdb.Value(address).cast(gdb.lookup_type("char").pointer()).string(errors="replace")


class _Layout:
    """Where things lie in the program's memory."""

    def __init__(self):
        try:
            address = int(gdb.parse_and_eval("(long)&lwt_debugger"))
        except gdb.error as error:
            raise gdb.GdbError(f"this program has no symbol lwt_debugger: it does not use lwt, or is stripped ({error})")
        words = _read(address, f"{len(_LAYOUT)}I")
        self.__dict__.update(zip(_LAYOUT, words))
        if self.version != _VERSION:
            raise gdb.GdbError(f"the program's lwt has layout {self.version}, and this script reads {_VERSION}: take its own lwt.py")
        self.entries = address + 4 * len(_LAYOUT)


class _Waiting:
    """A thread that waits."""

    def __init__(self, layout, address):
        def word(offset):
            return _read(address + offset, "Q")

        self.name = _text(word(layout.name))
        self.waits_for = _text(word(layout.waits_for))
        self.depth = _read(address + layout.depth, "I")
        self.sp, self.stack, body = word(layout.sp), word(layout.stack), word(layout.body)
        # A spawned thread is called by its parent, which is on another stack: its own frames end below its body.
        self.end = body if self.sp < body <= self.stack else self.stack


def _pools(layout):
    """For each pool, newest first, its threads that wait."""
    entry = _read(layout.entries, "Q")
    while entry:
        count, threads = _read(entry + layout.block_count, "Q"), _read(entry + layout.block_threads, "Q")
        blocks = _read(entry + layout.blocks, "Q")
        pool = []
        for block in range(count):
            first = _read(blocks + 8 * block, "Q")
            for i in range(threads):
                address = first + i * layout.descriptor_bytes
                if _read(address + layout.waits_for, "Q") and _read(address + layout.stack, "Q"):
                    pool.append(_Waiting(layout, address))
        yield pool
        entry = _read(entry + layout.next, "Q")


class _FrameId:
    def __init__(self, sp, pc):
        self.sp, self.pc = sp, pc


class _Switch(gdb.unwinder.Unwinder):
    """While `thread` is set, the caller of the selected thread's innermost frame is the lightweight thread's innermost: so its
    frames can be walked without a change of registers, which a core file does not allow."""

    def __init__(self):
        super().__init__("lwt")
        self.thread = None
        self.layout = None
        self.at = None  # the real stack pointer of the selected thread

    def __call__(self, pending):
        if self.thread is None:
            return None
        pc, sp, frame_pointer = _REGISTERS[gdb.selected_inferior().architecture().name()]
        if int(pending.read_register(sp)) & (1 << 64) - 1 != self.at:
            return None
        saved = self.thread.sp
        info = pending.create_unwind_info(_FrameId(gdb.Value(saved), gdb.Value(0)))
        for register, value in ((pc, _read(saved + self.layout.resume_offset, "Q")), (sp, saved + self.layout.saved_bytes),
                                (frame_pointer, _read(saved + self.layout.frame_pointer_offset, "Q"))):
            info.add_saved_register(register, gdb.Value(value).cast(pending.read_register(register).type))
        return info

    def frames(self, layout, thread):
        """The lines of the thread's stack, innermost first."""
        architecture = gdb.selected_inferior().architecture().name()
        if architecture not in _REGISTERS:
            raise gdb.GdbError(f"lwt.py does not know the registers of {architecture}")
        sp = _REGISTERS[architecture][1]
        self.thread, self.layout = None, layout
        gdb.invalidate_cached_frames()
        self.at = int(gdb.newest_frame().read_register(sp)) & (1 << 64) - 1
        self.thread = thread
        gdb.invalidate_cached_frames()
        try:
            frame = gdb.newest_frame().older()
            for number in range(_MOST_FRAMES):
                if frame is None or not frame.is_valid():
                    return
                if int(frame.read_register(sp)) & (1 << 64) - 1 >= thread.end:
                    return
                place = frame.find_sal()
                line = f" at {place.symtab.filename}:{place.line}" if place.symtab else ""
                yield f"  #{number:<2} {frame.pc():#018x} in {frame.name() or '??'}{line}"
                frame = frame.older()
        except (gdb.error, gdb.MemoryError) as error:
            yield f"  (the stack cannot be read further: {error})"
        finally:
            self.thread = None
            gdb.invalidate_cached_frames()


class _Prefix(gdb.Command):
    """Commands for lwt's lightweight threads."""

    def __init__(self):
        super().__init__("lwt", gdb.COMMAND_STACK, prefix=True)


class _Threads(gdb.Command):
    """lwt threads [COUNT]: the lightweight threads that wait, with their stacks; the first COUNT of them (100)."""

    def __init__(self, switch):
        super().__init__("lwt threads", gdb.COMMAND_STACK)
        self.switch = switch

    def invoke(self, argument, from_tty):
        if argument and not argument.strip().isdigit():
            raise gdb.GdbError("usage: lwt threads [COUNT]")
        left = int(argument) if argument else 100
        if not gdb.selected_thread():
            raise gdb.GdbError("there is no process: run the program, attach to one, or load a core file")
        layout = _Layout()
        for number, pool in enumerate(_pools(layout)):
            print(f"pool {number}: {len(pool)} thread{'s wait' if len(pool) != 1 else ' waits'}")
            for thread in pool[:left]:
                print(f"{thread.name} (depth {thread.depth}) waits for {thread.waits_for}")
                for line in self.switch.frames(layout, thread):
                    print(line)
            if len(pool) > left:
                print(f"({len(pool) - left} more: lwt threads COUNT)")
            left = max(left - len(pool), 0)


_switch = _Switch()
gdb.unwinder.register_unwinder(None, _switch, replace=True)
_Prefix()
_Threads(_switch)
