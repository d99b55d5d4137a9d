/* Reports of a seed, whose texts are attacks on every format. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "tests/report/samples.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static const char *const attacks[] = {
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "' onmouseover='alert(1)",
    "</style><script>alert(1)</script>",
    "</title></head><body onload=alert(1)>",
    "--><svg/onload=alert(1)>",
    "]]><x/>",
    "<![CDATA[",
    "&lt;&amp;&#0;&x;",
    "\n::error file=x::y\r\n##[error]z",
    "%0A::set-output name=x::y%25",
    "file,line=1:title=::",
    "\x1b[31m\x1b]0;x\a",
    "\xff\xfe\x80 no UTF-8 \xc3",
    "\xed\xa0\x80\xef\xbf\xbe\xef\xbf\xbf\xf4\x90\x80\x80",
    "\xe2\x80\xae\xe2\x81\xa6 bidi \xe2\x80\xa8\xef\xbb\xbf",
    "\x01\x02\x0b\x0c\x1f\x7f\xc2\x85",
    "\\u0000\\\"}]\x08",
    "gr\xc3\xbc\xc3\x9f \xe6\x97\xa5 \xd7\xa2\xd7\x91 \xf0\x9f\x98\x80",
    "javascript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "",
};

/* next(seed, n): 0 to n - 1. */
static unsigned
next(unsigned *seed, unsigned n)
{
	*seed = *seed * 1664525u + 1013904223u;
	return (*seed >> 8) % n;
}

/* word(seed, prefix): one or two attacks, and at times bytes at random. */
static const char *
word(unsigned *seed, const char *prefix)
{
	char text[400];
	size_t len = (size_t)snprintf(text, sizeof(text), "%s%s%s", prefix,
	    attacks[next(seed, LENGTH(attacks))],
	    next(seed, 3) == 0 ? attacks[next(seed, LENGTH(attacks))] : "");

	for (unsigned n = next(seed, 4) == 0 ? next(seed, 40) : 0; n > 0; n--)
		text[len++] = (char)(1 + next(seed, 255));
	text[len] = '\0';
	return mem_copy(text);
}

static const char *
url(unsigned *seed)
{
	static const char *const prefixes[] = {"https://a.example/",
	    "http://a.example:8080/x?", "https://[::1]/", "", "./", "/srv/",
	    "javascript:alert(1)//https://a.example/", "https://"};

	return word(seed, prefixes[next(seed, LENGTH(prefixes))]);
}

static struct report_finding
finding(unsigned *seed, enum diag_code code)
{
	struct report_finding made = {.code = code,
	    .severity = (enum severity)(1 + next(seed, 3)),
	    .sample_count = next(seed, REPORT_SAMPLES + 1)};

	for (size_t i = 0; i < made.sample_count; i++)
		made.samples[i] = (struct report_sample){
		    .line = next(seed, 3) * 17, .text = word(seed, "")};
	made.count = made.sample_count + next(seed, 3) * 1000 + 1;
	return made;
}

/* give_findings(seed, document): of different codes. */
static void
give_findings(unsigned *seed, struct report_document *document)
{
	size_t count = next(seed, 5);

	document->findings = mem_alloc(5 * sizeof(*document->findings));
	for (size_t i = 0; i < count; i++) {
		enum diag_code code = (enum diag_code)(
		    1 + next(seed, DIAG_COUNT - 1));
		bool is_known = false;

		for (size_t k = 0; k < document->finding_count; k++)
			if (document->findings[k].code == code)
				is_known = true;
		if (!is_known)
			document->findings[document->finding_count++] = finding(
			    seed, code);
	}
}

/* page(seed, report): of one of its documents, and with codes of that. */
static struct report_page
page(unsigned *seed, const struct report *report)
{
	struct report_page made = {.url = url(seed),
	    .document = next(seed, (unsigned)report->document_count),
	    .end = (enum page_end)next(seed, 3),
	    .status = next(seed, 2) == 0 ? 301 : 0,
	    .final_status = next(seed, 2) == 0 ? 200 : 0,
	    .hops = next(seed, 2),
	    .detail = next(seed, 2) == 0 ? word(seed, "") : "",
	    .noindex = next(seed, 2) == 0 ? word(seed, "") : "",
	    .canonical = (enum page_canonical)next(seed, 5),
	    .canonical_url = url(seed)};
	const struct report_document
	    *document = &report->documents[made.document];

	if (made.hops > 0)
		made.final_url = url(seed);
	for (size_t i = 0;
	     i < document->finding_count && made.code_count < REPORT_PAGE_CODES;
	     i++) {
		made.codes[made.code_count++] = document->findings[i].code;
		if (document->findings[i].severity > made.severity)
			made.severity = document->findings[i].severity;
	}
	return made;
}

static void
give_pages(unsigned *seed, struct report *report)
{
	report->began_s = 1795219200;
	if (report->document_count == 0)
		return;
	report->page_count = next(seed, 2) * next(seed, 60);
	report->pages = mem_alloc(60 * sizeof(*report->pages));
	for (size_t i = 0; i < report->page_count; i++)
		report->pages[i] = page(seed, report);
}

struct report *
samples_random(unsigned seed)
{
	struct report *report = mem_zero(sizeof(*report));
	const char *targets[3];

	report->profile = "lenient";
	report->target_count = 1 + next(&seed, LENGTH(targets));
	for (size_t i = 0; i < report->target_count; i++)
		targets[i] = url(&seed);
	report->targets = memcpy(mem_alloc(sizeof(targets)), targets,
	    report->target_count * sizeof(*targets));
	report->document_count = next(&seed, 12);
	report->documents = mem_alloc(12 * sizeof(*report->documents));
	for (size_t i = 0; i < report->document_count; i++) {
		struct report_document *document = &report->documents[i];

		*document = (struct report_document){.url = url(&seed),
		    .file = next(&seed, 4) == 0 ? url(&seed) : NULL,
		    .final_url = next(&seed, 3) == 0 ? url(&seed) : NULL,
		    .parent = i > 0 && next(&seed, 2) == 0
			? next(&seed, (unsigned)i)
			: UINT32_MAX,
		    .target = next(&seed, (unsigned)report->target_count),
		    .kind = (enum document_kind)next(&seed, KIND_COUNT),
		    .status = (enum report_status)next(&seed, 3),
		    .http_status = next(&seed, 2) == 0 ? 200 : 0,
		    .read_s = 1795219200,
		    .is_complete = next(&seed, 2) == 0,
		    .decoded_bytes = next(&seed, 100) * 1000,
		    .max_entries = 50000,
		    .max_bytes = 52428800,
		    .seen = next(&seed, 60000),
		    .newest = {.epoch_s = 1795219200 - next(&seed, 9999999),
			.precision = (uint8_t)next(&seed, DATE_FRACTION)},
		    .lastmod_shape = next(&seed, 2) == 0 ? "" : "always now"};
		document->accepted = document->seen / 2;
		document->entries = document->dated = document->seen / 2;
		give_findings(&seed, document);
	}
	give_pages(&seed, report);
	samples_finish(report);
	return report;
}
