/* Socket addresses as ours. */
#include "crawler/fetch/sockaddr.h"

#include <netinet/in.h>
#include <string.h>

bool
sockaddr_read(const struct sockaddr *from, struct addr *addr, uint16_t *port)
{
	const void *p = from;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
	uint8_t bytes[4];

	if (from->sa_family == AF_INET) {
		memcpy(&in, p, sizeof(in));
		memcpy(bytes, &in.sin_addr, sizeof(bytes));
		*addr = addr_from_v4(bytes);
		*port = ntohs(in.sin_port);
		return true;
	}
	if (from->sa_family != AF_INET6)
		return false;
	memcpy(&in6, p, sizeof(in6));
	*addr = addr_from_v6(in6.sin6_addr.s6_addr);
	*port = ntohs(in6.sin6_port);
	return true;
}
