/*
 * One owner of a shard, driven by lines: what a test of several needs.
 *
 *	depot-peer URL SHARD OWNER CACHE
 *
 * Lines of stdin: `site HOST` (a COMMIT; %00 is a NUL, %ff that byte), `reserve
 * HOST DELAY_MS`, `back HOST`, `share NAME TOTAL WANTED`, `done ID`, `home
 * HOST`, `ask`, `quit` (gives the shard).  What comes of them, and events, are
 * lines of stdout.
 */
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "store/depot/depot.h"
#include "store/store.h"

static void
on_wake(void *arg)
{
	(void)arg;
}

static void
on_mail(void *arg, int64_t id, struct slice lines)
{
	(void)arg;
	printf("mail %" PRId64 " %.*s\n", id, (int)lines.len, lines.p);
}

static void
on_shared(void *arg, struct slice host)
{
	(void)arg;
	printf("shared %.*s\n", (int)host.len, host.p);
}

static void
on_reserved(void *arg, struct slice host, int64_t wait_ms)
{
	(void)arg;
	printf("reserved %.*s %" PRId64 "\n", (int)host.len, host.p, wait_ms);
}

static void
on_share(void *arg, const char *name, double rate)
{
	(void)arg;
	printf("share %s %g\n", name, rate);
}

static void
on_warning(void *arg, const char *line)
{
	(void)arg;
	printf("warned %s\n", line);
}

/* A COMMIT: a new site. */
static void
commit(struct store *store, const char *text)
{
	struct buf host;
	unsigned byte;

	buf_init(&host, SIZE_MAX);
	for (const char *p = text; *p != '\0'; p++)
		if (*p == '%' && sscanf(p + 1, "%2x", &byte) == 1) {
			(void)buf_put_char(&host, (char)byte);
			p += 2;
		} else {
			(void)buf_put_char(&host, *p);
		}
	(void)store_site(store, buf_text(&host));
	(void)store_flush(store);
	buf_release(&host);
}

/* false: the peer shall end. */
static bool
obey(struct depot *depot, struct store *store, const char *line)
{
	char name[1000] = "";
	double numbers[2] = {0};
	char verb[20] = "";

	(void)sscanf(
	    line, "%19s %999s %lf %lf", verb, name, &numbers[0], &numbers[1]);
	if (strcmp(verb, "site") == 0)
		commit(store, name);
	else if (strcmp(verb, "reserve") == 0)
		depot_reserve(depot, slice_of(name), (int64_t)numbers[0]);
	else if (strcmp(verb, "back") == 0)
		depot_back(depot, slice_of(name));
	else if (strcmp(verb, "share") == 0)
		depot_share(depot, name, numbers[0], numbers[1]);
	else if (strcmp(verb, "done") == 0)
		depot_mail_done(depot, strtoll(name, NULL, 10));
	else if (strcmp(verb, "home") == 0)
		printf("home %u\n", depot_home(depot, slice_of(name)));
	else if (strcmp(verb, "ask") == 0)
		printf("ask %d\n", depot_may_ask(depot));
	return strcmp(verb, "quit") != 0;
}

int
main(int argc, char **argv)
{
	struct depot_options options = {.wake = on_wake,
	    .closes = on_wake,
	    .mail = on_mail,
	    .shared = on_shared,
	    .reserved = on_reserved,
	    .shared_out = on_share,
	    .warned = on_warning};
	struct store_options how = {.is_cache = true};
	struct store *store = NULL;
	struct depot *depot = NULL;
	char line[1100] = "";
	uint64_t told = 0;
	size_t len = 0;
	bool goes_on = true;
	enum diag_code code;
	struct buf why;

	if (argc != 5)
		return 2;
	setvbuf(stdout, NULL, _IOLBF, 0);
	options.url = argv[1];
	options.shard = (uint32_t)strtoul(argv[2], NULL, 10);
	options.owner = argv[3];
	how.path = argv[4];
	buf_init(&why, SIZE_MAX);
	code = store_open(&how, &store, &why);
	if (code == DIAG_OK)
		code = depot_open(&options, store, &depot, &why);
	if (code == DIAG_OK)
		printf("taken %u of %u\n", depot_shard(depot),
		    depot_shards(depot));
	while (goes_on && code == DIAG_OK) {
		struct pollfd fds[2] = {
		    {.fd = 0, .events = POLLIN}, {.fd = -1}};
		bool wants_write;
		int64_t wait_ms;
		ssize_t n = 1;

		depot_step(depot);
		if (store_commits(store) > told &&
		    store_is_durable(store, store_commits(store))) {
			told = store_commits(store);
			printf("durable\n");
		}
		code = store_failed(store);
		wait_ms = depot_wait_ms(depot);
		fds[1].fd = depot_fd(depot, &wants_write);
		fds[1].events = (short)(POLLIN | (wants_write ? POLLOUT : 0));
		(void)poll(fds, 2, wait_ms > 1000 ? 1000 : (int)wait_ms);
		if (fds[0].revents == 0)
			continue;
		/* a line is obeyed before anything else happens */
		for (len = 0; len + 1 < sizeof(line) &&
		     (n = read(0, line + len, 1)) == 1 && line[len] != '\n';
		     len++)
			;
		line[len] = '\0';
		goes_on = n == 1 && obey(depot, store, line);
	}
	if (code != DIAG_OK)
		printf("failed %s %s %s\n", diag_name(code), buf_str(&why),
		    depot_why(depot));
	depot_close(depot);
	store_close(store);
	depot_free(depot);
	buf_release(&why);
	printf("ended\n");
	return code != DIAG_OK;
}
