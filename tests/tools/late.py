"""What a test found to take too long, and not to be wrong: suite.py looks again
at that alone, when no other test takes the processors.  A machine that is busy
with something else is measured, and forgiven."""
import subprocess
import time

BUSY = 1.5      # a processor's second takes so many seconds, or more: not quiet
FORGIVEN = 20   # times the limit, then


class TooLate(AssertionError):
    """It took longer than it may."""


# the last two are what waits of a bounded time raise
LATE = (TooLate, TimeoutError, subprocess.TimeoutExpired)


def is_busy():
    """Has this machine other work?  Some must be done to know."""
    begin, end = time.monotonic(), time.process_time() + 0.2
    while time.process_time() < end:
        pass
    return time.monotonic() - begin > BUSY * 0.2


def assert_sooner(seconds, limit_s, what=""):
    """Of the clock or of the processors: fail unless seconds are fewer than
    limit_s."""
    if not seconds < limit_s and not (seconds < FORGIVEN * limit_s and is_busy()):
        raise TooLate("%.2f s, must be less than %.2f: %s" % (seconds, limit_s, what))
