/* What a store says, over HTTP. */
#include "crawler/serve/serve.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/out_json.h"
#include "crawler/chart/markup.h"
#include "crawler/cli/options_value.h"
#include "crawler/cli/out.h"
#include "crawler/cli/selection.h"
#include "crawler/event/exit.h"
#include "crawler/event/scratch.h"
#include "crawler/event/spawn.h"
#include "crawler/event/stop_signals.h"
#include "crawler/fetch/http_server.h"
#include "crawler/identity/identity.h"
#include "crawler/serve/serve_api.h"
#include "crawler/serve/serve_workers.h"

/* HOSTILE F22, T25; docs/internals/security.md lists them. */
#define ANSWER_MS 60000
#define ANSWER_MAX (4 << 20)
#define MEMORY_MAX (UINT64_C(512) << 20) /* of the process of an answer */
#define TAKE_MS                                                      \
	90000 /* of a client, to wait for its answer, and to take it \
	       */
#define BODY_MAX 1024 /* a GET has none */
#define LIMIT 100 /* objects in a list */
#define LIMIT_MOST 1000
#define OFFSET_MOST 1000000000
#define DIRECTORY_S 86400 /* of a signature of the directory of keys */
#define QUIET_MS 10000 /* between two lines about failed answers */
/* Copies of a store in PostgreSQL: copying takes a tenth of the time at most.
 */
#define COPY_REST_MS 60000 /* at least, between two */
#define COPY_REST_TIMES 9 /* as long as the copy took */
#define COPY_LOOK_MS 100 /* between two looks whether it is there */
/* Names: the one that is made, the one that is shown, and the one before, which
 * answers may still read. */
#define COPIES 3

/* Answers of a kind wait for others of that kind only, so that slow questions
 * keep neither a monitor waiting nor, if they come from programs, a reader. All
 * that anybody may ask without a token is a kind. */
enum lane {
	LANE_PAGE = SERVE_PAGE,
	LANE_LINES = SERVE_LINES,
	LANE_TEXT = SERVE_TEXT,
	LANE_OPEN,
	LANES
};
/* answers that are made at once; the machine has other work */
static const unsigned at_once[LANES] = {2, 2, 1, 1};

struct serve {
	struct options *options;
	serve_command_fn *command;
	/* of a store in PostgreSQL: a copy is shown, which `freshet db copy`
	 * makes in a process of its own */
	struct serve_copy {
		char *folder; /* owned; NULL: the store is a file */
		struct loop_timer *timer; /* owned */
		pid_t pid; /* 0: none is made now */
		int64_t begun_ms;
		unsigned number; /* of the copy that is made, or is next */
	} copy;
	struct loop *loop;
	struct http_server *http;
	struct serve_workers workers[LANES];
	struct visit *visits; /* owned: that wait for an answer */
	struct stop_signals *signals;
	struct serve_token token;
	char address[46]; /* that it listens on */
	const char *hosts[5]; /* that clients may ask for */
	int64_t quiet_until_ms;
	int status;
};

/* A request that a worker answers. */
struct visit {
	struct serve *serve;
	struct visit *next;
	struct http_request *request;
	const struct serve_route *route;
	enum lane lane; /* whose worker makes the answer */
	struct serve_query query; /* owned */
	struct serve_context context;
	uint64_t limit, offset;
};

static void
free_visit(struct visit *visit)
{
	struct visit **at = &visit->serve->visits;

	while (*at != visit)
		at = &(*at)->next;
	*at = visit->next;
	serve_query_release(&visit->query);
	free(visit);
}

#define HTML SERVE_PAGE, "text/html; charset=utf-8"
#define JSON SERVE_LINES, "application/json"
#define SPAN "days|since|until"
#define PART "|limit|offset"

/* clang-format off */
static const struct serve_route routes[] = {
    {"/", HTML, SPAN "|page|tag", false, NULL, serve_page},
    {"/site", HTML, SPAN "|site", false, NULL, serve_page},
    {"/events", HTML, SPAN "|page|site|tag", false, NULL, serve_page},
    {"/event", HTML, SPAN "|site|at|kind", false, NULL, serve_page},
    {"/document", HTML, "url|page", false, NULL, serve_page},
    {"/url", HTML, "url", false, NULL, serve_page},
    {"/findings", HTML, "page|site|code", false, NULL, serve_page},
    {"/health", HTML, "", false, NULL, serve_page},
    {"/api/v1/sites", JSON, "site" PART, false, NULL, serve_api},
    {"/api/v1/documents", JSON, "site|url|failing" PART, false, NULL,
	serve_api},
    {"/api/v1/series", JSON, "site|by|last" PART, false,
	"{\"v\":1,\"type\":\"changes\"|{\"v\":1,\"type\":\"weekday\"|"
	"{\"v\":1,\"type\":\"rhythm\"",
	serve_api},
    {"/api/v1/events", JSON, "site|tag|since|until|kind|section" PART, false,
	"{\"v\":1,\"type\":\"event\"", serve_api},
    {"/api/v1/diff", JSON, "site|tag|since|until|kind|section" PART, false,
	NULL, serve_api},
    {"/api/v1/findings", JSON, "site|document|code|severity" PART, false, NULL,
	serve_api},
    {"/api/v1/explain", JSON, "url" PART, false, NULL, serve_api},
    {"/api/v1/openapi.json", SERVE_TEXT, "application/json", "", false, NULL,
	serve_api_description},
    {"/metrics", SERVE_TEXT, "text/plain; version=0.0.4; charset=utf-8", "",
	false, NULL, serve_metrics},
    {"/healthz", SERVE_TEXT, "text/plain; charset=utf-8", "", true, NULL,
	serve_health},
};
/* clang-format on */

const struct serve_route *
serve_route_find(const char *path)
{
	for (size_t i = 0; i < sizeof(routes) / sizeof(routes[0]); i++)
		if (strcmp(path, routes[i].path) == 0)
			return &routes[i];
	return NULL;
}

static void
serve_refuse(struct buf *body, struct http_answer *answer, enum serve_form form,
    int status, struct slice why)
{
	answer->status = status;
	switch (form) {
	case SERVE_PAGE:
		answer->type = "text/html; charset=utf-8";
		serve_page_trouble(body, status, why);
		break;
	case SERVE_LINES:
		answer->type = "application/json";
		out_json_line(body, NULL);
		out_json_number(body, "status", (uint64_t)status);
		out_json_word(body, "error", why);
		out_json_line_end(body);
		break;
	case SERVE_TEXT:
		answer->type = "text/plain; charset=utf-8";
		(void)buf_put_slice(body, why);
		(void)buf_put_char(body, '\n');
		break;
	}
	answer->body = buf_text(body);
}

/* Say on stderr what went wrong here; clients that ask for it again and again
 * fill no log. */
static void
serve_tell(struct serve *serve, const struct visit *visit, struct slice reason)
{
	int64_t now_ms = loop_now_ms(serve->loop);

	if (now_ms < serve->quiet_until_ms)
		return;
	serve->quiet_until_ms = now_ms + QUIET_MS;
	complain("%s: %.*s", visit->route->path, (int)reason.len, reason.p);
}

/* The status of HTTP for what became of the answer, 200: it is right. What went
 * wrong here is told on stderr, and to a client only in general, because the
 * reason may name files. */
static int
serve_judge(struct visit *visit, const struct serve_result *result,
    struct slice *reason)
{
	/* What a worker complained of: the last line, without the name of the
	 * program. */
	struct slice why = result->why;
	struct slice name = slice_of("freshet: ");
	const char *config = visit->context.options->config.path;
	struct buf quoted = BUF_UP_TO(SIZE_MAX);
	bool names_store;
	const char *end;

	why = slice_trim(why);
	end = why.len == 0 ? NULL : memrchr(why.p, '\n', why.len);
	if (end != NULL)
		why = slice_from(why, (size_t)(end + 1 - why.p));
	*reason = slice_starts(why, name) ? slice_from(why, name.len) : why;
	if (result->is_late || result->is_too_long) {
		*reason = slice_of(result->is_late
			? "the answer took too long; ask for less"
			: "the answer is too long; ask for less");
		serve_tell(visit->serve, visit, *reason);
		return 503;
	}
	if (result->has_more || result->status == EXIT_DONE ||
	    result->status == EXIT_FINDINGS)
		return 200;
	/* Is the reason the store, which stood there when the server began?  It
	 * may be a link or an empty file now. */
	(void)buf_print(&quoted, "'%s'", visit->context.options->store.path);
	names_store = memmem(reason->p, reason->len, buf_str(&quoted),
			  buf_text(&quoted).len) != NULL;
	buf_release(&quoted);
	/* A configuration that is wrong, which the command has read anew, is no
	 * fault of the client, nor is a store that went away. */
	if (result->status == EXIT_USAGE && !names_store &&
	    (config == NULL ||
		memmem(reason->p, reason->len, config, strlen(config)) == NULL))
		return 400;
	if (result->status == EXIT_NO_TARGET)
		return 404;
	serve_tell(visit->serve, visit, *reason);
	if (result->status == EXIT_RESOURCES) {
		*reason = slice_of("there is too little memory for the answer; "
				   "ask for less");
		return 503;
	}
	if (result->status == EXIT_DAMAGED || result->status == EXIT_DISK ||
	    result->status == EXIT_LOCKED || names_store) {
		*reason = slice_of("the store cannot be read now");
		return 503;
	}
	*reason = slice_of("freshet failed; its log says how");
	return 500;
}

/* An answer is made, or could not be made: send it.  Lines become a list, with
 * a link to the next part of it; all else goes out as it was printed. */
static void
serve_on_done(void *arg, const struct serve_result *result)
{
	struct visit *visit = arg;
	struct http_answer answer = {.status = 200};
	struct slice reason;
	struct buf body = BUF_UP_TO(SIZE_MAX);
	int status = serve_judge(visit, result, &reason);

	if (status != 200) {
		serve_refuse(
		    &body, &answer, visit->route->form, status, reason);
	} else if (visit->route->form == SERVE_LINES) {
		(void)buf_print(&body, "{\"v\":1,\"items\":[\n");
		(void)buf_put_slice(&body, result->body);
		(void)buf_print(&body, "\n]");
		if (result->has_more) {
			uint64_t taken = result->taken;
			struct buf link = BUF_UP_TO(SIZE_MAX);

			(void)buf_print(&link, "%s?offset=%" PRIu64,
			    visit->route->path, visit->offset + taken);
			for (size_t i = 0; i < visit->query.count; i++) {
				const struct serve_parameter
				    *item = &visit->query.items[i];

				if (strcmp(item->name, "offset") == 0)
					continue;
				(void)buf_print(&link, "&%s=", item->name);
				markup_parameter(&link, slice_of(item->value));
			}
			out_json_word(&body, "next", buf_text(&link));
			buf_release(&link);
		} else
			out_json_word(&body, "next", slice_make(NULL, 0));
		out_json_line_end(&body);
		answer.type = visit->route->type;
		answer.body = buf_text(&body);
	} else {
		answer.type = visit->route->type;
		answer.body = result->body;
	}
	http_server_reply(visit->request, &answer);
	buf_release(&body);
	free_visit(visit);
}

/* Runs in a process of its own. */
static int
print(void *arg)
{
	const struct visit *visit = arg;
	const char *path = visit->context.options->store.path;
	struct stat found;

	/* the store was there when the server began */
	if (lstat(path, &found) != 0) {
		complain("there is no store '%s' any more", path);
		return EXIT_DAMAGED;
	}
	return visit->route->print(&visit->context, &visit->query);
}

/* Judge the request before anybody works for it: 0, or a status with the
 * reason. */
static int
admit(struct visit *visit, const struct http_question *question,
    const char **reason)
{
	bool is_right = serve_query_parse(&visit->query, question->target);
	const struct serve_route *route = serve_route_find(visit->query.path);

	/* the form of a refusal is that of the path */
	visit->route = route;
	if (!is_right) {
		*reason = "the parameters cannot be read";
		return 400;
	}
	if (route == NULL || !route->is_open) {
		*reason = "a token is needed";
		if (!serve_token_admits(
			&visit->serve->token, question->authorization))
			return 401;
	}
	if (route == NULL) {
		*reason = "there is no such page";
		return 404;
	}
	if (!serve_query_is_among(&visit->query, route->parameters)) {
		*reason = "there is an unknown parameter";
		return 400;
	}
	if (!serve_query_number(
		&visit->query, "limit", 1, LIMIT_MOST, &visit->limit) ||
	    !serve_query_number(
		&visit->query, "offset", 0, OFFSET_MOST, &visit->offset)) {
		*reason = "'limit' is a number from 1 to 1000, and 'offset' "
			  "from 0 on";
		return 400;
	}
	return 0;
}

/* The directory of the keys of --identity, signed for the host of
 * --signature-agent alone, whatever host the request names: else anybody could
 * publish it as his own (SPEC R-136). The keys are read each time, because they
 * may be rotated. */
static void
serve_directory(struct serve *serve, struct http_request *request)
{
	const struct options_identity *who = &serve->options->identity;
	int64_t now_s = loop_now_s(serve->loop);
	struct buf body = BUF_UP_TO(SIZE_MAX), why = BUF_UP_TO(SIZE_MAX);
	struct slice host = slice_from(
	    slice_of(who->agent), strlen("https://"));
	struct signature signature = {0};
	const char *headers[] = {"Cache-Control", "max-age=3600",
	    "Signature-Input", NULL, "Signature", NULL, NULL};
	struct http_answer answer = {
	    .status = 200, .type = IDENTITY_DIRECTORY_TYPE, .headers = headers};
	struct identity *identity;

	if (identity_open(&identity, who->folder, now_s, &why) == DIAG_OK) {
		identity_directory(identity, &body);
		identity_sign_directory(
		    identity, host, now_s, now_s + DIRECTORY_S, &signature);
		headers[3] = signature.input;
		headers[5] = signature.value;
		answer.body = buf_text(&body);
	} else {
		answer.headers = NULL;
		serve_refuse(&body, &answer, SERVE_TEXT, 503,
		    slice_of("the keys cannot be read now"));
	}
	http_server_reply(request, &answer);
	identity_free(identity);
	signature_release(&signature);
	buf_release(&body);
	buf_release(&why);
}

/* A request came.  It is refused here, or given to a process, which calls
 * serve_on_done() in the end. */
static void
serve_on_question(
    void *arg, const struct http_question *question, struct http_answer *answer)
{
	struct serve *serve = arg;
	struct visit *visit;
	struct serve_work work = {.print = print, .done = serve_on_done};
	struct http_answer refusal = {0};
	const char *reason = NULL;
	struct buf body = {0};
	int status;

	answer->is_later = true;
	if (serve->options->identity.folder != NULL &&
	    serve->options->identity.agent != NULL &&
	    strcmp(question->target, IDENTITY_DIRECTORY_PATH) == 0) {
		serve_directory(serve, question->request);
		return;
	}
	work.arg = visit = mem_zero(sizeof(*visit));
	*visit = (struct visit){.serve = serve,
	    .next = serve->visits,
	    .request = question->request,
	    .context = {serve->options, serve->command,
		loop_now_s(serve->loop)},
	    .limit = LIMIT};
	serve->visits = visit;
	status = admit(visit, question, &reason);
	if (status == 0) {
		work.is_lines = visit->route->form == SERVE_LINES;
		work.only = visit->route->only;
		work.offset = visit->offset;
		work.limit = visit->limit;
		/* The form of an answer tells who asks: people, programs or a
		 * monitor. */
		visit->lane = visit->route->is_open
		    ? LANE_OPEN
		    : (enum lane)visit->route->form;
		if (serve_workers_submit(&serve->workers[visit->lane], &work))
			return;
		status = 503;
		reason = "there is no process for the answer now";
	}
	refusal.challenge = status == 401 ? "Basic realm=\"freshet\"" : NULL;
	serve_refuse(&body, &refusal,
	    visit->route == NULL ? SERVE_TEXT : visit->route->form, status,
	    slice_of(reason));
	http_server_reply(visit->request, &refusal);
	buf_release(&body);
	free_visit(visit);
}

static void
serve_on_left(void *arg, const struct http_request *request)
{
	struct serve *serve = arg;
	struct visit *visit = serve->visits;

	while (visit != NULL && visit->request != request)
		visit = visit->next;
	/* Its answer may just have been sent. */
	if (visit == NULL)
		return;
	serve_workers_cancel(&serve->workers[visit->lane], visit);
	free_visit(visit);
}

static void
on_stop(void *arg, int number)
{
	struct serve *serve = arg;

	serve->status = 128 + number;
	loop_stop(serve->loop);
}

bool
serve_is_allowed(const char *listen, const char *token_file)
{
	struct value_listen at;

	(void)value_listen(listen, &at);
	if (token_file != NULL || addr_reach(&at.addr) == ADDR_LOOPBACK)
		return true;
	complain("'--listen %s' is no address of this machine alone: it needs "
		 "--token-file",
	    listen);
	return false;
}

/* Listen where the options say.  The headers keep a browser from running or
 * loading anything that a page of ours does not have, from showing one within
 * another page, and from keeping one. */
static int
open_server(struct serve *serve)
{
	static const char *const headers[] = {"Content-Security-Policy",
	    "default-src 'none'; style-src 'sha256-" MARKUP_STYLE_HASH
	    "'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
	    "Referrer-Policy", "no-referrer", "X-Frame-Options", "DENY",
	    "Cross-Origin-Resource-Policy", "same-origin", "Cache-Control",
	    "no-store", NULL};
	const struct options_serve *how = &serve->options->serve;
	struct value_listen at;
	char room[128];
	uint16_t port;
	struct http_server_options options = {
	    .headers = headers,
	    .answer = serve_on_question,
	    .left = serve_on_left,
	    .arg = serve,
	    .max_body = BODY_MAX,
	    .answer_ms = TAKE_MS,
	};

	/* The options were checked when they were read. */
	(void)value_listen(how->listen, &at);
	addr_print(&at.addr, serve->address);
	serve->hosts[0] = "localhost";
	serve->hosts[1] = "127.0.0.1";
	serve->hosts[2] = "[::1]";
	serve->hosts[3] = serve->address;
	if (!serve_is_allowed(how->listen, how->token_file))
		return EXIT_USAGE;
	if (how->token_file != NULL &&
	    !serve_token_read(&serve->token, how->token_file))
		return EXIT_USAGE;
	options.address = serve->address;
	options.port = at.port;
	/* no page of another site knows the token */
	options.hosts = how->token_file != NULL ? NULL : serve->hosts;
	serve->http = http_server_new(serve->loop, &options, &port);
	if (serve->http == NULL) {
		complain("cannot listen on '%s': %s", how->listen,
		    strerror_r(errno, room, sizeof(room)));
		return EXIT_USAGE;
	}
	if (!serve->options->output.is_quiet)
		complain(addr_is_v4(&at.addr) ? "listening on http://%s:%u/"
					      : "listening on http://[%s]:%u/",
		    serve->address, (unsigned)port);
	return EXIT_DONE;
}

static void
copy_path(const struct serve *serve, unsigned number, struct buf *path)
{
	buf_clear(path);
	(void)buf_print(path, "%s/%u.db", serve->copy.folder, number % COPIES);
}

static void
copy_remove(const struct serve *serve, unsigned number)
{
	static const char *const endings[] = {"", "-wal", "-shm", "-journal"};
	struct buf path = BUF_UP_TO(SIZE_MAX);

	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		copy_path(serve, number, &path);
		(void)buf_print(&path, "%s", endings[i]);
		(void)unlink(buf_str(&path));
	}
	buf_release(&path);
}

/* Begin a copy, or see what became of it.  The server listens from the first
 * one on; if a later one fails, the one before goes on. */
static void
copy_step(void *arg)
{
	struct serve *serve = arg;
	struct serve_copy *copy = &serve->copy;
	struct options *options = serve->options;
	int64_t now_ms = loop_now_ms(serve->loop), rest_ms;
	struct buf path = BUF_UP_TO(SIZE_MAX);
	int status = EXIT_DONE;

	copy_path(serve, copy->number, &path);
	if (copy->pid == 0) {
		const char *config = options->config.path;
		const char *const words[] = {"freshet", "db", "copy",
		    buf_str(&path), "--store", options->store.given, "--quiet",
		    config == NULL ? "--no-config" : "--config", config, NULL};

		copy_remove(serve, copy->number);
		copy->begun_ms = now_ms;
		copy->pid = spawn_self(words);
		if (copy->pid < 0) {
			complain("cannot start 'freshet db copy': %s",
			    strerrordesc_np(errno));
			copy->pid = 0;
			status = EXIT_RESOURCES;
		}
	} else if (spawn_ended(&copy->pid, WNOHANG, &status)) {
		status = WIFEXITED(status) ? WEXITSTATUS(status)
					   : EXIT_RESOURCES;
		if (status == EXIT_DONE) {
			copy->number++;
			free(options->store.path);
			options->store.path = buf_take(&path);
			options->store.url = NULL;
			if (serve->http == NULL)
				status = open_server(serve);
		}
	}
	rest_ms = (now_ms - copy->begun_ms) * COPY_REST_TIMES;
	loop_timer_set(copy->timer,
	    copy->pid != 0               ? COPY_LOOK_MS
		: rest_ms < COPY_REST_MS ? COPY_REST_MS
					 : rest_ms);
	if (status != EXIT_DONE && serve->http == NULL) {
		serve->status = status;
		loop_stop(serve->loop);
	}
	buf_release(&path);
}

static void
copy_end(struct serve *serve)
{
	struct serve_copy *copy = &serve->copy;

	if (copy->pid != 0) {
		(void)kill(copy->pid, SIGTERM);
		(void)spawn_ended(&copy->pid, 0, NULL);
	}
	for (unsigned i = 0; i < COPIES && copy->folder != NULL; i++)
		copy_remove(serve, i);
	scratch_drop(copy->folder);
	loop_timer_free(copy->timer);
}

int
serve_run(struct options *options, serve_command_fn *command)
{
	struct serve serve = {.options = options, .command = command};
	struct serve_workers_options workers = {
	    .deadline_ms = ANSWER_MS, .memory_bytes = MEMORY_MAX};
	bool is_file = options->store.url == NULL;
	struct store *store = NULL;
	int status = EXIT_DONE;

	if (is_file) {
		status = selection_open(options, &store);
		status = selection_close(store, status);
	}
	if (status != EXIT_DONE)
		return status;
	serve.loop = workers.loop = loop_new();
	if (serve.loop == NULL) {
		complain("there are no descriptors");
		return EXIT_RESOURCES;
	}
	for (size_t i = 0; i < LANES; i++) {
		workers.at_once = at_once[i];
		/* metrics grow with the sites, and cannot be asked for in
		 * parts */
		workers.max_bytes = i == LANE_TEXT ? UINT32_MAX : ANSWER_MAX;
		serve.workers[i].options = workers;
	}
	serve.signals = stop_signals_new(serve.loop, on_stop, &serve);
	if (is_file) {
		status = open_server(&serve);
	} else {
		serve.copy.folder = scratch_folder();
		serve.copy.timer = loop_timer_new(
		    serve.loop, copy_step, &serve);
		loop_timer_set(serve.copy.timer, 0);
	}
	if (!is_file && serve.copy.folder == NULL)
		status = complain_with(EXIT_DISK,
		    "there is no room for temporary files: see TMPDIR");
	if (status == EXIT_DONE) {
		loop_run(serve.loop);
		status = serve.status;
	}
	/* Workers end first: they report to visits. */
	for (size_t i = 0; i < LANES; i++)
		serve_workers_release(&serve.workers[i]);
	while (serve.visits != NULL)
		free_visit(serve.visits);
	http_server_free(serve.http);
	copy_end(&serve);
	stop_signals_free(serve.signals);
	loop_free(serve.loop);
	free(serve.token.bearer);
	free(serve.token.basic);
	return status;
}
