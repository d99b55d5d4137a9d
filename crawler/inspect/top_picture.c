/* What a running process does at this moment, for people. */
#include "crawler/inspect/top_picture.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/human.h"
#include "base/vis.h"
#include "crawler/event/ndjson.h"

#define LEAST_COLUMNS 16 /* of a text that is cut */
#define HOST_COLUMNS 32
/* A list has fewer rows (crawler/crawl/run_status.h). */
#define MOST_ROWS 100
#define MOST_NUMBER (INT64_C(1) << 53)

struct picture {
	struct buf *out;
	struct top_room room;
	const struct ndjson *status;
	size_t lines;
	size_t from; /* where the line at hand begins */
};

/* The lists, in the order in which they are drawn. */
enum list { LIST_ASKED, LIST_HOSTS, LIST_HOLDS, LIST_FAILURES, LISTS };
static const char *const keys[LISTS] = {"asked", "hosts", "holds", "failures"};

/* Append foreign text so that the line keeps `others` columns for the rest. */
static void
put_text(const struct picture *picture, struct slice text, size_t others)
{
	size_t columns = picture->room.columns;

	if (columns == 0)
		vis_put(picture->out, text, SIZE_MAX);
	else
		(void)vis_put_middle(picture->out, text,
		    columns > others + LEAST_COLUMNS ? columns - others
						     : LEAST_COLUMNS);
}

static size_t
line_columns(const struct picture *picture)
{
	return slice_chars(slice_from(buf_text(picture->out), picture->from));
}

static void
pad(const struct picture *picture, size_t columns)
{
	for (size_t n = line_columns(picture); n < columns; n++)
		(void)buf_put_char(picture->out, ' ');
}

/* End the line; what does not fit is cut. */
static void
end_line(struct picture *picture)
{
	size_t columns = picture->room.columns;
	struct buf *out = picture->out;

	/* A byte of UTF-8 that continues a character has no column. */
	while (columns > 0 && line_columns(picture) > columns)
		do
			out->len--;
		while (((unsigned char)out->p[out->len] & 0xc0) == 0x80);
	if (picture->room.rows > 0 && picture->lines >= picture->room.rows)
		out->len = picture->from;
	else
		(void)buf_put_char(out, '\n');
	picture->lines++;
	picture->from = out->len;
}

/* The number under the key, within what is worth printing. */
static uint64_t
number(const struct ndjson *object, const char *key)
{
	int64_t n = ndjson_number(object, key, 0);

	if (n > MOST_NUMBER)
		return MOST_NUMBER;
	return n > 0 ? (uint64_t)n : 0;
}

/* The head. */

static void
draw_title(struct picture *picture)
{
	struct buf *out = picture->out;

	(void)buf_print(out, "freshet ");
	put_text(picture, ndjson_text(picture->status, "command"), 40);
	(void)buf_print(
	    out, ", process %" PRIu64 ", at ", number(picture->status, "pid"));
	put_text(picture, ndjson_text(picture->status, "at"), 0);
	end_line(picture);
}

static void
draw_rate(struct picture *picture, const struct ndjson *rate)
{
	struct buf *out = picture->out;
	uint64_t seconds = number(rate, "seconds");

	if (seconds == 0)
		return;
	(void)buf_print(out, "last %" PRIu64 " s:  ", seconds);
	/* run fetches no pages, and knows nothing of their requests */
	human_plural(out, number(rate, "requests"), "request");
	(void)buf_print(out, " for sitemaps");
	(void)buf_print(out, "  ");
	human_bytes(out, number(rate, "bytes"));
	(void)buf_print(out, "  ");
	human_plural(out, number(rate, "readings"), "document");
	(void)buf_print(out, " read");
	if (number(rate, "failed") > 0) {
		(void)buf_print(out, ", ");
		human_count(out, number(rate, "failed"));
		(void)buf_print(out, " failed");
	}
	end_line(picture);
}

static void
draw_work(struct picture *picture)
{
	const struct ndjson *status = picture->status;
	struct buf *out = picture->out;

	(void)buf_print(out, "now:  ");
	human_plural(out, number(status, "in_flight"), "request");
	(void)buf_print(out, "  ");
	human_count(out, number(status, "readers"));
	(void)buf_print(out, " at readers  ");
	human_count(out, number(status, "open"));
	(void)buf_print(out, " begun at ");
	human_plural(out, number(status, "open_hosts"), "host");
	end_line(picture);
}

static void
put_next(struct picture *picture, const char *key)
{
	uint64_t wait_s = number(picture->status, key);

	if (ndjson_type(picture->status, key) == NDJSON_NONE) {
		(void)buf_print(picture->out, "none is due");
	} else if (wait_s == 0) {
		(void)buf_print(picture->out, "due now");
	} else {
		(void)buf_print(picture->out, "due in ");
		human_span(picture->out, (double)wait_s);
	}
}

static void
draw_waiting(struct picture *picture)
{
	const struct ndjson *status = picture->status;
	struct buf *out = picture->out;

	/* A crawl leases no pages until somebody asks for them. */
	if (ndjson_type(status, "ready") == NDJSON_NONE)
		return;
	(void)buf_print(out, "documents:  ");
	put_next(picture, "next_document_s");
	(void)buf_print(out, "  pages:  ");
	put_next(picture, "next_page_s");
	(void)buf_print(out, ", ");
	human_count(out, number(status, "ready"));
	(void)buf_print(out, " wait, ");
	human_count(out, number(status, "leased"));
	(void)buf_print(out, " leased");
	end_line(picture);
}

static void
draw_head(struct picture *picture)
{
	draw_title(picture);
	for (size_t i = 0; i < 2; i++) {
		struct ndjson *rate = ndjson_object(
		    picture->status, "rates", i);

		if (rate != NULL)
			draw_rate(picture, rate);
		ndjson_free(rate);
	}
	draw_work(picture);
	draw_waiting(picture);
}

/* The lists. */

static void
draw_list_head(struct picture *picture, enum list list)
{
	struct buf *out = picture->out;

	switch (list) {
	case LIST_ASKED:
		(void)buf_print(out, "ASKED NOW");
		break;
	case LIST_HOSTS:
		(void)buf_print(out, "HOSTS THAT TAKE TIME");
		break;
	case LIST_HOLDS:
		(void)buf_print(out, "HELD HOSTS: ");
		human_count(out, number(picture->status, "held"));
		break;
	case LIST_FAILURES:
		(void)buf_print(out, "FAILED OF LATE");
		break;
	case LISTS:
		break;
	}
	end_line(picture);
}

static void
put_spent(const struct picture *picture, const char *name,
    const struct ndjson *row, const char *key)
{
	if (number(row, key) == 0)
		return;
	(void)buf_print(picture->out, "  %s ", name);
	human_spent(picture->out, (int64_t)number(row, key));
}

static void
put_host(const struct picture *picture, const struct ndjson *row)
{
	struct slice host = ndjson_text(row, "host");

	if (picture->room.columns == 0)
		vis_put(picture->out, host, SIZE_MAX);
	else
		(void)vis_put_middle(picture->out, host, HOST_COLUMNS);
	pad(picture, HOST_COLUMNS + 2);
}

static void
draw_row(struct picture *picture, enum list list, const struct ndjson *row)
{
	struct buf *out = picture->out;

	(void)buf_print(out, "  ");
	switch (list) {
	case LIST_ASKED:
		human_spent(out, (int64_t)number(row, "ms"));
		pad(picture, 12);
		put_text(picture, ndjson_text(row, "url"), 12);
		break;
	case LIST_HOSTS:
		put_host(picture, row);
		(void)buf_print(out, "  ");
		put_text(picture, ndjson_text(row, "why"), HOST_COLUMNS + 4);
		pad(picture, HOST_COLUMNS + 11);
		put_spent(picture, "for", row, "wait_ms");
		put_spent(picture, "delay", row, "delay_ms");
		put_spent(picture, "answers in", row, "answer_ms");
		break;
	case LIST_HOLDS:
		put_host(picture, row);
		(void)buf_print(out, "  until ");
		put_text(picture, ndjson_text(row, "until"), HOST_COLUMNS + 4);
		if (ndjson_flag(row, "pages_only"))
			(void)buf_print(out, "  its pages");
		break;
	case LIST_FAILURES:
		put_text(picture, ndjson_text(row, "at"), 2);
		(void)buf_print(out, "  ");
		put_text(picture, ndjson_text(row, "code"), 24);
		(void)buf_print(out, "  ");
		put_text(
		    picture, ndjson_text(row, "url"), line_columns(picture));
		break;
	case LISTS:
		break;
	}
	end_line(picture);
}

static size_t
rows_of(const struct ndjson *status, const char *key)
{
	size_t count = 0;
	struct ndjson *row;

	while (count < MOST_ROWS) {
		row = ndjson_object(status, key, count);
		if (row == NULL)
			break;
		ndjson_free(row);
		count++;
	}
	return count;
}

/* The lines of a list, with its heading. */
static size_t
lines_of(size_t rows)
{
	return rows > 0 ? rows + 1 : 0;
}

/* Cut the longest list by a row, of equal ones the last, until all of them have
 * room. */
static void
fit(size_t *rows, size_t room)
{
	for (;;) {
		size_t sum = 0;
		size_t longest = 0;

		for (size_t i = 0; i < LISTS; i++) {
			sum += lines_of(rows[i]);
			if (rows[i] >= rows[longest])
				longest = i;
		}
		if (sum <= room || rows[longest] == 0)
			return;
		rows[longest]--;
	}
}

void
top_picture(
    struct buf *out, const struct ndjson *status, const struct top_room *room)
{
	struct picture picture = {
	    .out = out, .room = *room, .status = status, .from = out->len};
	size_t rows[LISTS];

	draw_head(&picture);
	for (size_t i = 0; i < LISTS; i++)
		rows[i] = rows_of(status, keys[i]);
	if (room->rows > 0)
		fit(rows,
		    room->rows > picture.lines ? room->rows - picture.lines
					       : 0);
	for (size_t i = 0; i < LISTS; i++) {
		if (rows[i] > 0)
			draw_list_head(&picture, (enum list)i);
		for (size_t k = 0; k < rows[i]; k++) {
			struct ndjson *row = ndjson_object(status, keys[i], k);

			draw_row(&picture, (enum list)i, row);
			ndjson_free(row);
		}
	}
}
