/* freshet doctor: whether this machine can run freshet well. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/human.h"
#include "base/mem.h"
#include "base/out_json.h"
#include "crawler/cli/out.h"
#include "crawler/commands/commands.h"
#include "crawler/commands/doctor_checks.h"
#include "crawler/commands/doctor_report.h"
#include "crawler/event/exit.h"

#define STATUS_WIDTH 6 /* columns of "warn  " */
#define NAME_WIDTH 26 /* columns of "  warn  name" */

static const char *const status_names[] = {"ok", "warn", "bad"};

static size_t
count_status(const struct doctor *doctor, enum doctor_status status)
{
	size_t count = 0;

	for (size_t i = 0; i < doctor->count; i++)
		count += doctor->items[i].status == status;
	return count;
}

/* For people. */

/* Append the text in lines that begin at that column. */
static void
put_wrapped(struct out *out, size_t width, const char *text)
{
	struct buf lines;
	char first[NAME_WIDTH + 1];

	memset(first, ' ', width);
	first[width] = '\0';
	buf_init(&lines, SIZE_MAX);
	out_wrapped(&lines, first, text);
	/* the first line has its beginning already */
	(void)buf_put_slice(&out->text, slice_from(buf_text(&lines), width));
	buf_release(&lines);
}

static void
put_check(struct out *out, const struct doctor_check *check)
{
	static const enum severity severities[] = {
	    SEVERITY_NONE, SEVERITY_WARNING, SEVERITY_ERROR};
	size_t from;

	(void)buf_print(&out->text, "  ");
	out_severity(out, severities[check->status]);
	(void)buf_print(&out->text, "%s", status_names[check->status]);
	out_severity(out, SEVERITY_NONE);
	(void)buf_print(&out->text, "%*s",
	    (int)(STATUS_WIDTH - strlen(status_names[check->status])), "");
	from = out->text.len;
	(void)buf_print(&out->text, "%s", check->name);
	out_pad(out, from, NAME_WIDTH - STATUS_WIDTH - 2);
	put_wrapped(out, NAME_WIDTH, check->text);
	if (check->remedy == NULL)
		return;
	from = out->text.len;
	out_pad(out, from, NAME_WIDTH);
	put_wrapped(out, NAME_WIDTH, check->remedy);
}

static void
put_all(struct out *out, const struct doctor *doctor)
{
	const char *group = "";
	size_t warnings = count_status(doctor, DOCTOR_WARN);

	for (size_t i = 0; i < doctor->count; i++) {
		const struct doctor_check *check = &doctor->items[i];

		if (strcmp(group, check->group) != 0)
			(void)buf_print(&out->text, "%s\n", check->group);
		group = check->group;
		put_check(out, check);
	}
	(void)buf_print(&out->text, "%zu ok, %zu warning%s, %zu bad\n",
	    count_status(doctor, DOCTOR_OK), warnings, warnings == 1 ? "" : "s",
	    count_status(doctor, DOCTOR_BAD));
}

/* For programs. */

static void
json_all(struct buf *out, const struct doctor *doctor)
{
	for (size_t i = 0; i < doctor->count; i++) {
		const struct doctor_check *check = &doctor->items[i];

		(void)buf_put_slice(out, slice_of("{\"v\":1"));
		out_json_word(out, "type", slice_of("check"));
		out_json_word(out, "group", slice_of(check->group));
		out_json_word(out, "name", slice_of(check->name));
		out_json_word(
		    out, "status", slice_of(status_names[check->status]));
		out_json_word(out, "text", slice_of(check->text));
		out_json_word(out, "remedy", slice_of(check->remedy));
		(void)buf_put_slice(out, slice_of("}\n"));
	}
	(void)buf_put_slice(out, slice_of("{\"v\":1"));
	out_json_word(out, "type", slice_of("summary"));
	out_json_number(out, "ok", count_status(doctor, DOCTOR_OK));
	out_json_number(out, "warn", count_status(doctor, DOCTOR_WARN));
	out_json_number(out, "bad", count_status(doctor, DOCTOR_BAD));
	(void)buf_put_slice(out, slice_of("}\n"));
}

int
command_doctor(struct options *options)
{
	struct doctor doctor = {.options = options};
	struct out out;
	int status;
	int written;

	/* must run before a library starts a thread */
	doctor_sandbox(&doctor);
	if (!options->is_sandbox_test) {
		doctor_libraries(&doctor);
		doctor_system(&doctor);
		doctor_network(&doctor);
		doctor_store(&doctor);
	}
	status = count_status(&doctor, DOCTOR_BAD) > 0 ? EXIT_FINDINGS
						       : EXIT_DONE;
	out_init(&out, &options->output);
	if (options->output.is_json)
		json_all(&out.text, &doctor);
	else
		put_all(&out, &doctor);
	written = out_finish(&out);
	for (size_t i = 0; i < doctor.count; i++)
		free(doctor.items[i].text);
	free(doctor.items);
	return written != EXIT_DONE ? written : status;
}
