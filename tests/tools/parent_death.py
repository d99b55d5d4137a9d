"""Lets child processes end when the test that started them is killed."""
import ctypes
import signal

LIBC = ctypes.CDLL(None)
PR_SET_PDEATHSIG = 1


def with_parent(sign=signal.SIGKILL):
    """For subprocess's preexec_fn."""
    def prepare():
        LIBC.prctl(PR_SET_PDEATHSIG, int(sign), 0, 0, 0)
    return prepare
