/*
 * Reports made by hand, or of a seed, in one format on stdout:
 * report-sample NAME|SEED FORMAT [color|COLUMNS]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/slice.h"
#include "crawler/cli/out.h"
#include "crawler/report/report.h"
#include "tests/report/samples.h"

typedef void format_fn(const struct report *, struct out *);

static const struct {
	const char *name;
	format_fn *write;
} formats[] = {
    {"text", report_text},
    {"json", report_json},
    {"junit", report_junit},
    {"github", report_github},
    {"sarif", report_sarif},
    {"html", report_html},
    {"markdown", report_markdown},
};

int
main(int argc, char **argv)
{
	struct out out = {.fd = STDOUT_FILENO};
	static struct report *report; /* for the leak detector */

	if (argc < 3)
		return 2;
	report = samples_get(argv[1]);
	if (report == NULL)
		return 2;
	out.has_color = argc > 3 && strcmp(argv[3], "color") == 0;
	if (argc > 3 && !out.has_color)
		out.columns = strtoul(argv[3], NULL, 10);
	buf_init(&out.text, 1 << 26);
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (strcmp(argv[2], formats[i].name) == 0)
			formats[i].write(report, &out);
	return out_finish(&out);
}
