/* The ways to tell others. */
#include "crawler/alert/alert_sink.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/vis.h"
#include "crawler/cli/textfile.h"
#include "crawler/event/exit.h"
#include "crawler/event/spool.h"

#define EXEC_MS 60000
#define ALERT_EVERY_MS 300000 /* between two processes beside a daemon */
#define END_MS 10000 /* after somebody asked this process to end */
#define LOOK_MS 20
#define URL_BYTES 4096
#define ANSWER_BYTES 65536 /* of a webhook, which nobody reads */

/* A program. */

/* The signals are blocked, so that they stay pending until this process ends.
 */
bool
alert_is_to_end(void)
{
	sigset_t pending;

	return sigpending(&pending) == 0 &&
	    (sigismember(&pending, SIGTERM) == 1 ||
		sigismember(&pending, SIGINT) == 1 ||
		sigismember(&pending, SIGHUP) == 1);
}

/* A file with the text, which is read from its beginning; -1 with errno.  A
 * pipe would need somebody to fill it while the program runs. */
static int
alert_text_file(struct slice text)
{
	int fd = memfd_create("freshet-alert", MFD_CLOEXEC);
	ssize_t written;

	if (fd < 0)
		return -1;
	for (; text.len > 0; text = slice_from(text, (size_t)written)) {
		written = write(fd, text.p, text.len);
		if (written < 0 && errno == EINTR)
			written = 0;
		if (written < 0) {
			(void)close(fd);
			return -1;
		}
	}
	(void)lseek(fd, 0, SEEK_SET);
	return fd;
}

/* Start a program with the descriptor `in` as its stdin (-1: /dev/null), and
 * stderr as its stdout, which belongs to whoever called freshet.  It gets
 * nothing else of this process but the environment.  No signal is blocked or
 * ignored, and a signal to its process group reaches the program and what it
 * starts.  argv ends with NULL.  Returns 0 or errno. */
static int
alert_spawn(pid_t *pid, const char *path, const char *const argv[], int in)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none, all;
	int error = posix_spawn_file_actions_init(&actions);

	if (error != 0)
		return error;
	error = posix_spawnattr_init(&attributes);
	if (error != 0)
		goto fail;
	error = in >= 0 ? posix_spawn_file_actions_adddup2(&actions, in, 0)
			: posix_spawn_file_actions_addopen(
			      &actions, 0, "/dev/null", O_RDONLY, 0);
	if (error == 0)
		error = posix_spawn_file_actions_adddup2(&actions, 2, 1);
	if (error == 0)
		error = posix_spawn_file_actions_addclosefrom_np(&actions, 3);
	(void)sigemptyset(&none);
	(void)sigfillset(&all);
	if (error == 0)
		error = posix_spawnattr_setsigmask(&attributes, &none);
	if (error == 0)
		error = posix_spawnattr_setsigdefault(&attributes, &all);
	if (error == 0)
		error = posix_spawnattr_setpgroup(&attributes, 0);
	if (error == 0)
		error = posix_spawnattr_setflags(&attributes,
		    POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
			POSIX_SPAWN_SETPGROUP);
	/* the program does not write to its arguments */
	if (error == 0)
		error = posix_spawn(pid, path, &actions, &attributes,
		    (char *const *)(uintptr_t)argv, environ);
	(void)posix_spawnattr_destroy(&attributes);

fail:
	(void)posix_spawn_file_actions_destroy(&actions);
	return error;
}

bool
alert_exec(const struct alert_rule *rule, struct slice ndjson, struct buf *why)
{
	const char *const argv[] = {rule->program, rule->name, NULL};
	int fd = alert_text_file(ndjson);
	int status = 0, left_ms = EXEC_MS, error;
	char room[128];
	pid_t pid;

	if (fd < 0) {
		(void)buf_print(why, "no room for the events: %s",
		    strerror_r(errno, room, sizeof(room)));
		return false;
	}
	error = alert_spawn(&pid, rule->program, argv, fd);
	(void)close(fd);
	if (error != 0) {
		(void)buf_print(why, "%s: %s", rule->program,
		    strerror_r(error, room, sizeof(room)));
		return false;
	}
	/* Wait for it, but not for long once somebody asks this process to end:
	 * who is to be told must not hold up a shutdown. */
	while (left_ms > 0 && waitpid(pid, &status, WNOHANG) != pid) {
		if (left_ms > END_MS && alert_is_to_end())
			left_ms = END_MS;
		(void)poll(NULL, 0, LOOK_MS);
		left_ms -= LOOK_MS;
	}
	if (left_ms <= 0) {
		(void)kill(-pid, SIGKILL);
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
		(void)buf_print(why, "'%s' was killed: it took %s",
		    rule->program,
		    alert_is_to_end() ? "ten seconds more, and freshet ends"
				      : "a minute");
	} else if (WIFSIGNALED(status))
		(void)buf_print(why, "'%s' was ended by signal %d",
		    rule->program, WTERMSIG(status));
	else if (WEXITSTATUS(status) != 0)
		(void)buf_print(why, "'%s' ended with %d", rule->program,
		    WEXITSTATUS(status));
	return why->len == 0;
}

/* `freshet alert send` beside a daemon. */

/* Has the process ended?  Waits for that if `how` is 0. */
static bool
alert_reap(struct alert_runner *runner, int how, int *status)
{
	pid_t pid;

	if (runner->pid == 0)
		return false;
	do
		pid = waitpid(runner->pid, status, how);
	while (pid < 0 && errno == EINTR);
	if (pid == 0)
		return false;
	runner->pid = 0;
	return true;
}

/* A process that could not tell somebody has said so itself, and one that found
 * another at work had nothing to do. */
enum alert_end
alert_runner_ended(struct alert_runner *runner, struct buf *why)
{
	int status = 0;

	if (!alert_reap(runner, WNOHANG, &status))
		return ALERT_NOT_ENDED;
	if (WIFSIGNALED(status)) {
		(void)buf_print(
		    why, "was ended by signal %d", WTERMSIG(status));
		return ALERT_DIED;
	}
	switch (WEXITSTATUS(status)) {
	case EXIT_DONE:
	case EXIT_FINDINGS: /* it says itself what could not be told */
	case EXIT_LOCKED: /* another one is at work */
		return ALERT_ENDED_WELL;
	default:
		(void)buf_print(
		    why, "ended with status %d", WEXITSTATUS(status));
		return ALERT_DIED;
	}
}

int
alert_runner_tick(
    struct alert_runner *runner, const struct options *options, int64_t now_ms)
{
	const char *const argv[] = {"freshet", "alert", "send", "--quiet",
	    "--store", options->store.path, "--config", options->config.path,
	    options->output.is_json ? "--json" : NULL, NULL};

	if (runner->pid != 0 || now_ms < runner->next_ms ||
	    options->config.alerts.count == 0)
		return 0;
	runner->next_ms = now_ms + ALERT_EVERY_MS;
	return alert_spawn(&runner->pid, "/proc/self/exe", argv, -1);
}

/* It ends what it is telling, for somebody who was told must not be told again.
 */
void
alert_runner_end(struct alert_runner *runner)
{
	int status;

	if (runner->pid != 0)
		(void)kill(runner->pid, SIGTERM);
	(void)alert_reap(runner, 0, &status);
}

/* A webhook. */

/* Read the URL of the webhook; false, with a reason, if there is none. */
static bool
alert_webhook_url(
    const struct alert_rule *rule, struct url *url, struct buf *why)
{
	const struct profile profile = profile_default(PROFILE_GOOGLE);
	const char *place = rule->webhook_env != NULL ? rule->webhook_env
						      : rule->webhook_file;
	const char *value;
	struct slice line;
	struct buf text;

	buf_init(&text, URL_BYTES);
	if (rule->webhook_env != NULL) {
		value = getenv(place);
		if (value == NULL)
			(void)buf_print(
			    why, "the environment has no variable '%s'", place);
		else if (!buf_print(&text, "%s", value))
			(void)buf_print(why, "'%s' is too long", place);
	} else if (!textfile_read(place, &text)) {
		(void)buf_print(why, "'%s' cannot be read", place);
	}
	line = buf_text(&text);
	line = slice_trim(textfile_line(&line));
	if (why->len == 0 &&
	    url_parse(url, line, NULL, &profile, (struct diag_sink){0}) !=
		DIAG_OK)
		(void)buf_print(
		    why, "'%s' holds no URL of http or https", place);
	buf_release(&text);
	return why->len == 0;
}

/* A request that is under way; there is one at a time, and the loop runs for it
 * alone. */
struct alert_call {
	struct loop *loop;
	struct buf *why;
};

/* The webhook has answered, or the request has failed.  A 2xx is enough: what
 * else it answers, however long, is of no interest. */
static void
alert_answered(void *arg, const struct fetch_result *result)
{
	struct alert_call *call = arg;

	if (result->code == DIAG_PRIVATE_ADDRESS)
		(void)buf_print(call->why,
		    "the webhook has a private address; see --allow-address");
	else if (result->status == 0)
		(void)buf_print(call->why, "the webhook: %s", result->detail);
	else if (result->status < 200 || result->status > 299)
		(void)buf_print(
		    call->why, "the webhook answered %d", result->status);
	loop_stop(call->loop);
}

#define NO_WIDTH "\xE2\x80\x8B" /* a space of no width */

static bool
chat_is_word_at(struct slice text, size_t i)
{
	return i < text.len &&
	    (ascii_is_letter(text.p[i]) || ascii_is_digit(text.p[i]));
}

/* What a chat gets in place of a character; NULL: the character itself. */
static const char *
chat_mark(struct slice text, size_t i)
{
	char next = '\0';

	if (i + 1 < text.len)
		next = text.p[i + 1];
	switch (text.p[i]) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '@':
		return "@" NO_WIDTH;
	case '[':
		return "[" NO_WIDTH;
	case ']':
		return "]" NO_WIDTH;
	case '!':
		return next == '[' ? "!" NO_WIDTH : NULL;
	case '|':
		return next == '|' ? "|" NO_WIDTH : NULL;
	case '\\': /* before a letter it escapes nothing */
		return chat_is_word_at(text, i + 1) ? NULL : "\\" NO_WIDTH;
	case '`':
		return "\xCB\x8B"; /* U+02CB */
	case '*':
		return "\xE2\x88\x97"; /* U+2217 */
	case '~':
		return "\xE2\x88\xBC"; /* U+223C */
	case '_': /* within a word it does nothing, and URLs stay links */
		return i > 0 && chat_is_word_at(text, i - 1) &&
			chat_is_word_at(text, i + 1)
		    ? NULL
		    : "\xCB\x8D"; /* U+02CD */
	default:
		return NULL;
	}
}

/*
 * What sites wrote stays what it is: it neither calls everybody (<!channel>,
 * @here) nor shows one link and leads to another (<URL|text>, [text](URL)),
 * loads an image, hides something, or makes code of the lines that follow.
 * Slack, Mattermost, Rocket.Chat, Discord and Teams show the references as the
 * characters that they stand for.  A space of no width parts what would act
 * together; a mark that acts alone becomes one that looks like it, because no
 * way to escape it is known to all of them.  Lines begin with the name of the
 * alert or a time, so that no site's text begins one.
 */
void
alert_put_chat(struct buf *out, struct slice text)
{
	for (size_t i = 0; i < text.len; i++) {
		const char *mark = chat_mark(text, i);

		if (mark != NULL)
			(void)buf_print(out, "%s", mark);
		else
			(void)buf_put_char(out, text.p[i]);
	}
}

/* The loop runs for this request alone, because alerts are told one after the
 * other.  Its answer is read up to a limit, and dropped. */
bool
alert_webhook(const struct alert_rule *rule, struct slice text,
    const struct alert_network *network, struct buf *why)
{
	static const char *const headers[] = {
	    "Content-Type: application/json", NULL};
	struct alert_call call = {network->loop, why};
	struct spool *spool = spool_new(NULL);
	struct fetch_request request = {.headers = headers,
	    .spool = spool_get(spool),
	    .max_bytes = ANSWER_BYTES,
	    .is_single = true,
	    .is_identity = true};
	struct buf chat, body;
	struct url url;

	url_init(&url);
	buf_init(&chat, SIZE_MAX);
	buf_init(&body, SIZE_MAX);
	(void)buf_print(&body, "{\"text\":");
	alert_put_chat(&chat, text);
	json_put(&body, buf_text(&chat));
	(void)buf_print(&body, "}");
	request.url = &url;
	request.post = buf_str(&body);
	if (request.spool == NULL) {
		(void)buf_print(why, "no room for the answer of the webhook");
	} else if (alert_webhook_url(rule, &url, why)) {
		/* the operator names the port, too */
		policy_allow_port(network->policy, url.port);
		fetch_start(network->fetcher, &request, alert_answered, &call);
		loop_run(network->loop);
	}
	spool_put(request.spool);
	spool_free(spool);
	url_release(&url);
	buf_release(&chat);
	buf_release(&body);
	return why->len == 0;
}
