/* freshet robots: whether a URL may be fetched, and which line says so. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/human.h"
#include "base/mem.h"
#include "base/out_json.h"
#include "base/target.h"
#include "crawler/cli/out.h"
#include "crawler/cli/targets.h"
#include "crawler/commands/commands.h"
#include "crawler/control/crawler.h"
#include "crawler/control/network.h"
#include "crawler/crawl/robots_client.h"
#include "crawler/event/exit.h"
#include "crawler/inspect/robots_history.h"

#define LABEL_WIDTH 11 /* columns of "  sitemap  " */
#define MAX_SHOWN 20 /* Sitemap lines that people are shown */

/* One URL to judge. */
struct robots_question {
	struct url url; /* owned */
	size_t origin; /* number of its origin in the client */
	size_t place; /* its number among the URLs as typed */
};

struct robots_command {
	struct options *options;
	const char *agent; /* for whom is judged now */
	bool has_several; /* agents */
	struct out out;
	struct network network;
	struct loop *loop;
	struct spool *spool;
	struct forkserver *forkserver; /* borrowed */
	struct readers *readers;
	struct robots_client *client;
	struct robots_question *items; /* owned */
	size_t count;
	size_t cap;
	size_t origins; /* numbers of origins in the client are below this */
	size_t bad; /* lines that are no URL */
};

static struct robots_verdict
judge(
    const struct robots_answer *answer, const struct robots_question *question)
{
	struct slice target = url_target(&question->url);
	struct robots_verdict verdict = {.is_allowed = true};

	if (answer->fallback == FALLBACK_RULES)
		return robots_verdict(answer->robots, target);
	/* SPEC R-95: /robots.txt itself may always be fetched */
	verdict.is_allowed = answer->fallback == FALLBACK_NONE ||
	    slice_is(target, "/robots.txt");
	return verdict;
}

/* For people. */

static void
label(struct robots_command *robots, const char *name)
{
	struct buf *text = &robots->out.text;
	size_t from = text->len;

	(void)buf_print(text, "  %s", name);
	out_pad(&robots->out, from, LABEL_WIDTH);
}

static void
put_line(struct robots_command *robots, const struct robots_answer *answer,
    uint32_t line)
{
	struct slice text = slice_trim(
	    robots_line(buf_text(&answer->body), line));

	(void)buf_print(&robots->out.text, "line %" PRIu32 ": ", line);
	out_text(&robots->out, text);
	(void)buf_put_char(&robots->out.text, '\n');
}

/* Say where the rules come from, or why there are none. */
static void
put_source(struct robots_command *robots, const struct robots_answer *answer)
{
	struct buf *text = &robots->out.text;

	if (answer->is_local) {
		out_text(&robots->out, slice_of(robots->options->robots.file));
		(void)buf_print(text, "  for ");
		(void)buf_put_slice(text, url_origin(&answer->origin));
		(void)buf_put_char(text, '\n');
		return;
	}
	(void)buf_put_slice(text, url_origin(&answer->origin));
	(void)buf_print(text, "/robots.txt  ");
	if (answer->fallback == FALLBACK_CLOSED)
		(void)buf_print(text, "cannot be had: %s", answer->why);
	else if (answer->fallback == FALLBACK_NONE)
		(void)buf_print(text, "none: status %d%s%s", answer->status,
		    answer->why[0] != '\0' ? ", " : "", answer->why);
	else
		human_bytes(text, answer->body.len);
	(void)buf_put_char(text, '\n');
	if (!slice_equal(
		url_origin(&answer->final), url_origin(&answer->origin))) {
		label(robots, "from");
		(void)buf_put_slice(text, url_text(&answer->final));
		(void)buf_put_char(text, '\n');
	}
}

static void
put_sitemaps(struct robots_command *robots, const struct robots_answer *answer)
{
	uint32_t line;
	uint32_t i = 0;

	for (; robots_sitemap(answer->robots, i, &line).len > 0; i++)
		if (i < MAX_SHOWN) {
			label(robots, "sitemap");
			put_line(robots, answer, line);
		}
	if (i > MAX_SHOWN) {
		label(robots, "");
		(void)buf_print(&robots->out.text,
		    "and %" PRIu32 " more; --json lists all\n", i - MAX_SHOWN);
	}
}

static void
put_findings(struct robots_command *robots, const struct robots_answer *answer)
{
	const struct findings *findings = &answer->findings;
	const struct profile *profile = &robots->options->rules.profile;

	for (size_t i = 0; i < findings->count; i++) {
		enum diag_code code = findings->items[i].code;

		if (profile_severity(profile, code) < SEVERITY_WARNING)
			continue;
		label(robots, severity_name(profile_severity(profile, code)));
		(void)buf_print(&robots->out.text, "%s: %s\n", diag_name(code),
		    diag_info(code)->trigger);
	}
}

static void
put_origin(struct robots_command *robots, const struct robots_answer *answer)
{
	struct buf *text = &robots->out.text;
	uint32_t line = robots_agent_line(answer->robots, 0);

	put_source(robots, answer);
	if (robots->has_several) {
		label(robots, "agent");
		(void)buf_print(text, "%s\n", robots->agent);
	}
	if (answer->fallback == FALLBACK_RULES && line == 0) {
		label(robots, "group");
		(void)buf_print(text, "none for %s%s\n", robots->agent,
		    robots_heeds_all(slice_of(robots->agent))
			? ""
			: ", which follows none for *");
	}
	for (uint32_t i = 0; line != 0;
	     line = robots_agent_line(answer->robots, ++i)) {
		label(robots, "group");
		put_line(robots, answer, line);
	}
	if (robots_delay_ms(answer->robots) > 0) {
		label(robots, "delay");
		(void)buf_print(text, "%g s between two requests\n",
		    robots_delay_ms(answer->robots) / 1000.0);
	}
	put_sitemaps(robots, answer);
	put_findings(robots, answer);
}

static void
put_verdict(struct robots_command *robots, const struct robots_answer *answer,
    const struct robots_question *question)
{
	struct robots_verdict verdict = judge(answer, question);
	struct buf *text = &robots->out.text;

	out_severity(
	    &robots->out, verdict.is_allowed ? SEVERITY_INFO : SEVERITY_ERROR);
	label(robots, verdict.is_allowed ? "yes" : "no");
	out_severity(&robots->out, SEVERITY_NONE);
	(void)buf_put_slice(text, url_text(&question->url));
	(void)buf_put_char(text, '\n');
	label(robots, "");
	if (verdict.is_given_up)
		(void)buf_print(text, ROBOTS_GIVEN_UP "\n");
	else if (verdict.line > 0)
		put_line(robots, answer, verdict.line);
	else if (slice_is(url_target(&question->url), "/robots.txt"))
		(void)buf_print(text, "robots.txt itself may always be read\n");
	else if (answer->fallback == FALLBACK_CLOSED)
		(void)buf_print(text, "nothing may be, without robots.txt\n");
	else if (answer->fallback == FALLBACK_NONE)
		(void)buf_print(text, "there are no rules\n");
	else
		(void)buf_print(text, "no rule matches\n");
	(void)out_line(&robots->out);
}

static int
compare_questions(const void *a, const void *b)
{
	const struct robots_question *x = a;
	const struct robots_question *y = b;

	if (x->origin != y->origin)
		return x->origin < y->origin ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

/* Print all answers, origin by origin. */
static void
print_all(struct robots_command *robots)
{
	for (size_t i = 0; i < robots->count; i++) {
		const struct robots_question *question = &robots->items[i];
		const struct robots_answer *answer = robots_client_answer(
		    robots->client, question->origin);

		if (i == 0 || question->origin != robots->items[i - 1].origin)
			put_origin(robots, answer);
		put_verdict(robots, answer, question);
	}
}

/* For programs. */

static const char *
fallback_name(enum robots_fallback fallback)
{
	static const char *const names[] = {
	    "unknown", "rules", "none", "unreachable"};

	return names[fallback];
}

static void
json_groups(struct buf *out, const struct robots_answer *answer)
{
	uint32_t line = robots_agent_line(answer->robots, 0);

	out_json_key(out, "group");
	(void)buf_put_char(out, '[');
	for (uint32_t i = 0; line != 0;
	     line = robots_agent_line(answer->robots, ++i))
		(void)buf_print(out, "%s%" PRIu32, i == 0 ? "" : ",", line);
	(void)buf_put_char(out, ']');
}

static void
json_sitemaps(struct buf *out, const struct robots_answer *answer)
{
	struct slice url;
	uint32_t line;

	out_json_key(out, "sitemaps");
	(void)buf_put_char(out, '[');
	for (uint32_t i = 0;
	     (url = robots_sitemap(answer->robots, i, &line)).len > 0; i++) {
		(void)buf_put_slice(out, slice_of(i == 0 ? "{" : ",{"));
		(void)buf_print(out, "\"line\":%" PRIu32, line);
		out_json_word(out, "url", url);
		(void)buf_put_char(out, '}');
	}
	(void)buf_put_char(out, ']');
}

static void
json_findings(struct buf *out, const struct findings *findings)
{
	out_json_key(out, "findings");
	(void)buf_put_char(out, '[');
	for (size_t i = 0; i < findings->count; i++)
		(void)buf_print(out, "%s\"%s\"", i == 0 ? "" : ",",
		    diag_name(findings->items[i].code));
	(void)buf_put_char(out, ']');
}

static void
json_verdict(struct robots_command *robots, const struct robots_answer *answer,
    const struct robots_question *question)
{
	struct robots_verdict verdict = judge(answer, question);
	struct buf *out = &robots->out.text;
	struct slice text = slice_trim(
	    robots_line(buf_text(&answer->body), verdict.line));

	(void)buf_put_slice(out, slice_of("{\"v\":1"));
	out_json_word(out, "type", slice_of("robots"));
	out_json_word(out, "url", url_text(&question->url));
	out_json_word(out, "agent", slice_of(robots->agent));
	out_json_key(out, "allowed");
	(void)buf_print(out, "%s", verdict.is_allowed ? "true" : "false");
	out_json_number(out, "line", verdict.line);
	out_json_word(out, "text", text);
	out_json_word(out, "rules", slice_of(fallback_name(answer->fallback)));
	out_json_number(out, "status", (uint64_t)answer->status);
	out_json_word(out, "why", slice_of(answer->why));
	out_json_word(out, "origin", url_origin(&answer->origin));
	out_json_word(out, "final_url",
	    answer->is_local ? slice_of(NULL) : url_text(&answer->final));
	json_groups(out, answer);
	out_json_number(out, "crawl_delay_ms", robots_delay_ms(answer->robots));
	json_sitemaps(out, answer);
	json_findings(out, &answer->findings);
	(void)buf_put_slice(out, slice_of("}\n"));
	(void)out_line(&robots->out);
}

/* From the arguments to the answers. */

static void
add_question(struct robots_command *robots, const char *text)
{
	struct target target;
	struct robots_question *question;

	(void)target_parse(
	    &target, slice_of(text)); /* targets_read() has checked the text */
	robots->items = mem_grow(robots->items, &robots->cap, robots->count + 1,
	    sizeof(*robots->items));
	question = &robots->items[robots->count];
	question->place = robots->count++;
	url_init(&question->url);
	url_copy(&question->url, &target.url);
	question->origin = robots_client_add(
	    robots->client, &target.url, target.has_no_scheme);
	if (question->origin >= robots->origins)
		robots->origins = question->origin + 1;
	target_release(&target);
}

/* A host typed without scheme may have answered over http only: then its URLs
 * are judged and shown as http. */
static void
follow_scheme(struct robots_command *robots)
{
	for (size_t i = 0; i < robots->count; i++) {
		struct robots_question *question = &robots->items[i];
		const struct url *origin = &robots_client_answer(
		    robots->client, question->origin)
						->origin;
		struct url moved;

		if (origin->is_https == question->url.is_https)
			continue;
		url_init(&moved);
		(void)url_resolve(&moved, url_target(&question->url), origin,
		    (struct diag_sink){0});
		url_release(&question->url);
		question->url = moved;
	}
}

/* Judge all URLs by the file of --file. */
static bool
use_file(struct robots_command *robots)
{
	const char *path = robots->options->robots.file;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char bytes[16384];
	char room[128];
	struct buf body;
	ssize_t got = -1;

	/* read more than is allowed, so that a longer file is noticed */
	buf_init(&body, ROBOTS_MAX_BYTES + sizeof(bytes));
	while (fd >= 0 && body.len <= ROBOTS_MAX_BYTES &&
	    (got = read(fd, bytes, sizeof(bytes))) > 0)
		(void)buf_put(&body, bytes, (size_t)got);
	if (got < 0)
		complain("cannot read '%s': %s", path,
		    strerror_r(errno, room, sizeof(room)));
	for (size_t i = 0; got >= 0 && i < robots->origins; i++)
		robots_client_use(robots->client, i, buf_text(&body));
	if (fd >= 0)
		(void)close(fd);
	buf_release(&body);
	return got >= 0;
}

static int
open_all(struct robots_command *robots)
{
	const struct options *options = robots->options;
	struct robots_client_options how = {.agent = robots->agent,
	    .profile = options->rules.profile,
	    .has_delay = options->network.has_delay,
	    .delay_ms = options->network.delay_ms,
	    .retry = options->network.retry,
	    .headers = options->login.headers.items,
	    .credentials = options->login.credentials};
	int status = network_policy(&robots->network, &options->network);

	if (status != EXIT_DONE)
		return status;
	robots->loop = loop_new();
	if (robots->loop == NULL)
		return EXIT_RESOURCES;
	robots->spool = spool_new(NULL);
	robots->readers = crawler_readers(
	    options, robots->loop, robots->forkserver);
	status = network_open(
	    &robots->network, robots->loop, &options->network);
	how.hash_key = network_key();
	how.loop = robots->loop;
	how.fetcher = robots->network.fetcher;
	how.policy = robots->network.policy;
	how.spool = robots->spool;
	how.readers = robots->readers;
	if (status == EXIT_DONE)
		robots->client = robots_client_new(&how);
	return status;
}

/* Whether one of the URLs is forbidden. */
static bool
has_refusal(const struct robots_command *robots)
{
	for (size_t i = 0; i < robots->count; i++) {
		const struct robots_question *question = &robots->items[i];

		if (!judge(
			robots_client_answer(robots->client, question->origin),
			question)
			 .is_allowed)
			return true;
	}
	return false;
}

/* Whether no server answered. */
static bool
is_silent(const struct robots_command *robots)
{
	for (size_t i = 0; i < robots->count; i++) {
		const struct robots_answer *answer = robots_client_answer(
		    robots->client, robots->items[i].origin);

		if (answer->failure == DIAG_OK || answer->status != 0)
			return false;
	}
	return robots->count > 0;
}

/* Print the answers for the agent. */
static void
print_answers(struct robots_command *robots)
{
	if (!robots->options->output.is_json) {
		print_all(robots);
		return;
	}
	for (size_t i = 0; i < robots->count; i++)
		json_verdict(robots,
		    robots_client_answer(
			robots->client, robots->items[i].origin),
		    &robots->items[i]);
}

static int
answer_all(struct robots_command *robots)
{
	const struct string_list *targets = &robots->options->targets.args;
	const struct string_list *agents = &robots->options->robots.agents;
	bool has_no = robots->bad > 0;
	size_t done = 0;

	for (size_t i = 0; i < targets->count; i++)
		add_question(robots, targets->items[i]);
	if (robots->options->robots.file == NULL)
		robots_client_run(robots->client);
	else if (!use_file(robots))
		return EXIT_USAGE;
	follow_scheme(robots);
	if (!robots->options->output.is_json)
		qsort(robots->items, robots->count, sizeof(*robots->items),
		    compare_questions);
	do {
		if (done > 0) {
			robots->agent = agents->items[done];
			robots_client_judge(robots->client, robots->agent);
		}
		has_no = has_refusal(robots) || has_no;
		print_answers(robots);
	} while (++done < agents->count);
	if (is_silent(robots))
		return EXIT_NO_TARGET;
	return has_no ? EXIT_FINDINGS : EXIT_DONE;
}

int
command_robots(struct options *options, struct forkserver *forkserver)
{
	struct robots_command robots = {.options = options,
	    .forkserver = forkserver,
	    .agent = options->robots.agents.count > 0
		? options->robots.agents.items[0]
		: "freshet",
	    .has_several = options->robots.agents.count > 1};
	int status = targets_read(options, &robots.bad);
	int written;

	if (status != EXIT_DONE)
		return status;
	if (options->robots.wants_history)
		return robots_history(options);
	out_init(&robots.out, &options->output);
	status = open_all(&robots);
	if (status == EXIT_DONE)
		status = answer_all(&robots);
	written = out_finish(&robots.out);
	network_release(&robots.network);
	readers_free(robots.readers);
	robots_client_free(robots.client);
	spool_free(robots.spool);
	if (robots.loop != NULL)
		loop_free(robots.loop);
	for (size_t i = 0; i < robots.count; i++)
		url_release(&robots.items[i].url);
	free(robots.items);
	return written != EXIT_DONE ? written : status;
}
