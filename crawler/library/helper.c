/*
 * freshet-helper: the process that libfreshet starts instead of reading bytes
 * itself; nobody else has a use for it.  It has the fork server and the readers
 * of crawler/sandbox; hostile documents are parsed there.  robots.txt, whose
 * parser is small and needs no library, is parsed here.
 *
 *	wait for a request -> DOCUMENT: spool its body -> a reader -> send
 *	     ^                JUDGE, ROBOTS, ROBOTS_ASK: answer       |
 *	     '-------------------------------------------------------'
 *
 * One request at a time; requests and replies block, because there is nothing
 * else to do.  Only while a reader is at work the loop runs, and notices when
 * the caller goes away.
 */
#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/robots.h"
#include "crawler/event/spool.h"
#include "crawler/library/library_protocol.h"
#include "crawler/parse/return_links.h"
#include "crawler/sandbox/reader.h"
#include "crawler/sandbox/reader_protocol.h"
#include "crawler/sandbox/readers.h"
#include "crawler/sandbox/sandbox.h"

static_assert((int)LIBRARY_OPEN > FRAME_END &&
	(int)LIBRARY_VERDICT_ROBOTS == FRAME_TYPE_MAX,
    "the types of the library's frames are not the readers'");
static_assert((int)FRESHET_ROBOTS == KIND_ROBOTS &&
	(int)FRESHET_INDEX == KIND_INDEX && (int)FRESHET_ATOM == KIND_ATOM,
    "the library's kinds are the store's");
static_assert(
    (int)FRESHET_YEAR == DATE_YEAR && (int)FRESHET_FRACTION == DATE_FRACTION,
    "the library's forms of dates are the store's");
static_assert((int)FRESHET_IMAGE == EXT_IMAGE &&
	(int)FRESHET_HREFLANG == EXT_HREFLANG &&
	(int)FRESHET_OTHER == EXT_OTHER,
    "the library's bits of extensions are the store's");

#define USAGE_STATUS 2
#define RESULT_BYTES (64u << 20) /* of one reading, as from the program */
#define ALTERNATE_BYTES_MAX (256u << 20) /* of all alternates, as text */

/* A robots.txt of the caller, under the caller's number. */
struct helper_robots {
	uint32_t id;
	struct robots *robots; /* owned */
};

struct helper {
	struct frame_stream stream;
	struct image_room room; /* of the current request */
	struct forkserver *forkserver; /* owned, as all that follows */
	struct loop *loop;
	struct spool *spool;
	struct readers *readers;
	struct helper_robots *robots;
	size_t robots_count;
	size_t robots_cap;
	uint64_t hash_key; /* secret */
	bool is_gone; /* the caller closed the socket */
	/* The current reading. */
	struct content content;
	enum diag_code result;
	/* The alternates of all its entries, in their order: links[i] is of the
	 * entry ordinals[i]. */
	struct freshet_alternate *links;
	uint32_t *ordinals;
	size_t link_count;
	bool are_links_cut;
};

/* All that a DOCUMENT or JUDGE request says. */
struct helper_question {
	struct scope scope;
	struct location_scope index;
	bool has_index;
	const char
	    *wrong; /* static; the argument that makes no sense; or NULL */
};

/* Requests. */

/* take_request(helper, type, payload): wait for the next request, whose payload
 * is borrowed until the next call; false: the caller has gone. */
static bool
take_request(struct helper *helper, uint8_t *type, struct slice *payload)
{
	helper->is_gone = helper->is_gone ||
	    !reader_take(&helper->stream, type, payload);
	return !helper->is_gone;
}

/* The struct of a request, borrowed until the next call. */
static const void *
helper_take(struct helper *helper, const struct image_shape *shape,
    struct slice payload)
{
	const void *value = image_take(&helper->room, shape, payload);

	if (value == NULL)
		_exit(READER_EXIT_PROTOCOL);
	return value;
}

/* Replies. */

/* reply_end(helper, mark, is_last): the reply is complete.  It goes out with
 * those before it when the last one to a request is made. */
static void
reply_end(struct helper *helper, size_t mark, bool is_last)
{
	if (!helper->is_gone &&
	    (!reader_end(&helper->stream, mark) ||
		(is_last && !frame_stream_send(&helper->stream))))
		helper->is_gone = true;
}

/* reply_put(helper, type, shape, value, is_last): one reply. */
static void
reply_put(struct helper *helper, enum library_reply type,
    const struct image_shape *shape, const void *value, bool is_last)
{
	size_t mark = frame_begin(&helper->stream.out, type);

	image_put(&helper->stream.out, shape, value);
	reply_end(helper, mark, is_last);
}

static const char *
code_name(enum diag_code code)
{
	return code == DIAG_OK ? NULL : diag_name(code);
}

/* In the form that every version of the library understands. */
static void
send_failure(struct helper *helper, enum freshet_status status, const char *why)
{
	size_t mark = frame_begin(&helper->stream.out, LIBRARY_FAILED);

	wire_put_fixed(&helper->stream.out, 1, (uint8_t)status);
	wire_put_slice(&helper->stream.out, slice_make(why, strlen(why) + 1));
	reply_end(helper, mark, true);
}

/* public_findings(findings, profile): the findings as the library's caller sees
 * them; *texts owns the samples, and the caller of this function frees both. */
static struct freshet_finding *
public_findings(const struct findings *findings, const struct profile *profile,
    struct freshet_sample **texts)
{
	struct freshet_finding *items = mem_zero(
	    findings->count * sizeof(*items));
	struct freshet_sample *sample = mem_zero(
	    findings->count * FINDING_SAMPLES * sizeof(*sample));

	*texts = sample;
	for (size_t i = 0; i < findings->count; i++) {
		const struct finding *finding = &findings->items[i];
		const struct diag_info *info = diag_info(finding->code);

		items[i] = (struct freshet_finding){.code = info->code,
		    .severity = severity_names[profile_severity(
			profile, finding->code)],
		    .meaning = info->trigger,
		    .remedy = info->remedy,
		    .rule = info->rule,
		    .count = finding->count,
		    .samples = sample,
		    .sample_count = finding->sample_count};
		for (unsigned s = 0; s < finding->sample_count; s++)
			*sample++ = (struct freshet_sample){
			    .line = finding->samples[s].line,
			    .text = finding->samples[s].text};
	}
	return items;
}

/* The scope of a document. */

/* wrong(question, what): the first argument that makes no sense is named. */
static void
wrong(struct helper_question *question, const char *what)
{
	if (question->wrong == NULL)
		question->wrong = what;
}

/* Take a place, whose profile is set later.  `what` says which URL is wrong. */
static void
set_place(struct helper_question *question, struct location_scope *place,
    const struct freshet_place *given, const char *what)
{
	struct profile profile = profile_default(PROFILE_GOOGLE);
	struct diag_sink none = {0};
	struct url proof = {0};

	place->has_location = given->url != NULL;
	if (given->url != NULL &&
	    url_parse(&place->requested, slice_of(given->url), NULL, &profile,
		none) != DIAG_OK)
		wrong(question, what);
	/* Without a redirect the document came from where it was asked for. */
	if (given->final_url == NULL)
		url_copy(&place->final, &place->requested);
	else if (url_parse(&place->final, slice_of(given->final_url), NULL,
		     &profile, none) != DIAG_OK)
		wrong(question, what);
	for (size_t i = 0; i < given->proof_count; i++) {
		if (url_parse(&proof, slice_of(given->proofs[i]), NULL,
			&profile, none) == DIAG_OK)
			string_set_add(
			    &place->proof_origins, url_origin(&proof));
		else
			wrong(question, "a proof is no URL");
	}
	url_release(&proof);
}

/* set_profile(question, given): the profile and its switches. */
static void
set_profile(
    struct helper_question *question, const struct freshet_document *given)
{
	enum profile_name set = PROFILE_GOOGLE;
	struct profile profile;

	if (given->profile != NULL &&
	    !profile_find(slice_of(given->profile), &set))
		wrong(question, "the profile is none");
	profile = profile_default(set);
	for (size_t i = 0; i < given->switch_count; i++) {
		struct slice text = slice_of(given->switches[i]);
		const char *equals = text.len == 0
		    ? NULL
		    : memchr(text.p, '=', text.len);
		size_t at = equals == NULL ? 0 : (size_t)(equals - text.p);

		if (equals == NULL ||
		    !profile_set(&profile, slice_make(text.p, at),
			slice_from(text, at + 1)))
			wrong(question, "a switch is none");
	}
	question->scope.location.profile = profile;
	question->index.profile = profile;
}

/* relate(question): what follows from the document's index. */
static void
relate(struct helper_question *question)
{
	struct location_scope *document = &question->scope.location;
	struct location_scope *index = &question->index;

	question->has_index = index->has_location;
	question->scope.is_child = question->has_index;
	if (!question->has_index)
		return;
	if (question->scope.depth == 0)
		question->scope.depth = 1;
	/* SPEC R-66: the robots.txt of the document's own origin names it. */
	if (string_set_has(
		&document->proof_origins, url_origin(&document->requested))) {
		index->listed = self_listed_new();
		(void)self_listed_add(
		    index->listed, url_text(&document->requested));
		self_listed_seal(index->listed);
	}
	for (size_t i = 0; i < document->own.count; i++)
		string_set_add(&index->own, slice_of(document->own.items[i]));
	/* SPEC R-64: a proof for an index holds for what it lists. */
	for (size_t i = 0; i < index->proof_origins.count &&
	     document->profile.proof_inherit == SWITCH_ON;
	     i++)
		string_set_add(&document->proof_origins,
		    slice_of(index->proof_origins.items[i]));
}

/* The scope of a document; question->wrong says what in it makes no sense. */
static void
question_init(struct helper *helper, struct helper_question *question,
    const struct freshet_document *given)
{
	struct profile profile = profile_default(PROFILE_GOOGLE);
	struct scope *scope = &question->scope;

	*question = (struct helper_question){0};
	scope_init(scope, &profile);
	location_scope_init(&question->index, &profile);
	set_place(
	    question, &scope->location, &given->place, "place: no such URL");
	set_place(
	    question, &question->index, &given->index, "index: no such URL");
	/* The sitemaps that the robots.txt of their own origin names. */
	struct location_scope *location = &question->scope.location;
	struct url url = {0};

	if (given->listed_count != 0) {
		location->listed = self_listed_new();
		for (size_t i = 0; i < given->listed_count; i++) {
			if (url_parse(&url, slice_of(given->listed[i]), NULL,
				&profile, (struct diag_sink){0}) != DIAG_OK)
				wrong(question, "a listed sitemap is no URL");
			else if (!self_listed_add(
				     location->listed, url_text(&url)))
				wrong(question, "too many listed sitemaps");
		}
		self_listed_seal(location->listed);
		url_release(&url);
	}

	for (size_t i = 0; i < given->own_count; i++)
		if (!location_own_parse(
			&scope->location.own, slice_of(given->own[i])))
			wrong(question, "own: neither a domain nor a URL");
	set_profile(question, given);
	scope->depth = given->depth;
	if (given->content_type != NULL)
		scope->content_type = mem_copy(given->content_type);
	if (given->content_encoding != NULL)
		scope->content_encoding = mem_copy(given->content_encoding);
	scope->now_s = given->now_s != 0 ? given->now_s
					 : loop_now_s(helper->loop);
	scope->listed_s = given->listed_s;
	scope->modified_s = given->modified_s;
	scope->is_truncated = given->is_truncated;
	scope->checks.has_extensions = (given->checks &
					   FRESHET_CHECK_EXTENSIONS) != 0;
	scope->checks.has_alternates = scope->checks.has_extensions;
	scope->checks.has_schema = (given->checks & FRESHET_CHECK_SCHEMA) != 0;
	scope->checks.hash_key = helper->hash_key;
	scope->is_first = true;
	scope->is_scratch = true;
	relate(question);
}

/* helper_refusal(question): may the index list the document? */
static enum diag_code
helper_refusal(const struct helper_question *question)
{
	const struct location_scope *document = &question->scope.location;
	struct location_verdict verdict;

	if (!question->has_index || !document->has_location)
		return DIAG_OK;
	verdict = location_judge(
	    &question->index, &document->requested, SUBJECT_CHILD);
	if (!verdict.is_accepted)
		return verdict.code;
	if (!slice_equal(
		url_text(&document->requested), url_text(&document->final)) &&
	    !location_judge(&question->index, &document->final, SUBJECT_CHILD)
		 .is_accepted)
		return DIAG_FETCH_REDIRECT_UNSAFE;
	return DIAG_OK;
}

/* helper_take_body(helper, file): take all BODY frames; false: the caller has
 * gone, or the body has no room (then errno is set). */
static bool
helper_take_body(
    struct helper *helper, struct spool_file *file, uint64_t max_bytes)
{
	struct slice payload;
	bool has_room = true;
	uint8_t type;
	int error = 0;

	while (take_request(helper, &type, &payload)) {
		if (type == LIBRARY_BODY_END) {
			errno = error;
			return has_room;
		}
		if (type != LIBRARY_BODY)
			_exit(READER_EXIT_PROTOCOL);
		if (!has_room || file->length > max_bytes)
			continue;
		has_room = spool_write(file, payload) == DIAG_OK;
		error = errno;
	}
	return false;
}

/* Readings. */

/* helper_on_done: the reading is made, and the loop has no more to do. */
static void
helper_on_done(void *arg, enum diag_code result, struct content *content)
{
	struct helper *helper = arg;

	helper->content = *content;
	helper->result = result;
	loop_stop(helper->loop);
}

/* on_caller: while a reader is at work the caller sends nothing, so the socket
 * is readable when it was closed. */
static void
on_caller(void *arg, int fd, int ready)
{
	struct helper *helper = arg;

	(void)fd;
	(void)ready;
	helper->is_gone = true;
	loop_stop(helper->loop);
}

/* Decode the alternates, which come in the order of the document, into
 * helper->links; their texts, each with a NUL, stay in texts. */
static void
collect_links(struct helper *helper, struct buf *texts)
{
	struct alternate_walk walk;
	struct alternate alternate;
	size_t link_cap = 0, ordinal_cap = 0;
	const char *text;

	helper->links = NULL;
	helper->ordinals = NULL;
	helper->link_count = 0;
	alternate_walk_init(&walk, buf_text(&helper->content.alternates));
	while (alternate_walk_next(&walk, &alternate)) {
		size_t i = helper->link_count;

		if ((i > 0 && alternate.ordinal < helper->ordinals[i - 1]) ||
		    !buf_put_slice(texts, alternate.language) ||
		    !buf_put_char(texts, '\0') ||
		    !buf_put_slice(texts, alternate.url) ||
		    !buf_put_char(texts, '\0')) {
			walk.is_cut = true;
			break;
		}
		helper->ordinals = mem_grow(helper->ordinals, &ordinal_cap,
		    i + 1, sizeof(*helper->ordinals));
		helper->ordinals[i] = alternate.ordinal;
		helper->link_count++;
	}
	helper->are_links_cut = walk.is_cut;
	buf_release(&walk.url);
	/* The texts do not move any more. */
	helper->links = mem_grow(helper->links, &link_cap, helper->link_count,
	    sizeof(*helper->links));
	text = buf_str(texts);
	for (size_t i = 0; i < helper->link_count; i++) {
		helper->links[i].language = text;
		helper->links[i].url = text + strlen(text) + 1;
		text = helper->links[i].url + strlen(helper->links[i].url) + 1;
	}
}

static void
send_entries(struct helper *helper)
{
	struct block_walk walk = {.list = &helper->content.segment};
	struct block_reader *reader = block_reader_new(block_walk_pull, &walk);
	struct entry entry;
	struct buf url = BUF_UP_TO(URL_MAX_BYTES);

	while (!helper->is_gone && block_next(reader, &entry)) {
		struct freshet_entry out = {0};

		buf_clear(&url);
		(void)buf_put_slice(&url, entry.url);
		out.url = buf_str(&url);
		out.refusal = code_name(verdict_codes[entry.verdict]);
		out.ordinal = entry.ordinal;
		out.lastmod_s = entry.lastmod.epoch_s;
		out.lastmod_nanos = entry.lastmod.nanos;
		out.lastmod_precision = entry.lastmod.precision;
		out.has_zone = entry.lastmod.zone == ZONE_EXPLICIT;
		out.changefreq = entry.hints & 0xf;
		/* A priority is stored as tenths + 1, and 0 where there
		 * is none. */
		out.priority = (entry.hints >> 4) - 1;
		out.extensions = entry.extensions;
		/* Its alternates, as many as fit into half a frame: `low`
		 * becomes the number of the first link of that entry or a later
		 * one. */
		size_t low = 0;
		size_t high = helper->link_count;
		size_t bytes = 0;

		while (low < high) {
			size_t mid = low + (high - low) / 2;

			if (helper->ordinals[mid] < out.ordinal)
				low = mid + 1;
			else
				high = mid;
		}
		while (high < helper->link_count &&
		    helper->ordinals[high] == out.ordinal) {
			const struct freshet_alternate
			    *link = &helper->links[high];

			bytes += sizeof(*link) + strlen(link->language) +
			    strlen(link->url) + 2;
			if (bytes > FRAME_MAX_BYTES / 2)
				break;
			high++;
		}
		if (low < helper->link_count)
			out.alternates = &helper->links[low];
		out.alternate_count = high - low;
		reply_put(helper, LIBRARY_ENTRY, &image_entry, &out, false);
	}
	buf_release(&url);
	block_reader_free(reader);
	reply_end(helper, frame_begin(&helper->stream.out, LIBRARY_END), true);
}

/* Give the body in the spool to a reader, which takes over the scope, wait, and
 * answer.  False: the reader could not get it, for a reason in errno. */
static bool
read_file(struct helper *helper, struct helper_question *question,
    struct spool_file *file)
{
	struct scope *scope = &question->scope;
	struct profile profile = scope->location.profile;
	enum diag_code refused = helper_refusal(question);
	struct reader_job job = {
	    .body_fd = spool_reader_fd(file), .body_len = file->length};
	struct loop_watch *watch;
	struct buf texts = BUF_UP_TO(ALTERNATE_BYTES_MAX);
	int error;

	if (job.body_fd < 0)
		return false;
	if (job.body_len > scope->limits.hard_bytes)
		scope->is_truncated = true;
	job.scope = *scope;
	scope_init(scope, &profile);
	readers_submit(helper->readers, &job, helper_on_done, helper);
	watch = loop_watch_new(
	    helper->loop, helper->stream.fd, LOOP_READ, on_caller, helper);
	loop_run(helper->loop);
	loop_watch_free(watch);
	if (helper->is_gone)
		return true;
	/* If no process can be forked that parses, the document is not to
	 * blame. */
	if (helper->result == DIAG_READER_CRASHED &&
	    readers_are_lost(helper->readers, &error)) {
		send_failure(helper, FRESHET_HELPER_LOST,
		    "the helper cannot start a process that parses");
		content_release(&helper->content);
		return true;
	}
	collect_links(helper, &texts);
	const struct content *content = &helper->content;
	struct freshet_sample *samples;
	struct freshet_finding *findings = public_findings(
	    &content->findings, &profile, &samples);
	struct freshet_reading reading = {.kind = (int)content->kind,
	    .failure = code_name(helper->result),
	    .refusal = code_name(refused),
	    .is_complete = content->is_complete,
	    .seen = content->seen,
	    .accepted = content->accepted,
	    .decoded_bytes = content->decoded_bytes,
	    .gzip_layers = content->gzip_layers,
	    .are_alternates_cut = helper->are_links_cut,
	    .findings = findings,
	    .finding_count = content->findings.count};

	for (size_t i = 0; i < content->segment.count; i++)
		reading.entries += content->segment.items[i].count;
	reply_put(helper, LIBRARY_READING, &image_reading, &reading, false);
	send_entries(helper);
	free(samples);
	free(findings);
	free(helper->links);
	free(helper->ordinals);
	buf_release(&texts);
	content_release(&helper->content);
	return true;
}

static void
on_judge(struct helper *helper, struct slice payload)
{
	const struct library_question *asked = helper_take(
	    helper, &image_question, payload);
	struct location_verdict verdict = {.is_accepted = true};
	struct freshet_verdict out = {0};
	struct helper_question question;
	enum diag_code code;
	struct buf text = BUF_UP_TO(URL_MAX_BYTES);
	struct url url = {0};

	question_init(helper, &question, &asked->document);
	if (question.wrong != NULL) {
		send_failure(helper, FRESHET_BAD_ARGUMENT, question.wrong);
	} else {
		code = url_parse(&url, slice_of(asked->url),
		    &question.scope.location.final,
		    &question.scope.location.profile, (struct diag_sink){0});
		if (code == DIAG_OK) {
			verdict = location_judge(&question.scope.location, &url,
			    asked->is_child ? SUBJECT_CHILD : SUBJECT_PAGE);
			(void)buf_put_slice(&text, url_text(&url));
			out.url = buf_str(&text);
		}
		/* A code is a refusal, or the exception that accepts the
		 * URL. */
		if (verdict.is_accepted)
			out.exception = code_name(verdict.code);
		else
			out.refusal = code_name(verdict.code);
		if (code != DIAG_OK)
			out.refusal = code_name(code);
		reply_put(helper, LIBRARY_VERDICT, &image_verdict, &out, true);
	}
	buf_release(&text);
	url_release(&url);
	scope_release(&question.scope);
	location_scope_release(&question.index);
}

/* robots.txt. */

static struct helper_robots *
find_robots(struct helper *helper, uint32_t id)
{
	for (size_t i = 0; i < helper->robots_count; i++)
		if (helper->robots[i].id == id)
			return &helper->robots[i];
	return NULL;
}

static void
helper_on_finding(void *arg, enum diag_code code, struct slice text)
{
	findings_add(arg, code, 0, text);
}

static void
helper_on_robots(struct helper *helper, struct slice payload)
{
	const struct library_robots *asked = helper_take(
	    helper, &image_robots, payload);
	enum profile_name set = PROFILE_GOOGLE;
	bool is_profile = asked->profile == NULL ||
	    profile_find(slice_of(asked->profile), &set);
	struct profile profile = profile_default(set);
	struct buf body = BUF_UP_TO(ROBOTS_MAX_BYTES + 1);
	uint8_t type;

	if (find_robots(helper, asked->id) != NULL)
		_exit(READER_EXIT_PROTOCOL);
	/* The byte past the limit shows that there were more. */
	while (take_request(helper, &type, &payload) && type == LIBRARY_BODY)
		(void)buf_put_slice(&body, payload);
	if (!is_profile)
		send_failure(
		    helper, FRESHET_BAD_ARGUMENT, "the profile is none");
	else if (asked->agent == NULL)
		send_failure(helper, FRESHET_BAD_ARGUMENT, "there is no agent");
	else if (!helper->is_gone) {
		struct findings findings = {0};
		struct robots *robots = robots_parse(buf_text(&body),
		    slice_of(asked->agent), &profile,
		    (struct diag_sink){helper_on_finding, &findings});
		struct freshet_sample *samples;
		struct freshet_finding *found = public_findings(
		    &findings, &profile, &samples);
		uint32_t count = (uint32_t)robots->sitemaps.count;
		struct freshet_robots_sitemap *sitemaps = mem_zero(
		    count * sizeof(*sitemaps));
		const struct freshet_robots_facts facts = {
		    .rules = (uint32_t)robots->rules.count,
		    .delay_ms = robots_delay_ms(robots),
		    .sitemaps = sitemaps,
		    .sitemap_count = count,
		    .findings = found,
		    .finding_count = findings.count};

		for (uint32_t i = 0; i < count; i++)
			sitemaps[i].url = slice_dup(
			    robots_sitemap(robots, i, &sitemaps[i].line));
		reply_put(helper, LIBRARY_FACTS, &image_facts, &facts, true);
		for (uint32_t i = 0; i < count; i++)
			free((void *)(uintptr_t)sitemaps[i].url);
		free(sitemaps);
		free(samples);
		free(found);
		findings_release(&findings);
		robots_forget_sitemaps(robots);
		*MEM_PUSH(helper->robots, helper->robots_count,
		    helper->robots_cap) = (struct helper_robots){
		    asked->id, robots};
	}
	buf_release(&body);
}

static void
on_robots_ask(struct helper *helper, struct slice payload)
{
	const struct library_robots *asked = helper_take(
	    helper, &image_robots, payload);
	const struct helper_robots *row = find_robots(helper, asked->id);
	struct profile profile = profile_default(PROFILE_GOOGLE);
	struct freshet_robots_verdict out;
	struct robots_verdict verdict;
	struct url url = {0};
	char *rule;

	if (row == NULL)
		_exit(READER_EXIT_PROTOCOL);
	if (url_parse(&url, slice_of(asked->url), NULL, &profile,
		(struct diag_sink){0}) != DIAG_OK) {
		send_failure(
		    helper, FRESHET_BAD_ARGUMENT, "the text is no URL");
	} else {
		verdict = robots_verdict(row->robots, url_target(&url));
		rule = slice_dup(verdict.rule);
		/* The text is foreign, and to the caller it ends at a NUL. */
		for (size_t i = 0; i < verdict.rule.len; i++)
			if (rule[i] == '\0')
				rule[i] = '?';
		out = (struct freshet_robots_verdict){.line = verdict.line,
		    .is_allowed = verdict.is_allowed && !verdict.is_given_up,
		    .rule = rule};
		reply_put(helper, LIBRARY_VERDICT_ROBOTS, &image_robots_verdict,
		    &out, true);
		free(rule);
	}
	url_release(&url);
}

/* The life of the process. */

/* The OPEN request.  False: it failed, and the caller knows why. */
static bool
open_helper(struct helper *helper, struct slice payload)
{
	struct wire wire = {payload, true};
	struct forkserver_options how = {0};
	struct readers_options readers = {
	    .count = 1, .max_result_bytes = RESULT_BYTES};
	const struct freshet_options *options;
	struct spool_options spool = {0};
	bool is_required, has_sandbox = sandbox_is_supported();
	size_t mark;

	if (wire_get_fixed(&wire, 4) != LIBRARY_PROTOCOL) {
		send_failure(helper, FRESHET_NO_HELPER,
		    "the helper belongs to another version of the library");
		return false;
	}
	options = helper_take(helper, &image_options, wire.in);
	is_required = options->sandbox == FRESHET_SANDBOX_REQUIRED;
	if (is_required && !has_sandbox) {
		send_failure(helper, FRESHET_NO_SANDBOX,
		    "the kernel has no seccomp filters");
		return false;
	}
	/* The caller sees that the helper died when its socket closes. */
	how.private_fd = helper->stream.fd;
	how.sandbox = is_required ? SANDBOX_REQUIRED : SANDBOX_AUTO;
	how.reader_memory = options->memory_bytes;
	how.job_cpu_s = options->cpu_s;
	readers.job_wall_ms = options->wall_ms;
	readers.jobs_each = options->documents_each;
	/* Lives as long as the process does. */
	if (options->scratch_dir != NULL)
		spool.dir = mem_copy(options->scratch_dir);
	readers.scratch_dir = spool.dir;
	helper->forkserver = forkserver_start(&how);
	helper->loop = helper->forkserver == NULL ? NULL : loop_new();
	if (helper->loop == NULL) {
		send_failure(helper, FRESHET_NO_HELPER,
		    "the helper cannot start its processes");
		return false;
	}
	helper->readers = readers_new(
	    helper->loop, helper->forkserver, &readers);
	helper->spool = spool_new(&spool);
	mark = frame_begin(&helper->stream.out, LIBRARY_READY);
	wire_put_fixed(&helper->stream.out, 4, LIBRARY_PROTOCOL);
	wire_put_fixed(&helper->stream.out, 1, has_sandbox);
	reply_end(helper, mark, true);
	return true;
}

static void
helper_serve(struct helper *helper)
{
	struct slice payload;
	uint8_t type;

	while (!helper->is_gone && take_request(helper, &type, &payload)) {
		switch (type) {
		case LIBRARY_DOCUMENT: {
			const struct library_question *asked = helper_take(
			    helper, &image_question, payload);
			struct spool_file *file = spool_get(helper->spool);
			struct helper_question question;
			char why[256];
			bool has_room;

			if (file == NULL)
				_exit(READER_EXIT_PROTOCOL);
			question_init(helper, &question, &asked->document);
			has_room = helper_take_body(
			    helper, file, question.scope.limits.hard_bytes);
			if (has_room && question.wrong != NULL)
				send_failure(helper, FRESHET_BAD_ARGUMENT,
				    question.wrong);
			else if (has_room)
				has_room = read_file(helper, &question, file);
			/* A caller that has gone hears nothing. */
			if (!has_room && !helper->is_gone) {
				(void)snprintf(why, sizeof(why),
				    "no room for the document: %s",
				    strerrordesc_np(errno));
				send_failure(helper, FRESHET_NO_BODY, why);
			}
			spool_put(file);
			scope_release(&question.scope);
			location_scope_release(&question.index);
			break;
		}
		case LIBRARY_JUDGE:
			on_judge(helper, payload);
			break;
		case LIBRARY_ROBOTS:
			helper_on_robots(helper, payload);
			break;
		case LIBRARY_ROBOTS_ASK:
			on_robots_ask(helper, payload);
			break;
		case LIBRARY_ROBOTS_DROP: {
			const struct library_robots *asked = helper_take(
			    helper, &image_robots, payload);
			struct helper_robots *row = find_robots(
			    helper, asked->id);

			if (row == NULL)
				_exit(READER_EXIT_PROTOCOL);
			robots_free(row->robots);
			*row = helper->robots[--helper->robots_count];
			break;
		}
		default:
			_exit(READER_EXIT_PROTOCOL);
		}
	}
}

/* Requests that come from the socket are served until it is closed. Memory that
 * runs out ends the process. */
int
main(void)
{
	static const char text[] =
	    "freshet-helper: programs that use libfreshet start it\n";
	static const int ignored[] = {
	    SIGINT, SIGQUIT, SIGHUP, SIGPIPE, SIGXFSZ, SIGUSR1, SIGUSR2};
	struct helper helper = {.is_gone = false};
	struct slice payload;
	uint8_t type;
	struct stat st;

	if (fstat(LIBRARY_FD, &st) != 0 || !S_ISSOCK(st.st_mode)) {
		(void)!write(STDERR_FILENO, text, sizeof(text) - 1);
		return USAGE_STATUS;
	}
	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		(void)signal(ignored[i], SIG_IGN);
	frame_stream_init(&helper.stream, LIBRARY_FD, false);
	if (getrandom(&helper.hash_key, sizeof(helper.hash_key), 0) !=
	    (ssize_t)sizeof(helper.hash_key))
		return READER_EXIT_PROTOCOL;
	if (take_request(&helper, &type, &payload) && type == LIBRARY_OPEN &&
	    open_helper(&helper, payload))
		helper_serve(&helper);
	if (helper.forkserver != NULL && helper.readers != NULL) {
		for (size_t i = 0; i < helper.robots_count; i++)
			robots_free(helper.robots[i].robots);
		free(helper.robots);
		free(helper.room.p);
		readers_free(helper.readers);
		spool_free(helper.spool);
		loop_free(helper.loop);
		forkserver_free(helper.forkserver);
		buf_release(&helper.stream.in);
		buf_release(&helper.stream.out);
	}
	return 0;
}
