/* Options that do not go together. */
#include <stdio.h>
#include <string.h>

#include "crawler/cli/options_internal.h"
#include "crawler/cli/options_line.h"
#include "crawler/cli/out.h"

/* Values are "a|b", or NULL for all. */
struct conflict {
	unsigned commands;
	const char *a, *a_values;
	const char *b, *b_values;
};

static const struct conflict conflicts[] = {
    {FOR_CHECK, "json", NULL, "format", "text|junit|github|sarif|html"},
    {FOR_EXPORT, "json", NULL, "format", "csv|tsv|urls|sitemap"},
    {FOR_EXPORT, "columns", NULL, "format", "urls|sitemap"},
    {FOR_EXPORT, "changes", NULL, "format", "sitemap"},
    {FOR_EXPORT, "changes", NULL, "all", NULL},
    {FOR_EXPORT, "indexes", NULL, "format", "sitemap"},
    {FOR_EXPORT, "refused", NULL, "changes", NULL},
    {FOR_EXPORT, "refused", NULL, "trace", NULL},
    {FOR_EXPORT, "refused", NULL, "format", "sitemap"},
    {FOR_EXPORT, "trace", NULL, "format", NULL},
    {FOR_EXPORT, "trace", NULL, "json", NULL},
    {FOR_EXPORT, "trace", NULL, "columns", NULL},
    {FOR_EXPORT, "trace", NULL, "changes", NULL},
    {FOR_EXPORT, "trace", NULL, "since", NULL},
    {FOR_EXPORT, "trace", NULL, "all", NULL},
    {FOR_EXPORT, "trace", NULL, "indexes", NULL},
    {FOR_DUE, "json", NULL, "format", "urls|curl"},
    {FOR_DUE, "follow", NULL, "wait", NULL},
    {FOR_SQL, "json", NULL, "format", "table|csv|tsv"},
    {FOR_LS, "refused", NULL, "sitemaps", NULL},
    {FOR_LS, "refused", NULL, "tree", NULL},
    {FOR_LS, "urls", NULL, "sitemaps", NULL},
    {FOR_LS, "urls", NULL, "tree", NULL},
    {FOR_LS, "sitemaps", NULL, "tree", NULL},
    {FOR_LS, "json", NULL, "tree", NULL},
};

/* typed(line, name, values): the last time that it was typed, if it was with
 * one of these; what was set elsewhere gives way to it without a word:
 * givens_give_way(). */
static const struct given *
typed(const struct givens *line, const char *name, const char *values)
{
	const struct given *last = NULL;

	for (size_t i = 0; i < line->count; i++)
		if (line->items[i].source == FROM_LINE &&
		    line->items[i].option->name != NULL &&
		    strcmp(line->items[i].option->name, name) == 0)
			last = &line->items[i];
	if (last == NULL || last->is_off ||
	    (values != NULL && choice_find(values, slice_of(last->value)) < 0))
		return NULL;
	return last;
}

/* put_given(out, given): as it was typed, "-f csv". */
static void
put_given(struct buf *out, const struct given *given)
{
	(void)buf_print(out, given->value != NULL ? "'%s %s'" : "'%s'",
	    given->shown, given->value);
}

bool
givens_conflicts(const struct givens *line, unsigned command)
{
	for (size_t i = 0; i < sizeof(conflicts) / sizeof(conflicts[0]); i++) {
		const struct conflict *row = &conflicts[i];
		const struct given *a = typed(line, row->a, row->a_values);
		const struct given *b = typed(line, row->b, row->b_values);
		struct buf text;

		if ((row->commands & command) == 0 || a == NULL || b == NULL)
			continue;
		buf_init(&text, 1 << 16);
		put_given(&text, a);
		(void)buf_print(&text, " and ");
		put_given(&text, b);
		complain("%s do not go together", buf_str(&text));
		buf_release(&text);
		return true;
	}
	return false;
}

/* drop(line, name, values): where another source gave it, with one of these. */
static void
drop(struct givens *line, const char *name, const char *values)
{
	size_t kept = 0;

	for (size_t i = 0; i < line->count; i++) {
		const struct given *given = &line->items[i];
		bool is_it = given->source != FROM_LINE &&
		    given->option->name != NULL &&
		    strcmp(given->option->name, name) == 0 &&
		    (values == NULL ||
			choice_find(values, slice_of(given->value)) >= 0);

		if (!is_it)
			line->items[kept++] = *given;
	}
	line->count = kept;
}

void
givens_give_way(struct givens *line, unsigned command)
{
	for (size_t i = 0; i < sizeof(conflicts) / sizeof(conflicts[0]); i++) {
		const struct conflict *row = &conflicts[i];

		if ((row->commands & command) == 0)
			continue;
		if (typed(line, row->a, row->a_values) != NULL)
			drop(line, row->b, row->b_values);
		if (typed(line, row->b, row->b_values) != NULL)
			drop(line, row->a, row->a_values);
	}
}

bool
givens_strays(const struct givens *line)
{
	const char *action = line->words.count > 1 ? line->words.items[1] : "";
	const char *command = line->options->command;

	for (size_t i = 0; i < line->count; i++) {
		const struct given *given = &line->items[i];

		if (given->source != FROM_LINE ||
		    given->option->action == NULL ||
		    strcmp(given->option->action, action) == 0)
			continue;
		complain("'%s' is an option of '%s %s'", given->shown, command,
		    given->option->action);
		return true;
	}
	return false;
}
