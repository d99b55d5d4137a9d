/* The file system of a folder: can a store lie there? */
#ifndef FRESHET_PLACE_H
#define FRESHET_PLACE_H

#include <stdbool.h>
#include <stdint.h>

struct place {
	char type[24]; /* "ext4", or the kernel's number */
	bool is_network; /* no store may lie there */
	bool is_read_only;
	uint64_t free_bytes; /* for this user */
};

/* place_look(place, folder): false with errno if the folder cannot be reached.
 */
bool place_look(struct place *, const char *folder);

/* place_is_network(folder): is it a network file system, where locks and shared
 * memory do not work (HOSTILE T30)?  False if the folder cannot be reached. */
bool place_is_network(const char *folder);

/*
 * place_trouble(folder):
 * Try, with a temporary file, whether locks keep others out, and whether memory
 * of a file is shared: SQLite's write-ahead log needs both.  Returns NULL, or
 * what does not work; errno is then set.
 */
const char *place_trouble(const char *folder);

#endif
