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
#define MARK_BYTES (16 * (AT_WORK_HOST_BYTES + 32))
#define MARK_FORM "%s.abort" /* the path of the store */
#define HEAD "freshet-abort 2 "
#define HOST_FORM "%253[!-~]"

static_assert(HOST_NAME_BYTES == 253, "HOST_FORM");

static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
#define FAULTS LENGTH(faults)

static struct {
	volatile uint32_t site; /* 0: none, and host is not looked at */
	char host[HOST_NAME_BYTES + 1];
	volatile bool is_on;
	char path[PATH_BYTES];
	char before[MARK_BYTES]; /* the lines of the mark before */
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
		/* getrandom never fails for few bytes once the system is up. */
		(void)!getrandom(&key, sizeof(key), 0);
		at_work.names = (struct names){.key = key};
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

void
at_work_read(const char *store_path, struct buf *lines)
{
	char path[PATH_BYTES], text[2 * MARK_BYTES];
	ssize_t len;
	int fd;

	if (snprintf(path, sizeof(path), MARK_FORM, store_path) >= PATH_BYTES)
		return;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return;
	len = read(fd, text, sizeof(text));
	(void)close(fd);
	if (len > 0)
		(void)buf_put(lines, text, (size_t)len);
}

bool
at_work_next(const char **lines, struct at_work_end *end)
{
	struct at_work_end is;
	int n;

	if (sscanf(*lines, HEAD "%3d " HOST_FORM "%n", &is.number, is.host,
		&n) != 2 ||
	    (*lines)[n] != '\n' || is.number <= 0)
		return false;
	if (strcmp(is.host, "-") == 0)
		is.host[0] = '\0';
	*end = is;
	*lines += n + 1;
	return true;
}

void
at_work_forget(const char *store_path)
{
	char path[PATH_BYTES];

	if (snprintf(path, sizeof(path), MARK_FORM, store_path) < PATH_BYTES)
		(void)unlink(path); /* usually there is no file */
}

/* The signal handler. */

static void
mark_write(int fd, const char *text)
{
	/* When the disk is full, there is no mark. */
	(void)!write(fd, text, strlen(text));
}

void
at_work_mark(int number)
{
	const char *host = at_work.site > 0 ? at_work.host : NULL;
	char digits[] = "00 ";
	int fd;

	if (!at_work.is_on)
		return;
	fd = open(at_work.path,
	    O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return;
	digits[0] = (char)('0' + number / 10 % 10);
	digits[1] = (char)('0' + number % 10);
	mark_write(fd, at_work.before);
	mark_write(fd, HEAD);
	mark_write(fd, number < 10 ? digits + 1 : digits);
	mark_write(fd, host == NULL ? "-" : host);
	mark_write(fd, "\n");
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
at_work_begin(const char *store_path, const char *before)
{
	at_work.is_on = false;
	at_work.site = 0;
	if (store_path == NULL ||
	    snprintf(at_work.path, sizeof(at_work.path), MARK_FORM,
		store_path) >= PATH_BYTES)
		return;
	while (strlen(before) >= sizeof(at_work.before))
		before = strchr(before, '\n') + 1;
	memcpy(at_work.before, before, strlen(before) + 1);
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
