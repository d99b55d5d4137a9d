/* What a crawl counts. */
#include "crawler/crawl/totals.h"

#include <inttypes.h>
#include <stddef.h>

/* What a crawl that another process began, and this one ends, counts: its state
 * now, the sum of both, or the greater one of both. */
enum kind { NOW, SUM, MOST };

static const struct {
	const char *key;
	size_t at;
	enum kind kind;
} members[] = {
#define MEMBER(kind, key, member)                              \
	{                                                      \
		key, offsetof(struct run_totals, member), kind \
	}
    MEMBER(NOW, "done", done),
    MEMBER(NOW, "known", known),
    MEMBER(NOW, "listed", listed),
    MEMBER(NOW, "first_sites", first_sites),
    MEMBER(NOW, "waiting", waiting),
    MEMBER(NOW, "waiting_urls", waiting_urls),
    MEMBER(SUM, "read", read),
    MEMBER(SUM, "unchanged", unchanged),
    MEMBER(SUM, "added", changes[DELTA_ADDED]),
    MEMBER(SUM, "removed", changes[DELTA_REMOVED]),
    MEMBER(SUM, "returned", changes[DELTA_RETURNED]),
    MEMBER(SUM, "redated", changes[DELTA_REDATED]),
    MEMBER(SUM, "gone", changes[DELTA_GONE]),
    MEMBER(SUM, "now_refused", changes[DELTA_REFUSED]),
    MEMBER(SUM, "now_accepted", changes[DELTA_ACCEPTED]),
    MEMBER(SUM, "left", changes[DELTA_LEFT]),
    MEMBER(SUM, "back", changes[DELTA_BACK]),
    MEMBER(NOW, "self_reference", refused_by[VERDICT_SELF_REFERENCE]),
    MEMBER(NOW, "private_address", refused_by[VERDICT_PRIVATE_ADDRESS]),
    MEMBER(NOW, "www_missing", refused_by[VERDICT_WWW_MISSING]),
    MEMBER(NOW, "www_extra", refused_by[VERDICT_WWW_EXTRA]),
    MEMBER(NOW, "host_mismatch", refused_by[VERDICT_HOST]),
    MEMBER(NOW, "scheme_mismatch", refused_by[VERDICT_SCHEME]),
    MEMBER(NOW, "port_mismatch", refused_by[VERDICT_PORT]),
    MEMBER(NOW, "outside_directory", refused_by[VERDICT_DIRECTORY]),
    MEMBER(SUM, "refused_entries", refused_entries),
    MEMBER(SUM, "refused_children", refused_children),
    MEMBER(SUM, "scanned", scanned),
    MEMBER(SUM, "scanned_bytes", scanned_bytes),
    MEMBER(SUM, "parsed", parsed),
    MEMBER(SUM, "parsed_bytes", parsed_bytes),
    MEMBER(SUM, "aside_kind", asides[ASIDE_KIND]),
    MEMBER(SUM, "aside_encoding", asides[ASIDE_ENCODING]),
    MEMBER(SUM, "aside_namespace", asides[ASIDE_NAMESPACE]),
    MEMBER(SUM, "aside_markup", asides[ASIDE_MARKUP]),
    MEMBER(SUM, "aside_element", asides[ASIDE_ELEMENT]),
    MEMBER(SUM, "aside_text", asides[ASIDE_TEXT]),
    MEMBER(SUM, "aside_rule", asides[ASIDE_RULE]),
    MEMBER(SUM, "aside_limit", asides[ASIDE_LIMIT]),
    MEMBER(SUM, "aside_cut", asides[ASIDE_CUT]),
    MEMBER(SUM, "wire_bytes", wire_bytes),
    MEMBER(SUM, "requests", requests),
    MEMBER(MOST, "gap_ms", gap_ms),
    MEMBER(MOST, "gap_cpu_ms", gap_cpu_ms),
    MEMBER(MOST, "commit_ms", commit_ms),
#undef MEMBER
};

#define MEMBERS (sizeof(members) / sizeof(members[0]))

static uint64_t
value(const struct run_totals *totals, size_t i)
{
	return *(const uint64_t *)((const char *)totals + members[i].at);
}

void
totals_put(struct buf *out, const struct run_totals *totals)
{
	for (size_t i = 0; i < MEMBERS; i++)
		(void)buf_print(
		    out, ",\"%s\":%" PRIu64, members[i].key, value(totals, i));
}

void
totals_get(const struct ndjson *object, struct run_totals *totals)
{
	*totals = (struct run_totals){0};
	for (size_t i = 0; i < MEMBERS; i++)
		*(uint64_t *)((char *)totals +
		    members[i].at) = (uint64_t)ndjson_number(object,
		    members[i].key, 0);
}

uint64_t
totals_refused(const struct run_totals *totals, enum verdict *most)
{
	uint64_t sum = 0;

	*most = VERDICT_ACCEPTED;
	for (int i = VERDICT_ACCEPTED + 1; i < VERDICTS; i++) {
		sum += totals->refused_by[i];
		if (totals->refused_by[i] > totals->refused_by[*most])
			*most = (enum verdict)i;
	}
	return sum;
}

void
totals_continue(struct run_totals *totals, const struct run_totals *before)
{
	uint64_t read_before = before->read + before->unchanged;

	totals->already -= read_before < totals->already ? read_before
							 : totals->already;
	for (size_t i = 0; i < MEMBERS; i++) {
		uint64_t *now = (uint64_t *)((char *)totals + members[i].at);
		uint64_t then = value(before, i);

		if (members[i].kind == SUM)
			*now += then;
		else if (members[i].kind == MOST && *now < then)
			*now = then;
	}
}
