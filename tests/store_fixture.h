/* A store in a folder of its own, and readings made from text, for tests. */
#ifndef FRESHET_STORE_FIXTURE_H
#define FRESHET_STORE_FIXTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "store/store.h"
#include "tests/segment_fixture.h"

struct world {
	char folder[64];
	char path[96];
	struct store *store;
};

/* open_at(path, is_read_only): it must open. */
struct store *open_at(const char *path, bool is_read_only);

/* world_open(world): a new folder with an open store. */
void world_open(struct world *);
void world_reopen(struct world *);
void world_close(struct world *); /* and remove the folder */

/* folder_remove(folder): with what is directly in it. */
void folder_remove(const char *folder);

/* document_make(store, host, url): its id. */
int64_t document_make(struct store *, const char *host, const char *url);

/* document_get(store, id): it must be there; release it. */
struct document document_get(struct store *, int64_t id);

/* ABSENT: 404; HELD: a complete one that lacks too much at once. */
enum how {
	COMPLETE,
	PARTIAL,
	HELD,
	UNCHANGED,
	UNREADABLE,
	FAILED,
	ABSENT,
	REFUSED
};

/* reading_make(store, document_id, at_s, how, listed): what a reader would
 * have sent back for a document that lists so much; a first one is a baseline
 * as in a crawl (store_first_read). */
struct reading *reading_make(struct store *, int64_t document_id, int64_t at_s,
    enum how, const char *listed);

/* remember_id(id, reading, reading_id): a store_done_fn. */
void remember_id(void *id, const struct reading *, int64_t reading_id);

/* submit(store, reading): committed; its id. */
int64_t submit(struct store *, struct reading *);

/* assert_segment(store, document_id, text), assert_delta(store, reading_id,
 * text): what is stored is that. */
void assert_segment(struct store *, int64_t document_id, const char *text);
void assert_delta(struct store *, int64_t reading_id, const char *text);

#endif
