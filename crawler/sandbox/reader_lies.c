/* Answers that keep the protocol and lie, for the tests (HOSTILE X33). */
#include "crawler/sandbox/reader.h"

#ifdef FRESHET_TEST_HOOKS

#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "crawler/sandbox/reader_protocol.h"

#define LIE_URLS 3
#define LIE_BYTES (1u << 20)

/* An answer of these entries, right but for what is said otherwise. */
struct lie {
	const char *name;
	const char *urls[LIE_URLS]; /* '~': the document's own directory */
	bool is_split; /* each in a block of its own, written backwards */
	bool is_beside; /* what is said beside the block is another URL */
	bool is_seen_later; /* than now */
	bool is_missed; /* kept from before, when there was nothing */
	enum verdict verdict; /* of each */
	bool is_changed; /* a change says so, too */
	uint64_t more; /* entries that are counted, and are not there */
	uint64_t unseen; /* and that were accepted before they were seen */
	enum document_kind kind; /* UNKNOWN: a urlset */
	enum diag_code failure;
	enum diag_code finding;
};

static const struct lie lies[] = {
    {.name = "lie-none", .urls = {"~1"}},
    {.name = "lie-host", .urls = {"~a", "~b", "http://victim.example/"}},
    {.name = "lie-refused",
	.urls = {"~a", "~b", "~c"},
	.verdict = VERDICT_DIRECTORY},
    {.name = "lie-rule",
	.urls = {"http://victim.example/"},
	.verdict = VERDICT_DIRECTORY},
    {.name = "lie-private", .urls = {"http://10.0.0.1/", "~a", "~b"}},
    {.name = "lie-dots", .urls = {"~a", "~x/../b", "~xa"}},
    {.name = "lie-escape", .urls = {"~%61", "~a", "~b"}},
    {.name = "lie-alphabet", .urls = {"~a", "~b\033[2J", "~c"}},
    {.name = "lie-order", .urls = {"~a", "~b", "~c"}, .is_split = true},
    {.name = "lie-beside", .urls = {"~a", "~b", "~c"}, .is_beside = true},
    {.name = "lie-later", .urls = {"~a"}, .is_seen_later = true},
    {.name = "lie-missed",
	.urls = {"http://victim.example/"},
	.is_missed = true},
    {.name = "lie-change", .urls = {"~a"}, .is_changed = true},
    {.name = "lie-count", .urls = {"~a"}, .more = 1},
    {.name = "lie-sum", .urls = {"~a"}, .unseen = 1},
    {.name = "lie-kind", .urls = {"~a"}, .kind = KIND_ROBOTS},
    {.name = "lie-damage", .failure = DIAG_STORE_DAMAGED},
    {.name = "lie-failure", .failure = DIAG_DISK_FULL},
    {.name = "lie-finding", .urls = {"~a"}, .finding = DIAG_STORE_DAMAGED},
};

struct telling {
	const struct reader_plant_scene *scene;
	const struct lie *lie;
	struct content content;
	struct buf out;
};

static const struct lie *
find_lie(const char *name)
{
	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++)
		if (strcmp(lies[i].name, name) == 0)
			return &lies[i];
	return NULL;
}

bool
reader_lie_is_known(const char *name)
{
	return find_lie(name) != NULL;
}

static void
put_url(const struct telling *telling, struct buf *out, const char *url)
{
	buf_clear(out);
	if (url[0] == '~')
		(void)buf_put_slice(
		    out, url_directory(&telling->scene->scope->location.final));
	(void)buf_put_slice(out, slice_of(url + (url[0] == '~')));
}

static void
put_block(struct telling *telling, enum frame_type type, struct block *block)
{
	size_t mark = frame_begin(&telling->out, type);

	if (telling->lie->is_beside)
		block->last_url = slice_of("zzz:");
	frame_put_block(&telling->out, block);
	(void)frame_end(&telling->out, mark);
}

static void
on_segment(void *arg, const struct block *block)
{
	struct telling *telling = arg;
	struct block copy = *block;

	telling->content.merge.segment_blocks++;
	put_block(telling, FRAME_SEGMENT, &copy);
}

static void
on_delta(void *arg, const struct block *block)
{
	struct telling *telling = arg;
	struct block copy = *block;

	telling->content.merge.delta_blocks++;
	put_block(telling, FRAME_DELTA, &copy);
}

static void
put_entry(struct telling *telling, struct block_writer *writer, const char *url,
    struct buf *text)
{
	const struct lie *lie = telling->lie;
	struct entry entry = {.first_seen_s = telling->scene->scope->now_s,
	    .missed = lie->is_missed,
	    .verdict = (uint8_t)lie->verdict};

	put_url(telling, text, url);
	entry.url = buf_text(text);
	if (lie->is_seen_later)
		entry.first_seen_s += 10;
	block_writer_add(writer, &entry);
	merge_count(
	    &telling->content.merge, &entry, telling->scene->scope->now_s);
}

static void
put_segment(struct telling *telling, bool is_backwards)
{
	struct block_writer *writer = block_writer_new(on_segment, telling);
	struct buf text;

	buf_init(&text, URL_MAX_BYTES);
	for (int i = 0; i < LIE_URLS; i++) {
		int at = is_backwards ? LIE_URLS - 1 - i : i;

		if (telling->lie->urls[at] == NULL)
			continue;
		put_entry(telling, writer, telling->lie->urls[at], &text);
		if (!is_backwards)
			continue;
		block_writer_finish(writer);
		block_writer_free(writer);
		writer = block_writer_new(on_segment, telling);
	}
	block_writer_finish(writer);
	block_writer_free(writer);
	buf_release(&text);
}

static void
put_delta(struct telling *telling)
{
	struct block_writer *writer = block_writer_new(on_delta, telling);
	struct change change = {
	    .url = slice_of("http://victim.example/"), .kind = DELTA_ADDED};

	block_writer_add_change(writer, &change);
	block_writer_finish(writer);
	block_writer_free(writer);
	telling->content.merge.changes[DELTA_ADDED]++;
}

static void
put_end(struct telling *telling)
{
	const struct lie *lie = telling->lie;
	struct content *content = &telling->content;
	size_t mark;

	content->kind = lie->kind == KIND_UNKNOWN ? KIND_URLSET : lie->kind;
	content->failure = lie->failure;
	content->is_complete = lie->failure == DIAG_OK;
	content->accepted = content->seen = content->merge.entries;
	content->merge.entries += lie->more;
	content->accepted += lie->more;
	content->seen += lie->more + lie->unseen;
	if (lie->finding != DIAG_OK)
		findings_add(
		    &content->findings, lie->finding, 0, slice_of("lie"));
	mark = frame_begin(&telling->out, FRAME_END);
	frame_put_content(&telling->out, content);
	(void)frame_end(&telling->out, mark);
}

void
reader_lie(const struct reader_plant_scene *scene)
{
	struct telling telling = {.scene = scene, .lie = find_lie(scene->name)};
	ssize_t n;

	if (telling.lie == NULL || scene->is_after_end)
		return;
	content_init(&telling.content);
	buf_init(&telling.out, LIE_BYTES);
	put_segment(&telling, telling.lie->is_split);
	if (telling.lie->is_changed)
		put_delta(&telling);
	put_end(&telling);
	n = write(scene->socket_fd, telling.out.p, telling.out.len);
	(void)n; /* main hears it before it hears of the end */
	_exit(READER_EXIT_OK);
}

#else

bool
reader_lie_is_known(const char *name)
{
	(void)name;
	return false;
}

void
reader_lie(const struct reader_plant_scene *scene)
{
	(void)scene;
}

#endif
