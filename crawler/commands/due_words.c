/* Commands that want pages: see due_words.h. */
#include "crawler/commands/due_words.h"

#include "base/human.h"
#include "base/out_json.h"
#include "base/vis.h"
#include "crawler/cli/out.h"
#include "crawler/cli/selection.h"
#include "crawler/event/ndjson.h"

#define NAME_SHOWN 255

void
due_say_unknown(const struct ndjson *object)
{
	struct slice site = ndjson_text(object, "site");

	if (site.len == 0)
		complain_tag(ndjson_text(object, "tag"));
	else
		complain("'%.*s' is not in the store; run 'freshet crawl %.*s' "
			 "first",
		    (int)site.len, site.p, (int)site.len, site.p);
}

void
due_put_wanted(
    struct buf *out, const struct options *options, const struct strings *sites)
{
	out_json_strings(out, "sites", sites);
	out_json_strings(out, "tags", &options->watch.tags);
	out_json_strings(out, "filter", &options->filters.call);
}

void
due_say_nothing(const char *next, const struct ndjson *more, bool waits)
{
	const char *also = waits ? "; waiting" : "";
	struct slice of = {0};
	uint64_t leases = 0;
	struct buf text = BUF_UP_TO(SIZE_MAX);

	if (more != NULL) {
		of = ndjson_text(more, "spent");
		leases = (uint64_t)ndjson_number(more, "leases", 0);
	}
	if (leases > 0)
		(void)buf_print(&text,
		    "; %s %s handed out; 'freshet release' gives %s back",
		    human_of(leases, "page").text, leases == 1 ? "is" : "are",
		    leases == 1 ? "it" : "them");
	if (of.len != 0) {
		(void)buf_print(&text, "; until then the budget of ");
		if (slice_is(of, "total")) {
			(void)buf_print(&text, "all (total-budget)");
		} else {
			(void)buf_print(&text, "%.*s ", (int)of.len, of.p);
			vis_put(&text, ndjson_text(more, "name"), NAME_SHOWN);
		}
		(void)buf_print(&text, " is used up: ");
		vis_put(&text, ndjson_text(more, "rate"), NAME_SHOWN);
	}
	if (next[0] != '\0')
		complain("nothing is due; the next may be at %s%s%s", next,
		    buf_str(&text), also);
	else
		complain("nothing is due, and nothing will be before a sitemap "
			 "is read or a result comes%s",
		    also);
	buf_release(&text);
}
