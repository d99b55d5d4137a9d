/* The file system of a folder: can a store lie there? */
#ifndef FRESHET_FILE_SYSTEM_H
#define FRESHET_FILE_SYSTEM_H

#include <stdbool.h>
#include <stdint.h>

struct file_system {
	char type[24]; /* "ext4", or the kernel's number */
	bool is_network; /* no store may lie there */
	bool is_read_only;
	uint64_t free_bytes; /* for this user */
};

/* file_system_look(system, folder): false with errno if the folder cannot be
 * reached.
 */
bool file_system_look(struct file_system *, const char *folder);

/* file_system_is_network(folder): is it a network file system, where locks and
 * shared memory do not work (HOSTILE T30)?  False if the folder cannot be
 * reached. */
bool file_system_is_network(const char *folder);

/*
 * file_system_trouble(folder):
 * Try, with a temporary file, whether locks keep others out, and whether memory
 * of a file is shared: SQLite's write-ahead log needs both.  Returns NULL, or
 * what does not work; errno is then set.
 */
const char *file_system_trouble(const char *folder);

#endif
