/*
 * Documents read by both parsers:
 *
 *	run-parsers FILE...
 *
 * A FILE that ends in .jsonl has conformance cases, of which those of kind
 * "xml" or "gzip" are read; any other FILE is a document, as a server would
 * send it. The scanner (crawler/parse/scan.h) and libxml2 must give the same
 * reading: entries, dates, counts, findings with lines and texts, and blocks.
 *
 * Prints the differences, then how much the scanner read and why it stepped
 * aside from the rest, and at the end `N documents, N failed`. Exit status: 0
 * none failed, 1 one did, 2 an unreadable file.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/conformance/common.h"
#include "tests/conformance/document_case.h"
#include "tests/fixtures/read_fixture.h"

struct tally {
	unsigned documents;
	unsigned failed;
	unsigned asides[ASIDE_COUNT];
	uint64_t bytes; /* decoded */
	uint64_t scanned_bytes;
};

/* print(fixture, out): everything that the parsers must agree on. */
static void
print(const struct fixture *fixture, struct buf *out)
{
	const struct content *content = &fixture->content;
	const struct findings *findings = &content->findings;

	fixture_print(fixture, out);
	(void)buf_print(
	    out, "%" PRIu64 " bytes, digest ", content->decoded_bytes);
	for (size_t i = 0; i < sizeof(content->decoded_digest.bytes); i++)
		(void)buf_print(out, "%02x", content->decoded_digest.bytes[i]);
	for (size_t i = 0; i < findings->count; i++)
		for (unsigned k = 0; k < findings->items[i].sample_count; k++) {
			const struct finding_sample
			    *sample = &findings->items[i].samples[k];

			(void)buf_print(out, "\n%s in entry %u '%s'",
			    diag_name(findings->items[i].code), sample->entry,
			    sample->loc == NULL ? "" : sample->loc);
		}
	(void)buf_print(out, "\nlines ");
	(void)buf_put_slice(out, buf_text(&content->lines));
	(void)buf_print(out, "\nlinks ");
	(void)buf_put_slice(out, buf_text(&content->alternates));
	for (size_t i = 0; i < fixture->segment.count; i++) {
		const struct block_copy *block = &fixture->segment.items[i];

		(void)buf_put(out, block->data, block->len);
	}
}

/* compare(tally, name, scope, body): false: the readings differ. */
static bool
compare(struct tally *tally, const char *name, struct scope *scope,
    struct slice body)
{
	struct fixture scanned, other;
	struct buf ours, theirs;
	bool is_same;

	fixture_init(&scanned, body);
	fixture_init(&other, body);
	buf_init(&ours, SIZE_MAX);
	buf_init(&theirs, SIZE_MAX);
	scope->is_scan_off = false;
	fixture_read(&scanned, scope);
	scope->is_scan_off = true;
	fixture_read(&other, scope);
	print(&scanned, &ours);
	print(&other, &theirs);
	is_same = slice_equal(buf_text(&ours), buf_text(&theirs));
	if (!is_same)
		printf("%s differs\n%s\n--\n%s\n", name, buf_str(&ours),
		    buf_str(&theirs));
	tally->documents++;
	tally->asides[scanned.content.aside]++;
	tally->bytes += other.content.decoded_bytes;
	if (scanned.content.is_scanned)
		tally->scanned_bytes += other.content.decoded_bytes;
	tally->failed += !is_same;
	fixture_release(&scanned);
	fixture_release(&other);
	buf_release(&ours);
	buf_release(&theirs);
	return is_same;
}

static void
compare_case(struct tally *tally, const json_t *c)
{
	const char *id = case_text(c, "id");
	struct slice kind = slice_of(case_text(c, "kind"));
	struct scope scope;
	struct buf body;

	if (!slice_is(kind, "xml") && !slice_is(kind, "gzip"))
		return;
	buf_init(&body, BODY_MAX);
	if (!document_case(c, &scope, &body)) {
		printf("%s has no document\n", id);
		tally->failed++;
	} else if (compare(tally, id, &scope, buf_text(&body))) {
		scope.checks.has_lines = true;
		scope.checks.has_schema = !scope.checks.has_schema;
		scope.checks.has_extensions = !scope.checks.has_extensions;
		scope.checks.has_alternates = true;
		(void)compare(tally, id, &scope, buf_text(&body));
	}
	scope_release(&scope);
	buf_release(&body);
}

static bool
compare_cases(struct tally *tally, const char *path)
{
	FILE *file = fopen(path, "r");
	char *line = NULL;
	size_t size = 0;
	bool is_good = true;
	ssize_t n;

	if (file == NULL)
		return false;
	while ((n = getline(&line, &size, file)) >= 0) {
		json_error_t error;
		json_t *c = json_loadb(line, (size_t)n, JSON_ALLOW_NUL, &error);

		is_good &= c != NULL;
		if (c != NULL)
			compare_case(tally, c);
		json_decref(c);
	}
	free(line);
	(void)fclose(file); /* nothing was written */
	return is_good;
}

static bool
compare_document(struct tally *tally, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct scope scope;
	struct buf body;
	char bytes[65536];
	ssize_t n;

	if (fd < 0)
		return false;
	buf_init(&body, BODY_MAX);
	while ((n = read(fd, bytes, sizeof(bytes))) > 0)
		(void)buf_put(&body, bytes, (size_t)n);
	(void)close(fd); /* nothing was written */
	fixture_scope(&scope, PROFILE_GOOGLE, NULL);
	scope.checks.has_lines = true;
	(void)compare(tally, path, &scope, buf_text(&body));
	scope_release(&scope);
	buf_release(&body);
	return n == 0;
}

int
main(int argc, char **argv)
{
	struct tally tally = {0};
	bool is_good = argc > 1;

	read_warm();
	for (int i = 1; i < argc; i++) {
		struct slice path = slice_of(argv[i]);
		bool is_read;

		is_read = path.len > 6 &&
			slice_is(slice_from(path, path.len - 6), ".jsonl")
		    ? compare_cases(&tally, argv[i])
		    : compare_document(&tally, argv[i]);
		if (!is_read)
			fprintf(stderr, "cannot read '%s'\n", argv[i]);
		is_good &= is_read;
	}
	printf("scanned: %u documents, %.2f %% of %" PRIu64 " bytes\n",
	    tally.asides[ASIDE_NO],
	    tally.bytes == 0
		? 0.0
		: 100.0 * (double)tally.scanned_bytes / (double)tally.bytes,
	    tally.bytes);
	for (int i = ASIDE_NO + 1; i < ASIDE_COUNT; i++)
		printf("aside, %s: %u\n", aside_names[i], tally.asides[i]);
	printf("%u documents, %u failed\n", tally.documents, tally.failed);
	if (!is_good)
		return 2;
	return tally.failed > 0 ? 1 : 0;
}
