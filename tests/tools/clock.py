"""The clock of programs under test; see tests/fixtures/test_clock.h and docs/internals/clock.md.

    clock = Clock(folder)                 # time passes as it does
    program.variables.update(clock.variables)
    clock.advance(86400)                  # a day later, for all of them
    clock.step(-3600)                     # NTP: the wall clock alone
    clock.leap()                          # never wait: on to the next timer
    clock.leap(until=clock.now() + 7 * DAY)
    clock.leap(stride=600)                # while all rest, 10 minutes at once
    clock.rate(3600)                      # while all wait, 1 s is an hour
    clock.hold()

Any number of processes may follow one clock: it moves by itself only when none
of them has anything to do.  Times are seconds; now() is the wall clock.

While it leaps the wall clock stands from one move to the next, so that a slow
machine tells the same times as a fast one.  The monotonic clock goes on, since
transfers take real time.
"""
import os
import socket
import threading
import time

DAY = 86400
TICK_S = 0.005
REST_S = 30         # timers that are further apart are of a program that rests


def real_us():
    return time.monotonic_ns() // 1000


class Follower:
    """One process that follows."""

    def __init__(self, connection):
        self.connection = connection
        self.seen = 0       # its latest report
        self.due_us = None  # while it is idle: until when, -1: for ever
        self.at_us = 0      # the wall clock that it wants to see then
        self.work = 0       # callbacks before that
        self.owes = 0       # lines that moved time and are not acknowledged


class Clock:
    """wall: what it says at first; monotonic: the same of the other one."""

    def __init__(self, folder, wall=None, monotonic=None):
        self.path = os.path.join(folder, "clock")
        now = real_us()
        wall = time.time() if wall is None else wall
        self.wall_us = int(wall * 1e6) - now  # while it stands, it is the time
        self.is_still = False
        self.steps = []       # when, and how far, the wall clock alone was moved
        self.monotonic_us = 0 if monotonic is None else int(monotonic * 1e6) - now
        lock = threading.RLock()
        self.changed = threading.Condition(lock)
        self.paced = threading.Condition(lock)  # the same, for pace alone
        self.waits = 0        # of those who step: for all to know it
        self.followers = []
        self.mode = "hold"
        self.until = None     # leap: no further, of the wall clock
        self.before = None    # leap: called with the time it will be
        self.stride_us = 0    # leap: at least so far while all rest
        self.last_us = 0      # leap: how far the last one went
        self.speed = 1
        self.asked = None     # what all said before they were asked again
        self.leaps = 0
        self.is_closing = False
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.listener.bind(self.path)
        self.listener.listen(64)
        for run in (self.accept, self.pace):
            threading.Thread(target=run, daemon=True).start()

    @property
    def variables(self):
        return {"FRESHET_TEST_CLOCK": self.path}

    def close(self):
        with self.changed:
            self.is_closing = True
            self.notify()
            for follower in self.followers:
                follower.connection.close()
        try:
            self.listener.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.listener.close()

    # --- what time it is ------------------------------------------------------

    def now(self):
        with self.changed:
            return self.wall_now_us() / 1e6

    def monotonic(self):
        with self.changed:
            return (real_us() + self.monotonic_us) / 1e6

    # --- moving it ------------------------------------------------------------

    def advance(self, seconds):
        """Time passes: both clocks."""
        self.step(seconds, seconds)

    def step(self, wall=0.0, monotonic=0.0, timeout=600):
        """Move each by so much, and wait until all that follow know it."""
        with self.changed:
            if wall != monotonic:
                self.steps.append((real_us(), int((wall - monotonic) * 1e6)))
            self.move(int(wall * 1e6), int(monotonic * 1e6))
            self.waits += 1
            try:
                if not self.changed.wait_for(self.is_known, timeout):
                    raise TimeoutError("a process does not follow the clock")
            finally:
                self.waits -= 1

    def set(self, wall):
        """The wall clock alone."""
        self.step(wall - self.now())

    def hold(self):
        self.behave("hold")

    def leap(self, until=None, before=None, stride=0):
        """On to the next timer, whenever all are idle, until the wall clock
        says that; before(time) is called first, and may take its time.  While
        timers are far apart, a leap is that many seconds at least: a timer
        comes late by less than that, as on a busy machine."""
        self.behave("leap", until=until, before=before, stride=stride)

    def rate(self, speed):
        """So much faster, while all are idle."""
        self.behave("rate", speed=speed)

    def wait_idle(self, timeout=600):
        """Until all that follow are idle, and there is one: seconds until the
        next timer, None: none."""
        with self.changed:
            if not self.changed.wait_for(lambda: self.followers and self.are_idle(), timeout):
                raise TimeoutError("they have something to do all the time")
            due = self.next_due()
            return None if due is None else (due - real_us() - self.monotonic_us) / 1e6

    def pass_idle(self, seconds, timeout=600):
        """advance and wait_idle at once, for steps by the hundred thousand."""
        with self.changed:
            self.move(int(seconds * 1e6), int(seconds * 1e6))
            return self.wait_idle(timeout)

    def settle(self, timeout=600):
        """wait_idle, and nothing is on its way from one to another."""
        with self.changed:
            self.asked = None
            if not self.changed.wait_for(
                    lambda: self.followers and self.are_idle() and self.is_certain(), timeout):
                raise TimeoutError("they have something to do all the time")
            due = self.next_due()
            return None if due is None else (due - real_us() - self.monotonic_us) / 1e6

    def wait_followers(self, count, timeout=600):
        """Until so many follow: one that has just begun knows no time that it
        has not seen."""
        with self.changed:
            if not self.changed.wait_for(lambda: len(self.followers) >= count, timeout):
                raise TimeoutError("%d follow" % len(self.followers))

    def wait_until(self, wall, timeout=600):
        """Until the clock says that.  It may not stand still for so many real
        seconds; how long everything takes depends on the machine."""
        with self.changed:
            moved_us = None
            while self.wall_now_us() < wall * 1e6:
                if self.wall_us != moved_us:
                    moved_us, end = self.wall_us, time.monotonic() + timeout
                left = end - time.monotonic()
                if left <= 0:
                    raise TimeoutError("it is not so late yet")
                self.changed.wait(min(left, 0.05))

    # --- inside: all of it with the lock held, but for the threads ------------

    def behave(self, mode, until=None, before=None, speed=1, stride=0):
        with self.changed:
            self.stride_us, self.last_us = int(stride * 1e6), 0
            self.until, self.before, self.speed = until, before, speed
            self.asked = None
            self.enter(mode)
            self.notify()

    def enter(self, mode):
        self.mode = mode
        if self.is_still != (mode == "leap"):
            self.wall_us += -real_us() if self.is_still else real_us()
            self.is_still = not self.is_still
            self.tell()

    def wall_now_us(self):
        return self.wall_us + (0 if self.is_still else real_us())

    def notify(self):
        self.changed.notify_all()
        self.paced.notify_all()

    def is_known(self):
        return not any(f.owes for f in self.followers)

    def are_idle(self):
        return all(f.due_us is not None for f in self.followers)

    def next_due(self):
        due = [f.due_us for f in self.followers if f.due_us is not None and f.due_us >= 0]
        return min(due) if due else None

    def say(self, follower):
        line = "%d %d %d %d\n" % (follower.seen, self.wall_us, self.monotonic_us, self.is_still)
        follower.due_us = None
        try:
            follower.connection.sendall(line.encode())
        except OSError:
            pass

    def move(self, wall_us, monotonic_us):
        if wall_us == 0 and monotonic_us == 0:
            return
        self.wall_us += wall_us
        self.monotonic_us += monotonic_us
        self.tell()

    def tell(self):
        for follower in self.followers:
            follower.owes += 1
            self.say(follower)

    def accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            follower = Follower(connection)
            with self.changed:
                self.followers.append(follower)
                self.say(follower)
                self.changed.notify_all()
            threading.Thread(target=self.follow, args=(follower,), daemon=True).start()

    def follow(self, follower):
        try:
            for line in follower.connection.makefile("r", encoding="ascii"):
                with self.changed:
                    self.hear(follower, line.split())
                    # what nobody waits for wakes nobody: a year is a million lines
                    if self.are_idle() or (self.waits and self.is_known()):
                        self.changed.notify_all()
                        if self.mode != "hold":
                            self.paced.notify_all()
        except (OSError, ValueError):
            pass
        with self.changed:
            self.followers.remove(follower)
            follower.owes = 0
            self.notify()
            follower.connection.close()

    def hear(self, follower, words):
        follower.seen = int(words[0])
        if words[1] == "moved":
            # one answer may be for several lines
            follower.owes = 0
        elif words[1] == "busy":
            self.say(follower)
        elif not follower.owes:
            # what it said before it heard of a move is of no use
            follower.due_us, at_us, set_us, follower.work = map(int, words[2:6])
            follower.at_us = at_us + sum(by_us for when, by_us in self.steps if when > set_us)

    def is_certain(self):
        """Are they idle, or is something on its way from one to another?  All
        are asked once more: whoever has got it will say so."""
        told = [(id(f), f.work) for f in self.followers]
        if len(told) == 1 or told == self.asked:
            self.asked = None
            return True
        self.asked = told
        for follower in self.followers:
            self.say(follower)
        return False

    def pace(self):
        with self.changed:
            while not self.is_closing:
                if self.mode == "rate" and self.followers and self.are_idle():
                    self.tick()
                elif self.mode == "leap" and self.followers and self.are_idle() \
                        and self.is_certain():
                    self.leap_once()
                    self.changed.wait(0.001)
                else:
                    self.paced.wait(0.1)

    def tick(self):
        """One step at that speed: as far as time would have come."""
        begin = real_us()
        self.changed.wait_for(lambda: self.is_closing, TICK_S)
        if self.mode == "rate" and self.are_idle():
            passed = int((real_us() - begin) * (self.speed - 1))
            self.move(passed, passed)

    def leap_once(self):
        due_us = self.next_due()
        far_us = None if self.until is None else int(self.until * 1e6) - self.wall_us
        by_us = None
        late_us = 0  # so far the wall clock stayed behind since that timer was set
        if due_us is not None:
            by_us = max(0, due_us - real_us() - self.monotonic_us)
            late_us = max(0, max(f.at_us for f in self.followers if f.due_us == due_us)
                          - self.wall_us - by_us)
        if by_us is not None and min(by_us, self.last_us) >= REST_S * 1e6:
            by_us = max(by_us, self.stride_us)
        if far_us is not None and (by_us is None or by_us + late_us > far_us):
            by_us, late_us = max(0, far_us), 0
            self.enter("hold")
        if by_us is None:
            return
        if self.before is not None:
            before, at = self.before, (self.wall_now_us() + by_us + late_us) / 1e6
            self.changed.release()
            try:
                before(at)
            finally:
                self.changed.acquire()
        self.leaps += 1
        self.last_us = by_us
        self.move(by_us + late_us, by_us)
        self.changed.notify_all()
