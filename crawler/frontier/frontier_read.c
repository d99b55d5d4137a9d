/* Documents that are best read now: see desk.h. */
#include <math.h>

#include "crawler/frontier/frontier_orphans.h"
#include "crawler/frontier/frontier_parts.h"
#include "crawler/frontier/frontier_sites.h"
#include "sched/scheduler_tell.h"
#include "sched/scheduler_wants.h"

/* Choices that may prove to be of sites that are not watched, in one call. */
#define TRIES_MOST 1000

static const char *
why_of(enum scheduler_reason reason)
{
	switch (reason) {
	case REASON_NEW:
		return "new";
	case REASON_CEILING:
		return "ceiling";
	case REASON_INTERVAL:
		return "interval";
	case REASON_OWED:
		return "owed";
	case REASON_REMOVED:
	case REASON_VALUE:
		break;
	}
	return "value";
}

bool
frontier_next_document(
    struct frontier *frontier, int64_t now_s, struct frontier_document *out)
{
	struct scheduler_choice choice;
	struct document_at *document;

	now_s = frontier_clock(frontier, now_s);
	orphans_settle(frontier);
	for (int tries = 0; tries < TRIES_MOST; tries++) {
		if (!scheduler_next_of(frontier->scheduler, now_s,
			SCHEDULER_KINDS_DOCUMENTS, &choice))
			return false;
		document = &frontier->documents[choice.number];
		if (document->is_replaced ||
		    !frontier->sites[document->site].is_watched) {
			document->is_left = true;
			continue;
		}
		document->is_out = true;
		*out = (struct frontier_document){.id = document->id,
		    .site_id = frontier->sites[document->site].id,
		    .why = why_of(choice.reason),
		    .value = isfinite(choice.value) ? choice.value
						    : choice.price,
		    .price = choice.price};
		return true;
	}
	return false;
}

void
frontier_document_back(struct frontier *frontier, int64_t id, int64_t now_s)
{
	uint32_t number = idmap_get(&frontier->document_of, id);
	struct document_at *document;

	(void)frontier_clock(frontier, now_s);
	if (number == IDMAP_NONE)
		return;
	document = &frontier->documents[number];
	if (!document->is_out && !document->is_left)
		return;
	document->is_out = document->is_left = false;
	scheduler_give_back(frontier->scheduler, frontier->now_s,
	    &(struct scheduler_choice){
		.kind = SCHEDULER_DOCUMENT, .number = number});
}

int64_t
frontier_next_document_s(struct frontier *frontier, int64_t now_s)
{
	now_s = frontier_clock(frontier, now_s);
	orphans_settle(frontier);
	return scheduler_due_of_s(
	    frontier->scheduler, now_s, SCHEDULER_KINDS_DOCUMENTS);
}
