"""Linux's own sandbox for a process and all that it starts: which files it may read and which it may change.

Only what is named here may be opened; there is no way back. Connections to other machines stay as they are.
"""

import ctypes
import os
import stat
import sys
from collections.abc import Iterable

ENOUGH = 3  # the version, of Linux 6.2, from which a file cannot be emptied either
_CREATE, _ADD, _RESTRICT = 444, 445, 446  # system calls, the same on every processor
_NO_NEW_PRIVILEGES = 38  # of prctl: a program with the setuid bit would leave the sandbox
_EXECUTE, _WRITE, _READ, _LIST = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_TRUNCATE, _IOCTL = 1 << 14, 1 << 15
_RIGHTS = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 5: (1 << 16) - 1}  # version → all there are
_OF_A_FILE = _EXECUTE | _WRITE | _READ | _TRUNCATE | _IOCTL
_SCOPES = 0b11  # abstract sockets and signals: from version 6 on, only to what is confined with it


class _Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scopes", ctypes.c_uint64))


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("rights", ctypes.c_uint64), ("folder", ctypes.c_int32))


def version() -> int:
    """Return which version of Landlock this kernel has; 0 if none, or another system."""
    if not sys.platform.startswith("linux"):
        return 0
    return max(0, int(_libc().syscall(_CREATE, None, ctypes.c_size_t(0), 1)))


def confine(reads: Iterable[str], writes: Iterable[str]) -> None:
    """Let this process open nothing but what lies under `reads`, and change nothing but under `writes`.

    What is not there is passed over. Raises OSError if the kernel refuses: then nothing is confined.
    """
    abi = version()
    if not abi:
        raise OSError("this kernel has no Landlock")
    rights = _RIGHTS[max(listed for listed in _RIGHTS if listed <= abi)]
    attributes = _Ruleset(rights, 0, _SCOPES if abi >= 6 else 0)
    size = 8 if abi < 4 else 16 if abi < 6 else 24
    ruleset = _call(_CREATE, ctypes.byref(attributes), ctypes.c_size_t(size), 0)
    try:
        for path in reads:
            _allow(ruleset, path, rights & (_EXECUTE | _READ | _LIST))
        for path in writes:
            _allow(ruleset, path, rights)
        if _libc().prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0):
            raise OSError(ctypes.get_errno(), "no_new_privs")
        _call(_RESTRICT, ruleset, 0)
    finally:
        os.close(ruleset)


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        if not stat.S_ISDIR(os.fstat(opened).st_mode):
            rights &= _OF_A_FILE
        _call(_ADD, ruleset, 1, ctypes.byref(_Beneath(rights, opened)), 0)
    finally:
        os.close(opened)


def _call(number: int, *arguments: object) -> int:
    result = int(_libc().syscall(number, *arguments))
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
