/* The diagnostics catalogue: one table, from which everything else comes. */
#ifndef FRESHET_DIAG_H
#define FRESHET_DIAG_H

#include "slice.h"

/* DIAG_OK is "nothing to say"; the others are the rows of diag.def. */
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

/* What is lost when a code is reported. */
enum loss { LOSS_NOTHING, LOSS_FIELD, LOSS_ENTRY, LOSS_DOCUMENT, LOSS_RUN };

enum profile_name { PROFILE_STRICT, PROFILE_GOOGLE, PROFILE_LENIENT };

struct diag_info {
	const char *code; /* kebab-case, stable for ever */
	enum severity severity[3]; /* by enum profile_name */
	enum loss loss;
	const char *trigger;
	const char *search_console; /* Search Console's name for it */
	const char *remedy;
	const char *rule; /* of the specification, or a fault's id */
};

/* diag_info(code): its row; code is neither DIAG_OK nor DIAG_COUNT. */
const struct diag_info *diag_info(enum diag_code);

/* diag_name(code): its text, "ok" for DIAG_OK. */
const char *diag_name(enum diag_code);

/* diag_find(text): the code of a text, DIAG_OK when there is none. */
enum diag_code diag_find(struct slice text);

/* severity_name(severity): "error", "warning", "info" or "none". */
const char *severity_name(enum severity);

/*
 * Where findings go.  emit is called once for each occurrence, from within
 * the function that was given the sink; detail says what was seen, may be
 * empty, is hostile text, and lives until emit returns.  A zeroed sink
 * swallows everything.
 */
typedef void diag_emit_fn(void *arg, enum diag_code, struct slice detail);

struct diag_sink {
	diag_emit_fn *emit;
	void *arg;
};

void diag_emit(struct diag_sink, enum diag_code, struct slice detail);

#endif
