/* What holds for one site: what its configuration or the command line say. */
#ifndef FRESHET_SITE_RULES_H
#define FRESHET_SITE_RULES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/profile.h"
#include "base/slice.h"

struct string_set;

/* Everything in it is borrowed. */
struct site_rules {
	struct profile profile;
	const struct string_set *own; /* hosts and prefixes of the same owner */
	const char *const *headers; /* NULL-terminated, or NULL; for the */
	const char *credentials; /* targets' origins only, or NULL */
	bool has_delay; /* delay_ms was asked for */
	int64_t delay_ms; /* between two requests to the host */
	unsigned retry; /* further tries after a network error */
	uint64_t max_bytes; /* of one body on the wire */
	uint64_t max_urls; /* of the site (HOSTILE T18) */
	uint64_t max_children; /* of its indexes (HOSTILE T10) */
	unsigned max_drop; /* percent of a document (SPEC 15.16); 100: any */
};

/* site_rules_fn(arg, host): those of the host (normalised); never NULL, and
 * valid as long as whoever asks for them. */
typedef const struct site_rules *site_rules_fn(void *arg, struct slice host);

#endif
