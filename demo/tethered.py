"""Becomes another program that the kernel kills when our parent dies, however it dies.

Usage: `python tethered.py PARENT_PID PROGRAM [ARGUMENT...]`. A program of its own because running Python code between
fork and exec is not safe in a process that has threads. Only Linux has such a tie; elsewhere the program goes without.
"""

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def main() -> None:
    """Tie this process to its parent, then exec the program."""
    parent, program, *arguments = sys.argv[1:]
    if sys.platform == "linux":
        tie()
    # A parent that died before the kernel knew of the tie sends no signal.
    if os.getppid() == int(parent):
        os.execv(program, [program, *arguments])  # noqa: S606 (the command is the caller's)


def tie() -> None:
    """Has the kernel kill this process when its parent dies (on Linux).

    Raises:
        OSError: the kernel does not.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_PDEATHSIG) failed")


if __name__ == "__main__":
    main()
