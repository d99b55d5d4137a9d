/* Sites that are set aside. */
#include "store/aside.h"

#include <string.h>

#include "base/at_work.h"
#include "base/wire.h"
#include "store/db.h"
#include "store/hold.h"
#include "store/site.h"

/* the kind of the record in store_learned; it holds a u64: until when */
static const char kind[] = "aside";

static int64_t
read_until(struct slice data, int64_t now_s)
{
	struct wire wire = {data, true};
	int64_t until_s = (int64_t)wire_get_fixed(&wire, 8);

	/* In a damaged store this time may be anything. */
	return wire.ok && until_s > now_s && until_s <= now_s + ASIDE_S
	    ? until_s
	    : 0;
}

int64_t
aside_until(struct store *store, int64_t site_id, int64_t now_s)
{
	int64_t until_s = 0;
	struct buf data = BUF_UP_TO(SIZE_MAX);

	if (store_learned_get(store, kind, site_id, &data))
		until_s = read_until(buf_text(&data), now_s);
	buf_release(&data);
	return until_s;
}

void
aside_over(struct store *store, struct slice host)
{
	int64_t site_id = store_site_find(store, host);

	if (site_id != 0)
		store_learned(store, kind, site_id, slice_of(NULL));
}

void
aside_text(struct buf *out, struct slice host, int64_t until_s)
{
	(void)buf_print(out,
	    "a bug ended freshet at work at it, %d times in a row: it is left "
	    "alone until ",
	    ASIDE_TIMES);
	time_print(out, until_s);
	(void)buf_print(out, "; 'freshet hold %.*s --for 0' ends that",
	    (int)host.len, host.p);
}

void
aside_each(struct store *store, int64_t now_s, aside_fn *fn, void *arg)
{
	struct sqlite3_stmt *stmt = db_bind(
	    db_loop(store, SQL_LEARNED_EACH), DB_ROW(AS_STR(kind)));
	struct buf host = BUF_UP_TO(SIZE_MAX);

	while (db_row(store, stmt)) {
		int64_t until_s = read_until(db_blob(stmt, 1), now_s);

		buf_clear(&host);
		if (until_s > 0 &&
		    store_site_host(store, db_int(stmt, 0), &host))
			fn(arg, buf_text(&host), until_s);
	}
	buf_release(&host);
}

/* Set a site aside, and hold its host unless it is held for longer already.
 * Returns false if the name is no host. */
static bool
set_aside(struct store *store, const char *name, int64_t now_s)
{
	int64_t until_s = now_s + ASIDE_S;
	struct hold_times times;
	struct buf host = BUF_UP_TO(SIZE_MAX), data = BUF_UP_TO(SIZE_MAX);
	uint8_t host_kind;
	bool was_idn, is_host;

	is_host = host_normalise(&host, slice_of(name), &host_kind, &was_idn) ==
	    DIAG_OK;
	if (is_host) {
		times = store_hold_get(store, buf_text(&host), now_s);
		if (times.all_s < until_s)
			times.all_s = until_s;
		store_hold(store, buf_text(&host), times);
		wire_put_fixed(&data, 8, (uint64_t)until_s);
		store_learned(store, kind, store_site(store, buf_text(&host)),
		    buf_text(&data));
	}
	buf_release(&data);
	buf_release(&host);
	return is_host;
}

void
aside_begin(
    struct store *store, const char *path, int64_t now_s, struct buf *why)
{
	struct at_work_end end = {0}, other;
	struct buf mark = BUF_UP_TO(SIZE_MAX), left = BUF_UP_TO(SIZE_MAX);
	const char *line, *rest;
	bool is_any = false;

	at_work_read(path, &mark);
	for (line = rest = buf_str(&mark); at_work_next(&rest, &end);
	     line = rest) {
		unsigned times = 0;

		for (const char *all = buf_str(&mark);
		     at_work_next(&all, &other);)
			times += strcmp(other.host, end.host) == 0;
		if (end.host[0] != '\0' && times >= ASIDE_TIMES)
			is_any |= set_aside(store, end.host, now_s);
		else
			(void)buf_put(&left, line, (size_t)(rest - line));
	}
	/* If the commit fails, the mark is read again at the next start; also
	 * if the same bug ends this process before the commit is durable. */
	if (!is_any ||
	    (store_flush(store) == DIAG_OK && store_await(store) == DIAG_OK))
		at_work_forget(path);
	if (end.number != 0)
		/* Append how the previous process ended. */
		(void)buf_print(why,
		    "a bug ended freshet the last time (signal %d)",
		    end.number);
	if (end.host[0] != '\0')
		(void)buf_print(why,
		    ", at work at %s: a site is set aside after %d times in a "
		    "row",
		    end.host, ASIDE_TIMES);
	at_work_begin(path, buf_str(&left));
	buf_release(&mark);
	buf_release(&left);
}
