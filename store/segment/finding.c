/* Findings of a reading: a row for each code, with a few samples. */
#include "store/segment/finding.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* A sample is a C string: a NUL in the text cuts the sample. */
static char *
sample_text(struct slice text)
{
	char *copy;

	if (text.len > FINDING_TEXT_MAX)
		text.len = FINDING_TEXT_MAX;
	copy = slice_dup(text);
	/* Hide the password of a URL: findings are printed where others read
	 * them, as in the log of a build. */
	char *user = strstr(copy, "://");
	char *at, *colon;

	if (user != NULL) {
		user += 3;
		at = user + strcspn(user, "/?# ");
		while (at > user && *at != '@')
			at--;
		colon = at > user ? memchr(user, ':', (size_t)(at - user))
				  : NULL;
		if (colon != NULL)
			memset(colon + 1, '*', (size_t)(at - colon) - 1);
	}
	return copy;
}

static struct finding *
findings_row(struct findings *findings, enum diag_code code)
{
	for (size_t i = 0; i < findings->count; i++)
		if (findings->items[i].code == code)
			return &findings->items[i];

	struct finding *row = MEM_PUSH(
	    findings->items, findings->count, findings->cap);
	*row = (struct finding){.code = code};
	return row;
}

void
findings_add(struct findings *findings, enum diag_code code, uint32_t line,
    struct slice text)
{
	assert(code > DIAG_OK && code < DIAG_COUNT);
	struct finding *row = findings_row(findings, code);

	row->count++;
	if (row->sample_count == FINDING_SAMPLES)
		return;
	row->samples[row->sample_count++] = (struct finding_sample){
	    .line = line, .entry = findings->entry, .text = sample_text(text)};
	findings->nameless += findings->entry != 0;
}

void
findings_close(struct findings *findings, struct slice loc)
{
	if (loc.len == 0)
		findings->nameless = 0;
	for (size_t i = 0; findings->nameless > 0 && i < findings->count; i++) {
		struct finding *row = &findings->items[i];

		for (unsigned k = 0; k < row->sample_count; k++)
			if (row->samples[k].entry == findings->entry &&
			    row->samples[k].loc == NULL)
				row->samples[k].loc = sample_text(loc);
	}
	findings->entry = 0;
	findings->nameless = 0;
}

void
findings_say(struct findings *findings, enum diag_code code, struct slice text)
{
	struct finding *row = findings_row(findings, code);

	if (row->count == 0) {
		findings_add(findings, code, 0, text);
		return;
	}
	if (row->sample_count == 0)
		row->sample_count = 1;
	free(row->samples[0].text);
	row->samples[0].text = sample_text(text);
}

const struct finding *
findings_get(const struct findings *findings, enum diag_code code)
{
	for (size_t i = 0; i < findings->count; i++)
		if (findings->items[i].code == code)
			return &findings->items[i];
	return NULL;
}

void
findings_release(struct findings *findings)
{
	for (size_t i = 0; i < findings->count; i++)
		for (unsigned k = 0; k < findings->items[i].sample_count; k++) {
			free(findings->items[i].samples[k].text);
			free(findings->items[i].samples[k].loc);
		}
	free(findings->items);
	*findings = (struct findings){0};
}
