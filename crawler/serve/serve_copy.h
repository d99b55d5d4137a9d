/*
 * A store in PostgreSQL as `freshet serve` shows it: a copy, which `freshet db
 * copy` makes in a temporary folder, in a process of its own.  A minute after
 * one is there the next one is begun, or later, so that copying takes a tenth
 * of the time at most.
 */
#ifndef FRESHET_SERVE_COPY_H
#define FRESHET_SERVE_COPY_H

struct loop;
struct options;
struct serve_copy;

struct serve_copy_options {
	struct loop *loop;
	const struct options *options; /* store.url and the configuration */
	/* A new copy is there.  The path is right for a minute more after the
	 * next one is. */
	void (*made)(void *arg, const char *path);
	/* None could be made, and a line on stderr says why: an exit status. */
	void (*failed)(void *arg, int status);
	void *arg;
};

/* serve_copy_new(options): begin with the first copy.  NULL after one line on
 * stderr if there is no room for temporary files.
 * serve_copy_free(copy): remove all of it.  NULL is ignored. */
struct serve_copy *serve_copy_new(const struct serve_copy_options *);
void serve_copy_free(struct serve_copy *);

#endif
