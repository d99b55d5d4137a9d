/*
 * Memory that runs out, to be preloaded: an allocation of any library fails.
 *
 * FRESHET_MEMORY_AT	the number of the allocation that fails, from 1; none
 *			or 0: all succeed
 * FRESHET_MEMORY_EVER	those behind it fail, too
 * FRESHET_MEMORY_DEPTH	0: they are those of the process that was started (if
 *			nothing is said); 1: of each that it forked; 2: of
 *			each that those forked
 * FRESHET_MEMORY_IN	those only that code makes whose file has this in its
 *			path
 * FRESHET_MEMORY_COUNT	a file: each process of that depth adds its number of
 *			allocations at its end
 *
 * Numbers count in each process, from its fork on.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* glibc's own, which need no look-up: dlsym() allocates */
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

static atomic_llong count;
static long long fails_at;
static bool fails_ever;
static const char *wanted_file;
static int wanted_depth;
static int depth;
static bool is_ready;

static long long
number(const char *name)
{
	const char *text = getenv(name);

	return text == NULL ? 0 : strtoll(text, NULL, 10);
}

static void
in_child(void)
{
	depth++;
	atomic_store(&count, 0);
}

__attribute__((constructor)) static void
begin(void)
{
	fails_at = number("FRESHET_MEMORY_AT");
	fails_ever = getenv("FRESHET_MEMORY_EVER") != NULL;
	wanted_file = getenv("FRESHET_MEMORY_IN");
	wanted_depth = (int)number("FRESHET_MEMORY_DEPTH");
	(void)pthread_atfork(NULL, NULL, in_child);
	is_ready = true;
}

__attribute__((destructor)) static void
end(void)
{
	const char *path = getenv("FRESHET_MEMORY_COUNT");
	char line[32];
	int fd;

	if (path == NULL || depth != wanted_depth)
		return;
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (fd < 0)
		return;
	(void)snprintf(
	    line, sizeof(line), "%lld\n", (long long)atomic_load(&count));
	(void)!write(fd, line, strlen(line));
	(void)close(fd);
}

static bool
fails(void *caller)
{
	long long now;
	Dl_info info;

	if (!is_ready || depth != wanted_depth)
		return false;
	if (wanted_file != NULL &&
	    (dladdr(caller, &info) == 0 || info.dli_fname == NULL ||
		strstr(info.dli_fname, wanted_file) == NULL))
		return false;
	now = atomic_fetch_add(&count, 1) + 1;
	if (fails_at == 0 || (fails_ever ? now < fails_at : now != fails_at))
		return false;
	errno = ENOMEM;
	return true;
}

void *
malloc(size_t n)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(n);
}

void *
calloc(size_t count_of, size_t n)
{
	return fails(__builtin_return_address(0)) ? NULL
						  : __libc_calloc(count_of, n);
}

void *
realloc(void *p, size_t n)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(p, n);
}

void *
memalign(size_t alignment, size_t n)
{
	return fails(__builtin_return_address(0))
	    ? NULL
	    : __libc_memalign(alignment, n);
}

void *
aligned_alloc(size_t alignment, size_t n)
{
	return memalign(alignment, n);
}

int
posix_memalign(void **p, size_t alignment, size_t n)
{
	void *room = memalign(alignment, n);

	if (room == NULL)
		return ENOMEM;
	*p = room;
	return 0;
}
