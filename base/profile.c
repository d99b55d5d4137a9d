/* The switches of the rules, and their three sets (SPEC section 1). */
#include "base/profile.h"

#define MAX_LOC_CHARS 32768 /* URL_MAX_BYTES: the store holds no more */

#define AT(field) offsetof(struct profile, field)

const struct profile_switch profile_switches[PROFILE_SWITCHES] = {
    {"site_match", "origin|registrable", AT(site_match),
	{SITE_ORIGIN, SITE_ORIGIN, SITE_REGISTRABLE},
	"an entry is of its document's own site when the origin is the same, "
	"or the registrable domain"},
    {"scheme_rule", "exact|any", AT(scheme_rule),
	{SCHEME_EXACT, SCHEME_EXACT, SCHEME_ANY},
	"http and https of one host are two sites, or one"},
    {"www_rule", "exact|fold", AT(www_rule), {WWW_EXACT, WWW_EXACT, WWW_FOLD},
	"www.example.org and example.org are two sites, or one"},
    {"dir_rule", "enforce|warn", AT(dir_rule),
	{DIR_ENFORCE, DIR_ENFORCE, DIR_WARN},
	"what lies outside its document's directory is refused, or kept with a "
	"warning"},
    {"child_dir_waiver", "none|listed-child|listed-index", AT(child_dir_waiver),
	{CHILD_NONE, CHILD_LISTED_CHILD, CHILD_LISTED_INDEX},
	"what lifts that for sitemaps of an index: nothing, robots.txt naming "
	"the sitemap, or also naming the index"},
    {"url_dir_waiver", "none|listed", AT(url_dir_waiver),
	{URL_NONE, URL_LISTED, URL_LISTED},
	"what lifts it for pages: nothing, or robots.txt naming the sitemap or "
	"an index above it"},
    {"robots_proof", "off|on", AT(robots_proof),
	{SWITCH_ON, SWITCH_ON, SWITCH_ON},
	"a host's robots.txt that names a document lets it list URLs of that "
	"host"},
    {"proof_inherit", "off|on", AT(proof_inherit),
	{SWITCH_ON, SWITCH_ON, SWITCH_ON},
	"what robots.txt says of an index goes for its sitemaps too"},
    {"proof_authority", "origin|host", AT(proof_authority),
	{PROOF_ORIGIN, PROOF_ORIGIN, PROOF_HOST},
	"a robots.txt speaks for its origin alone, or for its host under any "
	"scheme and port"},
    {"ownership", "off|on", AT(ownership), {SWITCH_OFF, SWITCH_ON, SWITCH_ON},
	"what --own says counts"},
    {"redirect_base", "final|either|requested", AT(redirect_base),
	{REDIRECT_FINAL, REDIRECT_FINAL, REDIRECT_EITHER},
	"a document that was redirected is judged by the URL at the end, by "
	"either, or by the one asked for"},
    {"nested_index", "reject|follow", AT(nested_index),
	{NESTED_REJECT, NESTED_REJECT, NESTED_FOLLOW},
	"an index in an index is refused, or followed, to a depth of 4; what "
	"watches sites, such as crawl and run, follows it except in strict, "
	"and check and compare go by the profile"},
    {"namespace", "exact|known|any", AT(namespace_rule),
	{NAMESPACE_EXACT, NAMESPACE_KNOWN, NAMESPACE_ANY},
	"which namespace the root element may have: the protocol's, a known "
	"one, or any"},
    {"relative_loc", "reject|resolve", AT(relative_loc),
	{RELATIVE_REJECT, RELATIVE_REJECT, RELATIVE_RESOLVE},
	"a loc without scheme and host is refused, or completed from its "
	"document's URL"},
    {"max_loc_chars", NULL, AT(max_loc_chars), {2047, 2048, 8192},
	"a longer URL is refused; from 1 to 32768"},
    {"lastmod_forms", "note|zones|repair", AT(lastmod_forms),
	{LASTMOD_NOTE, LASTMOD_ZONES, LASTMOD_REPAIR},
	"dates that are read: the protocol's forms, also those with a zone "
	"missing or out of place, or all that can be repaired"},
    {"on_partial", "drop|keep", AT(on_partial),
	{PARTIAL_DROP, PARTIAL_KEEP, PARTIAL_KEEP},
	"entries before the place where a document breaks are dropped, or "
	"kept"},
    {"limit_overrun", "drop|first|all", AT(limit_overrun),
	{OVERRUN_DROP, OVERRUN_FIRST, OVERRUN_ALL},
	"a document with more than 50,000 entries is dropped, read up to "
	"there, or read on"},
    {"doctype", "reject|skip", AT(doctype),
	{DOCTYPE_REJECT, DOCTYPE_REJECT, DOCTYPE_SKIP},
	"a document with a DOCTYPE is refused, or read without it"},
    {"robots_5xx", "rfc|google", AT(robots_5xx),
	{ROBOTS_RFC, ROBOTS_GOOGLE, ROBOTS_GOOGLE},
	"while robots.txt cannot be had: wait as RFC 9309 says, or as Google "
	"does"},
    {"robots_repair", "off|on", AT(robots_repair),
	{SWITCH_OFF, SWITCH_ON, SWITCH_ON},
	"common misspellings in robots.txt are understood"},
    {"priority_hints", "off|on", AT(priority_hints),
	{SWITCH_OFF, SWITCH_OFF, SWITCH_OFF},
	"changefreq and priority are hints for a schedule; a crawl does the "
	"same"},
};

static int *
profile_field(struct profile *profile, size_t i)
{
	return (int *)(void *)((char *)profile + profile_switches[i].at);
}

struct profile
profile_default(enum profile_name name)
{
	struct profile profile = {.name = (int)name};

	for (size_t i = 0; i < PROFILE_SWITCHES; i++)
		*profile_field(&profile, i) = profile_switches[i].sets[name];
	return profile;
}

const char *const profile_names[3] = {"strict", "google", "lenient"};

bool
profile_find(struct slice text, enum profile_name *name)
{
	for (int i = 0; i < 3; i++)
		if (slice_is(text, profile_names[i])) {
			*name = (enum profile_name)i;
			return true;
		}
	return false;
}

/* is_same_word(a, b): are the words equal if '-' and '_' count as the same? */
static bool
is_same_word(struct slice a, struct slice b)
{
	if (a.len != b.len)
		return false;
	for (size_t i = 0; i < a.len; i++) {
		char x = a.p[i] == '-' ? '_' : a.p[i];
		char y = b.p[i] == '-' ? '_' : b.p[i];

		if (x != y)
			return false;
	}
	return true;
}

bool
profile_set(struct profile *profile, struct slice key, struct slice value)
{
	for (size_t i = 0; i < PROFILE_SWITCHES; i++) {
		const char *values = profile_switches[i].values;
		struct slice word;
		uint64_t number;

		if (!is_same_word(key, slice_of(profile_switches[i].key)))
			continue;
		if (values == NULL) {
			if (!slice_number(value, &number) || number < 1 ||
			    number > MAX_LOC_CHARS)
				return false;
			*profile_field(profile, i) = (int)number;
			return true;
		}
		/* A value is its place in "a|b|c". */
		for (int place = 0; slice_next(&values, '|', &word); place++)
			if (is_same_word(word, value)) {
				*profile_field(profile, i) = place;
				return true;
			}
		return false;
	}
	return false;
}

void
profile_switch_value(size_t i, enum profile_name name, struct buf *out)
{
	int value = profile_switches[i].sets[name];
	const char *p = profile_switches[i].values;
	struct slice word;

	if (p == NULL) {
		(void)buf_print(out, "%d", value);
		return;
	}
	while (value-- >= 0)
		(void)slice_next(&p, '|', &word);
	(void)buf_put_slice(out, word);
}

enum severity
profile_severity(const struct profile *profile, enum diag_code code)
{
	bool is_remark;

	switch (code) {
	case DIAG_OUTSIDE_DIRECTORY:
		is_remark = profile->dir_rule == DIR_WARN;
		break;
	case DIAG_NESTED_INDEX:
		is_remark = profile->nested_index == NESTED_FOLLOW;
		break;
	case DIAG_RELATIVE_URL:
		is_remark = profile->relative_loc == RELATIVE_RESOLVE;
		break;
	default:
		return diag_info(code)->severity[profile->name];
	}
	return is_remark ? SEVERITY_WARNING : SEVERITY_ERROR;
}

void
profile_put(struct buf *out, const struct profile *profile)
{
	struct profile copy = *profile;

	wire_put_fixed(out, 1, (uint8_t)copy.name);
	for (size_t i = 0; i < PROFILE_SWITCHES; i++)
		wire_put_fixed(out, 4, (uint32_t)*profile_field(&copy, i));
}

bool
profile_get(struct wire *wire, struct profile *profile)
{
	uint8_t name = (uint8_t)wire_get_fixed(wire, 1);

	if (name > PROFILE_LENIENT)
		return false;
	*profile = profile_default((enum profile_name)name);
	for (size_t i = 0; i < PROFILE_SWITCHES; i++) {
		uint32_t value = (uint32_t)wire_get_fixed(wire, 4);
		uint32_t end = MAX_LOC_CHARS + 1;

		/* There is one value more than '|' between them. */
		if (profile_switches[i].values != NULL)
			end = 1 +
			    (uint32_t)slice_count(
				slice_of(profile_switches[i].values), '|');

		if (!wire->ok || value >= end)
			return false;
		*profile_field(profile, i) = (int)value;
	}
	return true;
}
