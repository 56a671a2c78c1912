"""A kernel to boot, by the name of its flavour or by the path of its image."""

import glob
import os

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

    def module(self, name):
        """The file of a module by name, or None where it is built in."""
        if not self.modules:
            return None
        found = glob.glob(f"{glob.escape(self.modules)}/kernel/**/{name}.ko", recursive=True)
        return found[0] if found else None


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
