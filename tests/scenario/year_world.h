/* The year: what is there. */
#ifndef FRESHET_YEAR_WORLD_H
#define FRESHET_YEAR_WORLD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

struct fake_answer;

void world_begin(uint64_t seed, int64_t span_s);
struct fake_answer *world_answer(const char *url);
bool world_is_slow(unsigned site);
bool world_is_poor(unsigned site);
double world_per_hour(unsigned site); /* the budget */
/* world_is_well(site, from_s, to_s): it answered as it should all the time, by
 * seconds since the beginning. */
bool world_is_well(unsigned site, int64_t from_s, int64_t to_s);
/* world_page(url, text): the status of that page now, and its content hash. */
int world_page(struct slice url, char text[32]);

#endif
