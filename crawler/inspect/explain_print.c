/* The lines that `explain` prints. */
#include "crawler/inspect/explain_print.h"

#include <string.h>

void
explain_label(struct out *out, enum severity severity, const char *name)
{
	size_t from;

	out_severity(out, severity);
	from = out->text.len;
	(void)buf_print(&out->text, "%s", name);
	out_pad(out, from, strlen(EXPLAIN_INDENT));
	out_severity(out, SEVERITY_NONE);
}
