/*
 * The former texts of robots.txt of each origin.
 *
 * The present text is in the row of the origin.  A former text is kept when the
 * next one says something else (base/robots_difference.h): comments and the
 * order of lines make no text.  An origin without the file has an empty text.
 */
#ifndef FRESHET_ROBOTS_TEXT_H
#define FRESHET_ROBOTS_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

struct robots_fact;
struct store;

/* The store keeps so many former texts of an origin, the latest ones, if they
 * have so many bytes together at most. */
#define ROBOTS_TEXTS_MOST 50
#define ROBOTS_TEXTS_BYTES 2000000

struct robots_text {
	int64_t since_s; /* when it was read first; 0: unknown */
	int64_t until_s; /* when another one was read; 0: it is the present */
	bool is_file; /* false: there was none; the text is empty */
	struct slice body;
};

/* robots_text_keep(store, origin_id, fact): inside the store: keep the text of
 * the origin's row if that of the good answer `fact` says something else.  Call
 * it before the fact is stored. */
void robots_text_keep(
    struct store *, int64_t origin_id, const struct robots_fact *);

/*
 * store_each_robots_text(store, origin, fn, arg): the texts of an origin, in
 * the order in which they were read; the last one is the present one.  Texts
 * are borrowed; fn may use the store; false from fn stops.
 * store_each_site_origin(store, site_id, fn, arg): the origins of a site's
 * documents, in order.
 */
typedef bool store_robots_text_fn(void *arg, const struct robots_text *);
void store_each_robots_text(
    struct store *, struct slice origin, store_robots_text_fn *, void *arg);
typedef void store_origin_fn(void *arg, struct slice origin);
void store_each_site_origin(
    struct store *, int64_t site_id, store_origin_fn *, void *arg);

#endif
