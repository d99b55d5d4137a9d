/* The diagnostics catalogue. */
#include "base/diag.h"

#include <assert.h>
#include <string.h>

#include "base/human.h"

static const struct diag_info catalogue[DIAG_COUNT] = {
#define DIAG(                                                             \
    name, code, strict, google, lenient, lost, trigger, sc, remedy, rule) \
	[DIAG_##name] = {code,                                            \
	    {SEVERITY_##strict, SEVERITY_##google, SEVERITY_##lenient},   \
	    LOSS_##lost, trigger, sc, remedy, rule},
#include "base/diag.def"
#undef DIAG
};

const struct diag_info *
diag_info(enum diag_code code)
{
	assert(code > DIAG_OK && code < DIAG_COUNT);
	return &catalogue[code];
}

const char *
diag_name(enum diag_code code)
{
	return code == DIAG_OK ? "ok" : diag_info(code)->code;
}

enum diag_code
diag_find(struct slice text)
{
	for (int code = DIAG_OK + 1; code < DIAG_COUNT; code++)
		if (text.len > 0 && text.p[0] == catalogue[code].code[0] &&
		    slice_is(text, catalogue[code].code))
			return (enum diag_code)code;
	return DIAG_OK;
}

const char *const severity_names[SEVERITY_ERROR + 1] = {
    [SEVERITY_NONE] = "none",
    [SEVERITY_INFO] = "info",
    [SEVERITY_WARNING] = "warning",
    [SEVERITY_ERROR] = "error"};

void
diag_emit(struct diag_sink sink, enum diag_code code, struct slice detail)
{
	if (sink.emit != NULL)
		sink.emit(sink.arg, code, detail);
}

/* Verdicts. */

const enum diag_code verdict_codes[VERDICTS] = {
    [VERDICT_ACCEPTED] = DIAG_OK,
    [VERDICT_SELF_REFERENCE] = DIAG_INDEX_SELF_REFERENCE,
    [VERDICT_PRIVATE_ADDRESS] = DIAG_PRIVATE_ADDRESS,
    [VERDICT_WWW_MISSING] = DIAG_WWW_MISSING,
    [VERDICT_WWW_EXTRA] = DIAG_WWW_EXTRA,
    [VERDICT_HOST] = DIAG_HOST_MISMATCH,
    [VERDICT_SCHEME] = DIAG_SCHEME_MISMATCH,
    [VERDICT_PORT] = DIAG_PORT_MISMATCH,
    [VERDICT_DIRECTORY] = DIAG_OUTSIDE_DIRECTORY,
};

enum verdict
verdict_of(enum diag_code code)
{
	for (int i = VERDICT_ACCEPTED + 1; i < VERDICTS; i++)
		if (verdict_codes[i] == code)
			return (enum verdict)i;
	return VERDICT_ACCEPTED;
}

uint64_t
verdict_accepted(uint64_t entries, uint64_t refused)
{
	return entries > refused ? entries - refused : 0;
}

void
verdict_put_refused(struct buf *out, uint64_t n, enum verdict verdict)
{
	human_put(out, n, NULL);
	(void)buf_print(out, " refused");
	if (verdict != VERDICT_ACCEPTED) {
		(void)buf_print(out, " by ");
		/* the rule of SPEC that refuses, such as "R-58"; some
		 * diagnostics name two, for pages and for children */
		const char *rule = diag_info(verdict_codes[verdict])->rule;

		(void)buf_print(out, "%.*s", (int)strcspn(rule, " "), rule);
	}
}
