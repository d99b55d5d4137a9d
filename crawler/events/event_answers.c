/* What some pages of an event answered: see event_answers.h. */
#include "crawler/events/event_answers.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/out_json.h"
#include "base/url.h"
#include "store/verified.h"

static void
event_answers_add(void *arg, const struct verified *verified)
{
	struct event_answers *answers = arg;
	struct event_answer answer = {.url = slice_dup(verified->url),
	    .at_s = verified->at_s,
	    .status = verified->status};

	if (verified->location.len > 0)
		answer.location = slice_dup(verified->location);
	if (verified->why.len > 0)
		answer.why = slice_dup(verified->why);
	*MEM_PUSH(answers->items, answers->count, answers->cap) = answer;
}

void
event_answers_find(struct event_answers *answers, struct store *store,
    int64_t site_id, struct slice name)
{
	store_each_verified(store, site_id, name, event_answers_add, answers);
}

void
event_answers_release(struct event_answers *answers)
{
	for (size_t i = 0; i < answers->count; i++) {
		free(answers->items[i].url);
		free(answers->items[i].location);
		free(answers->items[i].why);
	}
	free(answers->items);
	*answers = (struct event_answers){0};
}

bool
event_answers_are_whole(const struct event_answers *answers)
{
	for (size_t i = 0; i < answers->count; i++)
		if (answers->items[i].at_s == 0)
			return false;
	return answers->count > 0;
}

/* Answers of one meaning. */
struct answers_group {
	enum answer_kind {
		ANSWER_IS_THERE,
		ANSWER_IS_MOVED,
		ANSWER_IS_STATUS, /* another one than 2xx and redirects */
		ANSWER_IS_NOINDEX,
		ANSWER_IS_SOFT,
		ANSWER_IS_WALL,
		ANSWER_IS_NONE,
		ANSWER_IS_FORBIDDEN
	} kind;
	int status; /* of ANSWER_IS_STATUS */
	size_t count;
};

static struct answers_group
answers_group_of(const struct event_answer *answer)
{
	static const struct {
		const char *why;
		enum answer_kind kind;
	} kinds[] = {{ANSWER_FORBIDDEN, ANSWER_IS_FORBIDDEN},
	    {ANSWER_WALL, ANSWER_IS_WALL}, {ANSWER_NOINDEX, ANSWER_IS_NOINDEX},
	    {ANSWER_SOFT, ANSWER_IS_SOFT}};
	struct answers_group group = {ANSWER_IS_NONE, 0, 0};

	if (answer->location != NULL)
		group.kind = ANSWER_IS_MOVED;
	else if (answer->status >= 200 && answer->status < 300)
		group.kind = ANSWER_IS_THERE;
	else if (answer->status != 0)
		group = (struct answers_group){
		    ANSWER_IS_STATUS, answer->status, 0};
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (answer->why != NULL &&
		    strcmp(answer->why, kinds[i].why) == 0)
			group = (struct answers_group){kinds[i].kind, 0, 0};
	return group;
}

/* Where all redirects lead: one URL, or the folder that they have in common;
 * empty: they have none. */
static struct slice
answers_target(const struct event_answers *answers)
{
	struct slice target = {NULL, 0};
	size_t origin;

	for (size_t i = 0; i < answers->count; i++) {
		struct slice to = slice_of(answers->items[i].location);
		size_t len = 0;

		if (to.len == 0)
			continue;
		if (target.p == NULL) {
			target = to;
			continue;
		}
		while (len < to.len && len < target.len &&
		    to.p[len] == target.p[len])
			len++;
		if (len == to.len && len == target.len)
			continue;
		while (len > 0 && target.p[len - 1] != '/')
			len--;
		target.len = len;
	}
	origin = target.len - url_path_of(target).len;
	/* of two hosts nothing but the scheme is common */
	if (origin == target.len)
		return slice_make(NULL, 0);
	if (target.len > origin + 1 && target.p[target.len - 1] == '/')
		target.len--;
	return target;
}

/* How the pages redirect, and whether that means that they moved. */
static bool
put_redirects(
    struct buf *out, const struct event_answers *answers, struct slice host)
{
	struct slice target = answers_target(answers);
	struct slice from = slice_of(answers->items[0].url);
	struct slice path = url_short(target, host);
	size_t origin = from.len - url_path_of(from).len;
	bool is_one = false;

	/* another origin is shown, also another scheme of the same host */
	if (target.len <= origin || memcmp(target.p, from.p, origin) != 0)
		path = target;
	for (size_t i = 0; i < answers->count; i++)
		is_one = is_one ||
		    slice_equal(slice_of(answers->items[i].location), target);
	if (slice_is(path, "/") && is_one) {
		(void)buf_print(out, "to the home page");
		return false;
	}
	if (path.len == 0 || slice_is(path, "/"))
		(void)buf_print(out, "to other pages");
	else
		(void)buf_print(out, "to %.*s", (int)path.len, path.p);
	return true;
}

/* What the event means if all its pages answer so; NULL: nothing more. */
static const char *
answers_meaning(
    const struct answers_group *group, enum answers_of of, bool has_moved)
{
	bool is_drop = of == ANSWERS_OF_DROP;

	switch (group->kind) {
	case ANSWER_IS_THERE:
		return is_drop              ? "left out, not taken down"
		    : of == ANSWERS_OF_MOVE ? "copied, not only moved"
					    : NULL;
	case ANSWER_IS_MOVED:
		return has_moved ? "moved"
		    : is_drop    ? "taken down, it seems"
				 : NULL;
	case ANSWER_IS_STATUS:
		if (group->status != 404 && group->status != 410)
			return NULL;
		return is_drop ? "taken down"
		    : of == ANSWERS_OF_MOVE
		    ? "no redirect leads to the new URLs"
		    : "listed, but not there";
	case ANSWER_IS_NOINDEX:
		return is_drop ? "hidden from search, not taken down" : NULL;
	case ANSWER_IS_SOFT:
		return is_drop ? "taken down, it seems" : NULL;
	case ANSWER_IS_WALL:
	case ANSWER_IS_NONE:
	case ANSWER_IS_FORBIDDEN:
		break;
	}
	return NULL;
}

static void
put_group(struct buf *out, const struct answers_group *group,
    const struct event_answers *answers, enum answers_of of, struct slice host)
{
	const char *s = group->count == 1 ? "s" : "";
	bool has_moved = true;
	const char *meaning;

	switch (group->kind) {
	case ANSWER_IS_THERE:
		(void)buf_print(out, "%sanswer%s",
		    of == ANSWERS_OF_LAUNCH ? "" : "still ", s);
		break;
	case ANSWER_IS_MOVED:
		(void)buf_print(out, "redirect%s ", s);
		has_moved = put_redirects(out, answers, host);
		break;
	case ANSWER_IS_STATUS:
		(void)buf_print(out, "say%s %d", s, group->status);
		break;
	case ANSWER_IS_NOINDEX:
		(void)buf_print(out, "say%s 200 with noindex", s);
		break;
	case ANSWER_IS_SOFT:
		(void)buf_print(out,
		    "answer%s, but say%s that there is no such page", s, s);
		break;
	case ANSWER_IS_WALL:
		(void)buf_print(out, "ask%s for a login or the like", s);
		break;
	case ANSWER_IS_NONE:
		(void)buf_print(
		    out, "%s not answer", group->count == 1 ? "does" : "do");
		break;
	case ANSWER_IS_FORBIDDEN:
		(void)buf_print(out, "%s not asked, as robots.txt says",
		    group->count == 1 ? "was" : "were");
		break;
	}
	meaning = answers_meaning(group, of, has_moved);
	if (group->count == answers->count && meaning != NULL)
		(void)buf_print(out, ": %s", meaning);
}

/* Answers of one meaning are counted together, the most first: "3 of 5 still
 * answer, 2 say 404".  Only if all are one does that say what happened. */
void
event_answers_sentence(struct buf *out, const struct event_answers *answers,
    enum answers_of of, struct slice host)
{
	struct answers_group *groups = mem_zero(
	    (answers->count + 1) * sizeof(*groups));
	size_t count = 0;

	for (size_t i = 0; i < answers->count; i++) {
		struct answers_group group = answers_group_of(
		    &answers->items[i]);
		size_t k = 0;

		while (k < count &&
		    (groups[k].kind != group.kind ||
			groups[k].status != group.status))
			k++;
		if (k == count)
			groups[count++] = group;
		groups[k].count++;
	}
	for (size_t shown = 0; shown < count; shown++) {
		size_t most = 0;

		for (size_t k = 1; k < count; k++)
			if (groups[k].count > groups[most].count)
				most = k;
		(void)buf_print(
		    out, "%s%zu ", shown > 0 ? ", " : "", groups[most].count);
		if (shown == 0)
			(void)buf_print(out, "of %zu ", answers->count);
		put_group(out, &groups[most], answers, of, host);
		groups[most].count = 0;
	}
	free(groups);
}

void
event_answers_json(struct buf *out, const struct event_answers *answers,
    enum answers_of of, struct slice host)
{
	struct buf sentence = BUF_UP_TO(1 << 16);

	event_answers_sentence(&sentence, answers, of, host);
	out_json_begin(out, "verified", '{');
	out_json_word(out, "text", buf_text(&sentence));
	out_json_begin(out, "pages", '[');
	for (size_t i = 0; i < answers->count; i++) {
		const struct event_answer *answer = &answers->items[i];

		out_json_begin(out, NULL, '{');
		out_json_string(out, "url", answer->url);
		out_json_time(out, "at", answer->at_s);
		out_json_some(out, "status", (uint64_t)answer->status);
		out_json_string(out, "location", answer->location);
		out_json_string(out, "why", answer->why);
		out_json_end(out, '}');
	}
	out_json_end(out, ']');
	out_json_end(out, '}');
	buf_release(&sentence);
}
