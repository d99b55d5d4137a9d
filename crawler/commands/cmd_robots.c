/*
 * freshet robots: whether a URL may be fetched, and which line says so.
 *
 *	URLs -> their origins -> a crawl that reads robots.txt alone, or --file
 *	-> for each agent: the rules, the verdicts
 *
 * With --history nothing is asked: the store has the former texts.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/human.h"
#include "base/mem.h"
#include "base/names.h"
#include "base/out_json.h"
#include "base/robots.h"
#include "base/robots_difference.h"
#include "base/sort.h"
#include "base/target.h"
#include "base/zone.h"
#include "crawler/cli/out.h"
#include "crawler/cli/selection.h"
#include "crawler/cli/targets.h"
#include "crawler/cli/textfile.h"
#include "crawler/commands/commands.h"
#include "crawler/commands/scratch_crawl.h"
#include "crawler/crawl/run_robots.h"
#include "crawler/event/exit.h"
#include "store/document.h"
#include "store/proof.h"
#include "store/site.h"

/* The former texts (--history): what a robots.txt said, and what changed. */

#define AGENTS_SHOWN 20

struct robots_history {
	struct store *store;
	struct out out;
	bool is_json;
	struct slice site, origin;
	bool has_before;
	struct buf before;
	bool is_full; /* nothing can be written any more */
};

/* For people. */

/* A line that came or went, with the agents that it is for. */
static void
text_change(void *arg, const struct robots_change *change)
{
	struct robots_history *history = arg;
	struct buf line = BUF_UP_TO(SIZE_MAX);

	robots_change_print(&line, change, AGENTS_SHOWN);
	(void)buf_print(
	    &history->out.text, "    %c ", change->is_new ? '+' : '-');
	out_text(&history->out, buf_text(&line));
	(void)buf_put_char(&history->out.text, '\n');
	buf_release(&line);
}

/* The oldest text is shown as it is; of each later one what changed. */
static void
text_version(struct robots_history *history, const struct robots_text *text)
{
	struct buf *out = &history->out.text;
	struct robots_difference difference;

	if (!history->has_before) {
		out_text(&history->out, history->origin);
		(void)buf_print(out, "/robots.txt\n");
	}
	(void)buf_print(out, "  %-16s  %s\n",
	    text->since_s == 0 ? "the oldest text"
			       : zone_text(text->since_s, ZONE_MOMENT).text,
	    text->is_file ? human_scaled(text->body.len, human_bytes).text
			  : "there was no such file");
	if (!history->has_before)
		return;
	/* what changed for whom: a text of a thousand lines may differ in one
	 */
	difference = robots_compare(
	    buf_text(&history->before), text->body, text_change, history);
	if (difference.is_cut)
		(void)buf_print(
		    out, "    it has more rules than are compared\n");
}

/* The same for programs. */
static void
json_change(void *arg, const struct robots_change *change)
{
	struct robots_history *history = arg;
	struct buf *out = &history->out.text;

	out_json_begin(out, NULL, '{');
	out_json_flag(out, "new", change->is_new);
	out_json_word(out, "name", change->name);
	out_json_text(out, "value", change->value);
	out_json_begin(out, "agents", '[');
	for (size_t i = 0; i < change->agent_count; i++)
		out_json_text(out, NULL, change->agents[i]);
	out_json_end(out, ']');
	out_json_end(out, '}');
}

/* A text is kept until the next one comes, because only their difference is
 * told. */
static bool
on_text(void *arg, const struct robots_text *text)
{
	struct robots_history *history = arg;

	if (history->is_json) {
		struct buf *out = &history->out.text;

		out_json_line(out, "robots-text");
		out_json_word(out, "site", history->site);
		out_json_word(out, "origin", history->origin);
		out_json_time(out, "since", text->since_s);
		out_json_time(out, "until", text->until_s);
		out_json_flag(out, "file", text->is_file);
		out_json_begin(out, "changes", '[');
		if (history->has_before)
			(void)robots_compare(buf_text(&history->before),
			    text->body, json_change, history);
		out_json_end(out, ']');
		out_json_text(out, "text", text->body);
		out_json_line_end(out);
	} else
		text_version(history, text);
	history->has_before = true;
	buf_clear(&history->before);
	(void)buf_put_slice(&history->before, text->body);
	history->is_full = !out_line(&history->out);
	return !history->is_full;
}

/* A site may have several origins: each has a robots.txt of its own. */
static void
add_origin(void *arg, struct slice origin)
{
	strings_add(arg, origin);
}

/* No request is made: this is what the store kept. */
static int
robots_history(const struct options *options)
{
	const struct strings *sites = &options->targets.args;
	struct robots_history history = {.is_json = options->output.is_json};
	int status = selection_open(options, &history.store);

	if (status != EXIT_DONE)
		return status;
	out_init(&history.out, &options->output);
	history.out.is_raw = history.is_json;
	for (size_t i = 0;
	     i < sites->count && status == EXIT_DONE && !history.is_full; i++) {
		struct selection selection = {0};
		struct strings origins = {0};

		status = selection_init(
		    &selection, history.store, sites->items[i]);
		if (status == EXIT_DONE) {
			history.site = slice_of(selection.site);
			store_each_url(history.store, URLS_ORIGINS,
			    store_site_find(history.store, history.site),
			    slice_of(""), add_origin, &origins);
		}
		/* each origin has texts of its own, the oldest one first */
		for (size_t k = 0; k < origins.count && !history.is_full; k++) {
			history.origin = slice_of(origins.items[k]);
			history.has_before = false;
			store_each_robots_text(
			    history.store, history.origin, on_text, &history);
		}
		strings_release(&origins);
		selection_release(&selection);
	}
	buf_release(&history.before);
	return selection_close(history.store, out_end(&history.out, status));
}

#define FILE_MAX_BYTES (64u << 20) /* of the file of --file */
#define LABEL_WIDTH 11 /* columns of "  sitemap  " */
#define MAX_SHOWN 20 /* Sitemap lines that people are shown */

enum robots_fallback {
	FALLBACK_RULES, /* there is a file */
	FALLBACK_NONE, /* there is no file: everything is allowed */
	FALLBACK_CLOSED /* the file cannot be fetched: nothing is allowed */
};

/* What an origin answered. */
struct robots_answer {
	enum robots_fallback fallback;
	struct url origin; /* its root URL */
	char *final; /* owned: URL of the last request; NULL: none was made */
	struct robots *robots; /* owned; NULL without a file */
	struct buf body; /* the file, cut at its limit */
	struct findings findings;
	enum diag_code failure; /* DIAG_OK, or why there is no answer */
	/* owned: the failure in words, or what came instead of a file; NULL:
	 * neither */
	char *why;
	int status; /* 0: no answer came */
};

/* One URL to judge. */
struct robots_question {
	struct url url; /* owned */
	size_t origin; /* number of its answer */
	size_t place; /* its number among the URLs as typed */
};

struct robots_command {
	struct crawler crawl; /* on a store that is thrown away */
	struct options *options;
	const char *agent; /* for whom is judged now */
	bool has_several; /* agents */
	struct out out;
	struct names origins; /* as typed; numbered as the answers are */
	struct robots_answer *answers; /* owned */
	size_t answer_count, answer_cap;
	struct robots_question *items; /* owned */
	size_t count;
	size_t cap;
	size_t bad; /* lines that are no URL */
};

/* What may be fetched when there is no file, or none that can be had, follows
 * from the answer of the server. */
static struct robots_verdict
judge_robots(
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

/* Labels stand in a column, so that the eye finds the verdicts. */
static void
label(struct robots_command *robots, const char *name)
{
	(void)buf_print(&robots->out.text, "  %-*s", LABEL_WIDTH - 2, name);
}

/* The line as the file has it, with its number: who keeps the file looks for
 * that. */
static void
robots_put_line(struct robots_command *robots,
    const struct robots_answer *answer, uint32_t line)
{
	struct slice text = slice_trim(
	    robots_line(buf_text(&answer->body), line));

	(void)buf_print(&robots->out.text, "line %" PRIu32 ": ", line);
	out_text(&robots->out, text);
	(void)buf_put_char(&robots->out.text, '\n');
}

/* Say where the rules come from, or why there are none. */
static void
robots_put_source(
    struct robots_command *robots, const struct robots_answer *answer)
{
	struct slice origin = url_origin(&answer->origin);
	struct buf *text = &robots->out.text;

	if (robots->options->robots.file != NULL) {
		out_text(&robots->out, slice_of(robots->options->robots.file));
		(void)buf_print(
		    text, "  for %.*s\n", (int)origin.len, origin.p);
		return;
	}
	(void)buf_print(text, "%.*s/robots.txt  ", (int)origin.len, origin.p);
	if (answer->fallback == FALLBACK_CLOSED)
		(void)buf_print(text, "cannot be had: %s",
		    answer->why == NULL ? "" : answer->why);
	else if (answer->fallback == FALLBACK_NONE)
		(void)buf_print(text, "none: status %d%s%s", answer->status,
		    answer->why != NULL ? ", " : "",
		    answer->why != NULL ? answer->why : "");
	else
		(void)buf_print(text, "%s",
		    human_scaled(answer->body.len, human_bytes).text);
	(void)buf_put_char(text, '\n');
	/* after a redirect the rules come from elsewhere, and are still of
	 * this origin (SPEC R-73) */
	if (answer->final != NULL &&
	    (strncmp(answer->final, origin.p, origin.len) != 0 ||
		answer->final[origin.len] != '/')) {
		label(robots, "from");
		(void)buf_print(text, "%s\n", answer->final);
	}
}

/* What holds for all URLs of an origin. */
static void
robots_put_heading(
    struct robots_command *robots, const struct robots_answer *answer)
{
	const struct profile *profile = &robots->options->rules.profile;
	const struct robots *file = answer->robots;
	struct buf *text = &robots->out.text;
	uint32_t line, shown = 0;

	robots_put_source(robots, answer);
	if (robots->has_several) {
		label(robots, "agent");
		(void)buf_print(text, "%s\n", robots->agent);
	}
	if (file != NULL && file->rules.agent_count == 0) {
		label(robots, "group");
		(void)buf_print(text, "none for %s%s\n", robots->agent,
		    file->heeds_all ? "" : ", which follows none for *");
	}
	for (size_t i = 0; file != NULL && i < file->rules.agent_count; i++) {
		label(robots, "group");
		robots_put_line(robots, answer, file->rules.agents[i]);
	}
	if (robots_delay_ms(file) > 0) {
		label(robots, "delay");
		(void)buf_print(text, "%g s between two requests\n",
		    robots_delay_ms(file) / 1000.0);
	}
	while (robots_sitemap(file, shown, &line).len > 0)
		if (shown++ < MAX_SHOWN) {
			label(robots, "sitemap");
			robots_put_line(robots, answer, line);
		}
	if (shown > MAX_SHOWN) {
		label(robots, "");
		(void)buf_print(text,
		    "and %" PRIu32 " more; --json lists all\n",
		    shown - MAX_SHOWN);
	}
	for (size_t i = 0; i < answer->findings.count; i++) {
		const struct finding *it = &answer->findings.items[i];
		enum diag_code code = it->code;
		enum severity severity = profile_severity(profile, code);

		if (severity < SEVERITY_WARNING)
			continue;
		label(robots, severity_names[severity]);
		(void)buf_print(text, "%s: %s\n", diag_name(code),
		    diag_info(code)->trigger);
		for (unsigned k = 0; k < it->sample_count; k++)
			if (it->samples[k].line > 0) {
				label(robots, "");
				robots_put_line(
				    robots, answer, it->samples[k].line);
			}
	}
}

/* Origin by origin for people, and in the order as typed within each. */
static const struct sort_key robots_by_origin[] = {
    {SORT_KEY(struct robots_question, origin), false},
    {SORT_KEY(struct robots_question, place), false}, {0}};

/* Print all answers, origin by origin. */
static void
robots_print_all(struct robots_command *robots)
{
	for (size_t i = 0; i < robots->count; i++) {
		const struct robots_question *question = &robots->items[i];
		const struct robots_answer
		    *answer = &robots->answers[question->origin];

		if (i == 0 || question->origin != robots->items[i - 1].origin)
			robots_put_heading(robots, answer);
		struct robots_verdict verdict = judge_robots(answer, question);
		struct buf *text = &robots->out.text;

		/* the verdict, and the line of the file that it rests on */
		out_severity(&robots->out,
		    verdict.is_allowed ? SEVERITY_INFO : SEVERITY_ERROR);
		label(robots, verdict.is_allowed ? "yes" : "no");
		out_severity(&robots->out, SEVERITY_NONE);
		(void)buf_put_slice(text, url_text(&question->url));
		(void)buf_put_char(text, '\n');
		label(robots, "");
		/* a verdict without a line has one of these reasons */
		if (verdict.is_given_up)
			(void)buf_print(text, ROBOTS_GIVEN_UP "\n");
		else if (verdict.line > 0)
			robots_put_line(robots, answer, verdict.line);
		else if (slice_is(url_target(&question->url), "/robots.txt"))
			(void)buf_print(
			    text, "robots.txt itself may always be read\n");
		else if (answer->fallback == FALLBACK_CLOSED)
			(void)buf_print(
			    text, "nothing may be, without robots.txt\n");
		else if (answer->fallback == FALLBACK_NONE)
			(void)buf_print(text, "there are no rules\n");
		else
			(void)buf_print(text, "no rule matches\n");
		if ((verdict.said.yes | verdict.said.no) != 0) {
			label(robots, "");
			purposes_print(text, "it says ", verdict.said);
			(void)buf_put_char(text, '\n');
		}
		(void)out_line(&robots->out);
	}
}

/* For programs. */

/* One object a URL, in the order as typed: programs match them with what they
 * asked. */
static void
json_verdict(struct robots_command *robots, const struct robots_answer *answer,
    const struct robots_question *question)
{
	static const char *const fallbacks[] = {"rules", "none", "unreachable"};
	struct robots_verdict verdict = judge_robots(answer, question);
	struct buf *out = &robots->out.text;
	struct slice text = slice_trim(
	    robots_line(buf_text(&answer->body), verdict.line));
	struct slice url;

	out_json_line(out, "robots");
	out_json_word(out, "url", url_text(&question->url));
	out_json_string(out, "agent", robots->agent);
	out_json_flag(out, "allowed", verdict.is_allowed);
	out_json_number(out, "line", verdict.line);
	out_json_word(out, "text", text);
	purposes_json(out, verdict.said);
	out_json_string(out, "rules", fallbacks[answer->fallback]);
	out_json_number(out, "status", (uint64_t)answer->status);
	out_json_string(out, "why", answer->why);
	out_json_word(out, "origin", url_origin(&answer->origin));
	out_json_string(out, "final_url", answer->final);
	/* the group that holds for the agent may have several agent lines */
	const struct robots *file = answer->robots;
	uint32_t line;

	out_json_begin(out, "group", '[');
	for (size_t i = 0; file != NULL && i < file->rules.agent_count; i++)
		out_json_number(out, NULL, file->rules.agents[i]);
	out_json_end(out, ']');

	out_json_number(out, "crawl_delay_ms", robots_delay_ms(answer->robots));
	out_json_begin(out, "sitemaps", '[');
	for (uint32_t i = 0;
	     (url = robots_sitemap(answer->robots, i, &line)).len > 0; i++) {
		out_json_begin(out, NULL, '{');
		out_json_number(out, "line", line);
		out_json_word(out, "url", url);
		out_json_end(out, '}');
	}
	out_json_end(out, ']');
	out_json_begin(out, "findings", '[');
	for (size_t i = 0; i < answer->findings.count; i++)
		out_json_string(
		    out, NULL, diag_name(answer->findings.items[i].code));
	out_json_end(out, ']');

	(void)out_end_json(&robots->out);
}

/* From the arguments to the answers. */

/* Several URLs of one origin share one answer: a server is asked for its
 * robots.txt once. */
static void
add_question(struct robots_command *robots, const char *text)
{
	struct target target;
	struct robots_question *question;

	(void)target_parse(
	    &target, slice_of(text)); /* targets_read() has checked the text */
	question = MEM_PUSH(robots->items, robots->count, robots->cap);
	question->place = robots->count - 1;
	question->url = (struct url){0};
	url_copy(&question->url, &target.url);
	/* The number of the answer of that origin, which may be a new one. */
	size_t number = names_put(&robots->origins, url_origin(&target.url));
	struct robots_answer *answer;

	/* the first URL of its origin */
	if (number == robots->answer_count) {
		answer = MEM_PUSH(
		    robots->answers, robots->answer_count, robots->answer_cap);
		*answer = (struct robots_answer){0};
		(void)url_resolve(&answer->origin, slice_of("/"), &target.url);
	}
	question->origin = number;
	url_release(&target.url);
}

/* The answer of the origin whose robots.txt has that URL; NULL: it is the URL
 * of something else. */
static struct robots_answer *
robots_answer_at(struct robots_command *robots, struct slice url)
{
	size_t tail = strlen("/robots.txt");
	uint32_t number;

	if (url.len <= tail)
		return NULL;
	/* what stands before /robots.txt is the origin */
	number = names_find(
	    &robots->origins, slice_make(url.p, url.len - tail));
	return number == NAMES_NONE ? NULL : &robots->answers[number];
}

/* The server answered: with a file, without one, or with something else. */
static void
robots_on_document(void *arg, struct slice url, const struct reading *reading,
    const struct profile *profile)
{
	struct robots_answer *answer = robots_answer_at(arg, url);
	const struct finding *page;

	(void)profile;
	if (answer == NULL)
		return;
	answer->status = reading->http.status;
	for (size_t i = 0; i < reading->content.findings.count; i++) {
		const struct finding *it = &reading->content.findings.items[i];

		for (unsigned k = 0; k < it->sample_count; k++)
			findings_add(&answer->findings, it->code,
			    it->samples[k].line, slice_of(it->samples[k].text));
	}
	page = findings_get(&reading->content.findings, DIAG_ROBOTS_HTML);
	/* a later reason is nearer to the end of the request, and counts */
	if (page != NULL && page->sample_count > 0) {
		free(answer->why);
		answer->why = mem_copy(page->samples[0].text);
	}
	free(answer->final);
	answer->final = slice_dup(reading->http.final_url == NULL
		? url
		: slice_of(reading->http.final_url));
}

/* The server did not answer, or not with what can be judged. */
static void
robots_on_problem(
    void *arg, enum diag_code code, struct slice url, struct slice text)
{
	struct robots_answer *answer = robots_answer_at(arg, url);

	if (answer == NULL || code == DIAG_OK)
		return;
	answer->failure = code;
	free(answer->why);
	answer->why = slice_dup(text);
}

/* Ask all origins.  Returns EXIT_DONE, or why there is no answer. */
static int
robots_ask_all(struct robots_command *robots, struct forkserver *forkserver)
{
	struct crawler *crawl = &robots->crawl;
	struct crawl_options request;
	struct buf target = BUF_UP_TO(URL_MAX_BYTES);
	int status;

	crawl->agent = robots->agent;
	status = scratch_crawl_open(crawl, forkserver);
	if (status != EXIT_DONE)
		return status;
	request = crawler_request(crawl);
	request.wants_robots = true;
	request.document = robots_on_document;
	request.problem = robots_on_problem;
	request.arg = robots;
	scratch_crawl_begin(crawl, &request);
	for (size_t i = 0; i < robots->answer_count; i++) {
		const struct robots_answer *answer = &robots->answers[i];
		struct slice origin = url_origin(&answer->origin);

		buf_clear(&target);
		(void)buf_put_slice(&target, origin);
		(void)buf_put_char(&target, '/');
		(void)run_target(crawl->run, crawl->request, buf_text(&target));
	}
	buf_release(&target);
	scratch_crawl_run(crawl);
	if (!crawler_complain(crawl) && crawl->stopped_by == 0)
		return EXIT_DONE;
	return scratch_crawl_status(crawl);
}

/* Ask all origins first, then judge for one agent after the other by the same
 * bytes. */
static int
answer_all(struct robots_command *robots, struct forkserver *forkserver)
{
	const struct strings *targets = &robots->options->targets.args;
	const struct strings *agents = &robots->options->robots.agents;
	bool is_file = robots->options->robots.file != NULL;
	bool has_no = robots->bad > 0;
	bool is_silent = true;
	size_t done = 0;
	int status = EXIT_DONE;
	struct buf body = BUF_UP_TO(FILE_MAX_BYTES); /* of --file */

	for (size_t i = 0; i < targets->count; i++)
		add_question(robots, targets->items[i]);
	if (!is_file)
		status = robots_ask_all(robots, forkserver);
	else if (!textfile_read(robots->options->robots.file, &body))
		status = EXIT_USAGE;
	/* one byte more than is allowed, so that a longer file is noticed */
	if (body.len > ROBOTS_MAX_BYTES + 1)
		body.len = ROBOTS_MAX_BYTES + 1;
	for (size_t i = 0; is_file && i < robots->answer_count; i++) {
		(void)buf_put_slice(&robots->answers[i].body, buf_text(&body));
		robots->answers[i].fallback = FALLBACK_RULES;
	}
	buf_release(&body);
	if (status != EXIT_DONE)
		return status;
	/* Take over what the store has of each robots.txt. */
	for (size_t i = 0; !is_file && i < robots->answer_count; i++) {
		struct robots_answer *answer = &robots->answers[i];
		struct robots_fact fact = {0};

		(void)store_robots_get(robots->crawl.store,
		    url_origin(&answer->origin), &fact, &answer->body);
		answer->fallback = fact.has_body ? FALLBACK_RULES
		    : answer->failure != DIAG_OK ? FALLBACK_CLOSED
						 : FALLBACK_NONE;
		if (!fact.has_body)
			buf_clear(&answer->body);
	}
	if (!robots->options->output.is_json)
		sort_rows(robots->items, robots->count, sizeof(*robots->items),
		    robots_by_origin);
	do {
		/* Judge for this agent from now on. */
		if (agents->count > 0)
			robots->agent = agents->items[done];
		for (size_t i = 0; i < robots->answer_count; i++) {
			struct robots_answer *answer = &robots->answers[i];
			struct findings noted = {0};

			if (answer->fallback != FALLBACK_RULES)
				continue;
			robots_free(answer->robots);
			answer->robots = robots_parse_noting(
			    buf_text(&answer->body), slice_of(robots->agent),
			    &robots->options->rules.profile, &noted);
			/* those of an answer are known from the crawl */
			findings_release(is_file ? &answer->findings : &noted);
			if (is_file)
				answer->findings = noted;
		}

		for (size_t i = 0; i < robots->count; i++) {
			const struct robots_question
			    *question = &robots->items[i];
			const struct robots_answer
			    *answer = &robots->answers[question->origin];

			has_no = has_no ||
			    !judge_robots(answer, question).is_allowed;
			if (robots->options->output.is_json)
				json_verdict(robots, answer, question);
		}
		if (!robots->options->output.is_json)
			robots_print_all(robots);
	} while (++done < agents->count);
	for (size_t i = 0; i < robots->answer_count; i++)
		is_silent = is_silent && robots->answers[i].status == 0 &&
		    robots->answers[i].failure != DIAG_OK;
	if (is_silent && robots->count > 0)
		return EXIT_NO_TARGET;
	return has_no ? EXIT_FINDINGS : EXIT_DONE;
}

int
command_robots(struct options *options, struct forkserver *forkserver)
{
	struct robots_command robots = {.options = options,
	    .crawl = {.options = options},
	    .agent = options->robots.agents.count > 0
		? options->robots.agents.items[0]
		: "freshet",
	    .has_several = options->robots.agents.count > 1};
	int status = targets_read(options, &robots.bad);

	/* with a file no server is asked, so that none can be silent */
	if (status == EXIT_NO_TARGET && options->robots.file != NULL)
		status = EXIT_DONE;
	if (status != EXIT_DONE)
		return status;
	/* the history is in the store, and no server is asked */
	if (options->robots.wants_history)
		return robots_history(options);
	out_init(&robots.out, &options->output);
	robots.origins = (struct names){.key = network_key()};
	status = answer_all(&robots, forkserver);
	status = out_end(&robots.out, status);
	crawler_close(&robots.crawl);
	for (size_t i = 0; i < robots.answer_count; i++) {
		struct robots_answer *answer = &robots.answers[i];

		url_release(&answer->origin);
		robots_free(answer->robots);
		buf_release(&answer->body);
		findings_release(&answer->findings);
		free(answer->final);
		free(answer->why);
	}
	free(robots.answers);
	names_release(&robots.origins);
	for (size_t i = 0; i < robots.count; i++)
		url_release(&robots.items[i].url);
	free(robots.items);
	return status;
}
