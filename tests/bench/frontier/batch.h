/* What the benchmarks of the frontier share: sites without a robots.txt, and
 * batches of pages that are leased and then fetched. */
#ifndef FRESHET_BATCH_H
#define FRESHET_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"
#include "crawler/frontier/frontier_lease.h"
#include "crawler/frontier/frontier_result.h"
#include "store/store.h"

/* A batch is leased in one commit and its results come in another. */
enum { BATCH = 500, BEGIN_S = 1700000000, DAY_S = 86400 };

struct batch {
	char tokens[BATCH][FRONTIER_TOKEN_SIZE];
	size_t count;
};

struct frontier;
struct site_rules;

/* must(is_so, what): the benchmark ends here with the message `what` unless
 * is_so holds. */
void must(bool is_so, const char *what);

/* batch_store(folder, name, is_scratch): open a new store NAME in the folder;
 * the caller closes it. */
struct store *batch_store(
    const char *folder, const char *name, bool is_scratch);

/* batch_site(store, number, text): add the site www.sNUMBER.example, whose
 * robots.txt answers 404, and write its origin to text, which has `size`
 * bytes.  Returns the site's id; *len is the length of the origin. */
int64_t batch_site(
    struct store *, int64_t number, char *text, size_t size, size_t *len);

/* batch_rules(rules, host): what `rules` of frontier_options wants: all hosts
 * have the same rules, which rules_arg points to. */
const struct site_rules *batch_rules(void *rules, struct slice host);

/* batch_lease(batch, frontier, consumer, now_s): lease up to BATCH pages. */
void batch_lease(struct batch *, struct frontier *, struct frontier_consumer *,
    int64_t now_s);

/* batch_done(batch, frontier, now_s, result): report the result for each page
 * of the batch; each has another content hash if the result has none. */
void batch_done(const struct batch *, struct frontier *, int64_t now_s,
    struct frontier_result result);

#endif
