/* A depot where freshet was built without libpq. */
#include <stddef.h>

#include "store/depot/depot.h"

bool
depot_library(struct library *library)
{
	*library = (struct library){.name = "libpq"};
	return false;
}

static enum diag_code
depot_refuse(struct buf *why)
{
	(void)buf_print(why,
	    "this freshet was built without PostgreSQL: install libpq-dev, and "
	    "build it anew");
	return DIAG_STORE_UNUSABLE;
}

bool
depot_check_url(const char *url, struct buf *why)
{
	(void)url;
	return depot_refuse(why) == DIAG_OK;
}

enum diag_code
depot_init(const char *url, struct buf *why)
{
	(void)url;
	return depot_refuse(why);
}

bool
depot_probe(const char *url, struct buf *text)
{
	return depot_check_url(url, text);
}

enum diag_code
depot_open(const struct depot_options *options, struct store *store,
    struct depot **depot, struct buf *why)
{
	(void)options, (void)store;
	*depot = NULL;
	return depot_refuse(why);
}

void
depot_close(struct depot *depot)
{
	(void)depot;
}

void
depot_free(struct depot *depot)
{
	(void)depot;
}

const char *
depot_why(struct depot *depot)
{
	(void)depot;
	return "";
}

int64_t
depot_away_ms(const struct depot *depot)
{
	(void)depot;
	return 0;
}

void
depot_step(struct depot *depot)
{
	(void)depot;
}

int
depot_fd(const struct depot *depot, bool *wants_write)
{
	(void)depot;
	*wants_write = false;
	return -1;
}

int64_t
depot_wait_ms(const struct depot *depot)
{
	(void)depot;
	return INT64_MAX;
}
