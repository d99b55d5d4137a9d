/* The year: checks of each request, and of each page handed out.  All times
 * are those of the world, since the beginning. */
#ifndef FRESHET_YEAR_ASKED_H
#define FRESHET_YEAR_ASKED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

#define SITES 24
#define MAPS 3 /* sitemaps of a site, below its index */
#define ROBOTS                                                        \
	(MAPS + 1) /* number of robots.txt; MAPS is that of the index \
		    */
#define DOCUMENTS (MAPS + 2)

struct proof;

struct asked_site {
	int64_t asked_ms; /* the last request */
	int64_t tried_s[DOCUMENTS]; /* time of the last attempt */
	int64_t slept_s[DOCUMENTS]; /* slept_s of the world at that time */
	int64_t late_s[DOCUMENTS]; /* delay behind the ceiling that is not
				      judged yet */
	bool is_early[DOCUMENTS]; /* asked before the interval has passed; not
				     judged yet */
	/* the last such attempt that was owed, and the one before */
	int64_t owed_s[DOCUMENTS], owed_before_s[DOCUMENTS];
	int64_t good_s[DOCUMENTS]; /* the last attempt that succeeded */
	bool has_failed[DOCUMENTS]; /* the last attempt failed */
	int64_t far_s[DOCUMENTS]; /* when its ceiling was larger last */
	int64_t ids[DOCUMENTS]; /* in the store; 0: not known */
	int64_t handed_s; /* when a page was handed out last */
	double spent; /* used of the budget, which refills with time */
	int64_t spent_s; /* time of `spent` */
};

struct asked {
	struct asked_site sites[SITES];
	int64_t ahead_s, back_s; /* when the clock was put forward, and back */
	int64_t slept_s; /* how long the machine was suspended in all */
	int64_t late_s; /* the longest delay behind a ceiling that nothing
			   explains */
	double spent; /* the most that was used of a budget at once */
};

void asked_begin(struct asked *);
/*
 * asked_line(proof, line): check a line of the log: "GET SECONDS.MS URL ...".
 */
void asked_line(struct proof *, const char *line);
/* asked_heard(proof, url, heard): an attempt to read the document was
 * committed. */
struct heard {
	int64_t document_id;
	bool is_good; /* the document was read to its end */
	bool is_whole; /* the site was crawled as a whole */
	bool is_owed; /* the reading before lacked too much */
};
void asked_heard(struct proof *, struct slice url, const struct heard *);
/*
 * asked_late(asked, site, document): the id of the document if it is behind
 * its ceiling, unless that is larger now; 0: it is not.
 * asked_far(asked, site, document): the ceiling is larger: the dates of the
 * document deceive.
 */
int64_t asked_late(const struct asked *, unsigned site, unsigned document);
void asked_far(struct asked *, unsigned site, unsigned document);
/* asked_handed(proof, site, is_spaced): a page of the site was handed out;
 * is_spaced: to a fetcher that takes one after the other. */
void asked_handed(struct proof *, unsigned site, bool is_spaced);
/* asked_spend(proof, site): count one request of the budget of the site. */
void asked_spend(struct proof *, unsigned site);
/* asked_clock(proof, by_s): the clock was put forward, or back; 0: a life
 * begins, which does not know what was used of budgets. */
void asked_clock(struct proof *, int64_t by_s);
/* asked_end(proof): check at the end that the last attempts are not too long
 * ago. */
void asked_end(struct proof *);

#endif
