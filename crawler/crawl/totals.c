/* What a crawl counts. */
#include "crawler/crawl/totals.h"

#include <inttypes.h>
#include <stddef.h>

static const struct {
	const char *key;
	size_t at;
} members[] = {
#define MEMBER(key, member)                              \
	{                                                \
		key, offsetof(struct run_totals, member) \
	}
    MEMBER("done", done),
    MEMBER("known", known),
    MEMBER("listed", listed),
    MEMBER("first_sites", first_sites),
    MEMBER("waiting", waiting),
    MEMBER("waiting_urls", waiting_urls),
    MEMBER("read", read),
    MEMBER("unchanged", unchanged),
    MEMBER("added", changes[DELTA_ADDED]),
    MEMBER("removed", changes[DELTA_REMOVED]),
    MEMBER("returned", changes[DELTA_RETURNED]),
    MEMBER("redated", changes[DELTA_REDATED]),
    MEMBER("gone", changes[DELTA_GONE]),
    MEMBER("now_refused", changes[DELTA_REFUSED]),
    MEMBER("now_accepted", changes[DELTA_ACCEPTED]),
    MEMBER("self_reference", refused_by[VERDICT_SELF_REFERENCE]),
    MEMBER("private_address", refused_by[VERDICT_PRIVATE_ADDRESS]),
    MEMBER("www_missing", refused_by[VERDICT_WWW_MISSING]),
    MEMBER("www_extra", refused_by[VERDICT_WWW_EXTRA]),
    MEMBER("host_mismatch", refused_by[VERDICT_HOST]),
    MEMBER("scheme_mismatch", refused_by[VERDICT_SCHEME]),
    MEMBER("port_mismatch", refused_by[VERDICT_PORT]),
    MEMBER("outside_directory", refused_by[VERDICT_DIRECTORY]),
    MEMBER("refused_entries", refused_entries),
    MEMBER("refused_children", refused_children),
    MEMBER("scanned", scanned),
    MEMBER("scanned_bytes", scanned_bytes),
    MEMBER("parsed", parsed),
    MEMBER("parsed_bytes", parsed_bytes),
    MEMBER("aside_kind", asides[ASIDE_KIND]),
    MEMBER("aside_encoding", asides[ASIDE_ENCODING]),
    MEMBER("aside_namespace", asides[ASIDE_NAMESPACE]),
    MEMBER("aside_markup", asides[ASIDE_MARKUP]),
    MEMBER("aside_element", asides[ASIDE_ELEMENT]),
    MEMBER("aside_text", asides[ASIDE_TEXT]),
    MEMBER("aside_rule", asides[ASIDE_RULE]),
    MEMBER("aside_limit", asides[ASIDE_LIMIT]),
    MEMBER("aside_cut", asides[ASIDE_CUT]),
    MEMBER("wire_bytes", wire_bytes),
    MEMBER("requests", requests),
    MEMBER("gap_ms", gap_ms),
    MEMBER("gap_cpu_ms", gap_cpu_ms),
    MEMBER("commit_ms", commit_ms),
#undef MEMBER
};

#define MEMBERS (sizeof(members) / sizeof(members[0]))

void
totals_put(struct buf *out, const struct run_totals *totals)
{
	for (size_t i = 0; i < MEMBERS; i++)
		(void)buf_print(out, ",\"%s\":%" PRIu64, members[i].key,
		    *(const uint64_t *)((const char *)totals + members[i].at));
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

	totals->read += before->read;
	totals->unchanged += before->unchanged;
	totals->already -= read_before < totals->already ? read_before
							 : totals->already;
	for (int i = 0; i < DELTA_KINDS; i++)
		totals->changes[i] += before->changes[i];
	totals->refused_entries += before->refused_entries;
	totals->refused_children += before->refused_children;
	totals->scanned += before->scanned;
	totals->scanned_bytes += before->scanned_bytes;
	totals->parsed += before->parsed;
	totals->parsed_bytes += before->parsed_bytes;
	for (int i = 0; i < ASIDE_COUNT; i++)
		totals->asides[i] += before->asides[i];
	totals->wire_bytes += before->wire_bytes;
	totals->requests += before->requests;
	if (totals->gap_ms < before->gap_ms)
		totals->gap_ms = before->gap_ms;
	if (totals->gap_cpu_ms < before->gap_cpu_ms)
		totals->gap_cpu_ms = before->gap_cpu_ms;
	if (totals->commit_ms < before->commit_ms)
		totals->commit_ms = before->commit_ms;
}
