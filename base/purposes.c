/* For what a site lets its pages be used. */
#include "base/purposes.h"

#include <string.h>

#include "base/buf.h"
#include "base/out_json.h"

/* The names of Content-Signal, which freshet uses for all statements, and those
 * of Content-Usage; then "yes" and "no". */
static const char *const words[2][PURPOSES + 2] = {
    {"search", "ai-input", "ai-train", "yes", "no"},
    {"search", "ai-use", "train-ai", "y", "n"}};

static unsigned
purposes_word(struct slice name, bool is_usage)
{
	unsigned i = 0;

	while (i < PURPOSES + 2 &&
	    !slice_equal_nocase(name, slice_of(words[is_usage][i])))
		i++;
	return i;
}

enum purpose
purpose_find(struct slice name)
{
	unsigned i = purposes_word(name, false);

	return i < PURPOSES ? (enum purpose)i : PURPOSES;
}

bool
purposes_add_statement(struct purposes *said, struct slice value, bool is_usage)
{
	unsigned found[2] = {0}; /* yes, no */
	struct slice part, name, said_as;
	bool is_good = is_usage || value.len > 0;

	while (slice_cut(&value, ',', &part)) {
		unsigned purpose, answer;
		size_t n = 0;

		while (n < part.len && part.p[n] != '\0' &&
		    strchr("abcdefghijklmnopqrstuvwxyz0123456789_-.*",
			part.p[n]) != NULL)
			n++;
		/* a Dictionary of RFC 9651 that has a fault says nothing */
		if (is_usage &&
		    (n == 0 ||
			(n < part.len && part.p[n] != '=' && part.p[n] != ';')))
			return false;
		(void)slice_cut(&part, '=', &name);
		said_as = part;
		if (is_usage)
			(void)slice_cut(&part, ';', &said_as);
		purpose = purposes_word(name, is_usage);
		answer = purposes_word(slice_trim(said_as), is_usage);
		if (purpose < PURPOSES && answer >= PURPOSES &&
		    answer < PURPOSES + 2) {
			/* the last of equal keys counts in a Dictionary */
			if (is_usage)
				found[PURPOSES + 1 - answer] &= ~(
				    1U << purpose);
			found[answer - PURPOSES] |= 1U << purpose;
		} else {
			/* Others may have names of their own; but a purpose
			 * without an answer is a mistake, and so is a name of
			 * the other field.  "use" of Content-Signal says how
			 * much may be used, and not for what. */
			is_good = is_good && purpose >= PURPOSES &&
			    purpose_find(name) == PURPOSES &&
			    (is_usage ||
				slice_equal_nocase(name, slice_of("use")));
		}
	}
	said->yes |= (uint8_t)found[0];
	said->no |= (uint8_t)found[1];
	return is_good;
}

void
purposes_add_directives(struct purposes *said, struct slice list)
{
	struct slice word;

	while (slice_cut(&list, ',', &word)) {
		if (slice_equal_nocase(word, slice_of("noindex")) ||
		    slice_equal_nocase(word, slice_of("none")))
			said->no |= 1U << PURPOSE_SEARCH;
		if (slice_equal_nocase(word, slice_of("noai")))
			said->no |= 1U << PURPOSE_AI_INPUT |
			    1U << PURPOSE_AI_TRAIN;
	}
}

void
purposes_json(struct buf *out, struct purposes said)
{
	if ((said.yes | said.no) == 0)
		return;
	out_json_begin(out, "purposes", '{');
	for (unsigned i = 0; i < PURPOSES; i++)
		if (((said.yes | said.no) >> i & 1) != 0)
			out_json_flag(
			    out, words[0][i], (said.no >> i & 1) == 0);
	out_json_end(out, '}');
}

void
purposes_print(struct buf *out, const char *before, struct purposes said)
{
	for (unsigned i = 0; i < PURPOSES; i++) {
		if (((said.yes | said.no) >> i & 1) == 0)
			continue;
		(void)buf_print(out, "%s%s=%s", before, words[0][i],
		    (said.no >> i & 1) != 0 ? "no" : "yes");
		before = ", ";
	}
}
