/*
 * What a machine says, for tests, to be preloaded: getaddrinfo without any
 * server, its own addresses, an older kernel.
 *
 *	tar….example	answers after FRESHET_TAR_S seconds (8) that it cannot
 *	gone….example	does not exist, after FRESHET_GONE_US microseconds (0)
 *	turn….example	127.0.0.1, and from the second time on 127.0.0.2
 *	both….example	127.0.0.2 and 127.0.0.1
 *	victim….example	127.0.0.3
 *	to5f00xx1.example	5f00::1: an x stands for a colon, an o for a dot
 *	to127o0o0o1z5f00xx1.example	both, in that order
 *	any other	127.0.0.1; numbers are as ever
 *
 * Nobody but this machine is ever connected to: all other addresses are
 * unreachable.
 *
 * FRESHET_TEST_THREADS	a file that gets a line for each name that is gone: how
 *			many threads there are
 * FRESHET_TEST_OWN	an IPv4 address that this machine has got when its
 *			interfaces are asked for the second time, or from
 *			the first time on, with FRESHET_TEST_OWN_FIRST
 */
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
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

/* spelt(name, address): what a name that begins with "to" spells. */
static bool
spelt(const char *name, char address[64])
{
	size_t i = 0;

	if (!is_called(name, "to") || strchr("0123456789x", name[2]) == NULL)
		return false;
	for (name += 2; name[i] != '\0' && name[i] != '.' && i < 63; i++)
		address[i] = name[i] == 'x' ? ':'
		    : name[i] == 'o'        ? '.'
					    : name[i];
	address[i] = '\0';
	return true;
}

/* resolve_spelt(real, text, service, hints, found): one address, or two. */
static int
resolve_spelt(resolve_fn *real, char *text, const char *service,
    const struct addrinfo *hints, struct addrinfo **found)
{
	char *second = strchr(text, 'z');
	struct addrinfo *last;
	int rc;

	if (second != NULL)
		*second++ = '\0';
	rc = real(text, service, hints, found);
	if (rc != 0 || second == NULL)
		return rc;
	for (last = *found; last->ai_next != NULL;)
		last = last->ai_next;
	return real(second, service, hints, &last->ai_next);
}

int
getifaddrs(struct ifaddrs **list)
{
	static atomic_bool is_second;
	static struct sockaddr_in own = {.sin_family = AF_INET};
	static struct ifaddrs more = {.ifa_addr = (struct sockaddr *)&own};
	const char *address = getenv("FRESHET_TEST_OWN");
	void *symbol = dlsym(RTLD_NEXT, "getifaddrs");
	int (*real)(struct ifaddrs **);
	struct ifaddrs *last;

	(void)memcpy(&real, &symbol, sizeof(real));
	if (real(list) != 0)
		return -1;
	if (address == NULL ||
	    (!atomic_exchange(&is_second, true) &&
		getenv("FRESHET_TEST_OWN_FIRST") == NULL))
		return 0;
	(void)inet_pton(AF_INET, address, &own.sin_addr);
	/* freeifaddrs() frees the first item, which holds the memory of all, so
	 * the item of the test may only come last */
	for (last = *list; last->ifa_next != NULL;)
		last = last->ifa_next;
	last->ifa_next = &more;
	return 0;
}

int
getaddrinfo(const char *name, const char *service, const struct addrinfo *hints,
    struct addrinfo **found)
{
	static atomic_bool has_turned;
	resolve_fn *real;
	void *symbol = dlsym(RTLD_NEXT, "getaddrinfo");
	const char *address = "127.0.0.1";
	char text[64];
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
	if (spelt(name, text))
		return resolve_spelt(real, text, service, hints, found);
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

typedef int connect_fn(int, const struct sockaddr *, socklen_t);

static bool
is_here(const struct sockaddr *address)
{
	struct sockaddr_in four;
	struct sockaddr_in6 six;

	if (address->sa_family == AF_INET) {
		(void)memcpy(&four, address, sizeof(four));
		return ntohl(four.sin_addr.s_addr) >> 24 == 127;
	}
	if (address->sa_family == AF_INET6) {
		(void)memcpy(&six, address, sizeof(six));
		return IN6_IS_ADDR_LOOPBACK(&six.sin6_addr);
	}
	return true;
}

int
connect(int fd, const struct sockaddr *address, socklen_t len)
{
	connect_fn *real;
	void *symbol = dlsym(RTLD_NEXT, "connect");

	(void)memcpy(&real, &symbol, sizeof(real));
	if (!is_here(address)) {
		errno = ENETUNREACH;
		return -1;
	}
	return real(fd, address, len);
}
