/* The scope of a reading: its defaults and its encoding in frames. */
#include "crawler/parse/scope.h"

#include <stdlib.h>

#include "store/segment/entry.h"

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
	free(scope->content_type);
	free(scope->content_encoding);
	scope->content_type = NULL;
	scope->content_encoding = NULL;
}

/* text_put(out, text): the first byte distinguishes NULL from "". */
static void
text_put(struct buf *out, const char *text)
{
	wire_put_u8(out, text != NULL);
	if (text != NULL)
		wire_put_slice(out, slice_of(text));
}

static char *
text_get(struct wire *wire)
{
	if (wire_get_u8(wire) == 0)
		return NULL;
	return slice_dup(wire_get_slice(wire));
}

void
scope_put(struct buf *out, const struct scope *scope)
{
	location_scope_put(out, &scope->location);
	wire_put_u64(out, scope->limits.max_bytes);
	wire_put_u64(out, scope->limits.hard_bytes);
	wire_put_u64(out, scope->limits.max_entries);
	wire_put_u64(out, scope->limits.hard_entries);
	wire_put_u32(out, scope->limits.max_depth);
	wire_put_u32(out, scope->limits.max_attributes);
	wire_put_u32(out, scope->limits.max_text);
	wire_put_u32(out, scope->limits.max_pending);
	wire_put_u32(out, scope->limits.max_members);
	wire_put_u32(out, scope->limits.max_idle_input);
	wire_put_u32(out, scope->limits.max_images);
	wire_put_u32(out, scope->limits.max_news);
	wire_put_u64(out, scope->limits.sort_memory);

	wire_put_u8(out, scope->checks.has_extensions);
	wire_put_u8(out, scope->checks.has_schema);
	wire_put_u8(out, scope->checks.has_legacy);
	wire_put_u8(out, scope->checks.has_lines);
	wire_put_u8(out, scope->checks.has_alternates);
	wire_put_u64(out, scope->checks.hash_key);
	wire_put_u64(out, (uint64_t)scope->now_s);
	wire_put_u64(out, (uint64_t)scope->listed_s);
	wire_put_u64(out, (uint64_t)scope->modified_s);
	wire_put_u8(out, scope->is_page);
	wire_put_u8(out, scope->is_robots);
	wire_put_u8(out, scope->is_child);
	wire_put_u8(out, scope->is_truncated);
	wire_put_u32(out, scope->depth);
	wire_put_u8(out, scope->has_previous);
	wire_put_u8(out, scope->is_first);
	wire_put_u8(out, scope->is_baseline);
	wire_put_u8(out, (uint8_t)scope->window);
	wire_put_u8(out, scope->is_scratch);
	wire_put_u8(out, scope->is_scan_off);
	wire_put_u8(out, scope->is_held);
	wire_put_u64(out, (uint64_t)scope->absent_s);
	wire_put_u64(out, (uint64_t)scope->missed_open_s);
	wire_put_u64(out, (uint64_t)scope->held_open_s);
	text_put(out, scope->content_type);
	text_put(out, scope->content_encoding);
}

bool
scope_get(struct wire *wire, struct scope *scope)
{
	struct profile profile = profile_default(PROFILE_GOOGLE);

	scope_init(scope, &profile);
	if (!location_scope_get(wire, &scope->location))
		return false;
	scope->limits.max_bytes = wire_get_u64(wire);
	scope->limits.hard_bytes = wire_get_u64(wire);
	scope->limits.max_entries = wire_get_u64(wire);
	scope->limits.hard_entries = wire_get_u64(wire);
	scope->limits.max_depth = wire_get_u32(wire);
	scope->limits.max_attributes = wire_get_u32(wire);
	scope->limits.max_text = wire_get_u32(wire);
	scope->limits.max_pending = wire_get_u32(wire);
	scope->limits.max_members = wire_get_u32(wire);
	scope->limits.max_idle_input = wire_get_u32(wire);
	scope->limits.max_images = wire_get_u32(wire);
	scope->limits.max_news = wire_get_u32(wire);
	scope->limits.sort_memory = wire_get_u64(wire);
	scope->checks.has_extensions = wire_get_u8(wire) != 0;
	scope->checks.has_schema = wire_get_u8(wire) != 0;
	scope->checks.has_legacy = wire_get_u8(wire) != 0;
	scope->checks.has_lines = wire_get_u8(wire) != 0;
	scope->checks.has_alternates = wire_get_u8(wire) != 0;
	scope->checks.hash_key = wire_get_u64(wire);
	scope->now_s = (int64_t)wire_get_u64(wire);
	scope->listed_s = (int64_t)wire_get_u64(wire);
	scope->modified_s = (int64_t)wire_get_u64(wire);
	scope->is_page = wire_get_u8(wire) != 0;
	scope->is_robots = wire_get_u8(wire) != 0;
	scope->is_child = wire_get_u8(wire) != 0;
	scope->is_truncated = wire_get_u8(wire) != 0;
	scope->depth = wire_get_u32(wire);
	scope->has_previous = wire_get_u8(wire) != 0;
	scope->is_first = wire_get_u8(wire) != 0;
	scope->is_baseline = wire_get_u8(wire) != 0;
	scope->window = wire_get_u8(wire);
	scope->is_scratch = wire_get_u8(wire) != 0;
	scope->is_scan_off = wire_get_u8(wire) != 0;
	scope->is_held = wire_get_u8(wire) != 0;
	scope->absent_s = (int64_t)wire_get_u64(wire);
	scope->missed_open_s = (int64_t)wire_get_u64(wire);
	scope->held_open_s = (int64_t)wire_get_u64(wire);
	scope->content_type = text_get(wire);
	scope->content_encoding = text_get(wire);
	return wire->ok && scope->window < WINDOW_KINDS;
}
