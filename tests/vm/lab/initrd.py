"""The initial ram disk of the guest, as an archive in cpio's "newc" form.

newc is a row of members; each is a header of ASCII hex (8 digits a field), the name, and the data,
each padded to four bytes, and the last is called TRAILER!!!:

    070701 inode mode uid gid nlink mtime size major minor rmajor rminor namesize check

Writing this takes fewer lines than calling cpio(1), and saves a package. The disk is left
uncompressed: it is 3 MB, and unpacking costs the emulated CPU more than reading.
"""

import os

# What the guest needs before it sees the host's files; Kernel.modules_for() adds what these need. One that the
# kernel has built in is not found and left out.
MODULES = ("virtio_pci", "9pnet_virtio", "9p", "virtio_net")

DIRECTORIES = ("bin", "dev", "mnt", "modules", "proc", "sys")
SCRIPTS = ("init", "agent", "prelude", "serve", "state")


class Archive:
    def __init__(self, file):
        self.file = file
        self.n_members = 0

    def add(self, name, mode, data=b""):
        self.n_members += 1
        raw = name.encode() + b"\0"
        fields = (self.n_members, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(raw), 0)
        head = b"070701" + b"".join(b"%08x" % field for field in fields) + raw
        self.file.write(head + b"\0" * (-len(head) % 4) + data + b"\0" * (-len(data) % 4))


def initrd_write(path, kernel, programs, scripts_dir):
    """Write the ram disk for this kernel to `path`; programs: their files by name."""
    with open(path, "wb") as file:
        archive = Archive(file)
        for name in DIRECTORIES:
            archive.add(name, 0o040755)
        for name, file_name in programs.items():
            archive.add(f"bin/{name}", 0o100755, _content(file_name))
        for name in SCRIPTS:
            archive.add(name, 0o100755, _content(os.path.join(scripts_dir, name)))
        for i, module in enumerate(kernel.modules_for(MODULES)):
            archive.add(f"modules/{i:02}-{os.path.basename(module)}", 0o100644, _content(module))
        archive.add("TRAILER!!!", 0)


def _content(path):
    with open(path, "rb") as file:
        return file.read()
