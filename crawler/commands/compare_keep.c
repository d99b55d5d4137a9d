/* Compare: the bodies of a crawl by the most lenient rules. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "crawler/cli/options_sites.h"
#include "crawler/commands/compare.h"

#define PIECE 65536

static bool
write_at(int fd, const char *p, size_t n, uint64_t at)
{
	while (n > 0) {
		ssize_t done = pwrite(fd, p, n, (off_t)at);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return false;
		p += done;
		n -= (size_t)done;
		at += (uint64_t)done;
	}
	return true;
}

/* keep(compare, spool, len): its bytes behind those of the others. */
static bool
keep(struct compare *compare, struct spool_file *spool, uint64_t len)
{
	char *piece = mem_alloc(PIECE);
	int fd = spool_reader_fd(spool);
	uint64_t done = 0;
	ssize_t n = fd < 0 ? -1 : 1;

	while (n > 0 && done < len) {
		n = read(fd, piece, PIECE);
		if (n < 0 && errno == EINTR) {
			n = 1;
			continue;
		}
		if (n > 0 &&
		    !write_at(compare->bodies_fd, piece, (size_t)n,
			compare->bodies_len + done))
			n = -1;
		if (n > 0)
			done += (uint64_t)n;
	}
	if (n < 0)
		compare->error = errno;
	if (fd >= 0)
		(void)close(fd);
	free(piece);
	compare->bodies_len += done;
	return done == len;
}

static void
forget(struct compare_document *document)
{
	free(document->url);
	free(document->final_url);
	scope_release(&document->scope);
	for (int i = 0; i < COMPARE_PROFILES; i++)
		content_release(&document->readings[i].content);
}

/* A document is read again when a proof came late: the last time counts. */
void
compare_body(void *arg, int64_t document_id, struct slice url,
    const struct reader_job *job, struct spool_file *spool)
{
	struct compare *compare = arg;
	struct compare_document *document;
	struct scope *scope;
	uint32_t place;

	if (compare->error != 0)
		return;
	place = idmap_get(&compare->by_id, document_id);
	if (place == IDMAP_NONE) {
		compare->documents = mem_grow(compare->documents, &compare->cap,
		    compare->count + 1, sizeof(*compare->documents));
		place = (uint32_t)compare->count++;
		idmap_put(&compare->by_id, document_id, place);
	} else {
		forget(&compare->documents[place]);
	}
	document = &compare->documents[place];
	*document = (struct compare_document){.id = document_id,
	    .url = slice_dup(url),
	    .final_url = slice_dup(url_text(&job->scope.location.final)),
	    .offset = compare->bodies_len,
	    .body_len = job->body_len,
	    .is_seed = !job->scope.is_child};
	scope = &document->scope;
	scope_init(scope, &job->scope.location.profile);
	scope->limits = job->scope.limits;
	scope->now_s = job->scope.now_s;
	scope->listed_s = job->scope.listed_s;
	scope->modified_s = job->scope.modified_s;
	scope->is_child = job->scope.is_child;
	scope->depth = job->scope.depth;
	scope->is_truncated = job->scope.is_truncated;
	if (job->scope.content_type != NULL)
		scope->content_type = mem_copy(job->scope.content_type);
	if (job->scope.content_encoding != NULL)
		scope->content_encoding = mem_copy(job->scope.content_encoding);
	if (!keep(compare, spool, job->body_len))
		loop_stop(compare->crawl.loop);
}

/* One copy for each set of rules that the options give. */
const struct site_rules *
compare_rules_of(void *arg, struct slice host)
{
	struct compare *compare = arg;
	const struct site_rules *given = options_site_rules(
	    compare->crawl.options, host);
	struct site_rules *made;

	for (size_t i = 0; i < compare->rules_count; i++)
		if (compare->rules[i].given == given)
			return compare->rules[i].made;
	made = mem_alloc(sizeof(*made));
	*made = *given;
	made->profile = profile_default(PROFILE_LENIENT);
	compare->rules = mem_grow(compare->rules, &compare->rules_cap,
	    compare->rules_count + 1, sizeof(*compare->rules));
	compare->rules[compare->rules_count++] = (struct compare_rules){
	    given, made};
	return made;
}

void
compare_release(struct compare *compare)
{
	for (size_t i = 0; i < compare->count; i++)
		forget(&compare->documents[i]);
	free(compare->documents);
	for (size_t i = 0; i < compare->rules_count; i++)
		free(compare->rules[i].made);
	free(compare->rules);
	idmap_release(&compare->by_id);
	if (compare->bodies_fd >= 0)
		(void)close(compare->bodies_fd);
}
