/* freshet import: what another crawler knows of URLs. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "crawler/commands.h"
#include "crawler/exit.h"
#include "crawler/human.h"
#include "crawler/import_page.h"
#include "crawler/out.h"
#include "crawler/out_json.h"
#include "crawler/standard.h"
#include "crawler/way.h"

/* A URL takes 32 kB, what is said about it little. */
#define LINE_MAX_BYTES (64 << 10)
#define GROUP_LINES 1000 /* in a transaction */

struct import {
	const struct options *options;
	const char *name; /* of what is read */
	struct loop *loop;
	struct store *store; /* owned while it is open */
	struct import_line line; /* owned */
	struct import_totals totals;
	uint64_t lines; /* read */
	uint64_t bad;
	uint64_t waiting; /* pages since the last commit */
	int error; /* errno of the end; 0: it was the end of it */
};

static void
commit(struct import *import)
{
	import->waiting = 0;
	if (store_flush(import->store) != DIAG_OK)
		loop_stop(import->loop);
}

static void
refuse(struct import *import, const char *why)
{
	import->bad++;
	complain("%s:%llu: %s", import->name, (unsigned long long)import->lines,
	    why);
}

static void
on_line(void *arg, struct slice text)
{
	struct import *import = arg;
	const struct options *options = import->options;
	const char *why;

	import->lines++;
	if (text.len > LINE_MAX_BYTES) {
		refuse(import, "is longer than 65,536 bytes");
		return;
	}
	text = slice_trim(text);
	if (text.len == 0)
		return;
	why = import_line_read(&import->line, text,
	    options->import_format == IMPORT_JSONL, options->now_s);
	if (why != NULL) {
		refuse(import, why);
		return;
	}
	import_page(import->store, &import->line, &import->totals);
	if (++import->waiting == GROUP_LINES)
		commit(import);
}

static void
on_end(void *arg, int error)
{
	struct import *import = arg;

	import->error = error;
	loop_stop(import->loop);
}

static int
read_all(struct import *import, int fd)
{
	const struct inlet_options how = {.max_line = LINE_MAX_BYTES,
	    .line = on_line,
	    .end = on_end,
	    .arg = import};
	enum diag_code code;
	struct inlet *inlet;

	import->loop = loop_new();
	if (import->loop == NULL) {
		complain("no more descriptors");
		return EXIT_RESOURCES;
	}
	inlet = inlet_new(import->loop, fd, &how);
	loop_run(import->loop);
	inlet_free(inlet);
	commit(import);
	code = store_failed(import->store);
	loop_free(import->loop);
	if (code == DIAG_OK)
		return EXIT_DONE;
	complain("%s: %s", diag_name(code), diag_info(code)->trigger);
	return exit_of_store(code);
}

static int
here(void *arg, struct buf *why)
{
	struct import *import = arg;
	const struct options *options = import->options;
	struct store_options how = {.path = options->store,
	    .min_free_bytes = options->limits.free_bytes};
	enum diag_code code;

	if (options->is_default_store && !options_make_folder(options))
		return EXIT_USAGE;
	code = store_open(&how, &import->store, why);
	if (code != DIAG_OK && code != DIAG_STORE_LOCKED)
		complain("%s: %s", diag_name(code), buf_str(why));
	return exit_of_store(code);
}

/* Nobody else takes an import in: it is read once, and by one. */
static int
there(void *arg, int64_t patience_ms, bool *has_heard)
{
	(void)arg;
	(void)patience_ms;
	*has_heard = false;
	return EXIT_LOCKED;
}

static void
put_text(struct buf *out, const struct import *import)
{
	const struct import_totals *totals = &import->totals;

	(void)buf_print(out, "imported ");
	human_plural(out, totals->added, "new page");
	(void)buf_print(out, ", ");
	human_count(out, totals->known);
	(void)buf_print(out, " known, ");
	human_count(out, totals->history);
	(void)buf_print(out, " with a fetch that was not known");
	if (totals->unlisted > 0) {
		(void)buf_print(out, "; ");
		human_count(out, totals->unlisted);
		(void)buf_print(out, " that no sitemap here lists");
	}
	(void)buf_put_char(out, '\n');
}

static void
put_json(struct buf *out, const struct import *import)
{
	(void)buf_print(out, "{\"v\":1");
	out_json_word(out, "type", slice_of("import"));
	out_json_number(out, "lines", import->lines);
	out_json_number(out, "bad", import->bad);
	out_json_number(out, "new", import->totals.added);
	out_json_number(out, "known", import->totals.known);
	out_json_number(out, "history", import->totals.history);
	out_json_number(out, "unlisted", import->totals.unlisted);
	(void)buf_print(out, "}\n");
}

/* CLI section 3: 4 when no line was good, 1 when some were not. */
static int
tell(const struct import *import)
{
	const struct options *options = import->options;
	uint64_t good = import->totals.added + import->totals.known;
	struct out out;
	int written;

	out_init(&out, options);
	if (options->is_json)
		put_json(&out.text, import);
	else if (!options->is_quiet)
		put_text(&out.text, import);
	written = out_finish(&out);
	if (written != EXIT_DONE)
		return written;
	if (import->error != 0) {
		char room[128];

		complain("cannot read '%s': %s", import->name,
		    strerror_r(import->error, room, sizeof(room)));
		return EXIT_DISK;
	}
	if (import->bad == 0)
		return EXIT_DONE;
	return good == 0 ? EXIT_NO_TARGET : EXIT_FINDINGS;
}

int
command_import(struct options *options)
{
	const char *name = options->args.count > 0 ? options->args.items[0]
						   : "-";
	struct import import = {.options = options, .name = name};
	const struct way way = {here, there, &import};
	bool is_stdin = strcmp(name, "-") == 0;
	char room[128];
	int status, fd;

	fd = is_stdin ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		complain("cannot read '%s': %s", name,
		    strerror_r(errno, room, sizeof(room)));
		return EXIT_USAGE;
	}
	if (is_stdin)
		import.name = "stdin";
	exit_on_signals();
	status = way_go(&way);
	if (status == EXIT_DONE) {
		status = read_all(&import, fd);
		store_close(import.store);
	}
	if (status == EXIT_DONE)
		status = tell(&import);
	import_line_release(&import.line);
	if (!is_stdin)
		(void)close(fd);
	return status;
}
