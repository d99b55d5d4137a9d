/* Socket addresses as ours. */
#ifndef FRESHET_SOCKADDR_H
#define FRESHET_SOCKADDR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "base/addr.h"

/* sockaddr_read(from, addr, port): false when it is neither IPv4 nor IPv6;
 * the room behind `from` is that of its family. */
bool sockaddr_read(const struct sockaddr *from, struct addr *, uint16_t *port);

#endif
