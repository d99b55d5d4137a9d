/* The switches of the location and reading rules, and their three sets. */
#ifndef FRESHET_PROFILE_H
#define FRESHET_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "diag.h"
#include "slice.h"
#include "wire.h"

enum site_match { SITE_ORIGIN, SITE_REGISTRABLE };
enum scheme_rule { SCHEME_EXACT, SCHEME_ANY };
enum www_rule { WWW_EXACT, WWW_FOLD };
enum dir_rule { DIR_ENFORCE, DIR_WARN };
enum child_dir_waiver { CHILD_NONE, CHILD_LISTED_CHILD, CHILD_LISTED_INDEX };
enum url_dir_waiver { URL_NONE, URL_LISTED };
enum switch_state { SWITCH_OFF, SWITCH_ON };
enum proof_authority { PROOF_ORIGIN, PROOF_HOST };
enum redirect_base { REDIRECT_FINAL, REDIRECT_EITHER, REDIRECT_REQUESTED };
enum nested_index { NESTED_REJECT, NESTED_FOLLOW };
enum namespace_rule { NAMESPACE_EXACT, NAMESPACE_KNOWN, NAMESPACE_ANY };
enum relative_loc { RELATIVE_REJECT, RELATIVE_RESOLVE };
enum lastmod_forms { LASTMOD_NOTE, LASTMOD_ZONES, LASTMOD_REPAIR };
enum on_partial { PARTIAL_DROP, PARTIAL_KEEP };
enum limit_overrun { OVERRUN_DROP, OVERRUN_FIRST, OVERRUN_ALL };
enum doctype_rule { DOCTYPE_REJECT, DOCTYPE_SKIP };
enum robots_5xx { ROBOTS_RFC, ROBOTS_GOOGLE };

/*
 * SPEC section 1.  Each field is one switch, a member of the enum in its
 * comment; all are int so that one table can name and set them.
 * Repairs of values (SPEC, and every "strict:
 * refused") go by `name`.
 */
struct profile {
	int name; /* enum profile_name: the set this one came from */
	int site_match;
	int scheme_rule;
	int www_rule;
	int dir_rule;
	int child_dir_waiver;
	int url_dir_waiver;
	int robots_proof; /* enum switch_state */
	int proof_inherit; /* enum switch_state */
	int proof_authority;
	int ownership; /* enum switch_state */
	int redirect_base;
	int nested_index;
	int namespace_rule;
	int relative_loc;
	int max_loc_chars;
	int lastmod_forms;
	int on_partial;
	int limit_overrun;
	int doctype;
	int robots_5xx;
	int robots_repair; /* enum switch_state */
	int priority_hints; /* enum switch_state */
};

/* profile_default(name): one of the three sets of SPEC section 1. */
struct profile profile_default(enum profile_name);

/*
 * profile_find(text, *name): "strict", "google" or "lenient"; false, and
 * *name untouched, for anything else.
 */
bool profile_find(struct slice text, enum profile_name *name);

/*
 * profile_set(profile, key, value):
 * Set one switch by its name and its value's name as SPEC section 1 spells
 * them, '-' and '_' alike ("dir_rule", "enforce"; "max-loc-chars", "2048").
 * False, and nothing changed, when either is unknown.
 */
bool profile_set(struct profile *, struct slice key, struct slice value);

/*
 * profile_switch(i, *key, *values): the i-th switch's name and its values
 * separated by '|'; false past the last.  For help and for errors.
 */
bool profile_switch(size_t i, const char **key, const char **values);

/*
 * profile_switch_help(i): what it decides, in a line without a full stop; NULL
 * past the last.
 * profile_switch_value(i, name, out): append what that set of rules makes it.
 */
const char *profile_switch_help(size_t i);
void profile_switch_value(size_t i, enum profile_name, struct buf *out);

/*
 * profile_severity(profile, code): how much the code matters under these
 * switches: what a switch turns into a remark is a warning.
 */
enum severity profile_severity(const struct profile *, enum diag_code);

/* profile_put/get: all fields, for frames between processes. */
void profile_put(struct buf *, const struct profile *);
bool profile_get(struct wire *, struct profile *);

#endif
