/*
 * freshet due: lease pages that are due, for any fetcher.  A source is the
 * owner of the store; of a store of several shards, each process of this
 * machine that holds one.  Those are asked one after another until enough came.
 *
 *	ASKING -> (a page, ...) -> the end of an answer -> ASKING
 *	    -> ENDING: leases that nobody saw are returned
 *	    -> LEAVING: others report results to this process -> over
 *
 * The next request follows when the whole answer is written, so that a consumer
 * that does not read gets no further leases.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/out_json.h"
#include "crawler/cli/network.h"
#include "crawler/cli/out.h"
#include "crawler/cli/selection.h"
#include "crawler/commands/commands.h"
#include "crawler/commands/due_words.h"
#include "crawler/control/frontier_service.h"
#include "crawler/control/shards.h"
#include "crawler/control/store_client.h"
#include "crawler/event/exit.h"
#include "crawler/event/ndjson.h"
#include "crawler/event/standard.h"
#include "crawler/event/stop_signals.h"
#include "crawler/frontier/frontier_lines.h"

/* How a page is printed. */

#define CURL_TIME_S 120 /* time for one page; shorter than its lease */

/* Append an option, unless its value is empty. */
static void
put_option(
    struct buf *out, const char *name, const char *before, struct slice value)
{
	if (value.len == 0)
		return;
	(void)buf_print(out, "%s = \"%s", name, before);
	/* Append the text, escaped for the quotes of a curl configuration. */
	for (size_t i = 0; i < value.len; i++) {
		char c = value.p[i];

		if (c == '"' || c == '\\')
			(void)buf_put_char(out, '\\');
		/* a line feed would end the entry, so control characters are
		 * dropped */
		if ((unsigned char)c >= ' ')
			(void)buf_put_char(out, c);
	}
	(void)buf_put(out, "\"\n", 2);
}

/* Append an entry of a curl configuration (curl -K -) that fetches the page
 * into a file named by its lease, and makes curl print what `done` reads. */
static void
put_curl(struct buf *out, const struct options_network *network,
    const struct ndjson *page)
{
	struct buf agent = BUF_UP_TO(SIZE_MAX), url = {0},
		   line = BUF_UP_TO(SIZE_MAX);

	(void)buf_print(out, "next\n");
	put_option(out, "url", "", ndjson_text(page, "url"));
	put_option(out, "output", "", ndjson_text(page, "lease"));
	network_put_agent(&agent, network);
	put_option(out, "user-agent", "", buf_text(&agent));
	buf_release(&agent);
	put_option(out, "header", "If-None-Match: ", ndjson_text(page, "etag"));
	put_option(out, "header",
	    "If-Modified-Since: ", ndjson_text(page, "last_modified"));
	put_option(out, "header",
	    "Signature-Agent: ", ndjson_text(page, "signature_agent"));
	put_option(out, "header",
	    "Signature-Input: ", ndjson_text(page, "signature_input"));
	put_option(
	    out, "header", "Signature: ", ndjson_text(page, "signature"));
	(void)buf_print(out,
	    "silent\ncompressed\ngloboff\nproto = \"=http,https\"\n"
	    "max-time = %d\n",
	    CURL_TIME_S);
	/* Make curl print a result. In curl's template % is special, and so is
	 * a backslash before r, n and t; a URL has neither. curl escapes
	 * nothing that a server sends: so the object has only numbers that curl
	 * made, and the one header stands behind it. */
	json_put(&url, ndjson_text(page, "url"));
	(void)buf_print(&line,
	    "{\"lease\":\"%.*s\",\"url\":", (int)ndjson_text(page, "lease").len,
	    ndjson_text(page, "lease").p);
	for (size_t i = 0; i < url.len; i++) {
		if (url.p[i] == '%')
			(void)buf_put_char(&line, '%');
		(void)buf_put_char(&line, url.p[i]);
	}
	(void)buf_print(&line,
	    ",\"status\":\"%%{http_code}\",\"bytes\":%%{size_download},"
	    "\"seconds\":%%{time_total},\"rest\":\"last_modified\"}"
	    " %%header{last-modified}\\n");
	put_option(out, "write-out", "", buf_text(&line));
	buf_release(&url);
	buf_release(&line);
}

/* Pages of one request; their lines fit into a pipe. */
#define FOLLOW_PAGES 100
#define FAREWELL_MS 5000 /* how long leases may take to be returned */
#define LEAVE_MS 20 /* how often it is looked whether results still come */
#define NAME_SHOWN 255

/* A lease that was printed, perhaps not yet written. */
struct printed {
	char lease[FRONTIER_TOKEN_SIZE];
	uint64_t end; /* end of its line, in bytes of stdout */
};

#define AGAIN_MS 200 /* then sources that were dry are asked again */

struct source {
	struct due *due;
	struct store_client *client; /* owned; NULL: it is not asked */
	unsigned shard;
	struct strings sites; /* owned: hosts; empty: all sites */
	unsigned begun; /* number of connections to an owner of the store */
	bool is_releasing; /* a request to release has no answer yet */
	bool has_frontier;
	bool is_dry; /* it had nothing when it was asked last */
	bool is_over; /* it was not here once, or knows none of the sites */
};

struct due {
	struct options *options;
	struct loop *loop; /* owned */
	struct stop_signals *signals; /* owned */
	struct loop_timer *farewell; /* owned */
	struct shards shards;
	struct source *sources; /* owned: of the shards */
	unsigned turn; /* the source that is asked next, or was asked last */
	struct loop_timer *again; /* owned */
	int64_t until_ms; /* so long to wait for pages */
	unsigned releasing; /* sources that are */
	struct outlet outlet;
	struct buf text;
	struct printed *printed; /* owned: leases not known to be written */
	size_t count, cap;
	uint64_t put; /* bytes appended for stdout so far */
	uint64_t got; /* pages received */
	uint64_t left; /* pages to receive; UINT64_MAX: no end */
	uint64_t part; /* most pages of an answer: each source has its turn */
	struct source *asked; /* its answer is under way; NULL: none is */
	char next[sizeof("2024-06-05T10:11:12Z")]; /* page, as dry ones said */
	bool is_ending;
	bool has_asked; /* the first answer was asked for */
	bool has_said; /* that nothing is due was said */
	bool lacks_some; /* some of the sites asked for do not exist */
	int status;
};

/* The loop ends after the callback that called this. */
static void
due_stop(struct due *due, int status)
{
	due->status = status;
	loop_stop(due->loop);
}

/* due_find(due): the next source that may have pages; NULL: there is none. */
static struct source *
due_find(struct due *due)
{
	for (unsigned i = 0; i < due->shards.count; i++) {
		struct source *source = &due->sources[due->turn];

		if (source->has_frontier && !source->is_dry)
			return source;
		due->turn = (due->turn + 1) % due->shards.count;
	}
	return NULL;
}

/* Return the leases of a source that no consumer has seen, and take back what
 * it was asked for; the answers end the command. */
static void
source_release(struct source *source, bool was_asked)
{
	struct due *due = source->due;
	size_t kept = 0, count = due->count;
	struct buf line = BUF_UP_TO(SIZE_MAX);

	(void)buf_print(&line, "{\"release\":[");
	for (size_t i = 0; i < count; i++)
		if (shards_of_token(&due->shards,
			slice_of(due->printed[i].lease),
			slice_of("")) == source->shard)
			out_json_string(&line, NULL, due->printed[i].lease);
		else
			due->printed[kept++] = due->printed[i];
	due->count = kept;
	(void)buf_print(&line, "]}\n");
	if (was_asked || kept < count) {
		due->releasing += !source->is_releasing;
		source->is_releasing = true;
		(void)store_client_send(source->client, &line);
	} else {
		buf_release(&line);
	}
}

/* Forget the leases whose lines end within so many bytes of stdout: these
 * leases now belong to the consumer. */
static void
forget_written(struct due *due, uint64_t written)
{
	size_t gone = 0;

	if (due->options->frontier.is_peek)
		return; /* nobody has them: all are returned */
	while (gone < due->count && due->printed[gone].end <= written)
		gone++;
	due->count -= gone;
	if (gone > 0 && due->count > 0)
		memmove(due->printed, due->printed + gone,
		    due->count * sizeof(*due->printed));
}

/* Ask for no further pages; the command ends when the other leases are
 * returned. */
static void
due_end(struct due *due, int status)
{
	if (due->is_ending)
		return;
	due->is_ending = true;
	due->status = status;
	/* What is in the pipe can still be read, unless nobody reads it. */
	forget_written(due,
	    due->outlet.error == EPIPE ? outlet_taken(&due->outlet)
				       : due->outlet.written_bytes);
	loop_timer_set(due->farewell, FAREWELL_MS);
	for (unsigned s = 0; s < due->shards.count; s++)
		if (due->sources[s].has_frontier)
			source_release(
			    &due->sources[s], due->asked == &due->sources[s]);
	if (due->releasing == 0)
		loop_timer_set(due->again, 0);
}

/* End the command, but not while others report results to this process: the
 * next owner of the store would load all pages for the last of them.  stdout
 * ends at once, as the reports end when its reader does. */
static void
due_leave(struct due *due)
{
	int null;

	if ((due->status != EXIT_DONE && due->status <= 128) ||
	    !store_client_is_told(due->sources[0].client)) {
		due_stop(due, due->status);
		return;
	}
	outlet_release(&due->outlet);
	due->outlet = (struct outlet){0};
	null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (null < 0 || dup2(null, STDOUT_FILENO) < 0)
		due_stop(due, due->status);
	if (null >= 0)
		(void)close(null);
	loop_timer_set(due->again, LEAVE_MS);
}

/* Ask for the next pages if all lines are written; if no pages are wanted any
 * more, the command ends then, and not when they came. */
static void
due_ask(struct due *due)
{
	const struct options_frontier *frontier = &due->options->frontier;
	bool is_one = due->shards.count == 1;
	/* none of several sources may keep the others waiting, and the first
	 * answer of --follow says if there is nothing yet */
	int64_t wait_ms = !is_one                   ? 0
	    : frontier->is_follow && due->has_asked ? -1
	    : due->got > 0                          ? 0
						    : frontier->wait_ms;
	struct buf line = BUF_UP_TO(SIZE_MAX);

	if (due->asked != NULL || due->is_ending || due->outlet.out.len > 0)
		return;
	if (due->left == 0) {
		due_end(due, EXIT_DONE);
		return;
	}
	due->asked = due_find(due);
	if (due->asked == NULL)
		return;
	due->has_asked = true;
	(void)buf_print(&line,
	    "{\"take\":%" PRIu64 ",\"wait_ms\":%" PRId64 "%s}\n",
	    due->left < due->part ? due->left : due->part, wait_ms,
	    is_one ? "" : ",\"at_once\":true");
	/* a request that the client cannot write is no fault here: it tells
	 * that it has ended */
	(void)store_client_send(due->asked->client, &line);
}

/* Answers of the frontier. */

/* The formats other than ndjson need the members of the line. */
static void
due_on_page(struct due *due, struct slice line)
{
	static const char until[] = ",\"lease_until\":";
	enum due_format format = due->options->frontier.format;
	struct ndjson *object = format == DUE_NDJSON ? NULL
						     : ndjson_parse(line, NULL);
	/* The lease of a page's line; it consists of hexadecimal digits and a
	 * point. */
	size_t at = strlen(FRONTIER_LINE_BEGIN "\"");
	const char *end = line.len < at
	    ? NULL
	    : memchr(line.p + at, '"', line.len - at);
	struct slice lease = end == NULL
	    ? slice_make(NULL, 0)
	    : slice_make(line.p + at, (size_t)(end - line.p) - at);

	if (lease.len == 0 || (format != DUE_NDJSON && object == NULL)) {
		ndjson_free(object);
		return;
	}
	if (!due->is_ending) {
		buf_clear(&due->text);
		if (format == DUE_CURL) {
			put_curl(&due->text, &due->options->network, object);
		} else if (format == DUE_URLS) {
			(void)buf_put_slice(
			    &due->text, ndjson_text(object, "url"));
		} else if (due->options->frontier.is_peek) {
			/* Without the two members that are about its lease, of
			 * which one is the last.  A quotation mark within a
			 * text is escaped, so that no URL looks like it. */
			const char *rest = end + 1;
			const char *last = memmem(rest,
			    line.len - (size_t)(rest - line.p), until,
			    strlen(until));

			(void)buf_print(&due->text, "{\"v\":1%.*s}",
			    last == NULL ? 0 : (int)(last - rest), rest);
		} else {
			(void)buf_put_slice(&due->text, line);
		}
		if (format != DUE_CURL)
			(void)buf_put_char(&due->text, '\n');
		due->put += due->text.len;
		outlet_put(&due->outlet, buf_text(&due->text));
	}
	struct printed printed = {.end = due->put};

	if (lease.len < sizeof(printed.lease)) {
		memcpy(printed.lease, lease.p, lease.len);
		*MEM_PUSH(due->printed, due->count, due->cap) = printed;
	}
	ndjson_free(object);
}

/* The end of an answer. */
static void
due_on_more(struct source *source, const struct ndjson *object)
{
	struct due *due = source->due;
	bool is_follow = due->options->frontier.is_follow;
	uint64_t pages = (uint64_t)ndjson_number(object, "pages", 0);
	struct slice at = ndjson_text(object, "due");

	due->asked = NULL;
	due->got += pages;
	if (due->left != UINT64_MAX)
		due->left -= pages < due->left ? pages : due->left;
	source->is_dry = pages == 0;
	/* the earliest, in a form that sorts as times do */
	if (at.len == sizeof(due->next) - 1 &&
	    (due->next[0] == '\0' || slice_order(at, slice_of(due->next)) < 0))
		memcpy(due->next, at.p, at.len);
	due->turn = (source->shard + 1) % due->shards.count;
	if (due_find(due) == NULL) {
		bool waits = is_follow ||
		    (due->got == 0 && loop_now_ms(due->loop) < due->until_ms);

		due->left = waits ? due->left : 0;
		/* Tell people that no page is due, and until when; of several
		 * shards the last one would speak for all. */
		if (due->got == 0 && (due->left == 0 || is_follow) &&
		    !due->options->output.is_quiet && !due->has_said) {
			due->has_said = true;
			due_say_nothing(due->next,
			    due->shards.count > 1 ? NULL : object, is_follow);
		}
		if (waits)
			loop_timer_set(due->again, AGAIN_MS);
	}
	due_ask(due);
}

/* All sources are dry: ask them again; or the command ends. */
static void
due_on_again(void *arg)
{
	struct due *due = arg;

	if (due->is_ending && due->releasing == 0) {
		due_leave(due);
		return;
	}
	for (unsigned s = 0; s < due->shards.count; s++)
		due->sources[s].is_dry = false;
	due->next[0] = '\0';
	due_ask(due);
}

/* No answer of the source is under way any more. */
static void
source_lose(struct source *source)
{
	struct due *due = source->due;

	if (due->asked == source)
		due->asked = NULL;
	due->releasing -= source->is_releasing;
	source->is_releasing = false;
}

/* The lines of pages have no type, all others have one. */
static void
due_on_line(void *arg, struct slice line, const struct ndjson *object)
{
	struct source *source = arg;
	struct due *due = source->due;
	struct slice type;

	if (object == NULL) {
		due_on_page(due, line);
		return;
	}
	type = ndjson_text(object, "type");
	if (slice_is(type, "unknown")) {
		/* Report unknown sites once, although each owner of the store
		 * is asked again.  Of several shards each site is asked of one,
		 * and a tag may have no site there. */
		struct slice site = ndjson_text(object, "site");

		if (site.len == 0 && due->shards.count > 1)
			return;
		due->lacks_some = true;
		if (source->begun <= 1)
			due_say_unknown(object);
	} else if (slice_is(type, "total")) {
		/* The owner of the store uses its own total budget, and not the
		 * one that was typed here. */
		struct slice rate = ndjson_text(object, "rate");

		if (source->begun <= 1) {
			buf_clear(&due->text);
			vis_put(&due->text, rate, NAME_SHOWN);
			complain("the process that holds the store hands out "
				 "pages by its own total-budget, %s, not by %s",
			    rate.len > 0 ? buf_str(&due->text) : "none",
			    due->options->frontier.total_budget);
		}
	} else if (slice_is(type, "unsigned")) {
		complain("there is no identity to sign with: set identity in "
			 "the configuration, of 'run' if it has the store");
		due_end(due, EXIT_USAGE);
	} else if (slice_is(type, "more")) {
		due_on_more(source, object);
	} else if (slice_is(type, "released")) {
		source_lose(source);
		source_release(source, false); /* pages that came meanwhile */
		if (due->releasing == 0)
			loop_timer_set(due->again, 0);
	}
}

/* Also called when another process has become the owner: it knows nothing of
 * what the one before was asked. */
static void
due_on_ready(void *arg)
{
	struct source *source = arg;
	struct due *due = source->due;

	source_lose(source);
	source->has_frontier = true;
	source->is_dry = false;
	source->begun++;
	const struct options_frontier *frontier = &due->options->frontier;
	struct buf line;

	store_call_begin(&line, "due");
	out_json_number(&line, "per_host", frontier->per_host);
	out_json_number(&line, "hosts", frontier->hosts);
	out_json_number(&line, "lease_s", (uint64_t)frontier->lease_s);
	out_json_flag(&line, "spaced", frontier->is_follow);
	if (frontier->sign != NULL)
		out_json_string(&line, "sign", frontier->sign);
	/* each of several shards has a part of it */
	if (frontier->total_budget != NULL && due->shards.count == 1)
		out_json_string(&line, "total", frontier->total_budget);
	/* what was typed must hold; an owner with another delay refuses it */
	if (due->options->network.is_delay_typed)
		out_json_number(&line, "delay_ms",
		    (uint64_t)due->options->network.delay_ms);
	due_put_wanted(&line, due->options, &source->sites);
	out_json_line_end(&line);
	(void)store_client_send(source->client, &line);
	if (due->is_ending)
		source_release(source, true);
	due_ask(due);
}

/* There will be no owner any more; leases that were printed belong to their
 * reader.  Of several sources, this one is not here, has gone, or knows none of
 * the sites or tags. */
static void
due_on_ended(void *arg, int status)
{
	struct source *source = arg;
	struct due *due = source->due;
	const struct options *options = due->options;
	unsigned left = 0;

	source_lose(source);
	source->has_frontier = false;
	if (due->shards.count == 1 ||
	    (status != EXIT_LOCKED && status != EXIT_NO_TARGET)) {
		due_stop(due, status);
		return;
	}
	for (size_t i = 0; i < source->sites.count && !source->is_over &&
	     status == EXIT_LOCKED;
	     i++) {
		complain("'%s' does not live on this machine, which has no "
			 "pages of it",
		    source->sites.items[i]);
		due->lacks_some = true;
	}
	source->is_over = true;
	for (unsigned s = 0; s < due->shards.count; s++)
		left += due->sources[s].client != NULL &&
		    (due->sources[s].has_frontier || !due->sources[s].is_over);
	/* Who follows waits for workers that come. */
	if (due->is_ending) {
		if (due->releasing == 0)
			due_stop(due, due->status);
	} else if (left == 0 && !options->frontier.is_follow && due->put > 0) {
		due->left = 0; /* what came is still written */
	} else if (left == 0 && !options->frontier.is_follow) {
		bool is_all = options->watch.tags.count +
			options->targets.args.count ==
		    0;

		if (!due->lacks_some)
			complain("no shard with such pages is held on this "
				 "machine; 'freshet run' holds shards, and "
				 "hands out their pages");
		due_stop(due, is_all ? EXIT_LOCKED : EXIT_NO_TARGET);
	}
	/* the others may all be dry, and were to be asked after this one */
	due_on_again(due);
}

/* The reader has taken something: there is room for more pages, or the reader
 * is gone. */
static void
due_on_written(void *arg)
{
	struct due *due = arg;
	bool is_follow = due->options->frontier.is_follow;
	int error = due->outlet.error;

	if (error == 0) {
		forget_written(due, outlet_taken(&due->outlet));
		due_ask(due);
	} else if (!due->is_ending) {
		/* head(1) may have enough pages, but --follow never ends by
		 * itself */
		if (error != EPIPE)
			complain("cannot write to stdout: %s",
			    strerrordesc_np(error));
		else if (is_follow)
			complain("nobody reads the pages any more; those that "
				 "nobody has read are given back");
		due_end(
		    due, error == EPIPE && !is_follow ? EXIT_DONE : EXIT_DISK);
	}
}

/* A second signal ends at once: whoever sends it does not want to wait for the
 * leases. */
static void
due_on_signal(void *arg, int number)
{
	struct due *due = arg;

	if (due->is_ending)
		_exit(128 + number);
	due_end(due, 128 + number);
}

/* The owner does not answer: leases that were not given back end by themselves.
 */
static void
on_farewell(void *arg)
{
	struct due *due = arg;

	due_stop(due, due->status);
}

int
command_due(struct options *options)
{
	struct due due = {.options = options};
	struct strings sites = {0}; /* hosts; empty: all sites */

	if (!options->frontier.has_per_host &&
	    options->frontier.format != DUE_NDJSON)
		/* the line of a page contains no delay */
		options->frontier.per_host = 1;
	/* without --per-host the frontier leases one page of a host at a
	 * time */
	if (options->frontier.has_per_host && options->frontier.per_host == 0)
		options->frontier.per_host = UINT32_MAX;
	due.left = options->frontier.is_follow && !options->frontier.has_count
	    ? UINT64_MAX
	    : options->frontier.count;
	due.status = shards_open(&due.shards, options);
	if (due.status == EXIT_DONE &&
	    !sites_of(&options->targets.args, &sites))
		due.status = EXIT_USAGE;
	due.loop = due.status == EXIT_DONE ? loop_new() : NULL;
	if (due.loop == NULL) {
		strings_release(&sites);
		shards_close(&due.shards);
		return due.status == EXIT_DONE ? EXIT_RESOURCES : due.status;
	}
	due.signals = stop_signals_new(due.loop, due_on_signal, &due);
	due.farewell = loop_timer_new(due.loop, on_farewell, &due);
	due.again = loop_timer_new(due.loop, due_on_again, &due);
	due.until_ms = loop_now_ms(due.loop) + options->frontier.wait_ms;
	outlet_init(&due.outlet, due.loop, STDOUT_FILENO, due_on_written, &due);
	/* Commands that follow each other begin with different shards, whatever
	 * they take of them; what answers first is asked first. */
	due.turn = (unsigned)loop_now_ms(due.loop) % due.shards.count;
	due.part = due.left / due.shards.count +
	    (due.left % due.shards.count > 0);
	if (due.part > FRONTIER_ANSWER_PAGES)
		due.part = FRONTIER_ANSWER_PAGES;
	if (options->frontier.is_follow && due.part > FOLLOW_PAGES)
		due.part = FOLLOW_PAGES;
	due.sources = mem_zero(due.shards.count * sizeof(*due.sources));
	for (size_t i = 0; i < sites.count; i++) {
		struct slice site = slice_of(sites.items[i]);

		strings_add(
		    &due.sources[shards_home(&due.shards, site)].sites, site);
	}
	/* of several shards, those are asked that have the sites, or all */
	for (unsigned i = 0; i < due.shards.count; i++) {
		unsigned s = (due.turn + i) % due.shards.count;
		struct source *source = &due.sources[s];
		bool is_one = due.shards.count == 1;

		source->due = &due;
		source->shard = s;
		if (sites.count == 0 || source->sites.count > 0)
			source->client = store_client_new(
			    &(struct store_client_options){.options = options,
				.loop = due.loop,
				.ready = due_on_ready,
				.line = due_on_line,
				.ended = due_on_ended,
				.waits = options->frontier.is_follow,
				.never_owns = !is_one,
				.shard = s,
				.arg = source});
	}
	loop_run(due.loop);
	for (unsigned s = 0; s < due.shards.count; s++) {
		store_client_free(due.sources[s].client);
		strings_release(&due.sources[s].sites);
	}
	free(due.sources);
	outlet_release(&due.outlet);
	loop_timer_free(due.farewell);
	loop_timer_free(due.again);
	stop_signals_free(due.signals);

	loop_free(due.loop);
	buf_release(&due.text);
	free(due.printed);
	strings_release(&sites);
	shards_close(&due.shards);
	if (due.status == EXIT_DONE && due.lacks_some)
		due.status = EXIT_FINDINGS;
	return due.status;
}
