/* The past of a store as rows of a trace (scheduling-formulas.md, "Traces"). */
#include "tests/sim/export_trace.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "crawler/cli/out.h"
#include "crawler/event/exit.h"
#include "store/page.h"
#include "tests/sim/kept_history.h"
#include "tests/sim/trace.h"

#define UNNAMED UINT32_MAX
#define IDS_IN_A_ROW 100000 /* a trace's reader has a limit, too */

struct writer {
	struct out out;
	struct kept_history history;
	uint32_t *url_ids; /* owned: ids in the trace; UNNAMED: none yet */
	uint32_t *document_ids; /* owned */
	uint32_t url_count;
	uint32_t document_count;
	uint32_t ids[IDS_IN_A_ROW];
	size_t id_count;
};

static uint32_t *
unnamed(size_t count)
{
	uint32_t *ids = mem_alloc((count + 1) * sizeof(*ids));

	for (size_t i = 0; i < count; i++)
		ids[i] = UNNAMED;
	return ids;
}

static bool
is_of_url(const struct kept_event *event)
{
	return event->kind < KEPT_PUBLISHED;
}

/* Write the row D or U that names a document or URL, unless it has a name
 * already. */
static void
put_name(struct writer *writer, const struct kept_event *event, char kind)
{
	bool is_url = kind == 'U';
	uint32_t *id = is_url ? &writer->url_ids[event->url]
			      : &writer->document_ids[event->document];

	if (*id != UNNAMED)
		return;
	*id = is_url ? writer->url_count++ : writer->document_count++;
	(void)buf_print(&writer->out.text, "%" PRId64 "\t%c\t%" PRIu32 "\t%s\n",
	    event->t_s, kind, *id,
	    is_url ? names_text(&writer->history.urls, event->url)
		   : names_text(&writer->history.documents, event->document));
	(void)out_line(&writer->out);
}

/* Names come before the events of their second. */
static void
put_names(struct writer *writer, const struct kept_event *events,
    const struct kept_event *end)
{
	for (const struct kept_event *at = events; at < end; at++)
		if (at->reading_id != 0)
			put_name(writer, at, 'D');
	for (const struct kept_event *at = events; at < end; at++)
		if (is_of_url(at))
			put_name(writer, at, 'U');
}

static int
compare_ids(const void *a, const void *b)
{
	uint32_t first = *(const uint32_t *)a, second = *(const uint32_t *)b;

	return first < second ? -1 : first > second;
}

/* Write ids as "0-12,14". */
static void
put_ids(struct writer *writer)
{
	struct buf *text = &writer->out.text;

	qsort(writer->ids, writer->id_count, sizeof(*writer->ids), compare_ids);
	for (size_t i = 0; i < writer->id_count;) {
		size_t last = i;

		while (last + 1 < writer->id_count &&
		    writer->ids[last + 1] == writer->ids[last] + 1)
			last++;
		(void)buf_print(
		    text, "%s%" PRIu32, i > 0 ? "," : "", writer->ids[i]);
		if (last > i)
			(void)buf_print(text, "-%" PRIu32, writer->ids[last]);
		i = last + 1;
	}
}

static void
put_value(struct writer *writer, const struct kept_event *event)
{
	struct buf *text = &writer->out.text;

	switch (event->kind) {
	case KEPT_TEXT:
	case KEPT_CHANGED:
		(void)buf_print(text, "%" PRIx64, event->value);
		break;
	case KEPT_REMOVED:
	case KEPT_ADDED:
		(void)buf_print(
		    text, "%" PRIu32, writer->document_ids[event->document]);
		break;
	case KEPT_PUBLISHED:
		(void)buf_print(text, "%" PRIu64, event->value);
		break;
	case KEPT_CLAIMED:
		if (event->date.precision != DATE_NONE) {
			date_print(text, &event->date);
			break;
		}
		/* FALLTHROUGH */
	case KEPT_ENDED:
	case KEPT_WITHDRAWN:
		(void)buf_put_char(text, '-');
		break;
	}
}

/* Can one row hold both events? */
static bool
is_alike(const struct kept_event *a, const struct kept_event *b)
{
	return a->t_s == b->t_s && a->reading_id == b->reading_id &&
	    a->kind == b->kind && a->kind >= KEPT_ENDED && is_of_url(a) &&
	    a->date.precision == b->date.precision &&
	    date_order(&a->date, &b->date) == 0;
}

/* Write one row with as many events as it can hold. Returns their number. */
static size_t
put_row(struct writer *writer, const struct kept_event *event,
    const struct kept_event *end)
{
	static const char kinds[] = "NCXRALPP";
	const struct kept_event *next = event;

	writer->id_count = 0;
	do {
		writer->ids[writer->id_count++] = is_of_url(next)
		    ? writer->url_ids[next->url]
		    : writer->document_ids[next->document];
		next++;
	} while (next < end && writer->id_count < IDS_IN_A_ROW &&
	    is_alike(event, next));
	(void)buf_print(&writer->out.text, "%" PRId64 "\t%c\t", event->t_s,
	    kinds[event->kind]);
	put_ids(writer);
	(void)buf_put_char(&writer->out.text, '\t');
	put_value(writer, event);
	(void)buf_put_char(&writer->out.text, '\n');
	return (size_t)(next - event);
}

static void
put_events(struct writer *writer)
{
	const struct kept_event *events = writer->history.events;
	const struct kept_event *all = events + writer->history.count;
	bool is_heard = true;

	while (is_heard && events < all) {
		const struct kept_event *end = events;

		while (end < all && end->t_s == events->t_s)
			end++;
		put_names(writer, events, end);
		while (is_heard && events < end) {
			events += put_row(writer, events, end);
			is_heard = out_line(&writer->out);
		}
	}
}

/* The comment at the top of the file. */
static void
put_heading(struct writer *writer, const struct selection *selection)
{
	const struct kept_history *history = &writer->history;
	struct buf *text = &writer->out.text;

	(void)buf_print(text,
	    "# freshet-trace 1\n"
	    "# what a store of freshet knows of ");
	if (selection->sites.count > 0)
		(void)buf_print(
		    text, "%zu of its sites\n", selection->sites.count);
	else
		(void)buf_print(text, "%s\n",
		    selection->site == NULL ? "all its sites"
					    : selection->site);
	(void)buf_print(text,
	    "# a document is published here when a reading found other bytes: "
	    "it was so\n"
	    "# at any time since the reading before; what came and went "
	    "between two\n"
	    "# readings is not known, nor what was before the first that is "
	    "kept\n");
	(void)buf_print(text,
	    "# %zu of %zu URLs were fetched, %zu with the hash of a text: the "
	    "others are\n"
	    "# taken to be there, and to never change\n"
	    "# a change is put where the date of its page moved between the "
	    "two fetches\n"
	    "# around it, else halfway between them; of several moves as many "
	    "are changes\n"
	    "# as fetches let expect: all, where they always found one\n",
	    history->fetched, history->urls.count, history->known);
	if (history->unlisted > 0)
		(void)buf_print(text,
		    "# left out: %zu pages that no document here listed\n",
		    history->unlisted);
	(void)out_line(&writer->out);
}

static int
check_size(const struct kept_history *history)
{
	struct trace_limits limits = trace_limits_default();

	if (history->documents.count == 0 || history->count == 0) {
		complain("nothing was read yet: there is no past");
		return EXIT_NO_TARGET;
	}
	if (history->urls.count <= limits.max_urls)
		return EXIT_DONE;
	complain("a trace holds at most %" PRIu32
		 " URLs: name one site, or one document",
	    limits.max_urls);
	return EXIT_USAGE;
}

int
export_trace(const struct options_output *output,
    const struct selection *selection, struct store *store)
{
	struct writer *writer;
	int status, written;

	if (selection->folder != NULL) {
		complain(
		    "'export-trace' takes a site or a document, no folder");
		return EXIT_USAGE;
	}
	writer = mem_zero(sizeof(*writer));
	kept_history_init(&writer->history, store_hash_key(store));
	kept_history_read(&writer->history, store, selection);
	status = check_size(&writer->history);
	if (status == EXIT_DONE) {
		writer->url_ids = unnamed(writer->history.urls.count);
		writer->document_ids = unnamed(writer->history.documents.count);
		out_init(&writer->out, output);
		writer->out.is_raw = true;
		put_heading(writer, selection);
		put_events(writer);
		written = out_finish(&writer->out);
		status = written != EXIT_DONE ? written : status;
	}
	free(writer->url_ids);
	free(writer->document_ids);
	kept_history_release(&writer->history);
	free(writer);
	return status;
}
