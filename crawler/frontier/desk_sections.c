/* Folders of sites: see desk_sections.h. */
#include "crawler/frontier/desk_sections.h"

#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/wire.h"
#include "crawler/frontier/desk_parts.h"
#include "sched/sections.h"
#include "store/learned.h"

#define DEEPEST 9 /* with that of the host, as in traces */
#define LEARNED_MAX 4096

static const char kind[] = "section";

/* The same in each run, and nobody outside knows it. */
static int64_t
key_of(struct desk *desk, uint32_t site, struct slice folder)
{
	uint64_t key = store_hash_key(desk->options.store) ^
	    (uint64_t)desk->sites[site].id * 11400714819323198485u;
	int64_t hash = (int64_t)(hash_key(folder, key) & (uint64_t)INT64_MAX);

	return hash == 0 ? 1 : hash;
}

static void
learn(struct desk *desk, uint32_t number, int64_t key)
{
	struct buf data;

	buf_init(&data, LEARNED_MAX);
	if (store_learned_get(desk->options.store, kind, key, &data))
		(void)scheduler_load_section(
		    desk->scheduler, number, buf_text(&data));
	buf_release(&data);
}

/* One folder in the one above; there may be so many that they are one. */
static uint32_t
put(struct desk *desk, uint32_t site, struct slice folder, uint32_t above)
{
	int64_t key = key_of(desk, site, folder);
	uint32_t number = idmap_get(&desk->section_of, key);

	if (number != IDMAP_NONE)
		return number;
	number = scheduler_add_section(
	    desk->scheduler, desk->sites[site].number, above);
	if (number == above)
		return above;
	idmap_put(&desk->section_of, key, number);
	desk->sections = mem_grow(desk->sections, &desk->section_cap, number,
	    sizeof(*desk->sections));
	desk->sections[number - 1] = (struct section_at){
	    .key = key, .above = above};
	desk->section_count = number;
	learn(desk, number, key);
	return number;
}

/* Runs of digits are alike, so that releases and years are one folder. */
static size_t
alike(struct slice target, char text[SECTION_PATH_MAX])
{
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
	/* what ends in a slash is a page of the folder above */
	return len > 1 && text[len - 1] == '/' ? len - 1 : len;
}

/* What the folder that the URL is in is to be, with those above it: known, or
 * made. */
typedef uint32_t folder_fn(
    struct desk *, uint32_t site, struct slice folder, uint32_t above);

static uint32_t
walk(struct desk *desk, uint32_t site, struct slice path, folder_fn *fn)
{
	const char *text = path.p;
	size_t len = path.len;
	uint32_t number = 0;
	int depth = 0;

	for (size_t i = 0; i < len && depth < DEEPEST; i++) {
		if (text[i] != '/')
			continue;
		depth++;
		number = fn(desk, site, slice_make(text, i + 1), number);
	}
	return number;
}

static uint32_t
find(struct desk *desk, uint32_t site, struct slice folder, uint32_t above)
{
	uint32_t number = idmap_get(
	    &desk->section_of, key_of(desk, site, folder));

	return number == IDMAP_NONE ? above : number;
}

uint32_t
section_put(struct desk *desk, uint32_t site, struct slice url)
{
	char text[SECTION_PATH_MAX];
	size_t len = alike(desk_url(url).target, text);

	return walk(desk, site, slice_make(text, len), put);
}

double
section_rate(struct desk *desk, uint32_t site, struct slice url,
    struct section_memo *memo)
{
	char text[SECTION_PATH_MAX];
	size_t len = alike(desk_url(url).target, text);

	while (len > 0 && text[len - 1] != '/')
		len--;
	/* a document lists folder after folder */
	if (len > 0 && len == memo->len && memcmp(text, memo->folder, len) == 0)
		return memo->rate;
	memo->len = len;
	memcpy(memo->folder, text, len);
	memo->rate = section_mean(desk->scheduler, desk->sites[site].number,
	    walk(desk, site, slice_make(text, len), find));
	return memo->rate;
}

void
section_dirty(struct desk *desk, uint32_t number)
{
	while (number != 0) {
		struct section_at *section = &desk->sections[number - 1];

		if (section->is_dirty)
			return;
		section->is_dirty = true;
		desk_dirty(&desk->dirty_sections, number);
		number = section->above;
	}
}

void
sections_save(struct desk *desk)
{
	struct buf data;

	buf_init(&data, LEARNED_MAX);
	for (size_t i = 0; i < desk->dirty_sections.count; i++) {
		uint32_t number = desk->dirty_sections.items[i];
		struct section_at *section = &desk->sections[number - 1];

		buf_clear(&data);
		scheduler_save_section(desk->scheduler, number, &data);
		store_learned(
		    desk->options.store, kind, section->key, buf_text(&data));
		section->is_dirty = false;
	}
	desk->dirty_sections.count = 0;
	buf_release(&data);
}
