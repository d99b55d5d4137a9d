/* A choice among some sites only; for the option asks_apart. */
#ifndef FRESHET_SCHEDULER_SOME_H
#define FRESHET_SCHEDULER_SOME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sched_sites;

/* The sites that scheduler_next_page chooses from. */
struct scheduler_some {
	const uint32_t *sites; /* borrowed: their numbers */
	size_t count;
	size_t at; /* the site whose turn it is; 0 at first */
};

/* sites_best(sites, some, at), for scheduler_next_page only: the index of the
 * site whose best page is the best; false: none of the sites may be asked for a
 * page.  Sites are looked at in turn, until some of them have a page. */
bool sites_best(
    struct sched_sites *, const struct scheduler_some *, size_t *at);

#endif
