/* The reading of a listed page. */
#include "crawler/parse/read_page.h"

#include "crawler/parse/gunzip.h"
#include "crawler/parse/page.h"

#define PULL_BYTES 32768

static bool
on_bytes(void *arg, struct slice bytes)
{
	return page_scan_feed(arg, bytes);
}

/* Faults of its compression are of no use to whoever lists it. */
static void
on_finding(void *arg, enum diag_code code, struct slice text)
{
	(void)arg;
	(void)code;
	(void)text;
}

/* pull(job, gunzip): false when the body could not be had. */
static bool
pull(const struct read_job *job, struct gunzip *gunzip)
{
	char bytes[PULL_BYTES];
	ssize_t n;

	do {
		n = job->body(job->body_arg, bytes, sizeof(bytes));
	} while (n > 0 && gunzip_feed(gunzip, slice_make(bytes, (size_t)n)));
	if (n >= 0)
		gunzip_finish(gunzip);
	return n >= 0;
}

enum diag_code
read_page(const struct read_job *job, struct content *content)
{
	const struct scope *scope = job->scope;
	struct page_scan *scan = page_scan_new();
	/* one byte more, so that a page that is longer is known to be */
	struct gunzip_options options = {.limits = &scope->limits,
	    .max_bytes = PAGE_MAX_BYTES + 1,
	    .content_type = slice_of(scope->content_type),
	    .content_encoding = slice_of(scope->content_encoding),
	    .out = on_bytes,
	    .arg = scan,
	    .sink = {on_finding, NULL}};
	struct gunzip *gunzip = gunzip_new(&options);
	struct page_facts facts;

	content_init(content);
	if (!pull(job, gunzip))
		content->failure = DIAG_READER_KILLED;
	else if (gunzip_failure(gunzip) == DIAG_UNSUPPORTED_ENCODING)
		content->failure = DIAG_UNSUPPORTED_ENCODING;
	facts = page_scan_facts(scan);
	page_put(&content->page, &facts);
	gunzip_free(gunzip);
	page_scan_free(scan);
	return content->failure;
}

bool
read_page_fits(const struct content *content)
{
	struct page_facts facts;

	return page_get(buf_text(&content->page), &facts) &&
	    content->kind == KIND_UNKNOWN && content->findings.count == 0 &&
	    content->alternates.len == 0 && content->seen == 0;
}
