/* The clock that a test sets. */
#include "crawler/event/test_clock.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#define PATIENCE_S 10 /* until an answer of the test */

static struct {
	int fd; /* owned; -1: none */
	pid_t pid; /* the process that opened fd; its children have no clock */
	int64_t wall_us; /* offsets to CLOCK_MONOTONIC, both */
	int64_t monotonic_us;
	int is_still; /* wall_us is no offset, but the time */
	uint64_t sent; /* reports sent */
	uint64_t seen; /* the latest report that the test read */
	/* the offsets are in use; false: the clocks are the real ones */
	bool is_set;
	bool is_idle;
	bool is_moved;
	char line[128];
	size_t len;
} test_clock = {.fd = -1};

/* read_line(flags): read one line and obey it; false when there is none. */
static bool
read_line(int flags)
{
	int64_t wall_us, monotonic_us;
	uint64_t seen;
	int is_still;
	char c = '\0';
	ssize_t n;

	do {
		n = recv(test_clock.fd, &c, 1, flags);
		if (n == 1 && c != '\n' &&
		    test_clock.len + 1 < sizeof(test_clock.line))
			test_clock.line[test_clock.len++] = c;
	} while ((n == 1 && c != '\n') || (n < 0 && errno == EINTR));
	if (n < 0 && flags != 0 && errno == EAGAIN)
		return false;
	test_clock.line[test_clock.len] = '\0';
	test_clock.len = 0;
	if (n != 1 ||
	    sscanf(test_clock.line, "%" SCNu64 " %" SCNd64 " %" SCNd64 " %d",
		&seen, &wall_us, &monotonic_us, &is_still) != 4) {
		/* The test has ended; the clocks keep their offsets. */
		(void)close(test_clock.fd);
		test_clock.fd = -1;
		test_clock.is_idle = false;
		return false;
	}
	test_clock.seen = seen;
	test_clock.is_idle = false;
	/* The clocks count as moved only if they were. */
	test_clock.is_moved |= wall_us != test_clock.wall_us ||
	    monotonic_us != test_clock.monotonic_us ||
	    is_still != test_clock.is_still;
	test_clock.is_still = is_still;
	test_clock.wall_us = wall_us;
	test_clock.monotonic_us = monotonic_us;
	return true;
}

static void
report(const char *text)
{
	char line[128];
	int len = snprintf(
	    line, sizeof(line), "%" PRIu64 " %s\n", ++test_clock.sent, text);

	if (send(test_clock.fd, line, (size_t)len, MSG_NOSIGNAL) != len) {
		(void)close(test_clock.fd);
		test_clock.fd = -1;
		test_clock.is_idle = false;
	}
}

bool
test_clock_open(void)
{
	const char *path = getenv("FRESHET_TEST_CLOCK");
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	struct timeval patience = {.tv_sec = PATIENCE_S};

	/* main.c calls this each time it reads the clock. */
	if (path == NULL || test_clock_fd() >= 0)
		return true;
	(void)snprintf(to.sun_path, sizeof(to.sun_path), "%s", path);
	test_clock.fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (test_clock.fd < 0)
		return false;
	test_clock.pid = getpid();
	(void)setsockopt(test_clock.fd, SOL_SOCKET, SO_RCVTIMEO, &patience,
	    sizeof(patience));
	if (connect(test_clock.fd, (struct sockaddr *)&to, sizeof(to)) != 0 ||
	    !read_line(0))
		return false;
	test_clock.is_moved = false;
	test_clock.is_set = true;
	return true;
}

int
test_clock_fd(void)
{
	return test_clock.fd >= 0 && test_clock.pid == getpid() ? test_clock.fd
								: -1;
}

int64_t
test_clock_us(clockid_t clock)
{
	bool is_wall = clock == CLOCK_REALTIME;
	struct timespec t;
	int answer = clock_gettime(
	    is_wall && !test_clock.is_set ? clock : CLOCK_MONOTONIC, &t);
	int64_t us = (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;

	assert(answer == 0);
	if (!is_wall)
		return us + test_clock.monotonic_us;
	if (!test_clock.is_set)
		return us;
	return test_clock.wall_us + (test_clock.is_still ? 0 : us);
}

struct test_due
test_clock_due(int64_t delay_ms)
{
	int64_t now_us = test_clock_us(CLOCK_MONOTONIC);

	return (struct test_due){.due_us = now_us + delay_ms * 1000,
	    .wall_us = test_clock_us(CLOCK_REALTIME) + delay_ms * 1000,
	    .set_us = now_us - test_clock.monotonic_us};
}

void
test_clock_idle(const struct test_due *due, uint64_t work)
{
	char text[100];

	(void)snprintf(text, sizeof(text),
	    "idle %" PRId64 " %" PRId64 " %" PRId64 " %" PRIu64, due->due_us,
	    due->wall_us, due->set_us, work);
	report(text);
	test_clock.is_idle = test_clock.fd >= 0;
}

bool
test_clock_moved(bool is_busy)
{
	bool is_moved;

	if (is_busy) {
		if (!test_clock.is_idle || test_clock_fd() < 0)
			return false;
		test_clock.is_idle = false;
		report("busy");
	}
	/* A busy process waits until the test has read the report. In a child
	 * the descriptor is closed, or that of another file. */
	while (test_clock_fd() >= 0 &&
	    (!is_busy || test_clock.seen < test_clock.sent) &&
	    read_line(is_busy ? 0 : MSG_DONTWAIT))
		continue;
	is_moved = test_clock.is_moved;
	test_clock.is_moved = false;
	if (is_moved && test_clock.fd >= 0)
		report("moved");
	return is_moved;
}
