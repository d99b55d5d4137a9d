/* The ways to tell others. */
#include "crawler/alert/alert_sink.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/vis.h"
#include "crawler/alert/alert_runner.h"
#include "crawler/cli/textfile.h"
#include "crawler/event/spool.h"

#define EXEC_MS 60000
#define END_MS 10000 /* after somebody asked this process to end */
#define LOOK_MS 20
#define URL_BYTES 4096
#define ANSWER_BYTES 65536 /* of a webhook, which nobody reads */

/* A program. */

bool
alert_is_to_end(void)
{
	sigset_t pending;

	return sigpending(&pending) == 0 &&
	    (sigismember(&pending, SIGTERM) == 1 ||
		sigismember(&pending, SIGINT) == 1 ||
		sigismember(&pending, SIGHUP) == 1);
}

/* Wait for the process; false if it was still running when its time was over,
 * and is killed with all that it started. */
static bool
alert_await(pid_t pid, int *status)
{
	for (int left_ms = EXEC_MS; left_ms > 0; left_ms -= LOOK_MS) {
		if (waitpid(pid, status, WNOHANG) == pid)
			return true;
		if (left_ms > END_MS && alert_is_to_end())
			left_ms = END_MS;
		(void)poll(NULL, 0, LOOK_MS);
	}
	(void)kill(-pid, SIGKILL);
	while (waitpid(pid, status, 0) < 0 && errno == EINTR)
		;
	return false;
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

bool
alert_exec(const struct alert_note *note, struct buf *why)
{
	const char *const argv[] = {
	    note->rule->program, note->rule->name, NULL};
	int fd = alert_text_file(note->ndjson);
	int status = 0, error;
	char room[128];
	pid_t pid;

	if (fd < 0) {
		(void)buf_print(why, "no room for the events: %s",
		    strerror_r(errno, room, sizeof(room)));
		return false;
	}
	error = alert_spawn(&pid, note->rule->program, argv, fd);
	(void)close(fd);
	if (error != 0) {
		(void)buf_print(why, "%s: %s", note->rule->program,
		    strerror_r(error, room, sizeof(room)));
		return false;
	}
	if (!alert_await(pid, &status))
		(void)buf_print(why, "'%s' was killed: it took %s",
		    note->rule->program,
		    alert_is_to_end() ? "ten seconds more, and freshet ends"
				      : "a minute");
	else if (WIFSIGNALED(status))
		(void)buf_print(why, "'%s' was ended by signal %d",
		    note->rule->program, WTERMSIG(status));
	else if (WEXITSTATUS(status) != 0)
		(void)buf_print(why, "'%s' ended with %d", note->rule->program,
		    WEXITSTATUS(status));
	return why->len == 0;
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

bool
alert_webhook(const struct alert_note *note,
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
	alert_put_chat(&chat, note->text);
	json_put(&body, buf_text(&chat));
	(void)buf_print(&body, "}");
	request.url = &url;
	request.post = buf_str(&body);
	if (request.spool == NULL) {
		(void)buf_print(why, "no room for the answer of the webhook");
	} else if (alert_webhook_url(note->rule, &url, why)) {
		/* the operator names the port, too */
		policy_allow_port(network->policy, &url);
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
