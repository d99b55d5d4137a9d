/*
 * A resolver for tests, to be preloaded: getaddrinfo without any server.
 *
 *	tar….example	answers after FRESHET_TAR_S seconds (8) that it cannot
 *say gone….example	does not exist
 *	any other	127.0.0.1; numbers are as ever
 */
#include <dlfcn.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef int resolve_fn(
    const char *, const char *, const struct addrinfo *, struct addrinfo **);

int
getaddrinfo(const char *name, const char *service, const struct addrinfo *hints,
    struct addrinfo **found)
{
	const char *patience = getenv("FRESHET_TAR_S");
	resolve_fn *real;
	void *symbol;

	if (name != NULL && strncmp(name, "gone", 4) == 0)
		return EAI_NONAME;
	if (name != NULL && strncmp(name, "tar", 3) == 0) {
		(void)sleep(patience == NULL
			? 8
			: (unsigned)strtoul(patience, NULL, 10));
		return EAI_AGAIN;
	}
	symbol = dlsym(RTLD_NEXT, "getaddrinfo");
	(void)memcpy(&real, &symbol, sizeof(real));
	if (name != NULL && strchr("0123456789[:", name[0]) == NULL)
		name = "127.0.0.1";
	return real(name, service, hints, found);
}
