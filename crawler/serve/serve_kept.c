/* Pages that took long to make. */
#include "crawler/serve/serve_kept.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static void
kept_drop(struct serve_kept_page *page)
{
	free(page->target);
	free(page->body);
	*page = (struct serve_kept_page){0};
}

/* The page of that target, or where it would go: in place of the oldest. */
static size_t
kept_place(const struct serve_kept *kept, const char *target)
{
	size_t oldest = 0;

	for (size_t i = 0; i < SERVE_KEPT_PAGES; i++) {
		const struct serve_kept_page *page = &kept->pages[i];

		if (page->target != NULL && strcmp(page->target, target) == 0)
			return i;
		if (page->made_ms < kept->pages[oldest].made_ms)
			oldest = i;
	}
	return oldest;
}

void
serve_kept_put(struct serve_kept *kept, const char *target, struct slice body,
    int64_t cpu_ms, int64_t now_ms)
{
	struct serve_kept_page *page = &kept->pages[kept_place(kept, target)];

	if (cpu_ms < SERVE_KEPT_CPU_MS || body.len > SERVE_KEPT_BYTES)
		return;
	kept_drop(page);
	*page = (struct serve_kept_page){.target = mem_copy(target),
	    .body = slice_dup(body),
	    .len = body.len,
	    .made_ms = now_ms};
}

struct slice
serve_kept_get(
    const struct serve_kept *kept, const char *target, int64_t now_ms)
{
	const struct serve_kept_page
	    *page = &kept->pages[kept_place(kept, target)];

	if (page->target == NULL || strcmp(page->target, target) != 0 ||
	    now_ms - page->made_ms >= SERVE_KEPT_MS)
		return slice_make(NULL, 0);
	return slice_make(page->body, page->len);
}

void
serve_kept_release(struct serve_kept *kept)
{
	for (size_t i = 0; i < SERVE_KEPT_PAGES; i++)
		kept_drop(&kept->pages[i]);
}
