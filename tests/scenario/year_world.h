/* The year: the sites and their pages. */
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
double world_per_hour(unsigned site); /* budget of the site */
bool world_is_liar(
    unsigned site); /* every date of the site is the time of the request */
/* world_trouble_s(site, from_s, to_s, is_lost): how long the site did not
 * answer as it should in that time, in seconds since the beginning and in
 * whole quarters of a day; *is_lost: it answered 404 in one of them. */
int64_t world_trouble_s(
    unsigned site, int64_t from_s, int64_t to_s, bool *is_lost);
/* world_is_closed(path): does robots.txt of every site forbid it? */
bool world_is_closed(const char *path);
/* world_page(url, text): the status of that page now, and its content hash. */
int world_page(struct slice url, char text[32]);

#endif
