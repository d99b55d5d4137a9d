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
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/robots.h"
#include "base/wire.h"
#include "crawler/event/loop.h"
#include "crawler/event/spool.h"
#include "crawler/library/freshet.h"
#include "crawler/library/library_protocol.h"
#include "crawler/parse/alternate_list.h"
#include "crawler/sandbox/forkserver.h"
#include "crawler/sandbox/reader.h"
#include "crawler/sandbox/reader_protocol.h"
#include "crawler/sandbox/readers.h"
#include "crawler/sandbox/sandbox.h"

static_assert(LIBRARY_HEAD == FRAME_HEAD &&
	LIBRARY_FRAME_MAX == FRAME_MAX_BYTES && (int)LIBRARY_OPEN > FRAME_END &&
	(int)LIBRARY_VERDICT_ROBOTS == FRAME_TYPE_MAX,
    "the library's frames are the readers'");
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

/* One link of an entry; its texts lie in helper.links. */
struct entry_link {
	uint32_t ordinal;
	uint32_t language_len;
	uint32_t url_len;
	size_t at; /* the language; the URL follows */
};

/* A robots.txt of the caller, under the caller's number. */
struct helper_robots {
	uint32_t id;
	struct robots *robots; /* owned */
};

struct helper {
	struct frame_stream stream;
	struct forkserver *forkserver; /* owned, as all that follows */
	struct loop *loop;
	struct spool *spool;
	struct readers *readers;
	struct loop_watch *watch; /* of fd, while a reader is at work */
	struct helper_robots *robots;
	size_t robots_count;
	size_t robots_cap;
	uint64_t hash_key; /* secret */
	bool has_sandbox;
	bool is_gone; /* the caller closed the socket */
	/* The current reading. */
	struct content content;
	enum diag_code result;
	struct entry_link *links;
	size_t link_count;
	size_t link_cap;
	struct buf link_texts;
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
	    !frame_stream_take(&helper->stream, type, payload);
	return !helper->is_gone;
}

/* helper_get_text(wire, text): a string; *text is empty, with p NULL, for NULL.
 */
static struct slice
helper_get_text(struct wire *wire)
{
	struct slice text = wire_get_slice(wire);

	if (text.len == 0)
		return slice_of(NULL);
	if (text.p[text.len - 1] != '\0')
		wire->ok = false;
	return slice_make(text.p, text.len - 1);
}

static char *
get_copy(struct wire *wire)
{
	struct slice text = helper_get_text(wire);

	return text.p == NULL ? NULL : slice_dup(text);
}

/* Replies. */

static void
helper_send_all(struct helper *helper)
{
	if (!frame_stream_send(&helper->stream))
		helper->is_gone = true;
}

/* reply_end(helper, mark): the reply is complete, and goes out with the
 * others. */
static void
reply_end(struct helper *helper, size_t mark)
{
	if (!helper->is_gone && !frame_stream_end(&helper->stream, mark))
		helper->is_gone = true;
}

static void
helper_put_text(struct buf *out, struct slice text)
{
	if (text.p == NULL) {
		wire_put_u32(out, 0);
		return;
	}
	wire_put_u32(out, (uint32_t)text.len + 1);
	/* Text with a NUL in it is foreign text that was cut by nobody: what
	 * the caller sees ends there. */
	for (size_t i = 0; i < text.len; i++)
		wire_put_u8(
		    out, text.p[i] == '\0' ? (uint8_t)'?' : (uint8_t)text.p[i]);
	wire_put_u8(out, 0);
}

static void
helper_put_name(struct buf *out, enum diag_code code)
{
	helper_put_text(
	    out, slice_of(code == DIAG_OK ? NULL : diag_name(code)));
}

static void
send_failure(struct helper *helper, enum freshet_status status, const char *why)
{
	size_t mark = frame_begin(&helper->stream.out, LIBRARY_FAILED);

	wire_put_u8(&helper->stream.out, (uint8_t)status);
	helper_put_text(&helper->stream.out, slice_of(why));
	reply_end(helper, mark);
	helper_send_all(helper);
}

static void
helper_put_findings(struct buf *out, const struct findings *findings,
    const struct profile *profile)
{
	uint32_t samples = 0;

	for (size_t i = 0; i < findings->count; i++)
		samples += findings->items[i].sample_count;
	wire_put_u32(out, (uint32_t)findings->count);
	wire_put_u32(out, samples);
	for (size_t i = 0; i < findings->count; i++) {
		const struct finding *finding = &findings->items[i];
		const struct diag_info *info = diag_info(finding->code);

		helper_put_text(out, slice_of(info->code));
		helper_put_text(out,
		    slice_of(severity_name(
			profile_severity(profile, finding->code))));
		helper_put_text(out, slice_of(info->trigger));
		helper_put_text(out, slice_of(info->remedy));
		helper_put_text(out, slice_of(info->rule));
		wire_put_u64(out, finding->count);
		wire_put_u32(out, finding->sample_count);
		for (unsigned s = 0; s < finding->sample_count; s++) {
			wire_put_u32(out, finding->samples[s].line);
			helper_put_text(
			    out, slice_of(finding->samples[s].text));
		}
	}
}

/* The scope of a document. */

static void
wrong(struct helper_question *question, const char *what)
{
	if (question->wrong == NULL)
		question->wrong = what;
}

/* helper_get_count(wire): of texts, each of which takes 4 bytes at least. */
static uint32_t
helper_get_count(struct wire *wire)
{
	uint32_t count = wire_get_u32(wire);

	if (count > wire->in.len / 4)
		wire->ok = false;
	return wire->ok ? count : 0;
}

/* get_place(wire, question, place, what): a place, whose profile is set later.
 * `what` says which URL is wrong. */
static void
get_place(struct wire *wire, struct helper_question *question,
    struct location_scope *place, const char *what)
{
	struct profile profile = profile_default(PROFILE_GOOGLE);
	struct diag_sink none = {0};
	struct slice url = helper_get_text(wire);
	struct slice final = helper_get_text(wire);
	uint32_t proofs = helper_get_count(wire);
	struct url proof;

	place->has_location = url.p != NULL;
	if (url.p != NULL &&
	    url_parse(&place->requested, url, NULL, &profile, none) != DIAG_OK)
		wrong(question, what);
	if (final.p == NULL)
		url_copy(&place->final, &place->requested);
	else if (url_parse(&place->final, final, NULL, &profile, none) !=
	    DIAG_OK)
		wrong(question, what);
	url_init(&proof);
	for (uint32_t i = 0; i < proofs; i++) {
		if (url_parse(&proof, helper_get_text(wire), NULL, &profile,
			none) == DIAG_OK)
			string_set_add(
			    &place->proof_origins, url_origin(&proof));
		else
			wrong(question, "a proof is no URL");
	}
	url_release(&proof);
}

/* get_profile(wire, question): the profile and its switches. */
static void
get_profile(struct wire *wire, struct helper_question *question)
{
	struct slice name = helper_get_text(wire);
	uint32_t switches = helper_get_count(wire);
	enum profile_name set = PROFILE_GOOGLE;
	struct profile profile;

	if (name.p != NULL && !profile_find(name, &set))
		wrong(question, "the profile is none");
	profile = profile_default(set);
	for (uint32_t i = 0; i < switches; i++) {
		struct slice text = helper_get_text(wire);
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

static void
question_release(struct helper_question *question)
{
	scope_release(&question->scope);
	location_scope_release(&question->index);
}

/* get_question(helper, wire, question): the scope of a request, which ends the
 * process if its form makes no sense; question->wrong says what in it does
 * not. */
static void
get_question(
    struct helper *helper, struct wire *wire, struct helper_question *question)
{
	struct profile profile = profile_default(PROFILE_GOOGLE);
	struct scope *scope = &question->scope;
	uint32_t own, checks;

	*question = (struct helper_question){0};
	scope_init(scope, &profile);
	location_scope_init(&question->index, &profile);
	get_place(wire, question, &scope->location, "place: no such URL");
	get_place(wire, question, &question->index, "index: no such URL");
	scope->depth = wire_get_u32(wire);
	struct location_scope *location = &question->scope.location;
	uint32_t count = helper_get_count(wire);
	struct url url;

	if (count != 0) {
		location->listed = self_listed_new();
		url_init(&url);
		for (uint32_t i = 0; i < count; i++) {
			if (url_parse(&url, helper_get_text(wire), NULL,
				&profile, (struct diag_sink){0}) != DIAG_OK)
				wrong(question, "a listed sitemap is no URL");
			else if (!self_listed_add(
				     location->listed, url_text(&url)))
				wrong(question, "too many listed sitemaps");
		}
		self_listed_seal(location->listed);
		url_release(&url);
	}
	own = helper_get_count(wire);
	for (uint32_t i = 0; i < own; i++)
		if (!location_own_parse(
			&scope->location.own, helper_get_text(wire)))
			wrong(question, "own: neither a domain nor a URL");
	get_profile(wire, question);
	scope->content_type = get_copy(wire);
	scope->content_encoding = get_copy(wire);
	scope->now_s = (int64_t)wire_get_u64(wire);
	scope->listed_s = (int64_t)wire_get_u64(wire);
	scope->modified_s = (int64_t)wire_get_u64(wire);
	checks = wire_get_u32(wire);
	scope->is_truncated = wire_get_u8(wire) != 0;
	if (!wire->ok)
		frame_stream_error();
	if (scope->now_s == 0)
		scope->now_s = loop_now_s(helper->loop);
	scope->checks.has_extensions = (checks & FRESHET_CHECK_EXTENSIONS) != 0;
	scope->checks.has_alternates = scope->checks.has_extensions;
	scope->checks.has_schema = (checks & FRESHET_CHECK_SCHEMA) != 0;
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
	    !location_redirect_ok(&question->index, &document->final))
		return DIAG_FETCH_REDIRECT_UNSAFE;
	return DIAG_OK;
}

/* Bodies. */

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
			frame_stream_error();
		if (!has_room || spool_length(file) > max_bytes)
			continue;
		has_room = spool_write(file, payload) == DIAG_OK;
		error = errno;
	}
	return false;
}

static void
fail_body(struct helper *helper)
{
	char room[128];
	struct buf why;

	if (helper->is_gone)
		return;
	buf_init(&why, 256);
	(void)buf_print(&why, "no room for the document: %s",
	    strerror_r(errno, room, sizeof(room)));
	send_failure(helper, FRESHET_NO_BODY, buf_str(&why));
	buf_release(&why);
}

/* Readings. */

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

/* collect_links(helper): decode the alternates, which come in the order of the
 * document. */
static void
collect_links(struct helper *helper)
{
	struct alternate_walk walk;
	struct alternate alternate;
	uint32_t last = 0;

	helper->link_count = 0;
	buf_init(&helper->link_texts, ALTERNATE_BYTES_MAX);
	alternate_walk_init(&walk, buf_text(&helper->content.alternates));
	while (alternate_walk_next(&walk, &alternate)) {
		size_t at = helper->link_texts.len;

		if (!buf_put_slice(&helper->link_texts, alternate.language) ||
		    !buf_put_slice(&helper->link_texts, alternate.url) ||
		    alternate.ordinal < last) {
			walk.is_cut = true;
			break;
		}
		last = alternate.ordinal;
		helper->links = mem_grow(helper->links, &helper->link_cap,
		    helper->link_count + 1, sizeof(*helper->links));
		helper->links[helper->link_count++] = (struct entry_link){
		    .ordinal = last,
		    .language_len = (uint32_t)alternate.language.len,
		    .url_len = (uint32_t)alternate.url.len,
		    .at = at};
	}
	helper->are_links_cut = walk.is_cut;
	alternate_walk_release(&walk);
}

/* helper_put_links(helper, ordinal): the alternates of one entry, as many as
 * fit into half a frame. */
static void
helper_put_links(struct helper *helper, uint32_t ordinal)
{
	/* The number of the first link of that entry or a later one. */
	size_t low = 0;
	size_t high = helper->link_count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (helper->links[mid].ordinal < ordinal)
			low = mid + 1;
		else
			high = mid;
	}
	size_t first = low;
	size_t end = first;
	size_t bytes = 0;

	while (
	    end < helper->link_count && helper->links[end].ordinal == ordinal) {
		bytes += 10 + helper->links[end].language_len +
		    helper->links[end].url_len;
		if (bytes > LIBRARY_FRAME_MAX / 2)
			break;
		end++;
	}
	wire_put_u32(&helper->stream.out, (uint32_t)(end - first));
	for (size_t i = first; i < end; i++) {
		const struct entry_link *link = &helper->links[i];
		const char *text = helper->link_texts.p + link->at;

		helper_put_text(
		    &helper->stream.out, slice_make(text, link->language_len));
		helper_put_text(&helper->stream.out,
		    slice_make(text + link->language_len, link->url_len));
	}
}

static void
send_entries(struct helper *helper)
{
	struct block_walk walk = {.list = &helper->content.segment};
	struct block_reader *reader = block_reader_new(block_walk_pull, &walk);
	struct entry entry;

	while (!helper->is_gone && block_next(reader, &entry)) {
		size_t mark = frame_begin(&helper->stream.out, LIBRARY_ENTRY);
		struct buf *out = &helper->stream.out;

		helper_put_text(out, entry.url);
		helper_put_name(out, verdict_code((enum verdict)entry.verdict));
		wire_put_u32(out, entry.ordinal);
		wire_put_u64(out, (uint64_t)entry.lastmod.epoch_s);
		wire_put_u32(out, entry.lastmod.nanos);
		wire_put_u8(out, entry.lastmod.precision);
		wire_put_u8(out, entry.lastmod.zone == ZONE_EXPLICIT);
		wire_put_u8(out, entry.hints & 0xf);
		/* A priority is stored as tenths + 1, and 0 where there
		 * is none. */
		wire_put_u8(out, entry.hints >> 4);
		wire_put_u32(out, entry.extensions);
		helper_put_links(helper, entry.ordinal);
		reply_end(helper, mark);
	}
	block_reader_free(reader);
	reply_end(helper, frame_begin(&helper->stream.out, LIBRARY_END));
	helper_send_all(helper);
}

/* read_file(helper, question, file): give the body in the spool to a reader,
 * which takes over the scope, wait, and answer. */
static void
read_file(struct helper *helper, struct helper_question *question,
    struct spool_file *file)
{
	struct scope *scope = &question->scope;
	struct profile profile = scope->location.profile;
	enum diag_code refused = helper_refusal(question);
	struct reader_job job = {
	    .body_fd = spool_reader_fd(file), .body_len = spool_length(file)};
	int error;

	if (job.body_fd < 0) {
		fail_body(helper);
		return;
	}
	if (job.body_len > scope->limits.hard_bytes)
		scope->is_truncated = true;
	job.scope = *scope;
	scope_init(scope, &profile);
	readers_submit(helper->readers, &job, helper_on_done, helper);
	helper->watch = loop_watch_new(
	    helper->loop, helper->stream.fd, LOOP_READ, on_caller, helper);
	loop_run(helper->loop);
	loop_watch_free(helper->watch);
	helper->watch = NULL;
	if (helper->is_gone)
		return;
	/* If no process can be forked that parses, the document is not to
	 * blame. */
	if (helper->result == DIAG_READER_CRASHED &&
	    readers_are_lost(helper->readers, &error)) {
		send_failure(helper, FRESHET_HELPER_LOST,
		    "the helper cannot start a process that parses");
	} else {
		collect_links(helper);
		const struct content *content = &helper->content;
		size_t mark = frame_begin(&helper->stream.out, LIBRARY_READING);
		struct buf *out = &helper->stream.out;
		uint64_t entries = 0;

		for (size_t i = 0; i < content->segment.count; i++)
			entries += content->segment.items[i].count;
		wire_put_u8(out, (uint8_t)content->kind);
		helper_put_name(out, helper->result);
		helper_put_name(out, refused);
		wire_put_u8(out, content->is_complete);
		wire_put_u64(out, content->seen);
		wire_put_u64(out, content->accepted);
		wire_put_u64(out, entries);
		wire_put_u64(out, content->decoded_bytes);
		wire_put_u32(out, content->gzip_layers);
		wire_put_u8(out, helper->are_links_cut);
		helper_put_findings(out, &content->findings, &profile);
		reply_end(helper, mark);

		send_entries(helper);
		buf_release(&helper->link_texts);
	}
	content_release(&helper->content);
}

static void
on_judge(struct helper *helper, struct slice payload)
{
	struct wire wire = wire_open(payload);
	struct location_verdict verdict = {.is_accepted = true};
	struct helper_question question;
	struct slice text;
	enum diag_code code;
	struct url url;
	size_t mark;
	bool is_child;

	get_question(helper, &wire, &question);
	text = helper_get_text(&wire);
	is_child = wire_get_u8(&wire) != 0;
	if (!wire.ok)
		frame_stream_error();
	if (question.wrong != NULL) {
		send_failure(helper, FRESHET_BAD_ARGUMENT, question.wrong);
		question_release(&question);
		return;
	}
	url_init(&url);
	code = url_parse(&url, text, &question.scope.location.final,
	    &question.scope.location.profile, (struct diag_sink){0});
	if (code == DIAG_OK)
		verdict = location_judge(&question.scope.location, &url,
		    is_child ? SUBJECT_CHILD : SUBJECT_PAGE);
	mark = frame_begin(&helper->stream.out, LIBRARY_VERDICT);
	helper_put_text(&helper->stream.out,
	    code == DIAG_OK ? url_text(&url) : slice_of(NULL));
	helper_put_name(&helper->stream.out,
	    code != DIAG_OK           ? code
		: verdict.is_accepted ? DIAG_OK
				      : verdict.code);
	helper_put_name(
	    &helper->stream.out, verdict.is_accepted ? verdict.code : DIAG_OK);
	reply_end(helper, mark);
	helper_send_all(helper);
	url_release(&url);
	question_release(&question);
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
	struct wire wire = wire_open(payload);
	uint32_t id = wire_get_u32(&wire);
	char *agent = get_copy(&wire);
	struct slice name = helper_get_text(&wire);
	enum profile_name set = PROFILE_GOOGLE;
	bool is_profile = name.p == NULL || profile_find(name, &set);
	struct profile profile = profile_default(set);
	struct buf body;
	uint8_t type;

	if (!wire.ok || find_robots(helper, id) != NULL)
		frame_stream_error();
	/* The byte past the limit shows that there were more. */
	buf_init(&body, ROBOTS_MAX_BYTES + 1);
	while (take_request(helper, &type, &payload) && type == LIBRARY_BODY)
		(void)buf_put_slice(&body, payload);
	if (!is_profile)
		send_failure(
		    helper, FRESHET_BAD_ARGUMENT, "the profile is none");
	else if (agent == NULL)
		send_failure(helper, FRESHET_BAD_ARGUMENT, "there is no agent");
	else if (!helper->is_gone) {
		struct findings findings = {0};
		struct robots *robots = robots_parse(buf_text(&body),
		    slice_of(agent), &profile,
		    (struct diag_sink){helper_on_finding, &findings});

		size_t mark = frame_begin(&helper->stream.out, LIBRARY_FACTS);
		struct buf *out = &helper->stream.out;

		wire_put_u32(out, robots_rules(robots));
		wire_put_u32(out, robots_delay_ms(robots));
		wire_put_u32(out, robots_sitemaps(robots));
		for (uint32_t i = 0; i < robots_sitemaps(robots); i++) {
			uint32_t line;
			struct slice url = robots_sitemap(robots, i, &line);

			wire_put_u32(out, line);
			helper_put_text(out, url);
		}
		helper_put_findings(out, &findings, &profile);
		reply_end(helper, mark);
		helper_send_all(helper);
		findings_release(&findings);
		robots_forget_sitemaps(robots);
		helper->robots = mem_grow(helper->robots, &helper->robots_cap,
		    helper->robots_count + 1, sizeof(*helper->robots));
		helper->robots[helper->robots_count++] = (struct helper_robots){
		    id, robots};
	}
	buf_release(&body);
	free(agent);
}

static void
on_robots_ask(struct helper *helper, struct slice payload)
{
	struct profile profile = profile_default(PROFILE_GOOGLE);
	struct wire wire = wire_open(payload);
	const struct helper_robots *row = find_robots(
	    helper, wire_get_u32(&wire));
	struct slice text = helper_get_text(&wire);
	struct robots_verdict verdict;
	struct url url;
	size_t mark;

	if (!wire.ok || row == NULL)
		frame_stream_error();
	url_init(&url);
	if (url_parse(&url, text, NULL, &profile, (struct diag_sink){0}) !=
	    DIAG_OK) {
		send_failure(
		    helper, FRESHET_BAD_ARGUMENT, "the text is no URL");
	} else {
		verdict = robots_verdict(row->robots, url_target(&url));
		mark = frame_begin(&helper->stream.out, LIBRARY_VERDICT_ROBOTS);
		wire_put_u8(&helper->stream.out,
		    verdict.is_allowed && !verdict.is_given_up);
		wire_put_u32(&helper->stream.out, verdict.line);
		helper_put_text(&helper->stream.out,
		    verdict.rule.p == NULL ? slice_of("") : verdict.rule);
		reply_end(helper, mark);
		helper_send_all(helper);
	}
	url_release(&url);
}

static void
on_robots_drop(struct helper *helper, struct slice payload)
{
	struct wire wire = wire_open(payload);
	struct helper_robots *row = find_robots(helper, wire_get_u32(&wire));

	if (!wire.ok || row == NULL)
		frame_stream_error();
	robots_free(row->robots);
	*row = helper->robots[--helper->robots_count];
}

/* The life of the process. */

/* open_helper(helper, payload): the OPEN request.  False: it failed, and the
 * caller knows why. */
static bool
open_helper(struct helper *helper, struct slice payload)
{
	struct wire wire = wire_open(payload);
	struct forkserver_options how = {0};
	struct readers_options readers = {
	    .count = 1, .max_result_bytes = RESULT_BYTES};
	struct spool_options spool = {0};
	uint32_t protocol = wire_get_u32(&wire);
	bool is_required = wire_get_u8(&wire) != 0;
	size_t mark;

	/* The caller sees that the helper died when its socket closes. */
	how.private_fd = helper->stream.fd;
	how.sandbox = is_required ? SANDBOX_REQUIRED : SANDBOX_AUTO;
	how.reader_memory = wire_get_u64(&wire);
	how.job_cpu_s = wire_get_u32(&wire);
	readers.job_wall_ms = wire_get_u32(&wire);
	readers.jobs_each = wire_get_u32(&wire);
	/* Lives as long as the process does. */
	readers.scratch_dir = spool.dir = get_copy(&wire);
	if (!wire.ok || protocol != LIBRARY_PROTOCOL) {
		send_failure(helper, FRESHET_NO_HELPER,
		    "the helper belongs to another version of the library");
		return false;
	}
	helper->has_sandbox = sandbox_is_supported();
	if (is_required && !helper->has_sandbox) {
		send_failure(helper, FRESHET_NO_SANDBOX,
		    "the kernel has no seccomp filters");
		return false;
	}
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
	wire_put_u32(&helper->stream.out, LIBRARY_PROTOCOL);
	wire_put_u8(&helper->stream.out, helper->has_sandbox);
	reply_end(helper, mark);
	helper_send_all(helper);
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
			struct wire wire = wire_open(payload);
			struct helper_question question;
			struct spool_file *file;

			get_question(helper, &wire, &question);
			file = spool_get(helper->spool);
			if (file == NULL)
				frame_stream_error();
			if (!helper_take_body(
				helper, file, question.scope.limits.hard_bytes))
				fail_body(helper);
			else if (question.wrong != NULL)
				send_failure(helper, FRESHET_BAD_ARGUMENT,
				    question.wrong);
			else
				read_file(helper, &question, file);
			spool_put(file);
			question_release(&question);
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
		case LIBRARY_ROBOTS_DROP:
			on_robots_drop(helper, payload);
			break;
		default:
			frame_stream_error();
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
		free(helper.links);
		readers_free(helper.readers);
		spool_free(helper.spool);
		loop_free(helper.loop);
		forkserver_free(helper.forkserver);
		frame_stream_release(&helper.stream);
	}
	return 0;
}
