"""What a test found to take too long, and not to be wrong: suite.py looks again
at that alone, when no other test takes the processors."""
import subprocess


class TooLate(AssertionError):
    """It took longer than it may."""


# the last two are what waits of a bounded time raise
LATE = (TooLate, TimeoutError, subprocess.TimeoutExpired)


def assert_sooner(seconds, limit_s, what=""):
    """Of the clock or of the processors: fail unless seconds are fewer than
    limit_s."""
    if not seconds < limit_s:
        raise TooLate("%.2f s, must be less than %.2f: %s" % (seconds, limit_s, what))
