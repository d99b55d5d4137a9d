/*
 * The site at work: see at_work.h.
 *
 * The signal handler reads static data only, which is always valid and of a
 * fixed size: the name of the site at work is copied into it, because a fault
 * may come while the table of names moves in memory. The handler calls what
 * POSIX permits in handlers and nothing else. It has a stack of its own,
 * because an overflow of the normal stack is a fault, too.
 */
#include "base/at_work.h"

#include <assert.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/names.h"

#define PATH_BYTES 4096
#define STACK_BYTES (64 << 10)
#define MARK_BYTES ((AT_WORK_SITES + 1) * (AT_WORK_HOST_BYTES + 32))
#define HEAD "freshet-abort 1 "
#define TIMES_MAX 1000
#define HOST_FORM "%253[!-~]"

static_assert(HOST_NAME_BYTES == 253, "HOST_FORM");

static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
#define FAULTS (sizeof(faults) / sizeof(faults[0]))

static struct {
	volatile uint32_t site; /* 0: none, and host is not looked at */
	char host[HOST_NAME_BYTES + 1];
	volatile bool is_on;
	char path[PATH_BYTES];
	struct at_work_mark before;
	struct names names; /* of sites; index = number - 1 */
	bool has_names;
	bool has_handlers;
	struct sigaction others[FAULTS]; /* handlers of before, called next */
	char stack[STACK_BYTES]; /* for the handlers */
} at_work;

uint32_t
at_work_name(struct slice host)
{
	uint64_t key = 0;

	if (!at_work.has_names) {
		/*
		 * getrandom never fails for so few bytes once the system is up.
		 */
		(void)!getrandom(&key, sizeof(key), 0);
		names_init(&at_work.names, key);
		at_work.has_names = true;
	}
	return names_put(&at_work.names, host) + 1;
}

void
at_work_site(uint32_t number)
{
	const char *name;

	if (number == at_work.site)
		return;
	at_work.site = 0;
	if (number == 0 || number > at_work.names.count)
		return;
	name = names_text(&at_work.names, number - 1);
	/* A fault in between finds no site, rather than half a name. */
	atomic_signal_fence(memory_order_seq_cst);
	(void)snprintf(at_work.host, sizeof(at_work.host), "%s", name);
	atomic_signal_fence(memory_order_seq_cst);
	at_work.site = number;
}

uint32_t
at_work_now(void)
{
	return at_work.site;
}

/* The file with the mark. */

/* mark_path(store_path, path): false: the path is too long. */
static bool
mark_path(const char *store_path, char path[PATH_BYTES])
{
	return snprintf(path, PATH_BYTES, "%s.abort", store_path) < PATH_BYTES;
}

/* read_sites(text, mark): read lines up to the first that makes no sense. */
static void
read_sites(const char *text, struct at_work_mark *mark)
{
	while (mark->count < AT_WORK_SITES) {
		char *host = mark->sites[mark->count].host;
		int times, n;

		if (sscanf(text, HOST_FORM " %4d%n", host, &times, &n) != 2 ||
		    text[n] != '\n' || times <= 0)
			return;
		mark->sites[mark->count++].times = (unsigned)times;
		text += n + 1;
	}
}

void
at_work_read(const char *store_path, struct at_work_mark *mark)
{
	char path[PATH_BYTES];
	char text[MARK_BYTES + 1];
	ssize_t len;
	int fd, n;

	*mark = (struct at_work_mark){0};
	if (!mark_path(store_path, path))
		return;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return;
	len = read(fd, text, MARK_BYTES);
	(void)close(fd);
	text[len < 0 ? 0 : len] = '\0';
	if (sscanf(text, HEAD "%3d " HOST_FORM "%n", &mark->number, mark->at,
		&n) != 2 ||
	    text[n] != '\n' || mark->number <= 0) {
		*mark = (struct at_work_mark){0};
		return;
	}
	if (strcmp(mark->at, "-") == 0)
		mark->at[0] = '\0';
	read_sites(text + n + 1, mark);
}

void
at_work_forget(const char *store_path)
{
	char path[PATH_BYTES];

	if (mark_path(store_path, path))
		(void)unlink(path); /* usually there is no file */
}

/* The signal handler. */

struct text {
	char bytes[MARK_BYTES];
	size_t len;
};

static void
at_work_put_text(struct text *text, const char *what)
{
	while (*what != '\0' && text->len < sizeof(text->bytes))
		text->bytes[text->len++] = *what++;
}

/* put_number(text, number): append the number and the end of the line. */
static void
at_work_put_number(struct text *text, unsigned number)
{
	char digits[16];
	size_t at = sizeof(digits) - 1;

	digits[at] = '\0';
	digits[--at] = '\n';
	do {
		digits[--at] = (char)('0' + number % 10);
		number /= 10;
	} while (number > 0);
	at_work_put_text(text, digits + at);
}

static bool
at_work_is_same(const char *a, const char *b)
{
	while (*a != '\0' && *a == *b)
		a++, b++;
	return *a == *b;
}

void
at_work_mark(int number)
{
	const char *host = at_work.site > 0 ? at_work.host : NULL;
	struct text text;
	int fd;

	if (!at_work.is_on)
		return;
	text.len = 0;
	at_work_put_text(&text, HEAD);
	at_work_put_number(&text, (unsigned)number);
	text.bytes[text.len - 1] = ' ';
	at_work_put_text(&text, host == NULL ? "-" : host);
	at_work_put_text(&text, "\n");
	/* The sites of the previous mark follow, with one more abort for
	 * host, which may be NULL. */
	const struct at_work_mark *before = &at_work.before;
	bool is_there = host == NULL;

	for (unsigned i = 0; i < before->count; i++) {
		bool is_it = host != NULL &&
		    at_work_is_same(before->sites[i].host, host);
		unsigned times = before->sites[i].times + is_it;

		is_there |= is_it;
		at_work_put_text(&text, before->sites[i].host);
		at_work_put_text(&text, " ");
		at_work_put_number(
		    &text, times < TIMES_MAX ? times : TIMES_MAX);
	}
	if (!is_there && before->count != AT_WORK_SITES) {
		at_work_put_text(&text, host);
		at_work_put_text(&text, " ");
		at_work_put_number(&text, 1);
	}

	fd = open(at_work.path,
	    O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return;
	/* When the disk is full, there is no mark. */
	(void)!write(fd, text.bytes, text.len);
	(void)close(fd);
}

static void
on_fault(int number)
{
	static const char text[] =
	    "freshet: a fault: this is a bug in freshet: please report it, as "
	    "BUGS in freshet(1) says; the last commit is intact\n";

	at_work_mark(number);
	(void)!write(STDERR_FILENO, text, sizeof(text) - 1);
	for (size_t i = 0; i < FAULTS; i++)
		if (faults[i] == number)
			(void)sigaction(number, &at_work.others[i], NULL);
	/* A fault would come again by itself, a signal from another process
	 * would not. */
	(void)raise(number);
}

void
at_work_begin(const char *store_path, const struct at_work_mark *before)
{
	at_work_end();
	at_work.before = *before;
	if (!mark_path(store_path, at_work.path))
		return;
	struct sigaction action = {
	    .sa_handler = on_fault, .sa_flags = SA_ONSTACK};
	stack_t other = {
	    .ss_sp = at_work.stack, .ss_size = sizeof(at_work.stack)};
	stack_t now;

	if (!at_work.has_handlers) {
		at_work.has_handlers = true;
		/* A sanitizer installs a signal stack of its own and must keep
		 * it. */
		if (sigaltstack(NULL, &now) == 0 &&
		    (now.ss_flags & SS_DISABLE) != 0)
			(void)sigaltstack(&other, NULL);
		for (size_t i = 0; i < FAULTS; i++)
			(void)sigaction(faults[i], &action, &at_work.others[i]);
	}

	at_work.is_on = true;
}

void
at_work_end(void)
{
	at_work.is_on = false;
	at_work.site = 0;
}
