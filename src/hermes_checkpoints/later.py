"""Lets a package offer names of its modules and load each module when a name of it is first used.

A process imports what it uses: most need a small part of this package, and making one class of
values costs a third of a millisecond.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module


def names_of(package: str, homes: Mapping[str, str]) -> Callable[[str], object]:
    """Return the ``__getattr__`` of a package (PEP 562): ``homes`` has for each name the module of
    the package that defines it. No name may be that of a module, which would be found in its place.

    >>> from hermes_checkpoints import model
    >>> model.Kind("auto")
    <Kind.AUTO: 'auto'>
    """

    def load(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found: object = getattr(import_module(f"{package}.{homes[name]}"), name)
        setattr(sys.modules[package], name, found)
        return found

    return load
