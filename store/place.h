/* The file system that a store lies on. */
#ifndef FRESHET_PLACE_H
#define FRESHET_PLACE_H

#include <stdbool.h>
#include <stdint.h>

struct place {
	char type[24]; /* "ext4", or the kernel's number */
	bool is_network; /* no store may lie there */
	bool is_read_only;
	uint64_t free_bytes; /* for us */
};

/* place_look(place, folder): false with errno when it cannot be had. */
bool place_look(struct place *, const char *folder);

/* place_is_network(folder): locks and shared memory mean nothing there
 * (HOSTILE T30); false when nothing is known. */
bool place_is_network(const char *folder);

/*
 * place_trouble(folder): does a lock of ours keep another one out, and is
 * memory of a file shared, as SQLite's write-ahead log needs both?  Tried on
 * a file without a name.  NULL, or what does not work; errno is then set.
 */
const char *place_trouble(const char *folder);

#endif
