/*
 * The documents of conformance cases, read in pieces and cut:
 *
 *	run-pieces FILE.jsonl...
 *
 * Each document of kind "xml" or "gzip" is read whole, then in pieces of
 * several lengths, which must give the same reading to the last finding. Then
 * it is cut at every byte, once as a transfer that is known to have ended
 * early, and once as a file that was published like this. A cut document must
 * give the beginning of the reading: no entry and no finding that the whole
 * document does not have, except those for the cut.
 *
 * Prints the differences, and at the end `N documents, N cuts, N failed`. Exit
 * status: 0 none failed, 1 one did, 2 an unreadable file.
 */
#include <stdio.h>
#include <stdlib.h>

#include "tests/conformance/common.h"
#include "tests/conformance/document_case.h"
#include "tests/fixtures/read_fixture.h"
#include "tests/fixtures/sanitized.h"

/* A longer document is cut at fewer places: at most at twice so many.  Under
 * sanitizers, which take ten times as long, each tenth place has to do. */
#define CUTS_MAX (IS_SANITIZED ? 40 : 700)

struct tally {
	unsigned documents;
	unsigned cuts;
	unsigned failed;
};

struct document {
	const char *id;
	struct scope scope;
	struct buf body;
	struct fixture whole;
};

static void
fail(struct tally *tally, const struct document *document, const char *how,
    size_t n, struct buf *got)
{
	struct buf whole;

	buf_init(&whole, 1 << 22);
	fixture_print(&document->whole, &whole);
	printf("%s %s %zu\n%s--\n%s\n", document->id, how, n, buf_str(&whole),
	    buf_str(got));
	buf_release(&whole);
	tally->failed++;
}

static void
check_pieces(struct tally *tally, struct document *document)
{
	const size_t half = document->body.len / 2 + 1;
	const size_t lengths[] = {1, 2, 3, 7, 64, half};
	struct buf whole;
	struct buf got;

	buf_init(&whole, 1 << 22);
	buf_init(&got, 1 << 22);
	fixture_print(&document->whole, &whole);
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		struct fixture fixture;

		fixture_init(&fixture, buf_text(&document->body));
		fixture.chunk = lengths[i];
		fixture_read(&fixture, &document->scope);
		buf_clear(&got);
		fixture_print(&fixture, &got);
		if (!slice_equal(buf_text(&whole), buf_text(&got)))
			fail(tally, document, "in pieces of", lengths[i], &got);
		fixture_release(&fixture);
	}
	buf_release(&whole);
	buf_release(&got);
}

/* is_of_cut(code, len, is_known): can the cut alone cause the code? */
static bool
is_of_cut(enum diag_code code, size_t len, bool is_known)
{
	if (code == DIAG_PARTIAL_DOCUMENT)
		return true;
	/* A transfer that is known to have ended early causes none of them. */
	if (is_known)
		return false;
	if (len == 0 &&
	    (code == DIAG_EMPTY_FILE || code == DIAG_GZ_EXTENSION_NOT_GZIP ||
		code == DIAG_CONTENT_ENCODING_MISMATCH))
		return true;
	return code == DIAG_PARSE_ERROR || code == DIAG_GZIP_TRUNCATED ||
	    code == DIAG_GZIP_TRAILING_GARBAGE || code == DIAG_EMPTY_FILE ||
	    code == DIAG_UNSUPPORTED_FORMAT || code == DIAG_DOCTYPE_PRESENT;
}

/*
 * has_sample(finding, sample): is the sample there, or a cut form of its text?
 */
static bool
has_sample(const struct finding *finding, const struct finding_sample *sample)
{
	struct slice text = slice_of(sample->text);

	for (unsigned i = 0; i < finding->sample_count; i++)
		if (finding->samples[i].line == sample->line &&
		    slice_starts(slice_of(finding->samples[i].text), text))
			return true;
	return finding->count > FINDING_SAMPLES;
}

static bool
findings_ok(const struct fixture *whole, const struct fixture *cut, size_t len,
    bool is_known)
{
	const struct findings *findings = &cut->content.findings;

	for (size_t i = 0; i < findings->count; i++) {
		const struct finding *finding = &findings->items[i];
		const struct finding *same = findings_get(
		    &whole->content.findings, finding->code);

		if (is_of_cut(finding->code, len, is_known))
			continue;
		if (same == NULL || finding->count > same->count)
			return false;
		for (unsigned j = 0; j < finding->sample_count; j++)
			if (!has_sample(same, &finding->samples[j]))
				return false;
	}
	return true;
}

static bool
has(const struct fixture *fixture, enum diag_code code)
{
	return findings_get(&fixture->content.findings, code) != NULL;
}

/* entries_ok(): are the first `count` entries those of the whole document? A
 * repeat of an entry that was cut off may have had a newer date (SPEC R-51). */
static bool
entries_ok(const struct fixture *whole, const struct fixture *cut, size_t count)
{
	bool has_repeats = has(whole, DIAG_DUPLICATE_URL) ||
	    has(whole, DIAG_DUPLICATE_CHILD);

	if (count > whole->count)
		return false;
	for (size_t i = 0; i < count; i++) {
		const struct fixture_entry *a = &whole->entries[i];
		const struct fixture_entry *b = &cut->entries[i];

		if (strcmp(a->url, b->url) != 0 ||
		    a->entry.ordinal != b->entry.ordinal)
			return false;
		if (!has_repeats &&
		    (a->entry.extensions != b->entry.extensions ||
			a->entry.hints != b->entry.hints ||
			date_order(&a->entry.lastmod, &b->entry.lastmod) != 0))
			return false;
	}
	return true;
}

/* cut_ok(): a text list that was published cut does not show that its last line
 * was longer, so that line is not compared. */
static bool
cut_ok(const struct fixture *whole, const struct fixture *cut, size_t len,
    bool is_known)
{
	bool is_open = !is_known && cut->content.kind == KIND_TEXT;
	size_t count = cut->count;

	if (cut->content.is_complete && is_known)
		return false;
	if (cut->content.kind != KIND_UNKNOWN &&
	    cut->content.kind != whole->content.kind)
		return false;
	/* The fault was cut off, and the rest of the document has none. */
	if (!is_known && whole->code != DIAG_OK && cut->code == DIAG_OK)
		return true;
	if (is_open && count > 0)
		return entries_ok(whole, cut, count - 1);
	if (cut->content.is_complete)
		return entries_ok(whole, cut, count);
	return entries_ok(whole, cut, count) &&
	    findings_ok(whole, cut, len, is_known);
}

static void
check_cuts(struct tally *tally, struct document *document)
{
	/* odd, so that both kinds of cuts take turns */
	size_t step = (document->body.len / CUTS_MAX + 1) | 1;
	struct buf got;

	buf_init(&got, 1 << 22);
	for (size_t i = 0; i < document->body.len * 2; i += step) {
		bool is_known = i % 2 == 0;
		size_t len = i / 2;
		struct fixture cut;

		fixture_init(&cut, slice_make(document->body.p, len));
		document->scope.is_truncated = is_known;
		fixture_read(&cut, &document->scope);
		tally->cuts++;
		if (!cut_ok(&document->whole, &cut, len, is_known)) {
			buf_clear(&got);
			fixture_print(&cut, &got);
			fail(tally, document,
			    is_known ? "ended at" : "published up to", len,
			    &got);
		}
		fixture_release(&cut);
	}
	buf_release(&got);
}

static void
check_case(struct tally *tally, const json_t *c)
{
	struct slice kind = slice_of(case_text(c, "kind"));
	struct document document = {.id = case_text(c, "id")};

	if (!slice_is(kind, "xml") && !slice_is(kind, "gzip"))
		return;
	buf_init(&document.body, BODY_MAX);
	if (document_case(c, &document.scope, &document.body)) {
		fixture_init(&document.whole, buf_text(&document.body));
		fixture_read(&document.whole, &document.scope);
		tally->documents++;
		check_pieces(tally, &document);
		check_cuts(tally, &document);
		fixture_release(&document.whole);
	} else {
		printf("%s has no document\n", document.id);
		tally->failed++;
	}
	scope_release(&document.scope);
	buf_release(&document.body);
}

static bool
check_file(struct tally *tally, const char *path)
{
	FILE *file = fopen(path, "r");
	char *line = NULL;
	size_t size = 0;
	bool is_good = true;
	ssize_t n;

	if (file == NULL) {
		fprintf(stderr, "cannot open '%s'\n", path);
		return false;
	}
	while ((n = getline(&line, &size, file)) >= 0) {
		json_error_t error;
		json_t *c = json_loadb(line, (size_t)n, JSON_ALLOW_NUL, &error);

		if (c == NULL) {
			fprintf(stderr, "%s: %s\n", path, error.text);
			is_good = false;
			continue;
		}
		check_case(tally, c);
		json_decref(c);
	}
	free(line);
	(void)fclose(file); /* nothing was written */
	return is_good;
}

int
main(int argc, char **argv)
{
	struct tally tally = {0};
	bool is_good = argc > 1;

	read_warm();
	for (int i = 1; i < argc; i++)
		is_good &= check_file(&tally, argv[i]);
	printf("%u documents, %u cuts, %u failed\n", tally.documents,
	    tally.cuts, tally.failed);
	if (!is_good)
		return 2;
	return tally.failed > 0 ? 1 : 0;
}
