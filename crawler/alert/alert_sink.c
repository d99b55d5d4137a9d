/* The ways to tell. */
#include "crawler/alert/alert_sink.h"

#include <curl/curl.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/addr.h"
#include "base/ascii.h"
#include "base/vis.h"
#include "base/w3cdate.h"
#include "crawler/alert/alert_spawn.h"
#include "crawler/cli/textfile.h"
#include "crawler/fetch/fetch_sockets.h"

#define EXEC_MS 60000
#define END_MS 10000 /* after somebody asked this process to end */
#define LOOK_MS 20
#define WEBHOOK_S 15L
#define CONNECT_S 10L
#define URL_BYTES 4096

static void
put_error(struct buf *why, const char *what, int error)
{
	char room[128];

	(void)buf_print(
	    why, "%s: %s", what, strerror_r(error, room, sizeof(room)));
}

/* A program. */

/* Is this process to end?  The signals are blocked while something is told. */
static bool
is_to_end(void)
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
await(pid_t pid, int *status)
{
	for (int left_ms = EXEC_MS; left_ms > 0; left_ms -= LOOK_MS) {
		if (waitpid(pid, status, WNOHANG) == pid)
			return true;
		if (left_ms > END_MS && is_to_end())
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
file_of(struct slice text)
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
	int fd = file_of(note->ndjson);
	int status = 0, error;
	pid_t pid;

	if (fd < 0) {
		put_error(why, "no room for the events", errno);
		return false;
	}
	error = alert_spawn(&pid, note->rule->program, argv, fd);
	(void)close(fd);
	if (error != 0) {
		put_error(why, note->rule->program, error);
		return false;
	}
	if (!await(pid, &status))
		(void)buf_print(why, "'%s' was killed: it took %s",
		    note->rule->program,
		    is_to_end() ? "ten seconds more, and freshet ends"
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

/* What a request may connect to, and what was refused. */
struct gate {
	const struct options_network *network;
	bool has_refused;
};

static bool
is_allowed(const struct gate *gate, const struct addr *addr)
{
	const struct string_list *ranges = &gate->network->allow_address;
	struct cidr cidr;

	if (addr_is_public(addr))
		return true;
	for (size_t i = 0; i < ranges->count; i++)
		if (cidr_parse(&cidr, slice_of(ranges->items[i])) &&
		    cidr_has(&cidr, addr))
			return true;
	return false;
}

static curl_socket_t
open_socket(void *arg, curlsocktype purpose, struct curl_sockaddr *to)
{
	struct gate *gate = arg;
	struct addr addr;
	uint16_t port;

	(void)purpose;
	if (sockaddr_read(&to->addr, &addr, &port) && is_allowed(gate, &addr))
		return socket(
		    to->family, to->socktype | SOCK_CLOEXEC, to->protocol);
	gate->has_refused = true;
	return CURL_SOCKET_BAD;
}

static size_t
drop(char *bytes, size_t size, size_t count, void *arg)
{
	(void)bytes;
	(void)arg;
	return size * count;
}

/* Does a text begin with "http://" or "https://"?  curl takes other ones, too,
 * but the operator means something else. */
static bool
is_http(struct slice text)
{
	char begin[9];

	if (text.len < sizeof(begin))
		return false;
	for (size_t i = 0; i < sizeof(begin); i++)
		begin[i] = ascii_lower(text.p[i]);
	return memcmp(begin, "http://", 7) == 0 ||
	    (memcmp(begin, "https://", 8) == 0);
}

/* Append the URL of the webhook; false, with a reason, if there is none. */
static bool
find_url(const struct alert_rule *rule, struct buf *url, struct buf *why)
{
	struct slice line;
	struct buf text;

	buf_init(&text, URL_BYTES);
	if (rule->webhook_env != NULL) {
		const char *value = getenv(rule->webhook_env);

		if (value == NULL)
			(void)buf_print(why,
			    "the environment has no variable '%s'",
			    rule->webhook_env);
		else if (!buf_print(&text, "%s", value))
			(void)buf_print(
			    why, "'%s' is too long", rule->webhook_env);
	} else if (!textfile_read(rule->webhook_file, &text)) {
		(void)buf_print(why, "'%s' cannot be read", rule->webhook_file);
	}
	line = buf_text(&text);
	line = slice_trim(textfile_line(&line));
	if (why->len == 0 && !is_http(line))
		(void)buf_print(why, "'%s' holds no URL of http or https",
		    rule->webhook_env != NULL ? rule->webhook_env
					      : rule->webhook_file);
	if (why->len == 0)
		(void)buf_put_slice(url, line);
	buf_release(&text);
	return why->len == 0;
}

static void
set_up(CURL *easy, const char *url, const char *body,
    struct curl_slist *headers, struct gate *gate)
{
	curl_easy_setopt(easy, CURLOPT_URL, url);
	curl_easy_setopt(easy, CURLOPT_POSTFIELDS, body);
	curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
	curl_easy_setopt(easy, CURLOPT_USERAGENT, "freshet/" FRESHET_VERSION);
	curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
	curl_easy_setopt(easy, CURLOPT_PROXY, "");
	curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(easy, CURLOPT_TIMEOUT, WEBHOOK_S);
	curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT, CONNECT_S);
	curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
	curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, gate);
	curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, drop);
	if (gate->network->ca_file != NULL)
		curl_easy_setopt(easy, CURLOPT_CAINFO, gate->network->ca_file);
}

static void
post(const char *url, const char *body, struct gate *gate, struct buf *why)
{
	struct curl_slist *headers = curl_slist_append(
	    NULL, "Content-Type: application/json");
	CURL *easy = curl_easy_init();
	CURLcode code = CURLE_OUT_OF_MEMORY;
	long status = 0;

	if (easy != NULL) {
		set_up(easy, url, body, headers, gate);
		code = curl_easy_perform(easy);
		(void)curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
		curl_easy_cleanup(easy);
	}
	curl_slist_free_all(headers);
	if (code != CURLE_OK && gate->has_refused)
		(void)buf_print(why,
		    "the webhook has a private address; see --allow-address");
	else if (code != CURLE_OK)
		(void)buf_print(
		    why, "the webhook: %s", curl_easy_strerror(code));
	else if (status < 200 || status > 299)
		(void)buf_print(why, "the webhook answered %ld", status);
}

#define NO_WIDTH "\xE2\x80\x8B" /* a space of no width */

static bool
is_word_at(struct slice text, size_t i)
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
		return is_word_at(text, i + 1) ? NULL : "\\" NO_WIDTH;
	case '`':
		return "\xCB\x8B"; /* U+02CB */
	case '*':
		return "\xE2\x88\x97"; /* U+2217 */
	case '~':
		return "\xE2\x88\xBC"; /* U+223C */
	case '_': /* within a word it does nothing, and URLs stay links */
		return i > 0 && is_word_at(text, i - 1) &&
			is_word_at(text, i + 1)
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
    const struct options_network *network, struct buf *why)
{
	struct gate gate = {.network = network};
	struct buf url, chat, body;

	buf_init(&url, URL_BYTES);
	buf_init(&chat, SIZE_MAX);
	buf_init(&body, SIZE_MAX);
	(void)buf_print(&body, "{\"text\":");
	alert_put_chat(&chat, note->text);
	json_put(&body, buf_text(&chat));
	(void)buf_print(&body, "}");
	if (find_url(note->rule, &url, why))
		post(buf_str(&url), buf_str(&body), &gate, why);
	buf_release(&url);
	buf_release(&chat);
	buf_release(&body);
	return why->len == 0;
}

/* An Atom file. */

static void
put_time(struct buf *out, const char *tag, int64_t at_s)
{
	(void)buf_print(out, "<%s>", tag);
	time_print(out, at_s);
	(void)buf_print(out, "</%s>", tag);
}

/* A tag URI (RFC 4151) needs nothing that the operator would have to own. */
static void
put_id(struct buf *out, const struct alert_rule *rule)
{
	(void)buf_print(
	    out, "<id>tag:freshet.invalid,2026:alert/%s", rule->name);
}

void
alert_atom_begin(struct buf *out, const struct alert_rule *rule, int64_t at_s)
{
	(void)buf_print(out,
	    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	    "<feed xmlns=\"http://www.w3.org/2005/Atom\">");
	put_id(out, rule);
	(void)buf_print(out,
	    "</id><title>freshet: %s</title>"
	    "<author><name>freshet</name></author>",
	    rule->name);
	put_time(out, "updated", at_s);
	(void)buf_print(out, "\n");
}

void
alert_atom_entry(struct buf *out, const struct alert_rule *rule, int64_t id,
    int64_t at_s, struct slice line, struct slice event)
{
	(void)buf_print(out, "<entry>");
	put_id(out, rule);
	(void)buf_print(out, "/%lld</id><title>", (long long)id);
	xml_put(out, line);
	(void)buf_print(out, "</title>");
	put_time(out, "updated", at_s);
	(void)buf_print(out, "<content type=\"text\">");
	xml_put(out, event);
	(void)buf_print(out, "</content></entry>\n");
}

void
alert_atom_end(struct buf *out)
{
	(void)buf_print(out, "</feed>\n");
}
