/* Folders of sites. */
#include "crawler/frontier/section_table.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/idmap.h"
#include "base/mem.h"
#include "base/wire.h"
#include "crawler/frontier/frontier_tables.h"
#include "crawler/frontier/url_parts.h"
#include "sched/scheduler_state.h"
#include "store/hold.h"
#include "store/page.h"

#define DEEPEST 9 /* folders, with that of the host, as in traces */
#define LEARNED_MAX 4096

static const char kind[] = "section";

static struct section *
section_at(const struct frontier *f, uint32_t number)
{
	return &f->scheduler->sections.items[number - 1];
}

/* The store's hash key makes the key the same in each run, and unknown to
 * whoever chooses the URLs. */
static int64_t
section_key_of(
    const struct frontier *f, const struct site_item *site, struct slice folder)
{
	uint64_t key = store_hash_key(f->store) ^
	    (uint64_t)site->id * 11400714819323198485u;
	int64_t hash = (int64_t)(hash_key(folder, key) & (uint64_t)INT64_MAX);

	return hash == 0 ? 1 : hash;
}

/*
 * Write the path of a URL, without its query, to text and return its length.
 * Each run of digits becomes one '#', so that releases and years are one
 * folder.  The slash at the end is left out: such a URL is a page of the folder
 * above.
 */
static size_t
section_path_of(struct slice url, char text[SECTION_PATH_MAX])
{
	struct slice target = url_parts(url).target;
	size_t len = 0;

	for (size_t i = 0; i < target.len && len < SECTION_PATH_MAX; i++) {
		char c = target.p[i];

		if (c == '?')
			break;
		if (c >= '0' && c <= '9')
			c = '#';
		if (c != '#' || len == 0 || text[len - 1] != '#')
			text[len++] = c;
	}
	return len > 1 && text[len - 1] == '/' ? len - 1 : len;
}

/* The section of one folder, given that of the folder above. */
typedef uint32_t folder_fn(struct frontier *, const struct site_item *,
    struct slice folder, uint32_t above);

/* Call fn for each folder of a path, from the top, and return the last
 * section. */
static uint32_t
walk(struct frontier *f, const struct site_item *site, struct slice path,
    folder_fn *fn)
{
	uint32_t number = 0;
	int depth = 0;

	for (size_t i = 0; i < path.len && depth < DEEPEST; i++) {
		if (path.p[i] != '/')
			continue;
		depth++;
		number = fn(f, site, slice_make(path.p, i + 1), number);
	}
	return number;
}

/* Find the section of a folder, or make it.  A site with very many folders has
 * no section for the rest: they count as the folder above. */
static uint32_t
section_make(struct frontier *f, const struct site_item *site,
    struct slice folder, uint32_t above)
{
	int64_t key = section_key_of(f, site, folder);
	uint32_t number = idmap_get(&f->section_by_key, key);
	struct buf data;

	if (number != IDMAP_NONE)
		return number;
	number = sections_add(&f->scheduler->sections, site->number, above);
	if (number == above)
		return above;
	idmap_put(&f->section_by_key, key, number);
	section_at(f, number)->key = key;
	buf_init(&data, LEARNED_MAX);
	if (store_learned_get(f->store, kind, key, &data))
		(void)scheduler_load_section(
		    f->scheduler, number, buf_text(&data));
	buf_release(&data);
	return number;
}

static uint32_t
section_find(struct frontier *f, const struct site_item *site,
    struct slice folder, uint32_t above)
{
	uint32_t number = idmap_get(
	    &f->section_by_key, section_key_of(f, site, folder));

	return number == IDMAP_NONE ? above : number;
}

uint32_t
section_put(struct frontier *f, const struct site_item *site, struct slice url)
{
	char text[SECTION_PATH_MAX];
	size_t len = section_path_of(url, text);

	return walk(f, site, slice_make(text, len), section_make);
}

double
section_rate(struct frontier *f, const struct site_item *site, struct slice url,
    struct section_memo *memo)
{
	char text[SECTION_PATH_MAX];
	size_t len = section_path_of(url, text);

	while (len > 0 && text[len - 1] != '/')
		len--;
	/* a sitemap lists folder after folder, so the memo mostly hits */
	if (len > 0 && len == memo->len && memcmp(text, memo->folder, len) == 0)
		return memo->rate;
	memo->len = len;
	memcpy(memo->folder, text, len);
	memo->rate = section_mean(&f->scheduler->sections, site->number,
	    walk(f, site, slice_make(text, len), section_find));
	return memo->rate;
}

void
section_dirty(struct frontier *f, uint32_t number)
{
	while (number != 0) {
		struct section *section = section_at(f, number);

		if (section->is_dirty)
			return;
		section->is_dirty = true;
		number_list_add(&f->dirty_sections, number);
		number = section->above;
	}
}

void
sections_save(struct frontier *f)
{
	struct buf data;

	buf_init(&data, LEARNED_MAX);
	for (size_t i = 0; i < f->dirty_sections.count; i++) {
		uint32_t number = f->dirty_sections.items[i];
		struct section *section = section_at(f, number);

		buf_clear(&data);
		scheduler_save_section(f->scheduler, number, &data);
		store_learned(f->store, kind, section->key, buf_text(&data));
		section->is_dirty = false;
	}
	f->dirty_sections.count = 0;
	buf_release(&data);
}
