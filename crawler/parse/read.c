/* A reading: the stages are connected here, and their results become the
 * content. */
#include "crawler/parse/read.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/generator.h"
#include "base/host.h"
#include "base/robots.h"
#include "crawler/parse/charset.h"
#include "crawler/parse/document.h"
#include "crawler/parse/gunzip.h"
#include "crawler/parse/page.h"
#include "crawler/parse/read_entry.h"
#include "crawler/parse/redate.h"
#include "crawler/parse/scan.h"
#include "crawler/parse/xml.h"

#define PULL_BYTES 32768
#define LEGACY_BYTES 10485760 /* SPEC R-39 */
/* A challenge page shows within this many bytes that it is HTML. */
#define HEAD_BYTES 4096
#define WALL_BYTES 65536 /* no challenge page is longer */

struct stages {
	const struct read_job *job;
	const struct scope *scope;
	struct content *content;
	struct parser_events events;
	struct entries entries;
	struct gunzip *gunzip;
	struct gunzip_outcome unpacked;
	/* One of the two exists. */
	struct scan *scan;
	struct document_parser *document;
	enum diag_code failure; /* of document */
	struct digester *digester;
	struct buf head; /* the first bytes, until the kind is known */
	size_t head_bytes; /* so many are kept; 0: the kind is known */
	/* the first and the last bytes, which show the generator */
	char first[GENERATOR_HEAD], last[GENERATOR_TAIL];
	size_t first_len, last_len;
	struct page_scan *page; /* owned; exists if the document is HTML */
	uint64_t page_bytes; /* bytes given to page */
	bool is_over; /* FILE_TOO_LARGE is reported, and the reading goes on */
	/* the document is not well-formed: the rest of it is only counted */
	bool is_counting;
	uint64_t recent; /* the last eight bytes given to document */
	uint64_t ends; /* elements that each entry has once, by their ends */
	bool is_lost; /* the body could not be read */
	/* why the scanner must step aside, although it could go on, or has
	 * stepped aside */
	enum aside aside;
	bool is_scanned; /* the scanner has accepted the document */
	bool is_read; /* libxml2 has read it to its end */
};

/* feed_or_count(run, bytes): false when no more bytes are wanted; they are,
 * to be counted, behind an error that costs entries. */
static bool
feed_or_count(struct stages *run, struct slice bytes)
{
	if (document_feed(run->document, bytes))
		return true;
	run->is_counting = run->failure == DIAG_PARSE_ERROR;
	return run->is_counting;
}

/* on_decoded: takes the output of gunzip. */
static bool
on_decoded(void *arg, struct slice bytes)
{
	struct stages *run = arg;
	struct content *content = run->content;

	if (run->page == NULL) {
		content->decoded_bytes += bytes.len;
		digester_feed(run->digester, bytes);
		size_t first = sizeof(run->first) - run->first_len;
		size_t last = sizeof(run->last);

		if (first > bytes.len)
			first = bytes.len;
		memcpy(run->first + run->first_len, bytes.p, first);
		run->first_len += first;
		if (last > bytes.len)
			last = bytes.len;
		if (run->last_len + last > sizeof(run->last)) {
			size_t over = run->last_len + last - sizeof(run->last);

			run->last_len -= over;
			memmove(run->last, run->last + over, run->last_len);
		}
		memcpy(run->last + run->last_len, bytes.p + (bytes.len - last),
		    last);
		run->last_len += last;
		if (content->decoded_bytes > run->scope->limits.max_bytes &&
		    !run->is_over && !run->is_counting) {
			/* The parsers work in pieces of different sizes, so
			 * that a finding about the bytes would stand at another
			 * place between those about entries: the scanner steps
			 * aside. */
			if (run->scan != NULL) {
				run->aside = ASIDE_RULE;
				return false;
			}
			run->is_over = true;
			findings_add(&content->findings, DIAG_FILE_TOO_LARGE, 0,
			    slice_of(NULL));
		}
		/* Keep a copy of the first HEAD_BYTES, and feed the document.
		 */
		size_t room = run->head_bytes - run->head.len;
		struct slice part = bytes;

		if (run->scan != NULL)
			return scan_feed(run->scan, bytes);
		/* Count </loc>, </item> and </entry>: an error says how many
		 * entries it costs. */
		for (size_t i = 0; i < bytes.len; i++) {
			uint64_t eight = run->recent << 8 |
			    (unsigned char)bytes.p[i];

			run->recent = eight;
			run->ends += bytes.p[i] == '>' &&
			    ((eight & 0xFFFFFFFFFFFF) == 0x3C2F6C6F633E ||
				(eight & 0xFFFFFFFFFFFFFF) ==
				    0x3C2F6974656D3E ||
				eight == 0x3C2F656E7472793E);
		}
		if (run->is_counting)
			return true;
		if (room == 0)
			return feed_or_count(run, bytes);
		if (part.len > room)
			part.len = room;
		(void)buf_put_slice(&run->head, part);
		bytes = slice_from(bytes, part.len);
		if (feed_or_count(run, part) && !run->is_counting) {
			if (run->head.len < run->head_bytes)
				return true;
			buf_release(&run->head);
			run->head_bytes = 0;
			return bytes.len == 0 || feed_or_count(run, bytes);
		}
		if (run->failure != DIAG_HTML_NOT_SITEMAP ||
		    run->head_bytes == 0)
			return run->is_counting;
		/* The document is a web page, and wants no more bytes: look
		 * whether a bot wall serves it.  The first bytes were kept, so
		 * that the page is scanned from its beginning, however the
		 * bytes were cut. */
		run->page = page_scan_new(NULL);
		run->page_bytes = run->head.len;
		(void)page_scan_feed(run->page, buf_text(&run->head));
	}
	run->page_bytes += bytes.len;
	return page_scan_feed(run->page, bytes) && run->page_bytes < WALL_BYTES;
}

static void
on_gunzip_finding(void *arg, enum diag_code code, struct slice text)
{
	struct stages *run = arg;

	/* Findings about the compression of a web page are of no use, nor
	 * those about what stands behind an error. */
	if (run->page != NULL || run->is_counting)
		return;
	/* This is the hard limit; the size was reported at the soft limit. */
	if (code == DIAG_FILE_TOO_LARGE && run->is_over)
		return;
	/* What is wrong with the compression, zlib has to say. */
	if (run->scan != NULL &&
	    (run->content->decoded_bytes > 0 ||
		code == DIAG_COMPRESSION_ERROR || code == DIAG_GZIP_TRUNCATED))
		run->aside = ASIDE_RULE;
	findings_add(&run->content->findings, code, 0, text);
}

/* body_unpack(job, gunzip): read the body until its end, or until no more is
 * wanted; gunzip is not told of the end. False: the body could not be read;
 * that is not reported as a truncated one. */
static bool
body_unpack(const struct read_job *job, struct gunzip *gunzip)
{
	char bytes[PULL_BYTES];
	ssize_t n;

	do {
		n = job->body(job->body_arg, bytes, sizeof(bytes));
	} while (n > 0 && gunzip_feed(gunzip, slice_make(bytes, (size_t)n)));
	return n >= 0;
}

/* body_unpack_all(job, with): read and unpack the whole body; of the options
 * the job has the limits, the type and the coding. False: it could not be read;
 * the failure of what was read is in the outcome. */
static bool
body_unpack_all(const struct read_job *job, const struct gunzip_options *with)
{
	struct gunzip_options options = *with;
	struct gunzip *gunzip;
	bool is_there;

	options.limits = &job->scope->limits;
	options.content_type = slice_of(job->scope->content_type);
	options.content_encoding = slice_of(job->scope->content_encoding);
	gunzip = gunzip_new(&options);
	is_there = body_unpack(job, gunzip);
	if (is_there)
		(void)gunzip_finish(gunzip);
	gunzip_free(gunzip);
	return is_there;
}

/* pull_body(run): read the body into the parser, and end that. */
static void
pull_body(struct stages *run)
{
	bool is_whole = false;

	run->is_lost = !body_unpack(run->job, run->gunzip);
	/* A transfer that ended early does not show where the file ends. */
	if (!run->is_lost && !run->scope->is_truncated)
		is_whole = gunzip_finish(run->gunzip);
	if (run->scan != NULL) {
		enum aside aside = scan_finish(run->scan, is_whole);

		if (run->aside == ASIDE_NO)
			run->aside = aside;
		run->is_scanned = run->aside == ASIDE_NO;
	} else {
		run->is_read = document_finish(run->document, is_whole);
	}
	/* what follows is about the whole document */
	findings_close(&run->content->findings, slice_of(NULL));
}

/* judge_document(run): the code for which this profile refuses the document;
 * DIAG_OK: it is accepted. */
static enum diag_code
judge_document(const struct stages *run)
{
	const struct content *content = run->content;
	enum diag_code code = run->failure;

	if (run->is_lost)
		return DIAG_READER_KILLED;
	if (run->entries.failure != DIAG_OK)
		return run->entries.failure;
	if (code == DIAG_OK)
		code = run->unpacked.failure;
	if (code == DIAG_OK && run->scope->is_truncated)
		code = DIAG_FETCH_NETWORK_ERROR;
	if (code == DIAG_OK)
		return DIAG_OK;
	/* SPEC R-02: a partial document can be kept only if its kind is known.
	 */
	if (content->kind == KIND_UNKNOWN ||
	    run->scope->location.profile.on_partial == PARTIAL_DROP)
		return code;
	return DIAG_OK;
}

static void
add_counted(struct findings *findings, enum diag_code code, uint64_t count)
{
	if (count == 0)
		return;
	if (findings_get(findings, code) == NULL) {
		findings_add(findings, code, 0, slice_of(NULL));
		count--;
	}
	for (size_t i = 0; i < findings->count; i++)
		if (findings->items[i].code == code)
			findings->items[i].count += count;
}

/* add_repeats(content, sorter): report repeated URLs, each at the later of two
 * entries. */
static void
add_repeats(struct content *content, struct sorter *sorter)
{
	enum diag_code code = content->kind == KIND_INDEX ? DIAG_DUPLICATE_CHILD
							  : DIAG_DUPLICATE_URL;
	const struct sorter_end *end = sorter_end(sorter);
	struct buf text = BUF_UP_TO(SIZE_MAX);

	for (size_t i = 0; i < end->sample_count; i++) {
		const struct sorter_repeat *repeat = &end->samples[i];

		buf_clear(&text);
		(void)buf_print(&text, "%s is also entry %" PRIu32, repeat->url,
		    repeat->first + 1);
		content->findings.entry = repeat->again + 1;
		findings_add(&content->findings, code,
		    content_line(buf_text(&content->lines), repeat->again),
		    buf_text(&text));
		findings_close(&content->findings, slice_of(repeat->url));
	}
	buf_release(&text);
	add_counted(&content->findings, code, end->repeats - end->sample_count);
}

/* merge(run): merge the entries with the previous segment into segment and
 * delta. */
static enum diag_code
merge(struct stages *run)
{
	const struct read_job *job = run->job;
	struct content *content = run->content;
	struct sorter *sorter = run->entries.sorter;
	struct merge_options options = {.now_s = run->scope->now_s,
	    .is_complete = content->is_complete,
	    .is_held = run->scope->is_held,
	    .absent_s = run->scope->absent_s,
	    .missed_open_s = run->scope->missed_open_s,
	    .held_open_s = run->scope->held_open_s,
	    .is_first = run->scope->is_first,
	    .is_baseline = run->scope->is_baseline,
	    .is_feed = content->kind == KIND_RSS || content->kind == KIND_ATOM,
	    .window = run->scope->window,
	    .is_bare = job->is_bare,
	    .is_in_a_hurry = run->scope->is_scratch,
	    .previous = run->scope->has_previous ? job->previous : NULL,
	    .previous_arg = job->previous_arg,
	    .segment = job->segment,
	    .segment_arg = job->segment_arg,
	    .delta = job->delta,
	    .delta_arg = job->delta_arg};

	if (run->scope->checks.has_extensions)
		alternates_judge(&run->entries.links.alternates,
		    &content->findings,
		    run->scope->checks.has_alternates ? NULL
						      : &content->alternates);
	enum diag_code code = DIAG_READER_KILLED;

	if (sorter_finish(sorter))
		code = merge_run(&options, sorter, &content->merge);
	if (code == DIAG_STORE_DAMAGED) {
		findings_add(&content->findings, DIAG_STORE_DAMAGED, 0,
		    slice_of("what the store holds of this document cannot be "
			     "decoded; crawl --force reads it as if for the "
			     "first time"));
		return DIAG_STORE_DAMAGED;
	}
	if (code != DIAG_OK) {
		findings_add(&content->findings, DIAG_READER_KILLED, 0,
		    slice_of("scratch file"));
		return DIAG_READER_KILLED;
	}
	add_repeats(content, sorter);
	add_counted(&content->findings, DIAG_LASTMOD_REGRESSED,
	    content->merge.regressed);
	return DIAG_OK;
}

static enum diag_code
conclude(struct stages *run)
{
	struct content *content = run->content;
	enum diag_code failure = judge_document(run);
	const char *wall = NULL;
	char text[64];

	content->gzip_layers = run->unpacked.layers;
	content->decoded_digest = digester_value(run->digester);
	content->is_scanned = run->is_scanned;
	content->is_complete = run->is_scanned || run->is_read;
	if (failure != DIAG_OK) {
		/* If a bot wall's page came instead of the document, the
		 * finding names the wall. */
		if (run->page != NULL)
			wall = page_wall_name(page_scan_facts(run->page).wall);
		if (wall != NULL) {
			(void)snprintf(
			    text, sizeof(text), PAGE_OF_WALL "%s", wall);
			findings_say(&content->findings, DIAG_HTML_NOT_SITEMAP,
			    slice_of(text));
		}
		if (failure == DIAG_READER_KILLED)
			findings_add(&content->findings, DIAG_READER_KILLED, 0,
			    slice_of(run->is_lost ? "body" : "scratch"));
		return failure;
	}
	if (!content->is_complete) {
		struct buf lost = BUF_UP_TO(128);

		if (run->failure == DIAG_PARSE_ERROR &&
		    run->ends > content->seen)
			(void)buf_print(&lost,
			    "%" PRIu64 " of its %" PRIu64
			    " entries are lost: they stand at the error, or "
			    "behind it",
			    run->ends - content->seen, run->ends);
		findings_add(&content->findings, DIAG_PARTIAL_DOCUMENT, 0,
		    buf_text(&lost));
		buf_release(&lost);
	} else if (content->seen == 0 &&
	    findings_get(&content->findings, DIAG_WRONG_ROOT) == NULL)
		findings_add(
		    &content->findings, DIAG_EMPTY_SITEMAP, 0, slice_of(NULL));
	/* SPEC R-39. A document over the limit of today has FILE_TOO_LARGE
	 * only. */
	const struct scope *scope = run->scope;
	uint64_t bytes = run->content->decoded_bytes;

	if (scope->checks.has_legacy && bytes > LEGACY_BYTES && !run->is_over &&
	    run->unpacked.failure != DIAG_FILE_TOO_LARGE)
		findings_add(&run->content->findings,
		    DIAG_FILE_OVER_LEGACY_LIMIT, 0, slice_of(NULL));

	entries_judge_dates(&run->entries,
	    slice_make(run->first, run->first_len),
	    slice_make(run->last, run->last_len));
	return merge(run);
}

/* A robots.txt: what is unpacked of it. */
struct robots_bytes {
	struct buf *out; /* of content: a byte for the wall, then the text */
	struct findings *findings;
};

static bool
on_robots_bytes(void *arg, struct slice bytes)
{
	struct robots_bytes *to = arg;
	size_t room = ROBOTS_MAX_BYTES + 2 - to->out->len;

	if (bytes.len > room)
		bytes.len = room;
	(void)buf_put_slice(to->out, bytes);
	return to->out->len < ROBOTS_MAX_BYTES + 2;
}

/* That the file is longer than its limit is reported by its parser. */
static void
on_robots_finding(void *arg, enum diag_code code, struct slice text)
{
	struct robots_bytes *to = arg;

	if (code != DIAG_FILE_TOO_LARGE && code != DIAG_GZIP_UNDECLARED)
		findings_add(to->findings, code, 0, text);
}

/* read_robots(job, content): read a robots.txt that is packed, or looks like a
 * page. Returns content->failure: DIAG_OK, also for a file that is longer than
 * its limit; a failure of gunzip.h; READER_KILLED: the body could not be read.
 */
static enum diag_code
read_robots(const struct read_job *job, struct content *content)
{
	struct robots_bytes to = {&content->page, &content->findings};
	struct gunzip_outcome unpacked;
	struct gunzip_options options = {.max_bytes = ROBOTS_MAX_BYTES + 1,
	    .outcome = &unpacked,
	    .out = on_robots_bytes,
	    .arg = &to,
	    .sink = {on_robots_finding, &to}};
	struct page_scan *scan;
	struct slice text;
	bool is_there;

	content_init(content);
	(void)buf_put_char(&content->page, 0);
	is_there = body_unpack_all(job, &options);
	content->failure = unpacked.failure;
	/* A transfer that was cut ends within a layer. */
	if (content->page.len > ROBOTS_MAX_BYTES ||
	    (job->scope->is_truncated &&
		content->failure == DIAG_GZIP_TRUNCATED))
		content->failure = DIAG_OK;
	if (!is_there)
		content->failure = DIAG_READER_KILLED;
	/* Is it the page of a bot wall? */
	text = slice_from(buf_text(&content->page), 1);
	if (robots_is_html(text)) {
		scan = page_scan_new(NULL);
		(void)page_scan_feed(scan, text);
		content->page.p[0] = (char)page_scan_facts(scan).wall;
		page_scan_free(scan);
	}
	return content->failure;
}

bool
read_robots_get(
    const struct content *content, unsigned *wall, struct slice *text)
{
	struct slice page = buf_text(&content->page);

	if (page.len < 1 || content->kind != KIND_UNKNOWN ||
	    content->alternates.len > 0 || content->seen > 0)
		return false;
	*wall = (unsigned char)page.p[0];
	*text = slice_from(page, 1);
	return *wall == 0 || page_wall_name(*wall) != NULL;
}

/* write_whole(fd, bytes): false: they could not be written. */
static bool
write_whole(int fd, struct slice bytes)
{
	while (bytes.len > 0) {
		ssize_t n = write(fd, bytes.p, bytes.len);

		if (n <= 0)
			return false;
		bytes = slice_from(bytes, (size_t)n);
	}
	return true;
}

/* read_page(job, content): read a listed page; content->page holds the facts
 * that page.h finds. There are no entries and no findings. Returns
 * content->failure: DIAG_OK, even for a page that the crawler cut;
 * UNSUPPORTED_ENCODING; with scope->page_bytes another failure of gunzip.h,
 * too; READER_KILLED: the body could not be read, or the main text not be
 * written. */
static enum diag_code
read_page(const struct read_job *job, struct content *content)
{
	const struct scope *scope = job->scope;
	struct page_options what = {.url = &scope->location.final,
	    .content_type = slice_of(scope->content_type),
	    .agent = slice_of(scope->agent),
	    .max_bytes = scope->page_bytes > 0 ? scope->page_bytes
					       : PAGE_MAX_BYTES,
	    .wants_text = scope->wants_text};
	struct page_scan *scan = page_scan_new(&what);
	struct gunzip_outcome unpacked;
	/* One byte more, to notice that a page is longer.  Findings about its
	 * compression are of no use to the site that lists it. */
	struct gunzip_options options = {.max_bytes = what.max_bytes + 1,
	    .outcome = &unpacked,
	    .out = page_scan_feed,
	    .arg = scan};
	struct page_facts facts;

	content_init(content);
	bool is_there = body_unpack_all(job, &options);

	facts = page_scan_facts(scan);
	/* of a body that could not be unpacked, nothing is known */
	if (unpacked.failure != DIAG_OK)
		facts.is_empty = false;
	facts.is_cut |= unpacked.failure == DIAG_FILE_TOO_LARGE;
	/* A page whose beginning is wanted may break off, and a body that was
	 * cut ends within a layer. */
	if (unpacked.failure == DIAG_UNSUPPORTED_ENCODING ||
	    (scope->page_bytes > 0 && !facts.is_cut &&
		!(scope->is_truncated &&
		    unpacked.failure == DIAG_GZIP_TRUNCATED)))
		content->failure = unpacked.failure;
	if (!is_there)
		content->failure = DIAG_READER_KILLED;
	if (!write_whole(job->scratch_fd, page_scan_text(scan)))
		content->failure = DIAG_READER_KILLED;
	page_put(&content->page, &facts);
	page_scan_free(scan);
	return content->failure;
}

static bool
redated_on_bytes(void *arg, struct slice bytes)
{
	return buf_put_slice(arg, bytes);
}

/* read_redated(job, content): see read.h. */
static enum diag_code
read_redated(const struct read_job *job, struct content *content)
{
	const struct scope *scope = job->scope;
	struct gunzip_outcome unpacked = {DIAG_OK, 0};
	struct digester *digester = digester_new();
	struct buf text = {0}, made = {0}, packed = {0};
	struct gunzip_options options = {.max_bytes = scope->limits.hard_bytes,
	    .outcome = &unpacked,
	    .out = redated_on_bytes,
	    .arg = &text};
	struct slice left;

	content_init(content);
	if (!body_unpack_all(job, &options) || unpacked.failure != DIAG_OK ||
	    !redate(buf_text(&text), slice_of(scope->dates), &made,
		&content->accepted))
		content->failure = DIAG_PARSE_ERROR;
	content->seen = slice_count(slice_of(scope->dates), '\n');
	digester_feed(digester, buf_text(&text));
	content->decoded_digest = digester_value(digester);
	left = buf_text(&made);
	if (unpacked.layers > 0 && content->failure == DIAG_OK) {
		gunzip_pack(left, &packed);
		left = buf_text(&packed);
	}
	if (content->failure == DIAG_OK && !write_whole(job->scratch_fd, left))
		content->failure = DIAG_READER_KILLED;
	digester_free(digester);
	buf_release(&text);
	buf_release(&made);
	buf_release(&packed);
	return content->failure;
}

static void
stages_open(struct stages *run, const struct read_job *job,
    struct content *content, bool has_scan)
{
	*run = (struct stages){
	    .job = job, .scope = job->scope, .content = content};
	content_init(content);
	entries_init(&run->entries, job->scope, content, job->scratch_fd);
	run->events = (struct parser_events){.root = entries_root,
	    .open = entries_open,
	    .entry = entries_take,
	    .finding = entries_finding,
	    .hub = entries_hub,
	    .arg = &run->entries};
	run->digester = digester_new();
	if (has_scan)
		run->scan = scan_new(&run->events, job->scope);
	else
		run->document = document_new(
		    &run->events, job->scope, &run->failure);
	const struct scope *scope = run->scope;
	/* The number of decoded bytes at which the reading ends (SPEC R-38,
	 * */
	bool is_all = scope->location.profile.limit_overrun == OVERRUN_ALL &&
	    scope->limits.hard_bytes > scope->limits.max_bytes;
	struct gunzip_options options = {.limits = &scope->limits,
	    .max_bytes = is_all ? scope->limits.hard_bytes
				: scope->limits.max_bytes,
	    .content_type = slice_of(scope->content_type),
	    .content_encoding = slice_of(scope->content_encoding),
	    .is_fast = run->scan != NULL,
	    .outcome = &run->unpacked,
	    .out = on_decoded,
	    .arg = run,
	    .sink = {on_gunzip_finding, run}};

	if (run->entries.base != NULL)
		options.path = url_path(run->entries.base);
	run->gunzip = gunzip_new(&options);
	run->head_bytes = HEAD_BYTES;
}

static void
stages_close(struct stages *run)
{
	scan_free(run->scan);
	document_free(run->document);
	page_scan_free(run->page);
	buf_release(&run->head);
	gunzip_free(run->gunzip);
	digester_free(run->digester);
	entries_release(&run->entries);
}

enum diag_code
read_document(const struct read_job *job, struct content *content)
{
	struct stages run;

	if (job->scope->is_page)
		return read_page(job, content);
	if (job->scope->is_robots)
		return read_robots(job, content);
	if (job->scope->dates != NULL)
		return read_redated(job, content);
	stages_open(&run, job, content, !job->scope->is_scan_off);
	pull_body(&run);
	if (run.scan != NULL && !run.is_scanned) {
		/* The scanner has stepped aside: read the document from the
		 * start with libxml2. */
		enum aside aside = run.aside;

		stages_close(&run);
		content_release(content);
		stages_open(&run, job, content, false);
		content->aside = aside;
		if (job->rewind(job->body_arg))
			pull_body(&run);
		else
			run.is_lost = true;
	}
	content->failure = conclude(&run);
	stages_close(&run);
	return content->failure;
}

void
read_warm(void)
{
	xml_warm();
	encoding_warm();
	gunzip_warm();
	host_warm();
}
