"""A kernel to boot, by the name of its flavour or by the path of its image."""

import glob
import os
import re

from . import Misuse, Unavailable
from .build import build, built
from .cache import cache_dir, package_tree

# name: what yields its tree, fetched or built when it is not in the cache
FLAVOURS = {
    "stock": lambda: package_tree("stock"),
    "rt": lambda: package_tree("rt"),
    "new": lambda: package_tree("new"),
    "all": build,
}


class Kernel:
    """An image and the modules that belong to it (None: all built in)."""

    def __init__(self, image, modules=None):
        self.image = image
        self.modules = modules

    def modules_for(self, names):
        """The files of these modules and of all that they need, in the order of loading.

        A module that the kernel has built in has no file. The order is that of the modules themselves,
        because it differs between versions of a kernel: virtio_ring needed virtio, until virtio needed it.
        """
        files = {}
        for directory, _, found in os.walk(self.modules) if self.modules else ():
            files |= {_module_name(name): os.path.join(directory, name) for name in found if name.endswith(".ko")}
        order = []

        def add(name):
            path = files.pop(name, None)        # at most once
            if path:
                for needed in _module_needs(path):
                    add(needed)
                order.append(path)

        for name in names:
            add(_module_name(name))
        return order


def kernel_find(which):
    """The kernel for `-k WHICH`: a flavour, or the path of an image."""
    if which in FLAVOURS:
        tree = FLAVOURS[which]()
        images = glob.glob(f"{glob.escape(tree)}/boot/vmlinuz-*")
        if not images:
            raise Unavailable(f"{tree} holds no kernel image; remove it to have it made again")
        return _kernel_at(images[0])
    if not os.path.isfile(which):
        raise Misuse(f"no kernel '{which}': give {', '.join(FLAVOURS)} or the path of an image")
    return _kernel_at(os.path.abspath(which))


def kernel_cached(flavour):
    """Whether a flavour is there already."""
    return bool(built()) if flavour == "all" else os.path.isdir(os.path.join(cache_dir(), flavour))


def _kernel_at(image):
    version = os.path.basename(image).removeprefix("vmlinuz-")
    modules = os.path.join(os.path.dirname(os.path.dirname(image)), "lib/modules", version)
    return Kernel(image, modules if os.path.isdir(modules) else None)


def _module_name(name):
    """As the kernel spells it, whatever the file is called."""
    return name.removesuffix(".ko").replace("-", "_")


def _module_needs(path):
    """The names behind depends= in the section .modinfo, whose texts end with a NUL each."""
    with open(path, "rb") as file:
        found = re.search(rb"\0depends=([^\0]*)\0", file.read())
    return [_module_name(name) for name in found[1].decode().split(",") if name] if found else []
