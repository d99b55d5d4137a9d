/*
 * A scanner that knows just enough XML to find the first tag.
 *
 *	MISC -'<'-> OPEN --"<!--"--> COMMENT --"-->"--> MISC
 *	             | |----"<?"---> PI --"?>"--> MISC
 *	             | '--"<!DOCTYPE name"--> DTD --'>'--> MISC
 *	             '--name, or anything else--> DONE
 *	DTD: ' or " -> DTD_QUOTE -> DTD, "<!--" -> DTD_COMMENT -> DTD,
 *	     "<?" -> DTD_PI -> DTD
 *
 *	OPEN    step_open  held has all bytes from '<' on, not yet passed on
 *	DTD*    step_dtd   only line ends are passed on
 *	DONE    prolog_feed  everything is passed on
 */
#include "crawler/parse/prolog.h"

#include <stdlib.h>

#include "base/ascii.h"
#include "base/mem.h"

#define HELD_MAX 64 /* longer than "<!DOCTYPE" and any name that matters */

enum prolog_state {
	PROLOG_MISC,
	PROLOG_OPEN,
	PROLOG_COMMENT,
	PROLOG_PI,
	PROLOG_DTD,
	PROLOG_DTD_QUOTE,
	PROLOG_DTD_COMMENT,
	PROLOG_DTD_PI,
	PROLOG_DONE
};

struct prolog {
	struct prolog_options options;
	enum prolog_state state;
	enum diag_code failure;
	uint32_t line;
	uint32_t recent; /* the last four bytes in this state */
	char quote;
	bool is_in_subset;
	bool has_doctype;
	char held[HELD_MAX];
	size_t held_len;
};

struct prolog *
prolog_new(const struct prolog_options *options, uint32_t line)
{
	struct prolog *prolog = mem_zero(sizeof(*prolog));

	prolog->options = *options;
	prolog->line = line;
	return prolog;
}

void
prolog_free(struct prolog *prolog)
{
	free(prolog);
}

enum diag_code
prolog_failure(const struct prolog *prolog)
{
	return prolog->failure;
}

static void
enter(struct prolog *prolog, enum prolog_state state)
{
	prolog->state = state;
	prolog->recent = 0;
}

static bool
pass(struct prolog *prolog, struct slice bytes)
{
	return bytes.len == 0 ||
	    prolog->options.out(prolog->options.arg, bytes);
}

/* let_go(prolog, next): pass on the held bytes, which need no special care. */
static bool
let_go(struct prolog *prolog, enum prolog_state next)
{
	struct slice held = {prolog->held, prolog->held_len};

	prolog->held_len = 0;
	enter(prolog, next);
	return pass(prolog, held);
}

static bool
fail(struct prolog *prolog, enum diag_code code, struct slice text)
{
	prolog->failure = code;
	prolog->options.finding(prolog->options.arg, code, prolog->line, text);
	return false;
}

/* root_end(prolog): the name of the root element is complete. */
static bool
root_end(struct prolog *prolog)
{
	struct slice name = {prolog->held + 1, prolog->held_len - 2};
	const char *colon = name.len == 0 ? NULL
					  : memchr(name.p, ':', name.len);

	if (colon != NULL)
		name = slice_from(name, (size_t)(colon - name.p) + 1);
	if (slice_equal_nocase(name, slice_of("html")))
		return fail(prolog, DIAG_HTML_NOT_SITEMAP, name);
	return let_go(prolog, PROLOG_DONE);
}

static bool
is_name_end(char c)
{
	return ascii_is_space(c) || c == '>' || c == '/' || c == '[';
}

static bool
step_doctype(struct prolog *prolog)
{
	size_t at = 9;

	while (at < prolog->held_len && ascii_is_space(prolog->held[at]))
		at++;
	char c = prolog->held[prolog->held_len - 1];
	if (at == prolog->held_len || !is_name_end(c))
		return true;
	/* "<!DOCTYPE name" is complete, with the character that follows the
	 * name. */
	struct slice name = slice_make(
	    prolog->held + at, prolog->held_len - 1 - at);
	char last = prolog->held[prolog->held_len - 1];
	bool is_exact = memcmp(prolog->held, "<!DOCTYPE", 9) == 0;

	if (slice_equal_nocase(name, slice_of("html")))
		return fail(prolog, DIAG_HTML_NOT_SITEMAP, name);
	/* A doctype in lower case and a second one are no XML: leave the
	 * report to the XML parser. */
	if (!is_exact || prolog->has_doctype)
		return let_go(prolog, PROLOG_DONE);
	if (!prolog->options.is_doctype_skipped)
		return fail(prolog, DIAG_DOCTYPE_PRESENT, name);
	prolog->has_doctype = true;
	prolog->options.finding(
	    prolog->options.arg, DIAG_DOCTYPE_PRESENT, prolog->line, name);
	prolog->held_len = 0;
	enter(prolog, last == '>' ? PROLOG_MISC : PROLOG_DTD);
	prolog->is_in_subset = last == '[';
	return true;
}

/* step_open(prolog): one more byte is in held. */
static bool
step_open(struct prolog *prolog)
{
	struct slice held = {prolog->held, prolog->held_len};
	char c = held.p[held.len - 1];

	if (held.len == HELD_MAX)
		return let_go(prolog, PROLOG_DONE);
	if (held.len == 1)
		return true;
	if (held.p[1] == '?')
		return let_go(prolog, PROLOG_PI);
	if (held.p[1] != '!')
		return is_name_end(c) ? root_end(prolog) : true;
	if (held.len <= 4 && memcmp(held.p, "<!--", held.len) == 0)
		return held.len < 4 ? true : let_go(prolog, PROLOG_COMMENT);
	size_t n = held.len < 9 ? held.len : 9;
	if (!slice_equal_nocase(
		slice_make(held.p, n), slice_make("<!DOCTYPE", n)))
		return let_go(prolog, PROLOG_DONE);
	return held.len <= 9 ? true : step_doctype(prolog);
}

/* step_dtd(prolog, c): skip a document type (SPEC R-04, lenient). */
static void
step_dtd(struct prolog *prolog, char c)
{
	if (prolog->state == PROLOG_DTD_QUOTE) {
		if (c == prolog->quote)
			enter(prolog, PROLOG_DTD);
		return;
	}
	prolog->recent = prolog->recent << 8 | (unsigned char)c;
	uint32_t two = prolog->recent & 0xFFFF;
	uint32_t three = prolog->recent & 0xFFFFFF;
	if (prolog->state == PROLOG_DTD_COMMENT) {
		if (three == 0x2D2D3E) /* "-->" */
			enter(prolog, PROLOG_DTD);
	} else if (prolog->state == PROLOG_DTD_PI) {
		if (two == 0x3F3E) /* "?>" */
			enter(prolog, PROLOG_DTD);
	} else if (c == '"' || c == '\'') {
		prolog->quote = c;
		enter(prolog, PROLOG_DTD_QUOTE);
	} else if (prolog->recent == 0x3C212D2D) { /* "<!--" */
		enter(prolog, PROLOG_DTD_COMMENT);
	} else if (two == 0x3C3F) { /* "<?" */
		enter(prolog, PROLOG_DTD_PI);
	} else if (c == '[') {
		prolog->is_in_subset = true;
	} else if (c == ']') {
		prolog->is_in_subset = false;
	} else if (c == '>' && !prolog->is_in_subset) {
		enter(prolog, PROLOG_MISC);
	}
}

/* step(prolog, c, is_passed): take one byte; *is_passed: the byte is to be
 * passed on. */
static bool
step(struct prolog *prolog, char c, bool *is_passed)
{
	*is_passed = false;
	if (c == '\n')
		prolog->line++;
	if (prolog->state == PROLOG_OPEN ||
	    (prolog->state == PROLOG_MISC && c == '<')) {
		if (prolog->held_len == 0)
			enter(prolog, PROLOG_OPEN);
		prolog->held[prolog->held_len++] = c;
		return step_open(prolog);
	}
	if (prolog->state >= PROLOG_DTD && prolog->state <= PROLOG_DTD_PI) {
		step_dtd(prolog, c);
		*is_passed = c == '\n';
		return true;
	}
	/* Find the end of a comment or a processing instruction. */
	prolog->recent = prolog->recent << 8 | (unsigned char)c;
	if (prolog->state == PROLOG_COMMENT &&
	    (prolog->recent & 0xFFFFFF) == 0x2D2D3E)
		enter(prolog, PROLOG_MISC);
	else if (prolog->state == PROLOG_PI &&
	    (prolog->recent & 0xFFFF) == 0x3F3E)
		enter(prolog, PROLOG_MISC);

	*is_passed = true;
	return true;
}

bool
prolog_feed(struct prolog *prolog, struct slice utf8)
{
	size_t run = 0; /* bytes at the front that are to be passed on */
	bool is_passed;

	while (run < utf8.len && prolog->state != PROLOG_DONE) {
		char c = utf8.p[run];

		/* step() is about to hold this '<', and the run stands before
		 * it: pass on the run first. */
		if (c == '<' && prolog->state == PROLOG_MISC && run > 0) {
			if (!pass(prolog, slice_make(utf8.p, run)))
				return false;
			utf8 = slice_from(utf8, run);
			run = 0;
		}
		if (!step(prolog, c, &is_passed))
			return false;
		if (is_passed) {
			run++;
			continue;
		}
		if (!pass(prolog, slice_make(utf8.p, run)))
			return false;
		utf8 = slice_from(utf8, run + 1);
		run = 0;
	}
	return pass(prolog, utf8);
}

bool
prolog_finish(struct prolog *prolog)
{
	return prolog->held_len == 0 || let_go(prolog, PROLOG_DONE);
}
