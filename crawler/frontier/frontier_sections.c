/* Folders of sites: see frontier_sections.h. */
#include "crawler/frontier/frontier_sections.h"

#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/wire.h"
#include "crawler/frontier/frontier_parts.h"
#include "sched/scheduler_state.h"
#include "sched/sections.h"
#include "store/learned.h"

#define DEEPEST 9 /* with that of the host, as in traces */
#define LEARNED_MAX 4096

static const char kind[] = "section";

/* The same in each run, and nobody outside knows it. */
static int64_t
key_of(struct frontier *frontier, uint32_t site, struct slice folder)
{
	uint64_t key = store_hash_key(frontier->options.store) ^
	    (uint64_t)frontier->sites[site].id * 11400714819323198485u;
	int64_t hash = (int64_t)(hash_key(folder, key) & (uint64_t)INT64_MAX);

	return hash == 0 ? 1 : hash;
}

static void
learn(struct frontier *frontier, uint32_t number, int64_t key)
{
	struct buf data;

	buf_init(&data, LEARNED_MAX);
	if (store_learned_get(frontier->options.store, kind, key, &data))
		(void)scheduler_load_section(
		    frontier->scheduler, number, buf_text(&data));
	buf_release(&data);
}

/* One folder in the one above; there may be so many that they are one. */
static uint32_t
put(struct frontier *frontier, uint32_t site, struct slice folder,
    uint32_t above)
{
	int64_t key = key_of(frontier, site, folder);
	uint32_t number = idmap_get(&frontier->section_of, key);

	if (number != IDMAP_NONE)
		return number;
	number = scheduler_add_section(
	    frontier->scheduler, frontier->sites[site].number, above);
	if (number == above)
		return above;
	idmap_put(&frontier->section_of, key, number);
	frontier->sections = mem_grow(frontier->sections,
	    &frontier->section_cap, number, sizeof(*frontier->sections));
	frontier->sections[number - 1] = (struct section_at){
	    .key = key, .above = above};
	frontier->section_count = number;
	learn(frontier, number, key);
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
    struct frontier *, uint32_t site, struct slice folder, uint32_t above);

static uint32_t
walk(struct frontier *frontier, uint32_t site, struct slice path, folder_fn *fn)
{
	const char *text = path.p;
	size_t len = path.len;
	uint32_t number = 0;
	int depth = 0;

	for (size_t i = 0; i < len && depth < DEEPEST; i++) {
		if (text[i] != '/')
			continue;
		depth++;
		number = fn(frontier, site, slice_make(text, i + 1), number);
	}
	return number;
}

static uint32_t
find(struct frontier *frontier, uint32_t site, struct slice folder,
    uint32_t above)
{
	uint32_t number = idmap_get(
	    &frontier->section_of, key_of(frontier, site, folder));

	return number == IDMAP_NONE ? above : number;
}

uint32_t
section_put(struct frontier *frontier, uint32_t site, struct slice url)
{
	char text[SECTION_PATH_MAX];
	size_t len = alike(frontier_url(url).target, text);

	return walk(frontier, site, slice_make(text, len), put);
}

double
section_rate(struct frontier *frontier, uint32_t site, struct slice url,
    struct section_memo *memo)
{
	char text[SECTION_PATH_MAX];
	size_t len = alike(frontier_url(url).target, text);

	while (len > 0 && text[len - 1] != '/')
		len--;
	/* a document lists folder after folder */
	if (len > 0 && len == memo->len && memcmp(text, memo->folder, len) == 0)
		return memo->rate;
	memo->len = len;
	memcpy(memo->folder, text, len);
	memo->rate = section_mean(frontier->scheduler,
	    frontier->sites[site].number,
	    walk(frontier, site, slice_make(text, len), find));
	return memo->rate;
}

void
section_dirty(struct frontier *frontier, uint32_t number)
{
	while (number != 0) {
		struct section_at *section = &frontier->sections[number - 1];

		if (section->is_dirty)
			return;
		section->is_dirty = true;
		frontier_dirty(&frontier->dirty_sections, number);
		number = section->above;
	}
}

void
sections_save(struct frontier *frontier)
{
	struct buf data;

	buf_init(&data, LEARNED_MAX);
	for (size_t i = 0; i < frontier->dirty_sections.count; i++) {
		uint32_t number = frontier->dirty_sections.items[i];
		struct section_at *section = &frontier->sections[number - 1];

		buf_clear(&data);
		scheduler_save_section(frontier->scheduler, number, &data);
		store_learned(frontier->options.store, kind, section->key,
		    buf_text(&data));
		section->is_dirty = false;
	}
	frontier->dirty_sections.count = 0;
	buf_release(&data);
}
