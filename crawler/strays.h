/* Documents that nothing on the watch list leads to any more. */
#ifndef FRESHET_STRAYS_H
#define FRESHET_STRAYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct store;
struct watch;

struct strays {
	int64_t *ids; /* owned; in order */
	size_t count, cap;
};

/*
 * strays_find(store, watch, strays): documents of a watched site that targets
 * lead to which were taken off it, and none that is left: through Sitemap lines
 * of robots.txt, default locations and indexes.  robots.txt is one where no
 * other document is of its origin.  What no target ever led to is none: it was
 * crawled for its own sake.  Release them; there are none where nothing was
 * taken off, and that costs nothing.
 */
void strays_find(struct store *, const struct watch *, struct strays *);
bool strays_has(const struct strays *, int64_t document_id);
void strays_release(struct strays *);

/* strays_leads(store, site_id, target): to any document that is known? */
bool strays_leads(struct store *, int64_t site_id, const char *target);

/* strays_is_led(store, site_id, document_id): does an index list it, or
 * robots.txt name it, or a target, or is it at a default location of one? */
bool strays_is_led(struct store *, int64_t site_id, int64_t document_id);

#endif
