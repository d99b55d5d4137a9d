/* Settings of one watched site: the table of keys, and what they set. */
#include "crawler/cli/watch_settings.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/suggestion.h"
#include "base/target.h"
#include "crawler/cli/options_value.h"
#include "store/watch.h"

void
watch_put_seconds(struct buf *out, int64_t seconds)
{
	static const struct {
		int64_t size;
		char name;
	} units[] = {{86400, 'd'}, {3600, 'h'}, {60, 'm'}, {1, 's'}};
	size_t i = 0;

	/* the largest unit that needs no fraction, as people write it */
	while (seconds % units[i].size != 0)
		i++;
	(void)buf_print(
	    out, "%" PRId64 "%c", seconds / units[i].size, units[i].name);
}

void
watch_put_bounds(struct buf *out, int64_t least_s, int64_t most_s)
{
	if (least_s > 0)
		watch_put_seconds(out, least_s);
	/* one value means both */
	if (least_s == most_s)
		return;
	(void)buf_print(out, "..");
	if (most_s > 0)
		watch_put_seconds(out, most_s);
}

#define SHOWN_MAX 80 /* bytes of a bad setting in a message */
#define VALUE_MAX 4096

/* What a setting is in a watch. */
enum setting_kind {
	SETTING_BOUNDS, /* two int64_t, the least and the most */
	SETTING_AMOUNT, /* double: a budget, or a weight */
	SETTING_PROFILE,
	SETTING_ONE, /* struct strings of one value at most */
	SETTING_LIST, /* struct strings */
	SETTING_TARGETS, /* a list of which a site always has one */
	SETTING_FILTER /* those of struct strings that have the key */
};

struct setting {
	const char *name;
	enum value_shape shape;
	const char *form;
	enum setting_kind kind;
	/* offsets in the watch: of the list, or of the bounds */
	size_t member, most;
};

#define AT(field) offsetof(struct watch, field)

static const struct setting settings[] = {
    {"every", SHAPE_BOUNDS, FORM_BOUNDS, SETTING_BOUNDS, AT(every_least_s),
	AT(every_most_s)},
    {"pages-every", SHAPE_BOUNDS, FORM_BOUNDS, SETTING_BOUNDS, AT(page_least_s),
	AT(page_most_s)},
    {"budget", SHAPE_BUDGET, FORM_BUDGET, SETTING_AMOUNT, AT(requests_per_hour),
	0},
    {"weight", SHAPE_WEIGHT, FORM_WEIGHT, SETTING_AMOUNT, AT(weight), 0},
    {"profile", SHAPE_PROFILE, "strict, google or lenient", SETTING_PROFILE, 0,
	0},
    {"titles", SHAPE_BUDGET, FORM_BUDGET, SETTING_ONE, AT(titles), 0},
    {"verify", SHAPE_VERIFY, FORM_VERIFY, SETTING_ONE, AT(verify), 0},
    {"sign", SHAPE_SIGN, FORM_SIGN, SETTING_ONE, AT(sign), 0},
    {"tag", SHAPE_TAG, FORM_TAG, SETTING_LIST, AT(tags), 0},
#define RULE(name, shape)                                          \
	{                                                          \
		name, SHAPE_##shape, FORM_##shape, SETTING_FILTER, \
		    AT(filters), 0                                 \
	}
    RULE("below", BELOW),
    RULE("include", PATTERN),
    RULE("exclude", PATTERN),
    RULE("newer", NEWER),
    RULE("depth", DEPTH),
    RULE("purpose", PURPOSE),
    RULE("sitemap-include", PATTERN),
    RULE("sitemap-exclude", PATTERN),
    RULE("sitemap-newer", NEWER),
    RULE("sitemap-depth", DEPTH),
#undef RULE
    {"target", SHAPE_TARGET, "a host or a URL", SETTING_TARGETS, AT(targets),
	0},
};

/* A member of the watch; only the owner of the watch may write it. */
static void *
setting_member(const struct watch *watch, size_t offset)
{
	return (char *)(uintptr_t)watch + offset;
}

/* Set the value, or add it to a list; an empty one sets the default. */
static void
setting_set(const struct setting *row, struct watch *watch, const char *value)
{
	int64_t *least_s = setting_member(watch, row->member);
	int64_t *most_s = setting_member(watch, row->most);
	double *amount = setting_member(watch, row->member);
	struct strings *list = setting_member(watch, row->member);
	struct target target;

	switch (row->kind) {
	case SETTING_BOUNDS:
		*least_s = *most_s = 0;
		(void)value_bounds(value, least_s, most_s);
		break;
	case SETTING_AMOUNT:
		*amount = row->shape == SHAPE_WEIGHT;
		(void)value_amount(value, row->shape == SHAPE_BUDGET, amount);
		break;
	case SETTING_PROFILE:
		free(watch->profile);
		watch->profile = value[0] == '\0' ? NULL : mem_copy(value);
		break;
	case SETTING_ONE:
	case SETTING_LIST:
	case SETTING_FILTER:
		/* in a filter the key stands before the value, as it was given
		 */
		if (row->kind == SETTING_FILTER && value[0] != '\0')
			value -= strlen(row->name) + 1;
		if (value[0] != '\0' && !strings_has(list, slice_of(value)))
			strings_add(list, slice_of(value));
		break;
	case SETTING_TARGETS:
		/* targets of other hosts belong to other sites */
		if (target_parse(&target, slice_of(value)) == DIAG_OK &&
		    slice_is(url_host(&target.url), watch->host) &&
		    !strings_has(list, target_text(&target)))
			strings_add(list, target_text(&target));
		url_release(&target.url);
		break;
	}
}

#define SETTINGS (sizeof(settings) / sizeof(settings[0]))

static const struct setting *
watch_settings_find(struct slice name)
{
	for (size_t i = 0; i < SETTINGS; i++)
		if (slice_is(name, settings[i].name))
			return &settings[i];
	return NULL;
}

bool
watch_setting_check(const char *setting, struct buf *why)
{
	const char *sign = strchr(setting, '=');
	const struct setting *row;
	struct slice key;

	if (sign == NULL || sign == setting) {
		(void)buf_print(
		    why, "'%.*s' is no KEY=VALUE", SHOWN_MAX, setting);
		return false;
	}
	key = slice_make(setting, (size_t)(sign - setting));
	row = watch_settings_find(key);
	if (row == NULL) {
		int len = key.len > SHOWN_MAX ? SHOWN_MAX : (int)key.len;
		struct suggestion suggestion;

		suggestion_init(&suggestion, key);
		for (size_t i = 0; i < SETTINGS; i++)
			suggestion_try(&suggestion, settings[i].name);
		(void)buf_print(why, "unknown key '%.*s'; ", len, key.p);
		/* people look for the delay here, because other tools keep it
		 * with the site */
		if (slice_is(key, "delay")) {
			(void)buf_print(why,
			    "the delay of a site stands in the configuration, "
			    "in its [site HOST]");
			return false;
		}
		if (suggestion.best != NULL) {
			(void)buf_print(why, "did you mean '%.*s'?",
			    (int)suggestion.best_len, suggestion.best);
			return false;
		}
		(void)buf_print(why, "there is ");
		for (size_t i = 0; i < SETTINGS; i++)
			(void)buf_print(
			    why, "%s%s", i == 0 ? "" : ", ", settings[i].name);
		return false;
	}
	/* an empty value sets the default */
	if (sign[1] == '\0' || value_has_shape(sign + 1, row->shape))
		return true;
	(void)buf_print(why, "'%s' takes %s, not '%.*s'", row->name, row->form,
	    SHOWN_MAX, sign + 1);
	return false;
}

/* Is the rule of a filter of that key? */
static bool
setting_is_of(const char *rule, const char *key)
{
	return slice_is(slice_make(rule, strcspn(rule, "=")), key);
}

bool
watch_setting_repeats(const char *a, const char *b)
{
	struct slice key = slice_make(a, strcspn(a, "="));

	return watch_settings_find(key)->kind < SETTING_LIST &&
	    slice_equal(key, slice_make(b, strcspn(b, "=")));
}

void
watch_settings_apply(struct watch *watch, const struct strings *given)
{
	bool is_begun[SETTINGS] = {false};
	struct strings targets = {0}; /* a site always has a target */

	for (size_t i = 0; i < given->count; i++) {
		const char *sign = strchr(given->items[i], '=');
		const struct setting *row = sign == NULL
		    ? NULL
		    : watch_settings_find(slice_make(
			  given->items[i], (size_t)(sign - given->items[i])));

		if (row == NULL)
			continue;
		struct strings *list = setting_member(watch, row->member);

		/* the first value of a list takes the place of what it had */
		if (row->kind == SETTING_ONE ||
		    (row->kind > SETTING_ONE && !is_begun[row - settings])) {
			if (row->kind == SETTING_TARGETS) {
				targets = *list;
				*list = (struct strings){0};
			} else if (row->kind == SETTING_FILTER) {
				/* the rules of other keys stay */
				size_t kept = 0;

				for (size_t k = 0; k < list->count; k++)
					if (setting_is_of(
						list->items[k], row->name))
						free(list->items[k]);
					else
						list->items[kept++] =
						    list->items[k];
				list->count = kept;
			} else {
				strings_release(list);
			}
		}
		is_begun[row - settings] = true;
		setting_set(row, watch, sign + 1);
	}
	/* none of the given targets was of this site: what it had stays */
	if (targets.count > 0 && watch->targets.count == 0) {
		watch->targets = targets;
		targets = (struct strings){0};
	}
	strings_release(&targets);
}

void
watch_each_setting(const struct watch *watch, watch_setting_fn *fn, void *arg)
{
	struct buf value = BUF_UP_TO(VALUE_MAX);

	for (size_t i = 0; i < SETTINGS; i++) {
		const struct setting *row = &settings[i];
		const struct strings *list = setting_member(watch, row->member);

		for (size_t k = 0;
		     (row->kind == SETTING_ONE || row->kind == SETTING_LIST) &&
		     k < list->count;
		     k++)
			fn(arg, row->name, slice_of(list->items[k]));
		for (size_t k = 0;
		     row->kind == SETTING_FILTER && k < list->count; k++)
			if (setting_is_of(list->items[k], row->name))
				fn(arg, row->name,
				    slice_of(strchr(list->items[k], '=') + 1));
		buf_clear(&value);
		/* Append the value of a setting that is no list; nothing for
		 * the default. */
		const int64_t *least_s = setting_member(watch, row->member);
		const int64_t *most_s = setting_member(watch, row->most);
		const double *amount = setting_member(watch, row->member);

		switch (row->kind) {
		case SETTING_BOUNDS:
			watch_put_bounds(&value, *least_s, *most_s);
			break;
		case SETTING_AMOUNT:
			if (row->shape == SHAPE_BUDGET && *amount > 0)
				(void)buf_print(&value, "%.10g/h", *amount);
			else if (row->shape == SHAPE_WEIGHT &&
			    (*amount < 1 || *amount > 1))
				(void)buf_print(&value, "%.10g", *amount);
			break;
		case SETTING_PROFILE:
			if (watch->profile != NULL)
				(void)buf_put_slice(
				    &value, slice_of(watch->profile));
			break;
		case SETTING_ONE:
		case SETTING_LIST:
		case SETTING_FILTER:
		case SETTING_TARGETS:
			break;
		}

		if (value.len > 0)
			fn(arg, row->name, buf_text(&value));
	}
	buf_release(&value);
}
