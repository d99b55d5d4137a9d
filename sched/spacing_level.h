/*
 * What things are worth where they wait (docs/scheduling.md, "The price").
 *
 * Each limit has a level: about the least that those of its things were worth
 * which went out.  It says when to look at a thing again, and refuses nothing:
 * what is worth less goes out when nothing else may.  The level of a budget
 * that binds is its price.
 */
#ifndef FRESHET_SPACING_LEVEL_H
#define FRESHET_SPACING_LEVEL_H

#include <stdbool.h>
#include <stdint.h>

struct spacing;

/* spacing_set_tick(spacing, tick_s): how finely time counts. */
void spacing_set_tick(struct spacing *, int64_t tick_s);

/* spacing_level(spacing, node): the highest of its limit and those above it. */
double spacing_level(const struct spacing *, uint32_t node);

/* spacing_price(spacing, now_ms, node): likewise, of those that are budgets and
 * bind; 0: none does. */
double spacing_price(const struct spacing *, int64_t now_ms, uint32_t node);

/* spacing_accept(spacing, node, value): what goes out from there is worth that.
 * spacing_dry(spacing, node): it was worth less than the level. */
void spacing_accept(struct spacing *, uint32_t node, double value);
void spacing_dry(struct spacing *, uint32_t node);

/* spacing_set_level(spacing, limit, level): a first guess.
 * spacing_set_bound(spacing, limit): it is a budget that binds, always. */
void spacing_set_level(struct spacing *, uint32_t limit, double level);
void spacing_set_bound(struct spacing *, uint32_t limit);

/* spacing_end_tick(spacing, now_ms): levels follow what went out since the one
 * before. */
void spacing_end_tick(struct spacing *, int64_t now_ms);

#endif
