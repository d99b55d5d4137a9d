/* Read the file of a trace, which may be gzipped. */
#include "tests/sim/sim_trace.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/human.h"
#include "crawler/cli/out.h"
#include "crawler/event/exit.h"
#include "tests/sim/trace.h"

#define PIECE_BYTES 16384
#define TEXT_MAX_BYTES (INT64_C(2) << 30)
#define SHOWN 3 /* faults shown of each kind */

struct trace_file {
	const char *name; /* name in messages */
	struct trace *trace;
	unsigned count[TRACE_FAULTS];
	size_t faults;
};

/* A trace_say_fn; arg is the struct trace_file. */
static void
say_fault(void *arg, size_t line, enum trace_fault fault, struct slice detail)
{
	struct trace_file *file = arg;

	file->faults++;
	if (file->count[fault]++ < SHOWN)
		complain("%s: '%s' line %zu: %.*s", trace_fault_name(fault),
		    file->name, line, (int)detail.len, detail.p);
}

static void
say_more(const struct trace_file *file)
{
	for (int i = TRACE_OK + 1; i < TRACE_FAULTS; i++) {
		struct buf count;

		if (file->count[i] <= SHOWN)
			continue;
		buf_init(&count, 64);
		human_put(&count, file->count[i] - SHOWN, "line");
		complain("%s: '%s': and %s more",
		    trace_fault_name((enum trace_fault)i), file->name,
		    buf_str(&count));
		buf_release(&count);
	}
}

/* Feed the trace with all that the file has.  A file that ends too early, or is
 * damaged, gives what comes before that.  Returns false after one line on
 * stderr if the file cannot be read. */
static bool
pour(struct trace_file *file, gzFile from)
{
	char room[PIECE_BYTES];
	int64_t left = TEXT_MAX_BYTES;
	const char *text;
	int n, error;

	do {
		n = gzread(from, room, sizeof(room));
		if (n > 0 &&
		    !trace_feed(file->trace, slice_make(room, (size_t)n)))
			return true;
		left -= n;
	} while (n > 0 && left > 0);
	text = gzerror(from, &error);
	if (error == Z_ERRNO) {
		char why[128];

		complain("cannot read '%s': %s", file->name,
		    strerror_r(errno, why, sizeof(why)));
		return false;
	}
	if (left <= 0) {
		error = Z_DATA_ERROR;
		text = "the text is longer than 2 GiB";
	}
	if (error != Z_OK && error != Z_STREAM_END) {
		file->faults++;
		complain("'%s' counts up to here: %s", file->name, text);
	}
	return true;
}

int
sim_trace_read(struct history *history, const char *path, int64_t now_s)
{
	bool is_stdin = strcmp(path, "-") == 0;
	struct trace_file file = {.name = is_stdin ? "stdin" : path};
	struct trace_options options = {.limits = trace_limits_default(),
	    .now_s = now_s,
	    .say = say_fault,
	    .arg = &file};
	int fd = is_stdin ? dup(STDIN_FILENO)
			  : open(path, O_RDONLY | O_CLOEXEC);
	gzFile from = fd < 0 ? NULL : gzdopen(fd, "rb");
	int status = EXIT_NO_TARGET;
	char why[128];

	if (from == NULL) {
		complain("cannot read '%s': %s", path,
		    strerror_r(errno, why, sizeof(why)));
		return EXIT_NO_TARGET;
	}
	file.trace = trace_new(history, &options);
	if (pour(&file, from) && trace_finish(file.trace) == TRACE_OK)
		status = file.faults > 0 ? EXIT_FINDINGS : EXIT_DONE;
	say_more(&file);
	trace_free(file.trace);
	(void)gzclose(from);
	return status;
}
