/* Which events an alert tells. */
#include "crawler/alert/alert_match.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/vis.h"
#include "crawler/cli/options_sites.h"
#include "crawler/cli/out.h"
#include "crawler/cli/selection.h"
#include "crawler/events/events.h"
#include "crawler/events/site_event.h"
#include "store/document.h"
#include "store/site.h"
#include "store/watch.h"

#define BIT(kind) (UINT32_C(1) << (kind))

/* Does the rule tell the event? */
static bool
alert_rule_tells(const struct alert_rule *rule, const struct site_event *event)
{
	uint32_t kinds = rule->kinds;

	if (kinds == 0 && !site_event_is_news(event->kind))
		return false;
	/* a rule also tells that what it told is over */
	if ((kinds & BIT(EVENT_MASS_DROP_WAITING)) != 0)
		kinds |= BIT(EVENT_MASS_DROP_CONFIRMED) |
		    BIT(EVENT_MASS_DROP_ACCIDENT);
	if ((kinds & BIT(EVENT_LINE_LOST)) != 0)
		kinds |= BIT(EVENT_LINE_BACK);
	if ((kinds & BIT(EVENT_FAILING)) != 0)
		kinds |= BIT(EVENT_BACK);
	if (kinds != 0 && (kinds & BIT(event->kind)) == 0)
		return false;
	if (rule->sections.count > 0 &&
	    !site_event_is_in(event, &rule->sections))
		return false;
	/* robots.txt has records and no pages, and a failure has no count */
	if (event->count == 0 || event->kind == EVENT_ROBOTS_CHANGED)
		return true;
	return event->count >= rule->at_least &&
	    (event->of == 0 || event->count * 100 >= rule->share * event->of);
}

void
alert_put_line(
    struct buf *out, const struct site_event *event, struct slice host)
{
	struct buf sentence;

	buf_init(&sentence, SIZE_MAX);
	if (event->kind == EVENT_MASS_DROP_ACCIDENT ||
	    event->kind == EVENT_LINE_BACK || event->kind == EVENT_BACK)
		(void)buf_print(&sentence, "resolved: ");
	(void)buf_put_slice(&sentence, host);
	(void)buf_print(&sentence, ": ");
	site_event_sentence(&sentence, event, host);
	vis_put(out, buf_text(&sentence), ALERT_LINE_BYTES);
	buf_release(&sentence);
}

void
alert_complain_tags(struct store *store, const struct alert_rule *rule)
{
	for (size_t i = 0; i < rule->tags.count; i++)
		if (!tag_is_used(store, slice_of(rule->tags.items[i])))
			complain("[alert %s]: no site of the watch list has "
				 "the tag '%s', so nothing is told of it",
			    rule->name, rule->tags.items[i]);
}

/* One walk over all sites. */
struct alert_walk {
	struct store *store;
	const struct options *options;
	const struct alert_rule *const *rules;
	size_t count;
	int64_t *since_s; /* for each rule, of the site at hand */
	/* NULL: events that wait are wanted, in place of those that are known
	 */
	alert_span_fn *span;
	alert_fn *fn;
	void *arg;
};

static bool
alert_rule_has_tag(const struct alert_rule *rule, const struct watch *watch)
{
	if (rule->tags.count == 0)
		return true;
	for (size_t i = 0; watch != NULL && i < rule->tags.count; i++)
		if (strings_has(&watch->tags, slice_of(rule->tags.items[i])))
			return true;
	return false;
}

static int
alert_by_time(const void *a, const void *b)
{
	const struct site_event *one = a, *other = b;

	if (one->known_s != other->known_s)
		return one->known_s < other->known_s ? -1 : 1;
	if (one->at_s != other->at_s)
		return one->at_s < other->at_s ? -1 : 1;
	if (one->kind != other->kind)
		return one->kind < other->kind ? -1 : 1;
	return one->first_reading_id < other->first_reading_id
	    ? -1
	    : one->first_reading_id > other->first_reading_id;
}

static void
alert_walk_site(struct alert_walk *walk, struct slice host)
{
	int64_t site_id = store_site_find(walk->store, host);
	bool wants_waiting = walk->span == NULL;
	int64_t until_s = wants_waiting
	    ? walk->options->now_s + 1
	    : walk->span(walk->arg, site_id, walk->since_s);
	struct events_span span = {.since_s = INT64_MAX,
	    .until_s = until_s,
	    /* so that nothing is told that may still grow */
	    .now_s = wants_waiting ? until_s - 1 : until_s,
	    /* so that a replay of the past tells what was told then */
	    .is_as_told = !wants_waiting,
	    .wants_doubtful = wants_waiting,
	    .sections = options_site_sections(walk->options, host),
	    .renamings = options_site_renamings(walk->options, host)};
	struct site_event_list list = {0};
	struct watch watch;
	bool is_known = store_watch_get(walk->store, site_id, &watch);
	const struct watch *seen = is_known && watch.is_watched ? &watch : NULL;

	for (size_t i = 0; i < walk->count; i++)
		if (alert_rule_has_tag(walk->rules[i], seen)) {
			int64_t since_s = wants_waiting ? walk->options->now_s
							: walk->since_s[i];

			if (since_s < span.since_s)
				span.since_s = since_s;
		}
	if (span.since_s < span.until_s)
		(void)events_gather(walk->store, site_id, &span, &list);
	if (list.count > 0)
		qsort(
		    list.items, list.count, sizeof(*list.items), alert_by_time);
	for (size_t k = 0; k < list.count; k++) {
		/* Pass an event on to the rules that tell it. */
		for (size_t i = 0; i < walk->count; i++)
			if ((wants_waiting ? list.items[k].settles_s > 0
					   : list.items[k].known_s >=
					walk->since_s[i]) &&
			    alert_rule_has_tag(walk->rules[i], seen) &&
			    alert_rule_tells(walk->rules[i], &list.items[k]))
				walk->fn(walk->arg, i, site_id, &list.items[k],
				    host);
	}
	site_event_list_release(&list);
	if (is_known)
		watch_release(&watch);
}

static void
alert_add_host(void *arg, int64_t site_id, struct slice host)
{
	(void)site_id;
	strings_add(arg, host);
}

void
alert_each(struct store *store, const struct options *options,
    const struct alert_rule *const *rules, size_t count, alert_span_fn *span,
    alert_fn *fn, void *arg)
{
	struct alert_walk walk = {store, options, rules, count,
	    mem_zero((count + 1) * sizeof(int64_t)), span, fn, arg};
	struct strings hosts = {0};

	/* The hosts are listed first, so that no query is open while the events
	 * of a site are told. */
	store_each_site(store, alert_add_host, &hosts);
	for (size_t i = 0; i < hosts.count; i++)
		alert_walk_site(&walk, slice_of(hosts.items[i]));
	strings_release(&hosts);
	free(walk.since_s);
}
