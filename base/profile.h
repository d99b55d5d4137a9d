/* The switches of the rules for locations and reading, and their three sets. */
#ifndef FRESHET_PROFILE_H
#define FRESHET_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
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

/* The switches of SPEC section 1. Each field is one switch; its comment names
 * the enum of its values. All fields are int, so that one table can name and
 * set them. Repairs of values (SPEC, and every
 * "strict: refused") depend on `name`. */
struct profile {
	int name; /* enum profile_name: the set that this one began as */
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

/* By enum profile_name. */
extern const char *const profile_names[3];

/* profile_find(text, name): read "strict", "google" or "lenient". False for any
 * other text; *name is unchanged then. */
bool profile_find(struct slice text, enum profile_name *name);

/* profile_set(profile, key, value): set one switch. Both texts are spelled as
 * in SPEC section 1, with '-' and '_' alike ("dir_rule", "enforce";
 * "max-loc-chars", "2048"). False: either is unknown, nothing changes. */
bool profile_set(struct profile *, struct slice key, struct slice value);

/* One switch: its name, the names of its values in the order of the enum, and
 * its field. */
struct profile_switch {
	const char *key;
	const char *values; /* separated by '|'; NULL: the value is a number */
	size_t at;
	int sets[3]; /* the value in strict, google, lenient */
	const char *help; /* what it decides, in one line without a full stop */
};

/* All members of struct profile but the name. */
#define PROFILE_SWITCHES (sizeof(struct profile) / sizeof(int) - 1)
extern const struct profile_switch profile_switches[PROFILE_SWITCHES];

/* profile_switch_value(i, name, out): append the value of the i-th switch in
 * that set. */
void profile_switch_value(size_t i, enum profile_name, struct buf *out);

/* profile_severity(profile, code): the severity of the code under these
 * switches: a refusal that a switch turns into a remark is a warning. */
enum severity profile_severity(const struct profile *, enum diag_code);

/* profile_put, profile_get: all fields, for frames between processes. */
void profile_put(struct buf *, const struct profile *);
bool profile_get(struct wire *, struct profile *);

#endif
