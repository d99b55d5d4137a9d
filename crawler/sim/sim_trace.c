/* Read the file of a trace, which may be gzipped. */
#include "crawler/sim/sim_trace.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/human.h"
#include "crawler/cli/out.h"
#include "crawler/event/exit.h"
#include "crawler/parse/gunzip.h"
#include "sched/sim/trace.h"

#define PIECE_BYTES 16384
#define TEXT_MAX_BYTES (UINT64_C(2) << 30)
#define SHOWN 3 /* findings shown of each code */

struct trace_file {
	const char *name; /* name in messages */
	struct trace *trace;
	unsigned count[DIAG_COUNT];
	size_t findings;
};

static void
say(void *arg, size_t line, enum diag_code code, struct slice detail)
{
	struct trace_file *file = arg;

	file->findings++;
	if (file->count[code]++ < SHOWN)
		complain("%s: '%s' line %zu: %.*s", diag_name(code), file->name,
		    line, (int)detail.len, detail.p);
}

static void
say_more(const struct trace_file *file)
{
	for (int i = DIAG_OK + 1; i < DIAG_COUNT; i++) {
		struct buf count;

		if (file->count[i] <= SHOWN)
			continue;
		buf_init(&count, 64);
		human_plural(&count, file->count[i] - SHOWN, "line");
		complain("%s: '%s': and %s more", diag_name((enum diag_code)i),
		    file->name, buf_str(&count));
		buf_release(&count);
	}
}

static bool
take(void *arg, struct slice bytes)
{
	struct trace_file *file = arg;

	return trace_feed(file->trace, bytes);
}

/* Pass the file's bytes on. Returns 0, or errno. */
static int
pour(int fd, struct gunzip *gunzip)
{
	char room[PIECE_BYTES];
	ssize_t n;

	while ((n = read(fd, room, sizeof(room))) != 0) {
		if (n < 0 && errno != EINTR)
			return errno;
		if (n > 0 && !gunzip_feed(gunzip, slice_make(room, (size_t)n)))
			break;
	}
	gunzip_finish(gunzip);
	return 0;
}

/* Say what is wrong with the gzip format. */
static void
say_packing(struct trace_file *file, const struct gunzip *gunzip)
{
	enum diag_code code = gunzip_failure(gunzip);

	if (code == DIAG_OK)
		return;
	file->findings++;
	if (code == DIAG_FILE_TOO_LARGE)
		code = DIAG_TRACE_TOO_LARGE;
	complain("%s: '%s': %s", diag_name(code), file->name,
	    diag_info(code)->trigger);
}

/* Returns false after one line on stderr. */
static bool
read_bytes(struct trace_file *file, int fd)
{
	struct read_limits limits = read_limits_default();
	struct gunzip_options options = {.limits = &limits,
	    .max_bytes = TEXT_MAX_BYTES,
	    .path = slice_of("/trace.gz"),
	    .out = take,
	    .arg = file};
	struct gunzip *gunzip = gunzip_new(&options);
	int error = pour(fd, gunzip);
	char text[128];

	if (error == 0)
		say_packing(file, gunzip);
	else
		complain("cannot read '%s': %s", file->name,
		    strerror_r(error, text, sizeof(text)));
	gunzip_free(gunzip);
	return error == 0;
}

int
sim_trace_read(struct history *history, const char *path, int64_t now_s)
{
	bool is_stdin = strcmp(path, "-") == 0;
	struct trace_file file = {.name = is_stdin ? "stdin" : path};
	struct trace_options options = {.limits = trace_limits_default(),
	    .now_s = now_s,
	    .say = say,
	    .arg = &file};
	int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	int status = EXIT_NO_TARGET;
	char text[128];

	if (fd < 0) {
		complain("cannot read '%s': %s", path,
		    strerror_r(errno, text, sizeof(text)));
		return EXIT_NO_TARGET;
	}
	file.trace = trace_new(history, &options);
	if (read_bytes(&file, fd) && trace_finish(file.trace) == DIAG_OK)
		status = file.findings > 0 ? EXIT_FINDINGS : EXIT_DONE;
	say_more(&file);
	trace_free(file.trace);
	if (!is_stdin)
		(void)close(fd);
	return status;
}
