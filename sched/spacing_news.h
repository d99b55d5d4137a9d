/* Where something came to wait lately: see spacing.h. */
#ifndef FRESHET_SPACING_NEWS_H
#define FRESHET_SPACING_NEWS_H

#include <stdbool.h>
#include <stdint.h>

struct spacing;

/*
 * spacing_next_news(spacing, heard, node): a node where something waits and
 * nothing did, or that may have its turn earlier than was thought, since
 * *heard, which goes on: 0 at first.  SPACING_ROOT: it may be any of them.
 * False: there is none.  Time that passes is no news.
 */
bool spacing_next_news(const struct spacing *, uint64_t *heard, uint32_t *node);

/* spacing_note(spacing, node): there is news of it. */
void spacing_note(struct spacing *, uint32_t node);

#endif
