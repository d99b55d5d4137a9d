/* What some pages of an event answered: see event_answers.h. */
#include "crawler/events/event_answers.h"

#include <string.h>

#include "base/url.h"

#define REDIRECTS 4 /* places in the table */
#define THERE 5
#define GONE 6
#define OTHER_STATUS 7

/* What is said of pages that answered so; a star stands for the s of one page.
 * means: if all pages answered so. */
static const struct meaning {
	const char *why; /* NULL: the status decides */
	int from, to; /* statuses */
	const char *says;
	const char *means[ANSWERS_OF_NONE];
} meanings[] = {
    {ANSWER_FORBIDDEN, 0, 0, "may not be asked, as robots.txt says", {0}},
    {ANSWER_WALL, 0, 0, "ask* for a login or the like", {0}},
    {ANSWER_NOINDEX, 0, 0, "say* 200 with noindex",
	{"hidden from search, not taken down", NULL, NULL}},
    {ANSWER_SOFT, 0, 0, "answer*, but say* that there is no such page",
	{"taken down, it seems", NULL, NULL}},
    {NULL, 300, 399, "redirect* to ", {"moved", "moved", NULL}},
    {NULL, 200, 299, "still answer*",
	{"left out, not taken down", "copied, not only moved", NULL}},
    {NULL, 404, 404, "say* ",
	{"taken down", "no redirect leads to the new URLs",
	    "listed, but not there"}},
    {NULL, 100, 999, "say* ", {0}},
    {NULL, 0, 0, "give* no answer", {0}},
};

void
answers_add(void *arg, const struct verified *page)
{
	struct answers *answers = arg;
	size_t meaning = 0, group = 0, same = 0;
	/* 410 means what 404 means */
	int status = page->status == 410 ? 404 : page->status;
	struct buf *target = &answers->target;
	struct slice origin = page->url;

	answers->count++;
	answers->waiting += page->at_s == 0;
	while (meanings[meaning].why != NULL
		? !slice_is(page->why, meanings[meaning].why)
		: status < meanings[meaning].from ||
		    status > meanings[meaning].to)
		meaning++;
	if (meaning == REDIRECTS && page->location.len == 0)
		meaning = OTHER_STATUS;
	status = meaning == GONE || meaning == OTHER_STATUS ? page->status : 0;
	while (group < answers->group_count &&
	    (answers->groups[group].meaning != meaning ||
		answers->groups[group].status != status))
		group++;
	if (group == ANSWER_GROUPS)
		return;
	if (group == answers->group_count)
		answers->groups[answers->group_count++] =
		    (struct answers_group){meaning, status, 0};
	answers->groups[group].count++;
	if (meaning != REDIRECTS)
		return;
	origin.len -= url_path_of(origin).len;
	answers->is_elsewhere |= !slice_starts(page->location, origin);
	/* Keep what this target and the others begin with. */
	if (answers->groups[group].count == 1) {
		(void)buf_put_slice(target, page->location);
		answers->is_one_target = true;
		return;
	}
	while (same < target->len && same < page->location.len &&
	    target->p[same] == page->location.p[same])
		same++;
	answers->is_one_target = answers->is_one_target &&
	    same == target->len && same == page->location.len;
	target->len = same;
}

/* Where the redirects lead: to one URL, or to the folder of all; whether that
 * is the home page, where what was taken down often leads. */
static bool
put_target(struct buf *out, const struct answers *answers, struct slice host)
{
	struct slice to = buf_text(&answers->target);
	struct slice path;

	while (!answers->is_one_target && to.len > 0 && to.p[to.len - 1] != '/')
		to.len--;
	path = url_path_of(to);
	if (to.len > 0 && to.p[to.len - 1] == '/' && !answers->is_one_target)
		to.len--;
	if (path.len == 0 ||
	    (path.len == 1 && !answers->is_one_target &&
		!answers->is_elsewhere))
		(void)buf_print(out, "other pages");
	else if (path.len == 1 && answers->is_one_target)
		(void)buf_print(out, "the home page");
	else
		(void)buf_put_slice(
		    out, answers->is_elsewhere ? to : url_short(to, host));
	return path.len == 1 && answers->is_one_target;
}

/* Answers of one meaning are counted together, the most first: "3 of 5 still
 * answer, 2 say 404".  Only if all are one does that say what happened. */
void
answers_sentence(struct buf *out, struct answers *answers, enum answers_of of,
    struct slice host)
{
	for (size_t shown = 0;
	     answers->waiting == 0 && shown < answers->group_count; shown++) {
		struct answers_group *group = answers->groups;
		const struct meaning *meaning;
		const char *means;
		bool is_home = false;

		for (size_t k = 1; k < answers->group_count; k++)
			if (answers->groups[k].count > group->count)
				group = &answers->groups[k];
		meaning = &meanings[group->meaning];
		(void)buf_print(
		    out, "%s%u ", shown > 0 ? ", " : "", group->count);
		if (shown == 0)
			(void)buf_print(out, "of %u ", answers->count);
		/* new pages were not there before */
		for (const char *p = meaning->says +
			 (group->meaning == THERE && of == ANSWERS_OF_LAUNCH
				 ? strlen("still ")
				 : 0);
		     *p != '\0'; p++)
			if (*p != '*')
				(void)buf_put_char(out, *p);
			else if (group->count == 1)
				(void)buf_put_char(out, 's');
		if (group->meaning == REDIRECTS)
			is_home = put_target(out, answers, host);
		else if (group->status > 0)
			(void)buf_print(out, "%d", group->status);
		means = is_home ? "taken down, it seems" : meaning->means[of];
		if (group->count == answers->count && means != NULL)
			(void)buf_print(out, ": %s", means);
		group->count = 0;
	}
}
