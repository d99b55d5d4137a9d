/*
 * What the parsers tell of documents, for a twin to compare with:
 *
 *	stdin:  for each document its length in bytes, a line end, the bytes
 *	stdout: one line for each event, then "end"
 *
 *	root KIND | entry LINE N=TEXT... | finding LINE CODE | end DONE
 *
 * N is l, d, f or p for loc, lastmod, changefreq and priority.  Values are
 * printed in hexadecimal.  DONE is 1 when the document was read to its end.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "crawler/parse/document.h"
#include "crawler/parse/read.h"

static bool
tell_root(void *arg, enum root_kind kind)
{
	static const char *const names[] = {[ROOT_NONE] = "none",
	    [ROOT_INDEX] = "sitemapindex",
	    [ROOT_URLSET] = "urlset",
	    [ROOT_TEXT] = "text",
	    [ROOT_RSS] = "rss",
	    [ROOT_ATOM] = "atom"};

	(void)arg;
	printf("root %s\n", names[kind]);
	return true;
}

static void
tell_value(char name, struct slice value)
{
	if (value.p == NULL)
		return;
	printf(" %c=", name);
	for (size_t i = 0; i < value.len; i++)
		printf("%02x", (unsigned char)value.p[i]);
}

static bool
tell_entry(void *arg, const struct raw_entry *entry)
{
	(void)arg;
	printf("entry %u", entry->line);
	tell_value('l', entry->loc);
	tell_value('d', entry->lastmod);
	tell_value('f', entry->changefreq);
	tell_value('p', entry->priority);
	printf("\n");
	return true;
}

static void
tell_finding(void *arg, enum diag_code code, uint32_t line, struct slice text)
{
	(void)arg;
	(void)text;
	printf("finding %u %s\n", line, diag_name(code));
}

static void
tell_document(struct slice body)
{
	struct profile profile = profile_default(PROFILE_GOOGLE);
	struct parser_events events = {
	    .root = tell_root, .entry = tell_entry, .finding = tell_finding};
	struct scope scope;

	scope_init(&scope, &profile);
	enum diag_code failure;
	struct document_parser *document = document_new(
	    &events, &scope, &failure);
	(void)document_feed(document, body);
	printf("end %d\n", document_finish(document, true));
	(void)fflush(stdout); /* nobody listens: the next write says so */
	document_free(document);
	scope_release(&scope);
}

int
main(void)
{
	char *body = NULL;
	size_t len;

	read_warm();
	while (scanf("%zu", &len) == 1 && getchar() == '\n') {
		free(body);
		body = mem_alloc(len + 1);
		if (fread(body, 1, len, stdin) != len)
			return 1;
		tell_document(slice_make(body, len));
	}
	free(body);
	return 0;
}
