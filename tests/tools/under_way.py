"""What a run of tests says when it is cut (tests/tools/bounded)."""
import signal
import sys
import time


class Cut(BaseException):
    """SIGTERM: nothing has ended for too long, or nobody wants to know more."""


def raise_cut(*_):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise Cut


def may_be_cut():
    """From now on SIGTERM raises Cut in the main thread."""
    signal.signal(signal.SIGTERM, raise_cut)


def name_them(begun, waiting):
    """Say which tests were under way: {name: time.monotonic() of its begin},
    and how many have not begun; the number of those that failed so."""
    for name, begin in sorted(begun.items(), key=lambda item: item[1]):
        print("FAIL %s: under way for %.0f s when all was cut" % (name, time.monotonic() - begin))
    print("%d were not begun" % waiting)
    sys.stdout.flush()
    return max(1, len(begun))
