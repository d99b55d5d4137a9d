/* The scope of a reading: its defaults and its encoding in frames. */
#include "crawler/parse/scope.h"

#include <stdlib.h>

struct read_limits
read_limits_default(void)
{
	return (struct read_limits){
	    .max_bytes = 52428800,
	    .hard_bytes = 256u << 20,
	    .max_entries = 50000,
	    .hard_entries = 1000000,
	    .max_depth = 100,
	    .max_attributes = 64,
	    .max_text = 1 << 20,
	    .max_pending = 65536,
	    .max_members = 1024,
	    .max_idle_input = 4 << 20,
	    .max_images = 1000,
	    .max_news = 1000,
	    .sort_memory = 48u << 20,
	};
}

void
scope_init(struct scope *scope, const struct profile *profile)
{
	*scope = (struct scope){.limits = read_limits_default()};
	location_scope_init(&scope->location, profile);
}

void
scope_release(struct scope *scope)
{
	location_scope_release(&scope->location);
	free(scope->dates);
	free(scope->content_type);
	free(scope->content_encoding);
	free(scope->agent);
	scope->dates = NULL;
	scope->content_type = NULL;
	scope->content_encoding = NULL;
	scope->agent = NULL;
}

#define NUMBER(member) WIRE_MEMBER(struct scope, member, UINT64_MAX)
#define WORD(member) WIRE_MEMBER(struct scope, member, UINT32_MAX)
#define BOOL(member) WIRE_MEMBER(struct scope, member, 1)

/* All members but the location and the texts.  A member without a row here is
 * zero in a reader, so a new one gets its row at once; where the same bytes may
 * be read differently for it, READER_VERSION grows, too.  A time may be
 * negative, so its row has no maximum. */
static const struct wire_member scope_members[] = {
    NUMBER(limits.max_bytes),
    NUMBER(limits.hard_bytes),
    NUMBER(limits.max_entries),
    NUMBER(limits.hard_entries),
    WORD(limits.max_depth),
    WORD(limits.max_attributes),
    WORD(limits.max_text),
    WORD(limits.max_pending),
    WORD(limits.max_members),
    WORD(limits.max_idle_input),
    WORD(limits.max_images),
    WORD(limits.max_news),
    NUMBER(limits.sort_memory),
    BOOL(checks.has_extensions),
    BOOL(checks.has_schema),
    BOOL(checks.has_legacy),
    BOOL(checks.has_lines),
    BOOL(checks.has_alternates),
    NUMBER(checks.hash_key),
    NUMBER(now_s),
    NUMBER(listed_s),
    NUMBER(modified_s),
    BOOL(is_page),
    BOOL(wants_text),
    WIRE_MEMBER(struct scope, page_bytes, UINT64_C(1) << 40),
    BOOL(is_robots),
    BOOL(is_child),
    WORD(depth),
    BOOL(is_truncated),
    BOOL(has_previous),
    BOOL(is_first),
    BOOL(is_baseline),
    WIRE_MEMBER(struct scope, window, WINDOW_KINDS - 1),
    BOOL(is_scratch),
    BOOL(is_scan_off),
    BOOL(is_held),
    NUMBER(absent_s),
    NUMBER(missed_open_s),
    NUMBER(held_open_s),
};

#define SCOPE_MEMBERS (LENGTH(scope_members))

void
scope_put(struct buf *out, const struct scope *scope)
{
	const char *const texts[] = {scope->dates, scope->content_type,
	    scope->content_encoding, scope->agent};

	location_scope_put(out, &scope->location, false);
	wire_put_members(out, scope_members, SCOPE_MEMBERS, scope);
	for (size_t i = 0; i < LENGTH(texts); i++) {
		/* The first byte distinguishes NULL from "". */
		wire_put_fixed(out, 1, texts[i] != NULL);
		if (texts[i] != NULL)
			wire_put_slice(out, slice_of(texts[i]));
	}
}

bool
scope_get(struct wire *wire, struct scope *scope)
{
	struct profile profile = profile_default(PROFILE_GOOGLE);
	char **const texts[] = {&scope->dates, &scope->content_type,
	    &scope->content_encoding, &scope->agent};

	scope_init(scope, &profile);
	/* Whoever takes a scope releases it, even one that is not whole. */
	if (!location_scope_get(wire, &scope->location))
		return false;
	wire_get_members(wire, scope_members, SCOPE_MEMBERS, scope);
	for (size_t i = 0; i < LENGTH(texts); i++)
		if (wire_get_fixed(wire, 1) != 0)
			*texts[i] = slice_dup(wire_get_slice(wire));
	return wire->ok;
}
