/* From the events of a run to the parts of a report. */
#ifndef FRESHET_REPORT_BUILD_H
#define FRESHET_REPORT_BUILD_H

#include "base/profile.h"
#include "crawler/report/report.h"
#include "store/store.h"

struct names;
struct report_builder;
struct report_unlisted;

/* report_builder_new(hash_key, nowhere, unlisted): hash_key is random, for
 * tables of URLs; nowhere is the prefix of URLs that people never see, or NULL;
 * what the documents list is compared with the files of a folder, borrowed
 * (report_unlisted.h), or NULL. */
struct report_builder *report_builder_new(
    uint64_t hash_key, const char *nowhere, struct report_unlisted *);
void report_builder_free(struct report_builder *);

/* Both the rules and the URLs come from strangers: half a megabyte of rules for
 * ten million URLs would take hours. So many steps are a hundred rules for
 * three million URLs, which takes some seconds. */
#define REPORT_BLOCKED_STEPS UINT64_C(1000000000)

/* report_builder_judge(builder, store, agents, count, most): judge listed pages
 * by the rules for these product tokens (borrowed, REPORT_AGENTS_MAX at most)
 * in each robots.txt that the store has by then.  There are at most so many
 * steps; a step compares a rule with 32 bytes of a URL.  Call before the first
 * document. */
void report_builder_judge(struct report_builder *, struct store *,
    const char *const *agents, size_t count, uint64_t most);

/* report_names_wall(content): did a reader know the bot wall whose page came
 * instead of the document? */
bool report_names_wall(const struct content *);

/* report_builder_document(builder, url, file, reading, profile): add a reading
 * of a document, also a failed one; the latest reading of a document counts.
 * It may have been read from a file that is not published yet; file is empty
 * else.  The profile is borrowed until the report is finished. */
void report_builder_document(struct report_builder *, struct slice url,
    struct slice file, const struct reading *, const struct profile *);

/* report_builder_problem(builder, code, url, text, profile): add what went
 * wrong with a target before it led to a document. */
void report_builder_problem(struct report_builder *, enum diag_code,
    struct slice url, struct slice text, const struct profile *);

/* report_builder_page(builder, page): a listed_page_fn: add a page that was
 * fetched, after all documents. Its faults are findings of its document. A page
 * that nothing lists is added only if it may be indexed; the fault of such a
 * page is a finding of the index above all others. */
void report_builder_page(void *builder, const struct listed_page *);

/* report_builder_date(builder, document_id, code, ordinal, url, text): the date
 * of an entry of that document is wrong; text says how. Call it after all
 * documents. */
void report_builder_date(struct report_builder *, int64_t document_id,
    enum diag_code, uint32_t ordinal, struct slice url, struct slice text);

/* report_builder_asks(builder): a sitemap was read whose generator only a page
 * of its site can name. */
bool report_builder_asks(const struct report_builder *);

/* What the report depends on beside the readings; borrowed as long as it. */
struct report_facts {
	const char *const *targets;
	size_t target_count;
	const char *const *urls; /* the targets as URLs */
	/* the hosts of the targets; NULL: not known */
	const char *const *hosts;
	struct report_accept *accept; /* NULL: nothing is accepted */
	/* the run stopped early: what it did not read may list anything */
	bool is_cut;
	/* origins of which a default location answered with a web page; NULL:
	 * not known */
	const struct names *guessed;
	/* a line that the robots.txt of a folder lost; NULL: none */
	const char *lost_rule;
};

/* report_builder_finish(builder, store, facts): order the documents by the
 * links in the store (NULL: there are none), and count. Call once. The builder
 * owns the report; the caller fills in what it knows of the run: profile,
 * sandbox, agent, times, exit_status and fail_on. */
struct report *report_builder_finish(
    struct report_builder *, struct store *, const struct report_facts *);

#endif
