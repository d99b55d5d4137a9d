/* What the unit tests of values share: cmocka, and a sink that remembers. */
#ifndef FRESHET_UNIT_FIXTURE_H
#define FRESHET_UNIT_FIXTURE_H

/* cmocka.h wants these four before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/diag.h"
#include "base/slice.h"

/* How often each code came. */
struct seen {
	unsigned count[DIAG_COUNT];
};

static inline void
seen_emit(void *arg, enum diag_code code, struct slice detail)
{
	struct seen *seen = arg;

	(void)detail;
	seen->count[code]++;
}

static inline struct diag_sink
seen_sink(struct seen *seen)
{
	return (struct diag_sink){seen_emit, seen};
}

/* seen_names(seen, out): the codes that came, in order of the catalogue,
 * separated by spaces, a code that came twice with "x2". */
static inline const char *
seen_names(const struct seen *seen, struct buf *out)
{
	buf_clear(out);
	for (int i = 0; i < DIAG_COUNT; i++) {
		if (seen->count[i] == 0)
			continue;
		if (out->len > 0)
			(void)buf_put_char(out, ' ');
		(void)buf_print(out, "%s", diag_name((enum diag_code)i));
		if (seen->count[i] > 1)
			(void)buf_print(out, "x%u", seen->count[i]);
	}
	return buf_str(out);
}

/* assert_close(a, b, error): |a - b| <= error; cmocka's own is for floats. */
#define assert_close(a, b, error)                                           \
	do {                                                                \
		if (!is_close((a), (b), (error)))                           \
			fail_msg("%s is %.12g, wanted %.12g within %g", #a, \
			    (double)(a), (double)(b), (double)(error));     \
	} while (0)

/* is_close(a, b, error): false for NaN. */
static inline bool
is_close(double a, double b, double error)
{
	return a >= b - error && a <= b + error;
}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The text of a slice that may hold no NUL, as an owned string of buf. */
static inline const char *
text_of(struct buf *buf, struct slice text)
{
	buf_clear(buf);
	(void)buf_put_slice(buf, text);
	return buf_str(buf);
}

#endif
