/* Documents that nothing on the watch list leads to any more: see strays.h. */
#include "crawler/strays.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/url.h"
#include "crawler/idmap.h"
#include "crawler/target.h"
#include "store/document.h"
#include "store/proof.h"
#include "store/roster.h"
#include "store/site.h"
#include "store/watch.h"

/* Documents that targets lead to. */
struct reach {
	struct store *store;
	int64_t site_id;
	struct idmap seen;
	struct strays found; /* in the order in which they were met */
	struct buf origin; /* whose robots.txt was looked up last */
};

static void
put(struct strays *strays, int64_t id)
{
	strays->ids = mem_grow(
	    strays->ids, &strays->cap, strays->count + 1, sizeof(*strays->ids));
	strays->ids[strays->count++] = id;
}

static void
reach_put(void *arg, int64_t id)
{
	struct reach *reach = arg;

	if (id <= 0 || idmap_get(&reach->seen, id) != IDMAP_NONE)
		return;
	idmap_put(&reach->seen, id, 1);
	put(&reach->found, id);
}

static void
reach_url(void *arg, struct slice url)
{
	struct reach *reach = arg;

	reach_put(reach, store_document_id(reach->store, reach->site_id, url));
}

static void
reach_path(struct reach *reach, struct slice origin, const char *path)
{
	struct buf url;

	buf_init(&url, URL_MAX_BYTES);
	if (buf_put_slice(&url, origin) && buf_put_slice(&url, slice_of(path)))
		reach_url(reach, buf_text(&url));
	buf_release(&url);
}

static void
reach_origin(struct reach *reach, struct slice origin)
{
	reach_path(reach, origin, "/robots.txt");
	store_named(reach->store, origin, reach_url, reach);
	for (size_t i = 0; i < TARGET_PLACES; i++)
		reach_path(reach, origin, target_places[i]);
}

/* A bare host was asked for over http where https did not answer. */
static void
reach_http(struct reach *reach, struct slice origin)
{
	struct buf http;

	buf_init(&http, URL_MAX_BYTES);
	if (buf_put_slice(&http, slice_of("http")) &&
	    buf_put_slice(&http, slice_from(origin, strlen("https"))))
		reach_origin(reach, buf_text(&http));
	buf_release(&http);
}

static void
reach_target(struct reach *reach, const char *text)
{
	struct target target;

	if (target_parse(&target, slice_of(text)) != DIAG_OK) {
		target_release(&target);
		return;
	}
	if (target.kind == TARGET_DOCUMENT)
		reach_url(reach, url_text(&target.url));
	else
		reach_origin(reach, url_origin(&target.url));
	if (target.has_no_scheme && target.kind != TARGET_DOCUMENT)
		reach_http(reach, url_origin(&target.url));
	target_release(&target);
}

/* Of a normalised URL. */
static struct slice
origin_of(struct slice url)
{
	size_t end = 0;

	for (int slashes = 0; end < url.len; end++)
		if (url.p[end] == '/' && ++slashes == 3)
			break;
	return slice_make(url.p, end);
}

/* It is read only where its robots.txt is. */
static void
reach_robots(struct reach *reach, struct slice url)
{
	struct slice origin = origin_of(url);

	if (slice_equal(buf_text(&reach->origin), origin))
		return;
	buf_clear(&reach->origin);
	(void)buf_put_slice(&reach->origin, origin);
	reach_path(reach, origin, "/robots.txt");
}

static void
reach_walk(struct reach *reach)
{
	struct roster_row row;
	struct buf url;

	buf_init(&url, URL_MAX_BYTES);
	for (size_t i = 0; i < reach->found.count; i++) {
		int64_t id = reach->found.ids[i];

		if (!store_roster(reach->store, id, &row, &url))
			continue;
		reach_robots(reach, row.url);
		store_each_led(reach->store, id, reach_put, reach);
	}
	buf_release(&url);
}

/* What they name themselves. */
static void
reach_targets(struct reach *reach, struct store *store, int64_t site_id,
    const struct strings *targets)
{
	*reach = (struct reach){.store = store, .site_id = site_id};
	buf_init(&reach->origin, URL_MAX_BYTES);
	for (size_t i = 0; i < targets->count; i++)
		reach_target(reach, targets->items[i]);
}

static void
reach_all(struct reach *reach, struct store *store, int64_t site_id,
    const struct strings *targets)
{
	reach_targets(reach, store, site_id, targets);
	reach_walk(reach);
}

static void
reach_release(struct reach *reach)
{
	idmap_release(&reach->seen);
	strays_release(&reach->found);
	buf_release(&reach->origin);
}

static int
by_id(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

bool
strays_has(const struct strays *strays, int64_t id)
{
	return strays->count > 0 &&
	    bsearch(&id, strays->ids, strays->count, sizeof(id), by_id) != NULL;
}

void
strays_release(struct strays *strays)
{
	free(strays->ids);
	*strays = (struct strays){0};
}

/* Documents of the site that are no strays, and each robots.txt of theirs. */
struct needs {
	const struct strays *strays;
	struct reach reach;
};

static void
need(void *arg, const struct roster_row *row)
{
	struct needs *needs = arg;

	if (row->kind != KIND_ROBOTS && !strays_has(needs->strays, row->id))
		reach_robots(&needs->reach, row->url);
}

/* What is needed by documents that no target leads to, either. */
static void
keep_needed(struct store *store, int64_t site_id, struct strays *strays)
{
	struct needs needs = {
	    .strays = strays, .reach = {.store = store, .site_id = site_id}};
	size_t kept = 0;

	buf_init(&needs.reach.origin, URL_MAX_BYTES);
	store_each_roster_of(store, site_id, need, &needs);
	for (size_t i = 0; i < strays->count; i++)
		if (idmap_get(&needs.reach.seen, strays->ids[i]) == IDMAP_NONE)
			strays->ids[kept++] = strays->ids[i];
	strays->count = kept;
	reach_release(&needs.reach);
}

void
strays_find(
    struct store *store, const struct watch *watch, struct strays *strays)
{
	struct reach former, left;

	*strays = (struct strays){0};
	if (!watch->is_watched || watch->former.count == 0)
		return;
	reach_all(&former, store, watch->site_id, &watch->former);
	reach_all(&left, store, watch->site_id, &watch->targets);
	for (size_t i = 0; i < former.found.count; i++)
		if (idmap_get(&left.seen, former.found.ids[i]) == IDMAP_NONE)
			put(strays, former.found.ids[i]);
	reach_release(&former);
	reach_release(&left);
	if (strays->count == 0)
		return;
	qsort(strays->ids, strays->count, sizeof(*strays->ids), by_id);
	keep_needed(store, watch->site_id, strays);
}

bool
strays_leads(struct store *store, int64_t site_id, const char *target)
{
	struct reach reach = {.store = store, .site_id = site_id};
	bool leads;

	buf_init(&reach.origin, URL_MAX_BYTES);
	reach_target(&reach, target);
	leads = reach.found.count > 0;
	reach_release(&reach);
	return leads;
}

static void
note_origin(void *is_led, struct slice origin)
{
	(void)origin;
	*(bool *)is_led = true;
}

bool
strays_is_led(struct store *store, int64_t site_id, int64_t id)
{
	struct roster_row row;
	struct reach reach;
	struct watch watch;
	bool is_led = false;
	struct buf url;

	buf_init(&url, URL_MAX_BYTES);
	if (store_roster(store, id, &row, &url)) {
		is_led = row.parent_id != 0;
		store_vouchers(store, row.url, note_origin, &is_led);
	}
	buf_release(&url);
	if (is_led || !store_watch_get(store, site_id, &watch))
		return is_led;
	reach_targets(&reach, store, site_id, &watch.targets);
	is_led = idmap_get(&reach.seen, id) != IDMAP_NONE;
	reach_release(&reach);
	watch_release(&watch);
	return is_led;
}
