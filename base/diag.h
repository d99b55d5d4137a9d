/* The diagnostics catalogue: diag.def is the one table behind all of it; and
 * the verdicts of the location rules, each of which has a diagnostic. */
#ifndef FRESHET_DIAG_H
#define FRESHET_DIAG_H

#include <stdint.h>

#include "slice.h"

struct buf;

/* DIAG_OK: there is nothing to report; the others are the rows of diag.def. */
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

/* By enum severity: "error", "warning", "info" or "none". */
extern const char *const severity_names[SEVERITY_ERROR + 1];

/* A sink takes findings. The function that was given the sink calls emit once
 * for each occurrence. detail quotes the input: it may be empty, is hostile
 * text, and is valid until emit returns. A zeroed sink ignores everything. */
typedef void diag_emit_fn(void *arg, enum diag_code, struct slice detail);

struct diag_sink {
	diag_emit_fn *emit;
	void *arg;
};

void diag_emit(struct diag_sink, enum diag_code, struct slice detail);

/* Does the document have the right to list the entry, and if not, which rule
 * refuses it (SPEC R-71)? The store contains these numbers: add new ones at the
 * end. */
enum verdict {
	VERDICT_ACCEPTED,
	VERDICT_SELF_REFERENCE,
	VERDICT_PRIVATE_ADDRESS,
	VERDICT_WWW_MISSING,
	VERDICT_WWW_EXTRA,
	VERDICT_HOST,
	VERDICT_SCHEME,
	VERDICT_PORT,
	VERDICT_DIRECTORY,
	VERDICTS
};

/* verdict_codes, by enum verdict: the diagnostic of a refusal; DIAG_OK:
 * accepted. verdict_of(code): the verdict with that diagnostic;
 * VERDICT_ACCEPTED for a code that is no refusal. */
extern const enum diag_code verdict_codes[VERDICTS];
enum verdict verdict_of(enum diag_code);

/* verdict_accepted(entries, refused): entries - refused, but 0 if a damaged
 * store says that more were refused than there are. */
uint64_t verdict_accepted(uint64_t entries, uint64_t refused);

/* verdict_put_refused(out, n, verdict): append "12 refused by R-58"; no rule is
 * named if the verdict is VERDICT_ACCEPTED. */
void verdict_put_refused(struct buf *, uint64_t n, enum verdict);

#endif
