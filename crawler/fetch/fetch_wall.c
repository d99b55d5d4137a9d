/*
 * Whose bot wall answered instead of the site.  Names and values as their
 * makers document them, or as they are seen on sites that use them.
 */
#include "crawler/fetch/fetch_wall.h"

#include <stddef.h>

static const struct {
	const char *name;
	const char *value; /* how it begins, NULL: any */
	const char *whose;
	enum wall_sign sign;
} signs[] = {
    {"cf-mitigated", "challenge", "Cloudflare", WALL_CHALLENGE},
    {"x-amzn-waf-action", NULL, "AWS WAF", WALL_CHALLENGE},
    {"x-vercel-mitigated", NULL, "Vercel", WALL_CHALLENGE},
    {"x-datadome", "protected", "DataDome", WALL_IN_FRONT},
    {"x-dd-b", NULL, "DataDome", WALL_CHALLENGE},
    {"x-sucuri-block", NULL, "Sucuri", WALL_CHALLENGE},
    {"server", "cloudflare", "Cloudflare", WALL_IN_FRONT},
    {"server", "AkamaiGHost", "Akamai", WALL_IN_FRONT},
    {"server", "DataDome", "DataDome", WALL_CHALLENGE},
    {"server", "Sucuri", "Sucuri", WALL_IN_FRONT},
    {"server", "ddos-guard", "DDoS-Guard", WALL_IN_FRONT},
    {"x-iinfo", NULL, "Imperva", WALL_IN_FRONT},
};

enum wall_sign
wall_sign(struct slice name, struct slice value, const char **whose)
{
	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
		struct slice begin = slice_of(signs[i].value);

		if (!slice_equal_nocase(name, slice_of(signs[i].name)) ||
		    value.len < begin.len ||
		    !slice_equal_nocase(slice_make(value.p, begin.len), begin))
			continue;
		*whose = signs[i].whose;
		return signs[i].sign;
	}
	return WALL_NONE;
}
