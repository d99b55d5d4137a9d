/* The diagnostics catalogue. */
#include "base/diag.h"

#include <assert.h>

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

const char *
severity_name(enum severity severity)
{
	switch (severity) {
	case SEVERITY_NONE:
		return "none";
	case SEVERITY_INFO:
		return "info";
	case SEVERITY_WARNING:
		return "warning";
	case SEVERITY_ERROR:
		return "error";
	}
	return "none";
}

void
diag_emit(struct diag_sink sink, enum diag_code code, struct slice detail)
{
	if (sink.emit != NULL)
		sink.emit(sink.arg, code, detail);
}
