/*
 * Run files of conformance cases (SPEC section 14):
 *
 *	run-conformance FILE.jsonl...
 *
 * Prints each failing case with what was expected and what came, each reason
 * for skipping once on stderr, and at the end `N passed, N failed`. Exit
 * status: 0 none failed, 1 one did, 2 usage or an unreadable file.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "crawler/parse/read.h"
#include "tests/conformance/cases.h"

#define WHY_MAX 65536
#define MAX_REASONS 32

struct kind {
	const char *name;
	case_fn *run;
};

static const struct kind kinds[] = {
    {"gzip", case_gzip},
    {"http", case_http},
    {"lastmod", case_lastmod},
    {"location", case_location},
    {"robots", case_robots},
    {"url", case_url},
    {"xml", case_xml},
};

struct reason {
	char *text; /* owned */
	unsigned count;
};

struct tally {
	unsigned passed;
	unsigned failed;
	struct reason skipped[MAX_REASONS];
	size_t n_skipped;
};

static void
skip(struct tally *tally, const char *text)
{
	size_t i = 0;

	while (i < tally->n_skipped &&
	    !slice_is(slice_of(text), tally->skipped[i].text))
		i++;
	if (i == MAX_REASONS)
		i--;
	if (i == tally->n_skipped)
		tally->skipped[tally->n_skipped++].text = mem_copy(text);
	tally->skipped[i].count++;
}

static const struct kind *
find_kind(const char *name)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (slice_is(slice_of(name), kinds[i].name))
			return &kinds[i];
	return NULL;
}

static void
run_case(struct tally *tally, const json_t *c)
{
	const char *id = json_string_value(json_object_get(c, "id"));
	const char *name = json_string_value(json_object_get(c, "kind"));
	const struct kind *kind = find_kind(name == NULL ? "" : name);
	struct buf why;

	if (kind == NULL) {
		skip(tally, name == NULL ? "no kind" : name);
		return;
	}
	buf_init(&why, WHY_MAX);
	if (kind->run(c, &why)) {
		tally->passed++;
	} else {
		tally->failed++;
		printf("%s %s\n%s", name, id == NULL ? "(no id)" : id,
		    buf_str(&why));
	}
	buf_release(&why);
}

static bool
run_file(struct tally *tally, const char *path)
{
	FILE *file = fopen(path, "r");
	char *line = NULL;
	size_t size = 0;
	unsigned number = 0;
	bool is_good = true;
	ssize_t n;

	if (file == NULL) {
		fprintf(stderr, "cannot open '%s'\n", path);
		return false;
	}
	while ((n = getline(&line, &size, file)) >= 0) {
		json_error_t error;
		json_t *c;

		number++;
		if (slice_trim(slice_make(line, (size_t)n)).len == 0)
			continue;
		c = json_loadb(line, (size_t)n, JSON_ALLOW_NUL, &error);
		if (c == NULL) {
			fprintf(
			    stderr, "%s:%u: %s\n", path, number, error.text);
			is_good = false;
			continue;
		}
		run_case(tally, c);
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
	bool is_good = true;

	if (argc < 2) {
		fprintf(stderr, "usage: run-conformance FILE.jsonl...\n");
		return 2;
	}
	read_warm();
	for (int i = 1; i < argc; i++)
		is_good &= run_file(&tally, argv[i]);
	for (size_t i = 0; i < tally.n_skipped; i++) {
		fprintf(stderr, "skipped: %u of %s\n", tally.skipped[i].count,
		    tally.skipped[i].text);
		free(tally.skipped[i].text);
	}
	printf("%u passed, %u failed\n", tally.passed, tally.failed);
	if (!is_good)
		return 2;
	return tally.failed > 0 ? 1 : 0;
}
