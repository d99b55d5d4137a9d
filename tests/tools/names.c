/*
 * A resolver for tests, to be preloaded: getaddrinfo without any server.
 *
 *	tar….example	answers after FRESHET_TAR_S seconds (8) that it cannot
 *	gone….example	does not exist, after FRESHET_GONE_US microseconds (0)
 *	turn….example	127.0.0.1, and from the second time on 127.0.0.2
 *	both….example	127.0.0.2 and 127.0.0.1
 *	victim….example	127.0.0.3
 *	any other	127.0.0.1; numbers are as ever
 *
 * FRESHET_TEST_THREADS	a file that gets a line for each name that is gone: how
 *			many threads there are
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <netdb.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef int resolve_fn(
    const char *, const char *, const struct addrinfo *, struct addrinfo **);

static bool
is_called(const char *name, const char *begin)
{
	return strncmp(name, begin, strlen(begin)) == 0;
}

/* Two links of the folder itself, and one for each thread. */
static void
note_threads(void)
{
	const char *path = getenv("FRESHET_TEST_THREADS");
	struct stat tasks;
	int fd;

	if (path == NULL)
		return;
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (fd < 0 || stat("/proc/self/task", &tasks) != 0)
		abort();
	(void)dprintf(fd, "%u\n", (unsigned)tasks.st_nlink - 2);
	(void)close(fd);
}

static void
wait_gone(void)
{
	const char *patience = getenv("FRESHET_GONE_US");

	if (patience != NULL)
		(void)usleep((useconds_t)strtoul(patience, NULL, 10));
}

static int
tar(void)
{
	const char *patience = getenv("FRESHET_TAR_S");

	(void)sleep(
	    patience == NULL ? 8 : (unsigned)strtoul(patience, NULL, 10));
	return EAI_AGAIN;
}

int
getaddrinfo(const char *name, const char *service, const struct addrinfo *hints,
    struct addrinfo **found)
{
	static atomic_bool has_turned;
	resolve_fn *real;
	void *symbol = dlsym(RTLD_NEXT, "getaddrinfo");
	const char *address = "127.0.0.1";
	int rc;

	(void)memcpy(&real, &symbol, sizeof(real));
	if (name == NULL || strchr("0123456789[:", name[0]) != NULL)
		return real(name, service, hints, found);
	if (is_called(name, "gone")) {
		wait_gone();
		note_threads();
		return EAI_NONAME;
	}
	if (is_called(name, "tar"))
		return tar();
	if (is_called(name, "both") ||
	    (is_called(name, "turn") && atomic_exchange(&has_turned, true)))
		address = "127.0.0.2";
	if (is_called(name, "victim"))
		address = "127.0.0.3";
	rc = real(address, service, hints, found);
	if (rc == 0 && is_called(name, "both")) {
		struct addrinfo *last = *found;

		while (last->ai_next != NULL)
			last = last->ai_next;
		rc = real("127.0.0.1", service, hints, &last->ai_next);
	}
	return rc;
}
