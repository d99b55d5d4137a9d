/* A crawl as one JSON object a line. */
#include <inttypes.h>

#include "base/vis.h"
#include "crawler/control/summary.h"
#include "crawler/crawl/totals.h"

static void
put_text(struct buf *out, const char *key, const char *text)
{
	(void)buf_print(out, ",\"%s\":", key);
	if (text == NULL)
		(void)buf_print(out, "null");
	else
		json_put(out, slice_of(text));
}

static void
put_number(struct buf *out, const char *key, uint64_t n)
{
	(void)buf_print(out, ",\"%s\":%" PRIu64, key, n);
}

static void
put_bool(struct buf *out, const char *key, bool is_true)
{
	(void)buf_print(out, ",\"%s\":%s", key, is_true ? "true" : "false");
}

static void
put_changes(struct buf *out, const uint64_t changes[DELTA_KINDS])
{
	put_number(out, "added", changes[DELTA_ADDED]);
	put_number(out, "removed", changes[DELTA_REMOVED]);
	put_number(out, "returned", changes[DELTA_RETURNED]);
	put_number(out, "redated", changes[DELTA_REDATED]);
	put_number(out, "gone", changes[DELTA_GONE]);
	put_number(out, "now_refused", changes[DELTA_REFUSED]);
	put_number(out, "now_accepted", changes[DELTA_ACCEPTED]);
}

static void
put_finding(struct buf *out, const struct finding *finding,
    const struct profile *profile)
{
	const struct diag_info *info = diag_info(finding->code);
	bool has = finding->sample_count > 0;

	(void)buf_print(out, "{\"code\":\"%s\",\"severity\":\"%s\"", info->code,
	    severity_name(profile_severity(profile, finding->code)));
	put_number(out, "count", finding->count);
	if (has && finding->samples[0].line > 0)
		put_number(out, "line", finding->samples[0].line);
	else
		put_text(out, "line", NULL);
	put_text(out, "text", has ? finding->samples[0].text : NULL);
	(void)buf_put_char(out, '}');
}

void
summary_json_document(struct buf *out, struct slice url,
    const struct reading *reading, const struct profile *profile)
{
	const struct content *content = &reading->content;

	(void)buf_print(out, "{\"v\":1,\"type\":\"document\",\"url\":");
	json_put(out, url);
	put_text(out, "kind", document_kind_name(content->kind));
	put_text(out, "outcome", outcome_name(reading->outcome));
	put_number(out, "status", (uint64_t)reading->http.status);
	put_text(out, "failure",
	    reading->failure == DIAG_OK ? NULL : diag_name(reading->failure));
	put_bool(out, "complete", content->is_complete);
	put_number(out, "seen", content->seen);
	put_number(out, "accepted", content->accepted);
	put_number(out, "refused", content->refused);
	put_number(out, "entries", content->merge.entries);
	put_number(out, "listed_refused", content->merge.refused);
	put_number(out, "dated", content->merge.dated);
	put_changes(out, content->merge.changes);
	put_number(out, "wire_bytes", reading->http.wire_bytes);
	put_number(out, "decoded_bytes", content->decoded_bytes);
	put_text(out, "final_url", reading->http.final_url);
	(void)buf_print(out, ",\"findings\":[");
	for (size_t i = 0; i < content->findings.count; i++) {
		if (i > 0)
			(void)buf_put_char(out, ',');
		put_finding(out, &content->findings.items[i], profile);
	}
	(void)buf_print(out, "]}\n");
}

static void
put_codes(struct buf *out, const struct run_totals *totals)
{
	const char *comma = "";

	(void)buf_print(out, ",\"findings\":{");
	for (int i = DIAG_OK + 1; i < DIAG_COUNT; i++) {
		if (totals->codes[i] == 0)
			continue;
		(void)buf_print(out, "%s\"%s\":%" PRIu64, comma,
		    diag_name((enum diag_code)i), totals->codes[i]);
		comma = ",";
	}
	(void)buf_put_char(out, '}');
}

void
summary_json_totals(struct buf *out, const struct run_totals *totals,
    const char *sandbox, int64_t spent_ms, int status)
{
	enum verdict most;

	(void)buf_print(out, "{\"v\":1,\"type\":\"summary\"");
	put_number(out, "sites", totals->sites);
	(void)buf_print(
	    out, ",\"documents\":{\"known\":%" PRIu64, totals->known);
	put_number(out, "read", totals->read);
	put_number(out, "unchanged", totals->unchanged);
	put_number(out, "already", totals->already);
	put_number(out, "failed", totals->failed);
	put_number(out, "refused", totals->refused);
	(void)buf_print(out, "},\"urls\":{\"listed\":%" PRIu64, totals->listed);
	put_number(out, "refused", totals_refused(totals, &most));
	put_changes(out, totals->changes);
	(void)buf_put_char(out, '}');
	(void)buf_print(out,
	    ",\"waiting\":{\"documents\":%" PRIu64 ",\"urls\":%" PRIu64 "}",
	    totals->waiting, totals->waiting_urls);
	put_number(out, "refused_entries", totals->refused_entries);
	put_codes(out, totals);
	put_number(out, "wire_bytes", totals->wire_bytes);
	put_number(out, "requests", totals->requests);
	put_number(out, "longest_gap_ms", totals->gap_ms);
	put_number(out, "longest_gap_cpu_ms", totals->gap_cpu_ms);
	put_number(out, "longest_commit_ms", totals->commit_ms);
	put_text(out, "sandbox", sandbox);
	(void)buf_print(out, ",\"seconds\":%.3f", (double)spent_ms / 1000.0);
	put_number(out, "exit", (uint64_t)status);
	(void)buf_print(out, "}\n");
}
