/* A store in a folder of its own, and readings made from text. */
#include "tests/store_fixture.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "store/query.h"
#include "store/site.h"
#include "tests/unit/fixture.h"

struct store *
open_at(const char *path, bool is_read_only)
{
	struct store_options options = {
	    .path = path,
	    .is_read_only = is_read_only,
	};
	struct store *store;
	struct buf why;

	buf_init(&why, SIZE_MAX);
	if (store_open(&options, &store, &why) != DIAG_OK)
		fail_msg("%s", buf_str(&why));
	assert_int_equal(why.len, 0);
	buf_release(&why);
	return store;
}

void
world_open(struct world *world)
{
	(void)snprintf(
	    world->folder, sizeof(world->folder), "/tmp/freshet-unit-XXXXXX");
	assert_non_null(mkdtemp(world->folder));
	(void)snprintf(
	    world->path, sizeof(world->path), "%s/x.db", world->folder);
	world->store = open_at(world->path, false);
}

void
world_reopen(struct world *world)
{
	store_close(world->store);
	world->store = open_at(world->path, false);
}

void
folder_remove(const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *item;
	char path[400];

	assert_non_null(dir);
	for (item = readdir(dir); item != NULL; item = readdir(dir)) {
		(void)snprintf(
		    path, sizeof(path), "%s/%s", folder, item->d_name);
		if (item->d_name[0] != '.' && unlink(path) != 0)
			(void)rmdir(path);
	}
	(void)closedir(dir);
	(void)rmdir(folder);
}

void
world_close(struct world *world)
{
	store_close(world->store);
	folder_remove(world->folder);
}

int64_t
document_make(struct store *store, const char *host, const char *url)
{
	struct document document;

	store_document(
	    store, store_site(store, slice_of(host)), slice_of(url), &document);
	int64_t id = document.id;
	assert_true(id > 0);
	document_release(&document);
	return id;
}

static void
content_segment(void *arg, const struct block *block)
{
	block_list_add(&((struct content *)arg)->segment, block);
}

static void
content_delta(void *arg, const struct block *block)
{
	block_list_add(&((struct content *)arg)->delta, block);
}

/* content_make(store, reading, listed): what a reader would have sent back. */
static void
content_make(struct store *store, struct reading *reading, const char *listed)
{
	struct document document;
	struct block_source *previous;
	struct sorter *sorter = sorter_make(listed);
	struct content *content = &reading->content;

	assert_true(store_document_get(store, reading->document_id, &document));
	previous = block_source_segment(store, reading->document_id);
	content->kind = KIND_URLSET;
	struct merge_options options = {
	    .now_s = reading->at_s,
	    .is_complete = content->is_complete,
	    .is_held = content->is_held,
	    .is_first = document.entries + document.missed == 0 &&
		!document.lacks_refused &&
		store_is_baseline(store, document.id),
	    .is_baseline = document.lacks_refused,
	    .previous = block_source_pull,
	    .previous_arg = previous,
	    .segment = content_segment,
	    .delta = content_delta,
	    .arg = content,
	};
	assert_int_equal(merge_run(&options, sorter, &content->merge), DIAG_OK);
	content->seen = content->merge.entries;
	content->accepted = merge_accepted(&content->merge);
	content->is_baseline = options.is_first || options.is_baseline;
	content->refused = content->merge.refused;
	sorter_free(sorter);
	block_source_free(previous);
	document_release(&document);
}

struct reading *
reading_make(struct store *store, int64_t document_id, int64_t at_s,
    enum how how, const char *listed)
{
	struct reading *reading = reading_new(document_id, at_s);
	struct document document = document_get(store, document_id);

	reading->index_lastmod = document.index_lastmod;
	document_release(&document);
	reading->http.status = 200;
	reading->fingerprint = 77;
	reading->content.is_held = how == HELD;
	reading->content.is_complete = how == COMPLETE || how == HELD;
	switch (how) {
	case COMPLETE:
	case PARTIAL:
	case HELD:
		reading->outcome = OUTCOME_READ;
		content_make(store, reading, listed);
		break;
	case UNCHANGED:
		reading->http.status = 304;
		reading->outcome = OUTCOME_UNCHANGED;
		break;
	case UNREADABLE:
		reading->outcome = OUTCOME_READ;
		reading->content.failure = DIAG_HTML_NOT_SITEMAP;
		break;
	case FAILED:
		reading->http.status = 500;
		reading->outcome = OUTCOME_FAILED;
		reading->failure = DIAG_FETCH_SERVER_ERROR;
		break;
	case ABSENT:
		reading->http.status = 404;
		reading->outcome = OUTCOME_FAILED;
		reading->failure = DIAG_FETCH_NOT_FOUND;
		break;
	case REFUSED:
		reading->http.status = 0;
		reading->outcome = OUTCOME_REFUSED;
		reading->failure = DIAG_FETCH_BLOCKED_BY_ROBOTS;
		break;
	}
	return reading;
}

void
remember_id(void *arg, const struct reading *reading, int64_t reading_id)
{
	(void)reading;
	*(int64_t *)arg = reading_id;
}

/* submit(store, reading): committed; its id. */
int64_t
submit(struct store *store, struct reading *reading)
{
	int64_t id = 0;

	(void)store_submit(store, reading, remember_id, &id);
	assert_int_equal(store_flush(store), DIAG_OK);
	assert_true(id > 0);
	return id;
}

void
assert_segment(struct store *store, int64_t document_id, const char *expected)
{
	struct block_source *source = block_source_segment(store, document_id);
	struct buf out;

	buf_init(&out, SIZE_MAX);
	assert_string_equal(
	    segment_text(block_source_pull, source, &out), expected);
	buf_release(&out);
	block_source_free(source);
}

void
assert_delta(struct store *store, int64_t reading_id, const char *expected)
{
	struct block_source *source = block_source_delta(store, reading_id);
	struct buf out;

	buf_init(&out, SIZE_MAX);
	assert_string_equal(
	    delta_text(block_source_pull, source, &out), expected);
	buf_release(&out);
	block_source_free(source);
}

struct document
document_get(struct store *store, int64_t id)
{
	struct document document;

	assert_true(store_document_get(store, id, &document));
	return document;
}
