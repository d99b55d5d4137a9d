/* Documents that are best read now: see desk.h. */
#include <math.h>

#include "crawler/frontier/desk_parts.h"
#include "crawler/frontier/desk_sites.h"
#include "crawler/frontier/desk_strays.h"
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
desk_next_document(struct desk *desk, int64_t now_s, struct desk_document *out)
{
	struct scheduler_choice choice;
	struct document_at *document;

	now_s = desk_clock(desk, now_s);
	strays_settle(desk);
	for (int tries = 0; tries < TRIES_MOST; tries++) {
		if (!scheduler_next_of(desk->scheduler, now_s,
			SCHEDULER_WANTS_DOCUMENTS, &choice))
			return false;
		document = &desk->documents[choice.number];
		if (document->is_replaced ||
		    !desk->sites[document->site].is_watched) {
			document->is_left = true;
			continue;
		}
		document->is_out = true;
		*out = (struct desk_document){.id = document->id,
		    .site_id = desk->sites[document->site].id,
		    .why = why_of(choice.reason),
		    .value = isfinite(choice.value) ? choice.value
						    : choice.price,
		    .price = choice.price};
		return true;
	}
	return false;
}

void
desk_document_back(struct desk *desk, int64_t id, int64_t now_s)
{
	uint32_t number = idmap_get(&desk->document_of, id);
	struct document_at *document;

	(void)desk_clock(desk, now_s);
	if (number == IDMAP_NONE)
		return;
	document = &desk->documents[number];
	if (!document->is_out && !document->is_left)
		return;
	document->is_out = document->is_left = false;
	scheduler_give_back(desk->scheduler, desk->now_s,
	    &(struct scheduler_choice){
		.kind = SCHEDULER_DOCUMENT, .number = number});
}

int64_t
desk_next_document_s(struct desk *desk, int64_t now_s)
{
	now_s = desk_clock(desk, now_s);
	strays_settle(desk);
	return scheduler_due_of_s(
	    desk->scheduler, now_s, SCHEDULER_WANTS_DOCUMENTS);
}
