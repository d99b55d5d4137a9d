/* The year: what must hold of each request, and of each page handed out.  All
 * times are those of the world, since the beginning. */
#ifndef FRESHET_YEAR_ASKED_H
#define FRESHET_YEAR_ASKED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

#define SITES 24
#define MAPS 3 /* sitemaps of a site, below its index */
#define ROBOTS (MAPS + 1) /* its robots.txt; MAPS: the index */
#define DOCUMENTS (MAPS + 2)

struct proof;

struct asked_site {
	int64_t asked_ms; /* the last request */
	int64_t tried_s[DOCUMENTS]; /* the last attempt to read it */
	int64_t slept_s[DOCUMENTS]; /* as below, at that time */
	int64_t late_s[DOCUMENTS]; /* behind its ceiling, until it is judged */
	bool is_early[DOCUMENTS]; /* below its interval, until it is judged */
	int64_t owed_s[DOCUMENTS]; /* the last one that was, and was owed */
	int64_t good_s[DOCUMENTS]; /* the last one that went well */
	bool has_failed[DOCUMENTS]; /* the last one of all */
	int64_t far_s[DOCUMENTS]; /* its ceiling was further still, then */
	int64_t ids[DOCUMENTS]; /* in the store; 0: not known */
	int64_t handed_s; /* a page of it was handed out */
	double spent; /* of the budget: it leaks */
	int64_t spent_s; /* until then */
};

struct asked {
	struct asked_site sites[SITES];
	int64_t ahead_s, back_s; /* the clock was put so */
	int64_t slept_s; /* the machine was suspended for so long in all */
	int64_t late_s; /* longest behind a ceiling that nothing explains */
	double spent; /* most of a budget at once */
};

void asked_begin(struct asked *);
/* asked_line(proof, line): the log says "GET SECONDS.MS URL ...". */
void asked_line(struct proof *, const char *line);
/* asked_heard(proof, url, heard): an attempt to read it was committed. */
struct heard {
	int64_t document_id;
	bool is_good; /* it was read, to its end */
	bool is_whole; /* its site was crawled whole */
	bool is_owed; /* for what the reading before lacked */
};
void asked_heard(struct proof *, struct slice url, const struct heard *);
/* asked_late(asked, site, document): the id of one that is behind its ceiling
 * if that is not further; 0: it is not.  asked_far(asked, site, document): it
 * is further: the dates that it gives deceive. */
int64_t asked_late(const struct asked *, unsigned site, unsigned document);
void asked_far(struct asked *, unsigned site, unsigned document);
/* asked_handed(proof, site, is_spaced): a page of it, to one who wants them
 * one after the other. */
void asked_handed(struct proof *, unsigned site, bool is_spaced);
/* asked_spend(proof, site): one request of its budget. */
void asked_spend(struct proof *, unsigned site);
/* asked_clock(proof, by_s): it was put forward, or back; 0: a life begins,
 * which knows nothing of what was spent. */
void asked_clock(struct proof *, int64_t by_s);
/* asked_end(proof): the last of each are old enough. */
void asked_end(struct proof *);

#endif
