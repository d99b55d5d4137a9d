/* crawler/event/log.c: the log of a daemon, and its messages to the service
 * manager. */
#include "tests/fixtures/fixture.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "crawler/event/log.h"

/* log_one(mode, text, line): log one event with the text; line is what was
 * written.
 */
static void
log_one(enum log_mode mode, struct slice text, char line[8192])
{
	struct log log;
	int ends[2];
	ssize_t n;

	assert_int_equal(pipe(ends), 0);
	log_init(&log, mode, ends[1]);
	log_begin(&log, 1763755802, "read");
	log_text(&log, "url", text);
	log_text(&log, "none", slice_make(NULL, 0));
	log_number(&log, "added", -3);
	log_end(&log);
	buf_release(&log.line);
	n = read(ends[0], line, 8191);
	assert_true(n > 0);
	line[n] = '\0';
	assert_int_equal(close(ends[0]), 0);
	assert_int_equal(close(ends[1]), 0);
}

static const struct {
	enum log_mode mode;
	const char *text;
	const char *line;
} cases[] = {
    {LOG_TEXT, "http://a.example/",
	"2025-11-21T20:10:02Z read url=http://a.example/ added=-3\n"},
    {LOG_TEXT, "two \"words\"",
	"2025-11-21T20:10:02Z read url=\"two \\\"words\\\"\" "
	"added=-3\n"},
    {LOG_TEXT, "\033[2J\nx",
	"2025-11-21T20:10:02Z read "
	"url=\"\\x1b[2J\\x0ax\" added=-3\n"},
    /* Only the quotes of a value begin and end it. */
    {LOG_TEXT, "a\\", "2025-11-21T20:10:02Z read url=\"a\\\\\" added=-3\n"},
    {LOG_TEXT, "a\\\" b=c",
	"2025-11-21T20:10:02Z read url=\"a\\\\\\\" b=c\" "
	"added=-3\n"},
    {LOG_TEXT, "a\\x0a",
	"2025-11-21T20:10:02Z read url=\"a\\\\x0a\" added=-3\n"},
    {LOG_TEXT, "a\xe3\x80\x80why=b",
	"2025-11-21T20:10:02Z read url=\"a\xe3\x80\x80why=b\" "
	"added=-3\n"},
    {LOG_JSON, "http://a.example/",
	"{\"v\":1,\"type\":\"log\",\"at\":\"2025-11-21T20:10:02Z\","
	"\"event\":\"read\",\"url\":\"http://a.example/\","
	"\"added\":-3}\n"},
    {LOG_JSON, "\"\n\377",
	"{\"v\":1,\"type\":\"log\",\"at\":\"2025-11-21T20:10:02Z\","
	"\"event\":\"read\",\"url\":\"\\\"\\n\\ufffd\","
	"\"added\":-3}\n"},
    /* stderr is no terminal. */
    {LOG_AUTO, "x",
	"{\"v\":1,\"type\":\"log\",\"at\":\"2025-11-21T20:10:02Z\","
	"\"event\":\"read\",\"url\":\"x\",\"added\":-3}\n"},
};

static void
lines_have_one_form(void **state)
{
	char line[8192];

	for (size_t i = 0; i < COUNT(cases); i++) {
		log_one(cases[i].mode, slice_of(cases[i].text), line);
		assert_string_equal(line, cases[i].line);
	}
}

static void
long_text_is_cut(void **state)
{
	char text[LOG_TEXT_BYTES + 100];
	char line[8192];

	memset(text, 'x', sizeof(text));
	for (int mode = LOG_TEXT; mode <= LOG_JSON; mode++) {
		log_one(
		    (enum log_mode)mode, slice_make(text, sizeof(text)), line);
		assert_true(strlen(line) < LOG_TEXT_BYTES + 200);
		assert_int_equal(line[strlen(line) - 1], '\n');
		assert_non_null(strstr(line, "added"));
	}
}

/* listener(to, len): a socket that listens at the address. */
static int
listener(const struct sockaddr_un *to, socklen_t len)
{
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	assert_int_equal(bind(fd, (const struct sockaddr *)to, len), 0);
	return fd;
}

/* check_message(name, to, len): a message arrives at the address when
 * NOTIFY_SOCKET is name. */
static void
check_message(const char *name, const struct sockaddr_un *to, socklen_t len)
{
	int fd = listener(to, len);
	struct notify notify;
	char text[64];
	ssize_t n;

	assert_true(notify_open(&notify, name));
	notify_say(&notify, "READY=1");
	n = recv(fd, text, sizeof(text), MSG_DONTWAIT);
	assert_int_equal(n, 7);
	assert_memory_equal(text, "READY=1", 7);
	assert_int_equal(close(fd), 0);
	/* A message that nobody receives is no error. */
	notify_say(&notify, "STOPPING=1");
	assert_int_equal(close(notify.fd), 0);
}

static void
test_messages(void **state)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	char name[64];
	int len;

	(void)snprintf(name, sizeof(name), "/tmp/freshet-notify-%d", getpid());
	(void)snprintf(to.sun_path, sizeof(to.sun_path), "%s", name);
	check_message(name, &to, sizeof(to));
	assert_int_equal(unlink(name), 0);
	len = snprintf(name, sizeof(name), "@freshet-notify-%d", getpid());
	memset(to.sun_path, 0, sizeof(to.sun_path));
	memcpy(to.sun_path + 1, name + 1, (size_t)len - 1);
	check_message(name, &to,
	    (socklen_t)(offsetof(struct sockaddr_un, sun_path) + (size_t)len));
}

static void
nobody_need_listen(void **state)
{
	static const char longer[] =
	    "/a-name-that-is-longer-than-an-address-of-a-unix-socket-can-be-"
	    "0123456789-0123456789-0123456789-0123456789";
	static const char *const bad[] = {
	    "relative", "/nowhere/at/all", "vsock:2:1234", longer};
	struct notify notify;

	assert_true(notify_open(&notify, NULL));
	notify_say(&notify, "READY=1");
	assert_int_equal(notify.fd, -1);
	assert_true(notify_open(&notify, ""));
	for (size_t i = 0; i < COUNT(bad); i++) {
		errno = 0;
		assert_false(notify_open(&notify, bad[i]));
		assert_int_not_equal(errno, 0);
		notify_say(&notify, "READY=1");
		assert_int_equal(notify.fd, -1);
	}
}

UNIT_TESTS(log, cmocka_unit_test(lines_have_one_form),
    cmocka_unit_test(long_text_is_cut), cmocka_unit_test(test_messages),
    cmocka_unit_test(nobody_need_listen));
