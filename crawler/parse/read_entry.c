/* Each entry of a document is normalised, judged, dated and given to the
 * sorter. */
#include "crawler/parse/read_entry.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/civil.h"
#include "base/generator.h"
#include "base/host.h"
#include "crawler/parse/charset.h"

#define HUB_BYTES 2048 /* of the URL of a hub */

static_assert((int)RAW_IMAGE == EXT_IMAGE && (int)RAW_VIDEO == EXT_VIDEO &&
	(int)RAW_NEWS == EXT_NEWS && (int)RAW_HREFLANG == EXT_HREFLANG &&
	(int)RAW_OTHER == EXT_OTHER,
    "the parsers' bits are the store's");

/* More alternates of one entry are not compared with each other. */
#define COMPARED_ALTERNATES 300

/* links_conflict(links, raw, i): has an earlier link the same language as the
 * i-th, which is in links->url, and another URL? */
static bool
links_conflict(const struct links *links, const struct raw_entry *raw, size_t i)
{
	const struct raw_link *link = &raw->links[i];
	bool is_other = false;
	struct url url = {0};

	if (link->language.len == 0 || i >= COMPARED_ALTERNATES)
		return false;
	for (size_t k = 0; k < i && !is_other; k++)
		is_other = raw->links[k].kind == RAW_ALTERNATE &&
		    slice_equal_nocase(
			raw->links[k].language, link->language) &&
		    !slice_equal(raw->links[k].url, link->url) &&
		    (url_parse(&url, raw->links[k].url, NULL, links->profile,
			 (struct diag_sink){0}) != DIAG_OK ||
			!slice_equal(url_text(&url), url_text(&links->url)));
	url_release(&url);
	return is_other;
}

/* links_take(links, page, ordinal, raw): judge the links of an entry that was
 * accepted as page. Findings: VIDEO_LOCATION_EQUALS_PAGE, VIDEO_INVALID_VALUE
 * (an uploader of another domain), HREFLANG_RELATIVE,
 * HREFLANG_CONFLICT, HREFLANG_MISSING_SELF. */
static void
links_take(struct links *links, const struct url *page, uint32_t ordinal,
    const struct raw_entry *raw)
{
	struct diag_sink none = {0};
	bool has_alternate = false;
	bool has_self = false;

	alternates_page(&links->alternates, url_text(page));
	for (size_t i = 0; i < raw->link_count; i++) {
		const struct raw_link *link = &raw->links[i];
		enum diag_code code = url_parse(
		    &links->url, link->url, NULL, links->profile, none);

		switch (link->kind) {
		case RAW_ALTERNATE:
			has_alternate = true;
			if (links_conflict(links, raw, i))
				findings_add(links->findings,
				    DIAG_HREFLANG_CONFLICT, link->line,
				    link->url);
			if (code == DIAG_RELATIVE_URL || code == DIAG_EMPTY_TAG)
				findings_add(links->findings,
				    DIAG_HREFLANG_RELATIVE, link->line,
				    link->url);
			if (code != DIAG_OK)
				break;
			/* It is kept, to see whether it is returned. */
			alternates_link(&links->alternates,
			    url_text(&links->url), link->line,
			    slice_equal(url_host(&links->url), url_host(page)));
			if (links->list.out != NULL)
				alternate_list_add(&links->list, ordinal,
				    link->language, url_text(&links->url));
			if (slice_equal(url_text(&links->url), url_text(page)))
				has_self = true;
			break;
		case RAW_VIDEO_LOCATION:
			if (code == DIAG_OK &&
			    slice_equal(url_text(&links->url), url_text(page)))
				findings_add(links->findings,
				    DIAG_VIDEO_LOCATION_EQUALS_PAGE, link->line,
				    link->url);
			break;
		case RAW_UPLOADER:
			if (code != DIAG_OK ||
			    !host_is_kin(
				url_host(&links->url), url_host(page))) {
				/* Report an uploader of another domain. */
				struct buf text = BUF_UP_TO(SIZE_MAX);

				(void)buf_print(&text, "info of uploader: ");
				(void)buf_put_slice(&text, link->url);
				findings_add(links->findings,
				    DIAG_VIDEO_INVALID_VALUE, link->line,
				    buf_text(&text));
				buf_release(&text);
			}
			break;
		}
	}
	if (has_alternate && !has_self)
		findings_add(links->findings, DIAG_HREFLANG_MISSING_SELF,
		    raw->line, url_text(page));
}

#define WINDOW 24
#define LEAST 20 /* fewer dates lie in one window by chance */
#define FEW 5 /* fewer dates are of one day or moment by chance */

void
entries_init(struct entries *entries, const struct scope *scope,
    struct content *content, int scratch_fd)
{
	struct sorter_options options = {.max_bytes = scope->limits.sort_memory,
	    .scratch_fd = scratch_fd,
	    .now_s = scope->now_s};
	const int64_t times_s[UNIFORM_TIMES] = {
	    scope->now_s, scope->listed_s, scope->modified_s};

	*entries = (struct entries){.scope = scope, .content = content};
	if (scope->location.final.text.len > 0)
		entries->base = &scope->location.final;
	entries->sorter = sorter_new(&options);
	buf_init(&entries->converted, (size_t)4 * URL_MAX_BYTES);
	buf_init(&entries->first_host, URL_MAX_BYTES);
	struct uniform *uniform = &entries->uniform;
	*uniform = (struct uniform){0};
	uniform->is_html = true;
	for (int i = 0; i < UNIFORM_TIMES; i++) {
		uniform->times_s[i] = times_s[i];
		uniform->times_day[i] = times_s[i] / DAY_S;
	}

	if (scope->checks.has_extensions) {
		struct links *links = &entries->links;
		*links = (struct links){.profile = &scope->location.profile,
		    .findings = &content->findings,
		    .alternates = {.hash_key = scope->checks.hash_key}};
		buf_init(&links->alternates.urls, ALTERNATES_TEXT_MAX);
		buf_init(&links->alternates.near, ALTERNATES_TEXT_MAX);
		if (scope->checks.has_alternates)
			alternate_list_init(&links->list, &content->alternates);
	}
}

/* moment_add(uniform, ms): count the millisecond of a date. */
static void
moment_add(struct uniform *uniform, int64_t ms)
{
	struct uniform_moment *least = &uniform->moments[0];

	for (size_t i = 0; i < UNIFORM_MOMENTS; i++) {
		struct uniform_moment *moment = &uniform->moments[i];
		int64_t apart = moment->ms - ms;

		/* A build writes some of its dates a little later. */
		if (moment->count > 0 && apart >= -5 && apart <= 5) {
			moment->count++;
			return;
		}
		if (moment->count < least->count)
			least = moment;
	}
	if (least->count == 0) {
		*least = (struct uniform_moment){ms, 1};
		return;
	}
	uniform->is_over = true;
	for (size_t i = 0; i < UNIFORM_MOMENTS; i++)
		uniform->moments[i].count--;
}

/* uniform_window(uniform): the most dates in one window of 24 hours that lies
 * within 24 hours of one of the times. */
static uint64_t
uniform_window(const struct uniform *uniform)
{
	uint64_t most = 0;

	for (int i = 0; i < UNIFORM_TIMES; i++) {
		const uint32_t *hours = uniform->hours[i];
		uint64_t sum = 0;

		/* The densest window slides over the hours. */
		for (int hour = 0; hour < UNIFORM_HOURS; hour++) {
			sum += hours[hour];
			if (hour >= WINDOW)
				sum -= hours[hour - WINDOW];
			if (sum > most)
				most = sum;
		}
	}
	return most;
}

/* uniform_find(entries, made_by, count, at): what the dates say; DIAG_OK:
 * nothing. *count of them are of the day or the moment *at. */
static enum diag_code
uniform_find(const struct entries *entries, const struct generator *made_by,
    uint64_t *count, struct date *at)
{
	const struct uniform *uniform = &entries->uniform;
	const struct uniform_moment *moment = &uniform->moments[0];
	enum dates_source source = made_by == NULL ? DATES_GIVEN
						   : made_by->source;
	uint64_t near = 0, dated = uniform->dated;
	int64_t day = 0;
	bool is_all, is_even;

	for (size_t i = 1; i < UNIFORM_MOMENTS; i++)
		if (uniform->moments[i].count > moment->count)
			moment = &uniform->moments[i];
	for (int i = 0; i < UNIFORM_TIMES; i++)
		for (int k = 0; k < 3; k++)
			if (uniform->days[i][k] > near) {
				near = uniform->days[i][k];
				day = uniform->times_day[i] + k - 1;
			}
	/* In an index a date is that of a file, which a build does write, and
	 * what a feed lists is new by right. */
	*count = moment->count;
	*at = (struct date){.epoch_s = moment->ms / 1000,
	    .nanos = (uint32_t)(moment->ms % 1000) * 1000000,
	    .precision = DATE_FRACTION,
	    .zone = ZONE_EXPLICIT};
	if (entries->root == ROOT_URLSET && moment->count >= FEW &&
	    moment->count * 10 >= dated)
		return DIAG_LASTMOD_BUILD;
	*count = dated;
	*at = uniform->first;
	at->precision = DATE_SECOND;
	is_all = near >= FEW && near * 100 >= dated * 95;
	is_even = dated >= FEW && !uniform->has_several && !uniform->has_days;
	if (entries->root == ROOT_URLSET && is_even &&
	    (!is_all || source == DATES_AUTHOR || source == DATES_COMMITTER))
		return DIAG_LASTMOD_ONE_MOMENT;
	if (!is_even) {
		*count = near;
		*at = (struct date){.epoch_s = day * DAY_S,
		    .precision = DATE_DAY,
		    .zone = ZONE_ASSUMED};
	}
	if (dated >= LEAST && uniform_window(uniform) * 100 >= dated * 95)
		return DIAG_LASTMOD_UNIFORM;
	/* what news lists is new by right, too */
	return entries->root == ROOT_URLSET && near >= FEW &&
		near * 2 >= dated &&
		entries->content->published.precision == DATE_NONE
	    ? DIAG_LASTMOD_UNIFORM
	    : DIAG_OK;
}

void
entries_judge_dates(
    struct entries *entries, struct slice head, struct slice tail)
{
	const struct uniform *uniform = &entries->uniform;
	const struct uniform_moment *moment = &uniform->moments[0];
	struct content *content = entries->content;
	struct generator_signs signs = {.head = head,
	    .tail = tail,
	    .has_hints = uniform->has_hints,
	    .hints = uniform->hints,
	    .is_html = uniform->is_html,
	    .is_moment = moment->count > 0 &&
		moment->count == content->accepted};
	const struct generator *made_by;
	const char *reason;
	enum diag_code code;
	struct date at;
	struct buf text = BUF_UP_TO(256);
	uint64_t count;

	if (entries->base != NULL) {
		struct slice path = url_path(entries->base);
		const char *slash = memrchr(path.p, '/', path.len);

		signs.name = slash == NULL
		    ? path
		    : slice_from(path, (size_t)(slash - path.p) + 1);
	}
	content->generator = generator_recognise(&signs);
	made_by = generator_of(content->generator, &reason);
	code = uniform_find(entries, made_by, &count, &at);
	if (code == DIAG_OK)
		return;
	content->build_s = at.epoch_s > 0 ? (uint64_t)at.epoch_s : 0;
	(void)buf_print(&text, "%s%" PRIu64 " of %" PRIu64 " dates are ",
	    uniform->is_over && at.precision > DATE_DAY ? "at least " : "",
	    count, uniform->dated);
	date_print(&text, &at);
	if (code == DIAG_LASTMOD_UNIFORM)
		(void)buf_print(&text,
		    ", within a day of the file or of this reading%s",
		    at.precision == DATE_DAY ? ""
					     : ": the time of the build, or of "
					       "the last commit of a shallow "
					       "clone");
	findings_add(&content->findings, code, 0, buf_text(&text));
	buf_release(&text);
}

void
entries_release(struct entries *entries)
{
	sorter_free(entries->sorter);
	url_release(&entries->url);
	buf_release(&entries->converted);
	buf_release(&entries->first_host);
	if (entries->scope->checks.has_extensions) {
		struct links *links = &entries->links;

		buf_release(&links->alternates.urls);
		buf_release(&links->alternates.near);
		free(links->alternates.pages);
		free(links->alternates.links);
		buf_release(&links->list.last);
		url_release(&links->url);
	}
}

void
entries_finding(
    void *arg, enum diag_code code, uint32_t line, struct slice text)
{
	struct entries *entries = arg;

	findings_add(&entries->content->findings, code, line, text);
}

void
entries_hub(void *arg, struct slice url)
{
	struct entries *entries = arg;

	if (entries->content->page.len == 0 && url.len <= HUB_BYTES)
		(void)buf_put_slice(&entries->content->page, url);
}

/* read_entry_report(entries, code): report a finding about the current value.
 * Its text is the whole value, even if only a part was repaired. */
static void
read_entry_report(struct entries *entries, enum diag_code code)
{
	entries_finding(entries, code, entries->line, entries->subject);
}

/* on_detail: SPEC R-21: a relative link in Atom is no finding. */
static void
on_detail(void *arg, enum diag_code code, struct slice detail)
{
	const struct entries *entries = arg;

	(void)detail;
	if (code != DIAG_RELATIVE_URL || !entries->is_resolvable)
		read_entry_report(arg, code);
}

/* refuse_document(entries, code): what this profile does not read at all.
 * False, to end the parser. */
static bool
refuse_document(struct entries *entries, enum diag_code code)
{
	read_entry_report(entries, code);
	entries->failure = code;
	return false;
}

bool
entries_root(void *arg, enum root_kind root)
{
	static const enum document_kind kinds[] = {[ROOT_NONE] = KIND_UNKNOWN,
	    [ROOT_INDEX] = KIND_INDEX,
	    [ROOT_URLSET] = KIND_URLSET,
	    [ROOT_TEXT] = KIND_TEXT,
	    [ROOT_RSS] = KIND_RSS,
	    [ROOT_ATOM] = KIND_ATOM};
	struct entries *entries = arg;
	const struct scope *scope = entries->scope;
	struct slice sent = slice_of(scope->content_type);
	struct slice rest = sent;
	struct slice type = slice_of(NULL);

	entries->root = root;
	entries->content->kind = kinds[root];
	/* SPEC R-78: is this a media type that cannot be meant for a document
	 * of this kind?  Servers send some types for files of any kind. */
	(void)slice_cut(&rest, ';', &type);
	if (type.len > 0 && !slice_ends_nocase(type, slice_of("gzip")) &&
	    !slice_ends_nocase(type, slice_of("/octet-stream")) &&
	    !slice_equal_nocase(type, slice_of("text/plain")) &&
	    (root == ROOT_TEXT ||
		slice_equal_nocase(type, slice_of("application/xhtml+xml")) ||
		(!slice_ends_nocase(type, slice_of("/xml")) &&
		    !slice_ends_nocase(type, slice_of("+xml")))))
		entries_finding(entries, DIAG_WRONG_CONTENT_TYPE, 0, sent);
	else if (root != ROOT_TEXT &&
	    findings_get(&entries->content->findings, DIAG_ENCODING_NOT_UTF8) ==
		NULL) {
		/* RFC 7303: the charset of the header is stronger than what the
		 * document itself says. */
		struct slice parameter;

		while (slice_cut(&rest, ';', &parameter)) {
			struct slice value = parameter;
			struct slice name;

			if (!slice_cut(&value, '=', &name) ||
			    !slice_equal_nocase(name, slice_of("charset")))
				continue;
			value = slice_trim(value);
			if (value.len > 1 && value.p[0] == '"')
				value = slice_make(value.p + 1, value.len - 2);
			if (value.len > 0 &&
			    !slice_equal_nocase(value, slice_of("utf-8")) &&
			    !slice_equal_nocase(value, slice_of("utf8")) &&
			    !slice_equal_nocase(value, slice_of("us-ascii")))
				entries_finding(
				    entries, DIAG_WRONG_CONTENT_TYPE, 0, sent);
		}
	}
	if (root != ROOT_INDEX || !scope->is_child)
		return true;
	/* SPEC R-17: may an index be the child of an index here? */
	if (scope->location.profile.nested_index == NESTED_REJECT)
		return refuse_document(entries, DIAG_NESTED_INDEX);
	read_entry_report(entries, DIAG_NESTED_INDEX);
	if (scope->depth >= INDEX_MAX_DEPTH)
		return refuse_document(entries, DIAG_INDEX_TOO_DEEP);
	return true;
}

/* count_ok(entries): is there room for one more entry (SPEC )?
 */
static bool
count_ok(struct entries *entries)
{
	const struct read_limits *limits = &entries->scope->limits;
	uint64_t seen = ++entries->content->seen;
	int rule = entries->scope->location.profile.limit_overrun;

	if (seen <= limits->max_entries)
		return true;
	enum diag_code code = entries->root == ROOT_INDEX
	    ? DIAG_TOO_MANY_SITEMAPS
	    : DIAG_TOO_MANY_URLS;
	if (rule == OVERRUN_DROP)
		return refuse_document(entries, code);
	if (!entries->is_over)
		read_entry_report(entries, code);
	entries->is_over = true;
	entries->is_cut = rule == OVERRUN_FIRST || seen > limits->hard_entries;
	return !entries->is_cut;
}

/* decode_line(entries, loc): SPEC R-01: the bytes of a line in a text list may
 * show that they are in another encoding. */
static bool
decode_line(struct entries *entries, struct slice *loc)
{
	if (entries->root != ROOT_TEXT || utf8_is_valid(*loc))
		return true;
	if (entries->scope->location.profile.name == PROFILE_STRICT)
		return refuse_document(entries, DIAG_ENCODING_NOT_UTF8);
	buf_clear(&entries->converted);
	const char *name = charset_guess(&entries->converted, *loc);
	if (!entries->is_foreign_text)
		entries_finding(entries, DIAG_ENCODING_NOT_UTF8, entries->line,
		    slice_of(name));
	entries->is_foreign_text = true;
	*loc = buf_text(&entries->converted);
	return true;
}

/* read_entry_normalise(entries, loc): parse the URL of an entry; the links of
 * Atom are relative to the document, whatever the profile says. */
static enum diag_code
read_entry_normalise(struct entries *entries, struct slice loc)
{
	const struct profile *profile = &entries->scope->location.profile;
	struct profile resolving;

	if (entries->is_resolvable) {
		resolving = *profile;
		resolving.relative_loc = RELATIVE_RESOLVE;
		profile = &resolving;
	}
	return url_parse(&entries->url, loc, entries->base, profile,
	    (struct diag_sink){on_detail, entries});
}

/* read_entry_read_date(entries, raw, is_accepted): the date of an entry that
 * was refused causes no findings, and the checks of the whole document do not
 * count it. */
static struct date
read_entry_read_date(
    struct entries *entries, const struct raw_entry *raw, bool is_accepted)
{
	const struct profile *profile = &entries->scope->location.profile;
	const struct date none = {.precision = DATE_NONE};
	struct diag_sink sink = {0};
	struct date date = none, modified = none;
	enum diag_code code = DIAG_OK;

	/* SPEC R-20: pubDate stays, and dcterms:modified moves. */
	if (raw->modified.p != NULL &&
	    date_parse(&modified, raw->modified, profile,
		(struct diag_sink){0}) != DIAG_OK)
		modified = none;
	if (raw->lastmod.p == NULL && modified.precision == DATE_NONE)
		return none;
	if (is_accepted) {
		sink = (struct diag_sink){on_detail, entries};
		entries->subject = raw->lastmod;
	}
	if (raw->lastmod.p != NULL &&
	    (!raw->is_feed_date ||
		!mail_date_parse(&date, raw->lastmod, false)))
		code = date_parse(&date, raw->lastmod, profile, sink);
	if (code != DIAG_OK) {
		if (is_accepted)
			read_entry_report(entries, code);
		date = none;
	}
	if (modified.precision != DATE_NONE &&
	    (date.precision == DATE_NONE || date_order(&modified, &date) > 0)) {
		date = modified;
		entries->subject = raw->modified;
	}
	if (!is_accepted || date.precision == DATE_NONE)
		return date;
	/* SPEC 15.1: a doubtful date is stored nevertheless, and judged again
	 * when it is used. */
	code = date_doubt(&date, entries->scope->now_s);
	if (code != DIAG_OK)
		read_entry_report(entries, code);
	entries->uniform.dated++;
	/* the floor, also of dates before 1970 */
	int64_t day = date.epoch_s / DAY_S - (date.epoch_s % DAY_S < 0);

	for (int i = 0; i < UNIFORM_TIMES; i++) {
		int64_t first_s = entries->uniform.times_s[i] - WINDOW * HOUR_S;
		int64_t after_s = date.epoch_s - first_s;

		if (entries->uniform.times_s[i] != 0 && after_s >= 0 &&
		    after_s <= (int64_t)UNIFORM_HOURS * HOUR_S) {
			int64_t hour = after_s / HOUR_S;

			/* exactly 24 h after the time still counts */
			if (hour == UNIFORM_HOURS)
				hour--;
			entries->uniform.hours[i][hour]++;
		}
		int64_t after = day - entries->uniform.times_day[i];

		if (entries->uniform.times_s[i] != 0 && after >= -1 &&
		    after <= 1)
			entries->uniform.days[i][after + 1]++;
	}
	/* Is it midnight, where the site is? */
	int64_t local_s = date.epoch_s;

	if (date.offset != 0)
		local_s += (int64_t)(date.offset - DATE_OFFSET_UTC) * 900;
	if (date.precision < DATE_MINUTE || local_s % DAY_S == 0)
		entries->uniform.has_days = true;
	if (entries->uniform.dated == 1)
		entries->uniform.first = date;
	if (date.epoch_s != entries->uniform.first.epoch_s ||
	    date.nanos != entries->uniform.first.nanos)
		entries->uniform.has_several = true;
	/* Only programs write a fraction that is not .000, and people who
	 * change two pages never write the same. No build is before 1970. */
	if (date.nanos >= 1000000 && date.epoch_s >= 0)
		moment_add(&entries->uniform,
		    date.epoch_s * 1000 + date.nanos / 1000000);
	return date;
}

uint8_t
hint_changefreq(struct slice text)
{
	static const char *const words[] = {"always", "hourly", "daily",
	    "weekly", "monthly", "yearly", "never"};

	text = slice_trim(text);
	for (uint8_t i = 0; i < LENGTH(words); i++)
		if (slice_is(text, words[i]))
			return i + 1;
	return 0;
}

/* hint_priority: xsd:decimal: a sign, digits, a point, digits; at least one
 * digit. */
uint8_t
hint_priority(struct slice text)
{
	unsigned whole = 0; /* 2 stands for every larger number */
	unsigned tenths = 0;
	unsigned places = 0; /* digits after the point */
	bool has_digit = false;
	bool has_point = false;
	bool has_fraction = false;

	text = slice_trim(text);
	bool is_negative = text.len > 0 && text.p[0] == '-';
	if (is_negative || (text.len > 0 && text.p[0] == '+'))
		text = slice_from(text, 1);
	for (size_t i = 0; i < text.len; i++) {
		unsigned digit = (unsigned char)text.p[i] - (unsigned)'0';

		if (text.p[i] == '.' && !has_point) {
			has_point = true;
			continue;
		}
		if (digit > 9)
			return 0;
		has_digit = true;
		if (!has_point) {
			whole = whole * 10 + digit > 1 ? 2 : digit;
			continue;
		}
		if (++places == 1)
			tenths = digit;
		else if (places == 2 && digit >= 5)
			tenths++;
		has_fraction = has_fraction || digit > 0;
	}
	if (!has_digit || whole > 1 || (whole == 1 && has_fraction) ||
	    (is_negative && (whole > 0 || has_fraction)))
		return 0;
	return (uint8_t)(whole * 10 + tenths + 1);
}

/* read_hints(entries, raw): both hints as entry.hints has them.  Nobody has to
 * obey a hint, so that a bad one costs the entry nothing. */
static uint8_t
read_hints(struct entries *entries, const struct raw_entry *raw)
{
	uint8_t frequency = 0;
	uint8_t priority = 0;

	if (raw->changefreq.p != NULL) {
		entries->subject = raw->changefreq;
		frequency = hint_changefreq(raw->changefreq);
		if (frequency == 0)
			read_entry_report(entries, DIAG_INVALID_TAG_VALUE);
	}
	if (raw->priority.p != NULL) {
		entries->subject = raw->priority;
		priority = hint_priority(raw->priority);
		if (priority == 0)
			read_entry_report(entries, DIAG_INVALID_TAG_VALUE);
	}
	return (uint8_t)(priority << 4 | frequency);
}

void
entries_open(void *arg)
{
	struct entries *entries = arg;

	entries->content->findings.entry = (uint32_t)(entries->content->seen +
	    1);
}

/* take_entry(entries, raw): see parser_events.entry. */
static bool
take_entry(struct entries *entries, const struct raw_entry *raw)
{
	struct content *content = entries->content;
	struct slice loc = raw->loc;

	entries->line = raw->line;
	entries->subject = loc;
	content->refused++; /* the entry counts as refused until it is taken */
	if (!count_ok(entries))
		return false;
	if (!raw->has_loc)
		return true;
	if (!decode_line(entries, &loc))
		return false;
	entries->subject = loc;
	entries->is_resolvable = raw->is_resolvable && entries->base != NULL;
	enum diag_code code = read_entry_normalise(entries, loc);
	if (code != DIAG_OK) {
		read_entry_report(entries, code);
		return true;
	}
	struct location_verdict judged = location_judge(
	    &entries->scope->location, &entries->url,
	    entries->root == ROOT_INDEX ? SUBJECT_CHILD : SUBJECT_PAGE);
	enum verdict verdict = judged.verdict;

	if (judged.code != DIAG_OK)
		read_entry_report(entries, judged.code);
	struct entry entry = {.url = url_text(&entries->url),
	    .ordinal = (uint32_t)(content->seen - 1),
	    .extensions = raw->extensions,
	    .verdict = (uint8_t)verdict};
	struct date date;

	if (verdict != VERDICT_ACCEPTED) {
		/* Store an entry that was refused; the refusal is reported
		 * already. Its date and hints cause no findings. */
		entry.lastmod = read_entry_read_date(entries, raw, false);
		entry.hints = (uint8_t)(hint_priority(raw->priority) << 4 |
		    hint_changefreq(raw->changefreq));
	} else {
		/* Report once that entries are on several hosts (SPEC R-68). */
		struct slice host = url_host(&entries->url);

		if (entries->root != ROOT_INDEX && !entries->is_mixed) {
			if (entries->first_host.len == 0) {
				(void)buf_put_slice(&entries->first_host, host);
			} else if (!slice_equal(
				       buf_text(&entries->first_host), host)) {
				entries->is_mixed = true;
				read_entry_report(entries, DIAG_MIXED_HOSTS);
			}
		}
		if (entries->scope->checks.has_extensions)
			links_take(
			    &entries->links, &entries->url, entry.ordinal, raw);
		entry.lastmod = read_entry_read_date(entries, raw, true);
		entry.hints = read_hints(entries, raw);
		content->refused--;
		content->accepted++;
		/* The newest date of an article, by R-31.  What is wrong with
		 * it is told where extensions are checked. */
		if (raw->published.p != NULL &&
		    date_parse(&date, raw->published,
			&entries->scope->location.profile,
			(struct diag_sink){0}) == DIAG_OK &&
		    date_order(&date, &content->published) > 0 &&
		    date_doubt(&date, entries->scope->now_s) == DIAG_OK)
			content->published = date;
	}
	struct uniform *uniform = &entries->uniform;

	uniform->has_hints = content->seen == 1 ||
	    (uniform->has_hints && uniform->hints == entry.hints);
	uniform->hints = entry.hints;
	uniform->is_html = uniform->is_html &&
	    slice_ends_nocase(loc, slice_of(".html"));
	/* Where the scratch file takes no more, that is no fault of the
	 * document. */
	if (sorter_add(entries->sorter, &entry))
		return true;
	entries->failure = DIAG_READER_KILLED;
	return false;
}

bool
entries_take(void *arg, const struct raw_entry *raw)
{
	struct entries *entries = arg;
	struct findings *findings = &entries->content->findings;
	bool goes_on;

	if (findings->entry == 0) /* an entry of a text list */
		entries_open(entries);
	/* Add the line of an entry to content.lines. */
	uint32_t line = raw->line;
	struct buf *lines = &entries->content->lines;
	size_t before = lines->len;

	if (entries->scope->checks.has_lines && !entries->is_unnoted) {
		wire_put_varint(lines, line - entries->noted_line);
		entries->is_unnoted = lines->len == before;
		entries->noted_line = line;
	}

	goes_on = take_entry(entries, raw);
	findings_close(findings, raw->loc);
	return goes_on;
}
