/* The diagnostics catalogue: diag.def is the one table behind all of it. */
#ifndef FRESHET_DIAG_H
#define FRESHET_DIAG_H

#include "slice.h"

/* DIAG_OK means that there is nothing to report; the others are the rows of
 * diag.def. */
enum diag_code {
	DIAG_OK,
#define DIAG(name, ...) DIAG_##name,
#include "diag.def"
#undef DIAG
	DIAG_COUNT
};

enum severity {
	SEVERITY_NONE,
	SEVERITY_INFO,
	SEVERITY_WARNING,
	SEVERITY_ERROR
};

/* What the reader of a sitemap loses when a code is reported. */
enum loss { LOSS_NOTHING, LOSS_FIELD, LOSS_ENTRY, LOSS_DOCUMENT, LOSS_RUN };

enum profile_name { PROFILE_STRICT, PROFILE_GOOGLE, PROFILE_LENIENT };

struct diag_info {
	const char *code; /* kebab-case, never changes */
	enum severity severity[3]; /* by enum profile_name */
	enum loss loss;
	const char *trigger;
	const char *search_console; /* the name that Search Console uses */
	const char *remedy;
	const char *rule; /* of SPEC, or the number of a fault in HOSTILE */
};

/* diag_info(code): the row of the code, which is not DIAG_OK or DIAG_COUNT. */
const struct diag_info *diag_info(enum diag_code);

/* diag_name(code): the text of the code, "ok" for DIAG_OK. */
const char *diag_name(enum diag_code);

/* diag_find(text): the code with that text, DIAG_OK if there is none. */
enum diag_code diag_find(struct slice text);

/* severity_name(severity): "error", "warning", "info" or "none". */
const char *severity_name(enum severity);

/*
 * A sink takes findings. The function that was given the sink calls emit once
 * for each occurrence. detail quotes the input: it may be empty, is hostile
 * text, and is valid until emit returns. A zeroed sink ignores everything.
 */
typedef void diag_emit_fn(void *arg, enum diag_code, struct slice detail);

struct diag_sink {
	diag_emit_fn *emit;
	void *arg;
};

void diag_emit(struct diag_sink, enum diag_code, struct slice detail);

#endif
