/*
 * The functions of libfreshet: requests to the helper, and its replies as
 * structs.
 *
 *	IDLE --message--> waits for its reply --> IDLE
 *	  ^                       |
 *	  |                       '--READING--> entries are left
 *	  '--END, or the next request drops the rest--'
 *
 * link.fd is -1 when there is no helper; handle_begin() starts one.
 * is_reading says that entries are left.  Any failure of the link ends the
 * helper, because nobody knows any more which reply comes next.
 */
#include "crawler/library/freshet.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/slice.h"
#include "base/wire.h"
#include "crawler/library/helper_link.h"
#include "crawler/library/library_protocol.h"

#define DEFAULT_MEMORY (UINT64_C(1) << 30)
#define DEFAULT_CPU_S 10
#define DEFAULT_WALL_MS 60000
#define DEFAULT_DOCUMENTS 256

/* If the first process used up its time, a second one may get the document. */
#define WAIT_TIMES 2
#define WAIT_MORE_MS 20000
#define WALL_MAX_MS 3600000

/* The parser of robots.txt looks at no further bytes, and reports that there
 * were more (ROBOTS_MAX_BYTES of base/robots.h). */
#define ROBOTS_BYTES (512000 + 1)

#define PUBLIC __attribute__((visibility("default")))

/* The findings of one reply; the texts lie in the reply. */
struct finding_set {
	struct freshet_finding *items; /* owned */
	struct freshet_sample *samples; /* owned */
	size_t count;
};

struct freshet {
	struct helper_link link;
	pid_t owner; /* the process that may use the handle */
	struct freshet_options options; /* with defaults; its texts are owned */
	uint32_t helpers; /* started so far */
	uint32_t robots; /* the id of the last robots.txt */
	bool has_sandbox;
	bool is_reading; /* the helper sends entries of a reading */
	char error[256];

	char *text; /* owned; the reply of the reading, with its strings */
	struct finding_set findings;
	struct freshet_reading reading;
	struct freshet_entry entry;
	struct freshet_alternate *alternates; /* owned */
	size_t alternate_cap;
	struct freshet_verdict verdict;
	struct freshet_robots_verdict robots_verdict;
};

struct freshet_robots {
	struct freshet *handle; /* borrowed */
	char *bytes; /* owned */
	size_t len;
	char *agent; /* owned */
	char *profile; /* owned, may be NULL */
	uint32_t id;
	uint32_t helper; /* the number of the helper that has it */
	char *text; /* owned; the reply, with its strings */
	struct freshet_robots_facts facts;
	struct freshet_robots_sitemap *sitemaps; /* owned */
	struct finding_set findings;
};

PUBLIC unsigned
freshet_api(void)
{
	return FRESHET_API;
}

PUBLIC const char *
freshet_version(void)
{
	return FRESHET_VERSION;
}

PUBLIC const char *
freshet_kind_name(int kind)
{
	static const char *const names[] = {
	    "unknown", "robots", "index", "urlset", "text", "rss", "atom"};

	return kind >= 0 && kind < (int)(sizeof(names) / sizeof(names[0]))
	    ? names[kind]
	    : names[0];
}

/* Errors. */

static enum freshet_status
handle_fail(struct freshet *handle, enum freshet_status status, const char *why)
{
	(void)snprintf(handle->error, sizeof(handle->error), "%s", why);
	return status;
}

/* lost(handle, status): the link failed: end the helper and say why. */
static enum freshet_status
lost(struct freshet *handle, enum freshet_status status)
{
	char room[128];
	int error = handle->link.error;

	handle->is_reading = false;
	helper_link_stop(&handle->link);
	if (status == FRESHET_NO_MEMORY)
		return handle_fail(handle, status, "out of memory");
	if (status == FRESHET_BAD_ARGUMENT)
		return handle_fail(
		    handle, status, "the arguments are too long");
	if (error == 0)
		return handle_fail(handle, status, "the helper ended");
	if (error == ETIMEDOUT)
		return handle_fail(handle, status, "the helper did not answer");
	(void)snprintf(handle->error, sizeof(handle->error), "the helper: %s",
	    strerror_r(error, room, sizeof(room)));
	return status;
}

/* nonsense(handle): the helper sent a reply that makes no sense. */
static enum freshet_status
nonsense(struct freshet *handle)
{
	handle->link.error = EPROTO;
	return lost(handle, FRESHET_HELPER_LOST);
}

/* Replies. */

/* reply_text(wire, text): a string in the reply, or NULL.  False: it is none.
 */
static bool
reply_text(struct wire *wire, const char **text)
{
	struct slice bytes = wire_get_slice(wire);

	*text = bytes.len == 0 ? NULL : bytes.p;
	return wire->ok &&
	    (bytes.len == 0 ||
		memchr(bytes.p, '\0', bytes.len) == bytes.p + bytes.len - 1);
}

static void
finding_set_release(struct finding_set *set)
{
	free(set->items);
	free(set->samples);
	*set = (struct finding_set){0};
}

static bool
reply_finding(struct wire *wire, struct freshet_finding *finding,
    struct freshet_sample *samples, size_t room)
{
	uint32_t count;

	if (!reply_text(wire, &finding->code) ||
	    !reply_text(wire, &finding->severity) ||
	    !reply_text(wire, &finding->meaning) ||
	    !reply_text(wire, &finding->remedy) ||
	    !reply_text(wire, &finding->rule) || finding->code == NULL)
		return false;
	finding->count = wire_get_u64(wire);
	count = wire_get_u32(wire);
	if (!wire->ok || count > room)
		return false;
	finding->samples = samples;
	finding->sample_count = count;
	for (uint32_t i = 0; i < count; i++) {
		samples[i].line = wire_get_u32(wire);
		if (!reply_text(wire, &samples[i].text) ||
		    samples[i].text == NULL)
			return false;
	}
	return true;
}

/* reply_findings(wire, set): FRESHET_OK, FRESHET_NO_MEMORY, or
 * FRESHET_HELPER_LOST for a reply that makes no sense. */
static enum freshet_status
reply_findings(struct wire *wire, struct finding_set *set)
{
	uint32_t count = wire_get_u32(wire);
	uint32_t samples = wire_get_u32(wire);
	size_t at = 0;

	finding_set_release(set);
	/* No item is shorter than a number. */
	if (!wire->ok || count > wire->in.len / 4 || samples > wire->in.len / 4)
		return FRESHET_HELPER_LOST;
	set->items = calloc((size_t)count + 1, sizeof(*set->items));
	set->samples = calloc((size_t)samples + 1, sizeof(*set->samples));
	if (set->items == NULL || set->samples == NULL)
		return FRESHET_NO_MEMORY;
	set->count = count;
	for (uint32_t i = 0; i < count; i++) {
		if (!reply_finding(
			wire, &set->items[i], set->samples + at, samples - at))
			return FRESHET_HELPER_LOST;
		at += set->items[i].sample_count;
	}
	return FRESHET_OK;
}

/* handle_explain(handle, payload): a FAILED reply. */
static enum freshet_status
handle_explain(struct freshet *handle, struct slice payload)
{
	struct wire wire = wire_open(payload);
	uint8_t status = wire_get_u8(&wire);
	const char *why;

	if (!reply_text(&wire, &why) || why == NULL || status == FRESHET_OK ||
	    status > FRESHET_NO_BODY)
		return nonsense(handle);
	(void)handle_fail(handle, (enum freshet_status)status, why);
	if (status == FRESHET_HELPER_LOST)
		helper_link_stop(&handle->link);
	return (enum freshet_status)status;
}

/* expect(handle, type, payload): the reply, which must be of that type, or
 * FAILED. */
static enum freshet_status
expect(struct freshet *handle, uint8_t type, struct slice *payload)
{
	enum freshet_status status;
	uint8_t got;

	status = helper_link_take(&handle->link, &got, payload);
	if (status != FRESHET_OK)
		return lost(handle, status);
	if (got == LIBRARY_FAILED)
		return handle_explain(handle, *payload);
	return got == type ? FRESHET_OK : nonsense(handle);
}

/* reply_keep(text, wire): copy what is left of the reply, so that its strings
 * outlive the next one. */
static bool
reply_keep(char **text, struct wire *wire)
{
	char *copy = malloc(wire->in.len + 1);

	if (copy == NULL)
		return false;
	memcpy(copy, wire->in.p, wire->in.len);
	free(*text);
	*text = copy;
	wire->in.p = copy;
	return true;
}

/* The helper. */

/* helper_path(out, size): the helper that was installed with this library. */
static bool
helper_path(char *out, size_t size)
{
	Dl_info info;
	const char *slash;
	int n;

	if (dladdr((const void *)freshet_api, &info) == 0 ||
	    info.dli_fname == NULL)
		return false;
	slash = strrchr(info.dli_fname, '/');
	if (slash == NULL)
		return false;
	n = snprintf(out, size, "%.*s/%s", (int)(slash - info.dli_fname),
	    info.dli_fname, FRESHET_HELPER);
	return n > 0 && (size_t)n < size;
}

static enum freshet_status
introduce(struct freshet *handle)
{
	const struct freshet_options *options = &handle->options;
	enum freshet_status status;
	struct message message;
	struct slice payload;
	struct wire wire;
	uint32_t protocol;

	message_begin(&message, LIBRARY_OPEN);
	message_u32(&message, LIBRARY_PROTOCOL);
	message_u8(&message, options->sandbox == FRESHET_SANDBOX_REQUIRED);
	message_u64(&message, options->memory_bytes);
	message_u32(&message, options->cpu_s);
	message_u32(&message, options->wall_ms);
	message_u32(&message, options->documents_each);
	message_text(&message, options->scratch_dir);
	status = helper_link_request(&handle->link, &message);
	if (status != FRESHET_OK)
		return lost(handle, status);
	status = expect(handle, LIBRARY_READY, &payload);
	if (status != FRESHET_OK) {
		helper_link_stop(&handle->link);
		return status;
	}
	wire = wire_open(payload);
	protocol = wire_get_u32(&wire);
	handle->has_sandbox = wire_get_u8(&wire) != 0;
	if (wire.ok && protocol == LIBRARY_PROTOCOL)
		return FRESHET_OK;
	helper_link_stop(&handle->link);
	return handle_fail(handle, FRESHET_NO_HELPER,
	    "the helper belongs to another version of the library");
}

static enum freshet_status
handle_start(struct freshet *handle)
{
	char found[4096];
	char room[128];
	const char *path = handle->options.helper;
	enum freshet_status status;

	if (path == NULL) {
		if (!helper_path(found, sizeof(found)))
			return handle_fail(handle, FRESHET_NO_HELPER,
			    "the folder of the library is unknown");
		path = found;
	}
	status = helper_link_start(&handle->link, path);
	if (status != FRESHET_OK) {
		(void)snprintf(handle->error, sizeof(handle->error),
		    "cannot start '%.150s': %s", path,
		    strerror_r(handle->link.error, room, sizeof(room)));
		return status;
	}
	handle->helpers++;
	return introduce(handle);
}

/* handle_begin(handle): make the helper ready for a message.  A helper that
 * died since the last call is replaced without an error. */
static enum freshet_status
handle_begin(struct freshet *handle)
{
	if (handle->owner != getpid())
		return handle_fail(handle, FRESHET_BAD_ARGUMENT,
		    "the handle belongs to the process that forked this one");
	handle->error[0] = '\0';
	/* Take the entries that nobody asked for. */
	struct slice payload;
	uint8_t type = LIBRARY_ENTRY;

	while (handle->is_reading && type == LIBRARY_ENTRY &&
	    helper_link_take(&handle->link, &type, &payload) == FRESHET_OK)
		continue;
	if (handle->is_reading && type != LIBRARY_END)
		helper_link_stop(&handle->link);
	handle->is_reading = false;
	if (helper_link_is_idle(&handle->link))
		return FRESHET_OK;
	helper_link_stop(&handle->link);
	return handle_start(handle);
}

/* copy_text(to, from): false: there is no memory. */
static bool
copy_text(char **to, const char *from)
{
	*to = from == NULL ? NULL : strdup(from);
	return from == NULL || *to != NULL;
}

PUBLIC enum freshet_status
freshet_open(struct freshet **out, const struct freshet_options *options)
{
	static const struct freshet_options standard = FRESHET_OPTIONS_INIT;
	struct freshet *handle = calloc(1, sizeof(*handle));
	char *helper = NULL;
	char *scratch_dir = NULL;

	*out = NULL;
	if (handle == NULL)
		return FRESHET_NO_MEMORY;
	if (options == NULL)
		options = &standard;
	helper_link_init(&handle->link);
	handle->owner = getpid();
	*out = handle;
	if (options->size < sizeof(options->size) ||
	    options->size > sizeof(*options))
		return handle_fail(handle, FRESHET_BAD_ARGUMENT,
		    "options: its size is not one of this library");
	memcpy(&handle->options, options, options->size);
	if (!copy_text(&helper, handle->options.helper) ||
	    !copy_text(&scratch_dir, handle->options.scratch_dir)) {
		free(helper);
		free(handle);
		*out = NULL;
		return FRESHET_NO_MEMORY;
	}
	handle->options.helper = helper;
	handle->options.scratch_dir = scratch_dir;
	if (handle->options.memory_bytes == 0)
		handle->options.memory_bytes = DEFAULT_MEMORY;
	if (handle->options.cpu_s == 0)
		handle->options.cpu_s = DEFAULT_CPU_S;
	if (handle->options.wall_ms == 0)
		handle->options.wall_ms = DEFAULT_WALL_MS;
	if (handle->options.wall_ms > WALL_MAX_MS)
		handle->options.wall_ms = WALL_MAX_MS;
	if (handle->options.documents_each == 0)
		handle->options.documents_each = DEFAULT_DOCUMENTS;
	handle->link.wait_ms = (int)(handle->options.wall_ms * WAIT_TIMES +
	    WAIT_MORE_MS);
	if (handle->options.sandbox != FRESHET_SANDBOX_REQUIRED &&
	    handle->options.sandbox != FRESHET_SANDBOX_IF_POSSIBLE)
		return handle_fail(handle, FRESHET_BAD_ARGUMENT,
		    "options.sandbox is no enum freshet_sandbox");
	return handle_start(handle);
}

PUBLIC void
freshet_close(struct freshet *handle)
{
	if (handle == NULL)
		return;
	if (handle->owner != getpid())
		helper_link_abandon(&handle->link);
	helper_link_release(&handle->link);
	finding_set_release(&handle->findings);
	free(handle->text);
	free(handle->alternates);
	/* The texts of the options are copies. */
	free((void *)(uintptr_t)handle->options.helper);
	free((void *)(uintptr_t)handle->options.scratch_dir);
	free(handle);
}

PUBLIC const char *
freshet_error(const struct freshet *handle)
{
	return handle == NULL ? "out of memory" : handle->error;
}

PUBLIC bool
freshet_has_sandbox(const struct freshet *handle)
{
	return handle->has_sandbox;
}

/* Documents. */

static void
message_place(struct message *message, const struct freshet_place *place)
{
	message_text(message, place->url);
	message_text(message, place->final_url);
	message_texts(message, place->proofs, place->proof_count);
}

/* put_scope(message, document): all that a DOCUMENT or JUDGE request says of
 * the document. */
static void
put_scope(struct message *message, const struct freshet_document *document)
{
	message_place(message, &document->place);
	message_place(message, &document->index);
	message_u32(message, document->depth);
	message_texts(message, document->listed, document->listed_count);
	message_texts(message, document->own, document->own_count);
	message_text(message, document->profile);
	message_texts(message, document->switches, document->switch_count);
	message_text(message, document->content_type);
	message_text(message, document->content_encoding);
	message_u64(message, (uint64_t)document->now_s);
	message_u64(message, (uint64_t)document->listed_s);
	message_u64(message, (uint64_t)document->modified_s);
	message_u32(message, document->checks);
	message_u8(message, document->is_truncated);
}

/* take_document(handle, document, given): copy what the caller gives. A caller
 * that was compiled with an older header gives fewer members; the others get
 * their defaults. */
static bool
take_document(struct freshet *handle, struct freshet_document *document,
    const struct freshet_document *given)
{
	*document = (struct freshet_document)FRESHET_DOCUMENT_INIT;
	if (given == NULL)
		return true;
	if (given->size < sizeof(given->size) ||
	    given->size > sizeof(*document)) {
		(void)handle_fail(handle, FRESHET_BAD_ARGUMENT,
		    "document: its size is not one of this library");
		return false;
	}
	memcpy(document, given, given->size);
	return true;
}

/* send_document(handle, given): the request that begins a reading. */
static enum freshet_status
send_document(struct freshet *handle, const struct freshet_document *given)
{
	enum freshet_status status = handle_begin(handle);
	struct freshet_document document;
	struct message message;

	if (status != FRESHET_OK)
		return status;
	if (!take_document(handle, &document, given))
		return FRESHET_BAD_ARGUMENT;
	message_begin(&message, LIBRARY_DOCUMENT);
	put_scope(&message, &document);
	status = helper_link_request(&handle->link, &message);
	return status == FRESHET_OK ? status : lost(handle, status);
}

static enum freshet_status
read_reply(struct freshet *handle, struct slice payload)
{
	struct freshet_reading *reading = &handle->reading;
	struct wire wire = wire_open(payload);
	enum freshet_status status;

	*reading = (struct freshet_reading){0};
	if (!reply_keep(&handle->text, &wire))
		return FRESHET_NO_MEMORY;
	reading->kind = wire_get_u8(&wire);
	if (!reply_text(&wire, &reading->failure) ||
	    !reply_text(&wire, &reading->refusal))
		return FRESHET_HELPER_LOST;
	reading->is_complete = wire_get_u8(&wire) != 0;
	reading->seen = wire_get_u64(&wire);
	reading->accepted = wire_get_u64(&wire);
	reading->entries = wire_get_u64(&wire);
	reading->decoded_bytes = wire_get_u64(&wire);
	reading->gzip_layers = wire_get_u32(&wire);
	reading->are_alternates_cut = wire_get_u8(&wire) != 0;
	status = reply_findings(&wire, &handle->findings);
	if (status != FRESHET_OK)
		return status;
	reading->findings = handle->findings.items;
	reading->finding_count = handle->findings.count;
	return wire.ok && wire.in.len == 0 ? FRESHET_OK : FRESHET_HELPER_LOST;
}

/* take_reading(handle, out): after the body. */
static enum freshet_status
take_reading(struct freshet *handle, const struct freshet_reading **out)
{
	enum freshet_status status = helper_link_body_end(&handle->link);
	struct slice payload;

	if (status != FRESHET_OK)
		return lost(handle, status);
	status = expect(handle, LIBRARY_READING, &payload);
	if (status != FRESHET_OK)
		return status;
	status = read_reply(handle, payload);
	if (status == FRESHET_HELPER_LOST)
		return nonsense(handle);
	if (status != FRESHET_OK)
		return lost(handle, status);
	handle->is_reading = true;
	*out = &handle->reading;
	return FRESHET_OK;
}

PUBLIC enum freshet_status
freshet_read(struct freshet *handle, const struct freshet_document *document,
    const void *bytes, size_t len, const struct freshet_reading **reading)
{
	enum freshet_status status;

	*reading = NULL;
	status = send_document(handle, document);
	if (status != FRESHET_OK)
		return status;
	status = helper_link_body(&handle->link, bytes, len);
	if (status != FRESHET_OK)
		return lost(handle, status);
	return take_reading(handle, reading);
}

/* send_file(handle, fd): all bytes of the descriptor. */
static enum freshet_status
send_file(struct freshet *handle, int fd)
{
	char bytes[LIBRARY_BODY_BYTES];
	char room[128];
	enum freshet_status status = FRESHET_OK;
	ssize_t n;

	for (;;) {
		n = read(fd, bytes, sizeof(bytes));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		status = helper_link_body(&handle->link, bytes, (size_t)n);
		if (status != FRESHET_OK)
			return lost(handle, status);
	}
	if (n == 0)
		return FRESHET_OK;
	(void)snprintf(handle->error, sizeof(handle->error),
	    "cannot read the document: %s",
	    strerror_r(errno, room, sizeof(room)));
	helper_link_stop(&handle->link);
	return FRESHET_NO_BODY;
}

PUBLIC enum freshet_status
freshet_read_fd(struct freshet *handle, const struct freshet_document *document,
    int fd, const struct freshet_reading **reading)
{
	enum freshet_status status;

	*reading = NULL;
	status = send_document(handle, document);
	if (status == FRESHET_OK)
		status = send_file(handle, fd);
	return status == FRESHET_OK ? take_reading(handle, reading) : status;
}

static enum freshet_status
get_alternates(struct freshet *handle, struct wire *wire)
{
	uint32_t count = wire_get_u32(wire);
	struct freshet_alternate *grown;

	if (!wire->ok || count > wire->in.len / 8)
		return FRESHET_HELPER_LOST;
	if (count > handle->alternate_cap) {
		grown = realloc(handle->alternates, count * sizeof(*grown));
		if (grown == NULL)
			return FRESHET_NO_MEMORY;
		handle->alternates = grown;
		handle->alternate_cap = count;
	}
	for (uint32_t i = 0; i < count; i++) {
		struct freshet_alternate *alternate = &handle->alternates[i];

		if (!reply_text(wire, &alternate->language) ||
		    !reply_text(wire, &alternate->url) ||
		    alternate->language == NULL || alternate->url == NULL)
			return FRESHET_HELPER_LOST;
	}
	handle->entry.alternates = handle->alternates;
	handle->entry.alternate_count = count;
	return FRESHET_OK;
}

static enum freshet_status
entry_reply(struct freshet *handle, struct slice payload)
{
	struct freshet_entry *entry = &handle->entry;
	struct wire wire = wire_open(payload);
	enum freshet_status status;

	*entry = (struct freshet_entry){0};
	if (!reply_text(&wire, &entry->url) || entry->url == NULL ||
	    !reply_text(&wire, &entry->refusal))
		return FRESHET_HELPER_LOST;
	entry->ordinal = wire_get_u32(&wire);
	entry->lastmod_s = (int64_t)wire_get_u64(&wire);
	entry->lastmod_nanos = wire_get_u32(&wire);
	entry->lastmod_precision = wire_get_u8(&wire);
	entry->has_zone = wire_get_u8(&wire) != 0;
	entry->changefreq = wire_get_u8(&wire);
	entry->priority = wire_get_u8(&wire) - 1;
	entry->extensions = wire_get_u32(&wire);
	status = get_alternates(handle, &wire);
	if (status != FRESHET_OK)
		return status;
	return wire.ok && wire.in.len == 0 ? FRESHET_OK : FRESHET_HELPER_LOST;
}

PUBLIC enum freshet_status
freshet_next(struct freshet *handle, const struct freshet_entry **entry)
{
	enum freshet_status status;
	struct slice payload;
	uint8_t type;

	*entry = NULL;
	if (handle->owner != getpid())
		return handle_fail(handle, FRESHET_BAD_ARGUMENT,
		    "the handle belongs to the process that forked this one");
	handle->error[0] = '\0';
	if (!handle->is_reading)
		return FRESHET_OK;
	status = helper_link_take(&handle->link, &type, &payload);
	if (status != FRESHET_OK)
		return lost(handle, status);
	if (type == LIBRARY_END) {
		handle->is_reading = false;
		return FRESHET_OK;
	}
	status = type == LIBRARY_ENTRY ? entry_reply(handle, payload)
				       : FRESHET_HELPER_LOST;
	if (status == FRESHET_HELPER_LOST)
		return nonsense(handle);
	if (status != FRESHET_OK)
		return lost(handle, status);
	*entry = &handle->entry;
	return FRESHET_OK;
}

PUBLIC enum freshet_status
freshet_each(struct freshet *handle, freshet_entry_fn *fn, void *arg)
{
	const struct freshet_entry *entry;
	enum freshet_status status;

	do
		status = freshet_next(handle, &entry);
	while (status == FRESHET_OK && entry != NULL && fn(arg, entry));
	return status;
}

PUBLIC enum freshet_status
freshet_judge(struct freshet *handle, const struct freshet_document *given,
    const char *url, bool is_child, const struct freshet_verdict **out)
{
	struct freshet_verdict *verdict = &handle->verdict;
	enum freshet_status status;
	struct freshet_document document;
	struct message message;
	struct slice payload;
	struct wire wire;

	*out = NULL;
	status = handle_begin(handle);
	if (status != FRESHET_OK)
		return status;
	if (!take_document(handle, &document, given))
		return FRESHET_BAD_ARGUMENT;
	message_begin(&message, LIBRARY_JUDGE);
	put_scope(&message, &document);
	message_text(&message, url);
	message_u8(&message, is_child);
	status = helper_link_request(&handle->link, &message);
	if (status != FRESHET_OK)
		return lost(handle, status);
	status = expect(handle, LIBRARY_VERDICT, &payload);
	if (status != FRESHET_OK)
		return status;
	wire = wire_open(payload);
	if (!reply_text(&wire, &verdict->url) ||
	    !reply_text(&wire, &verdict->refusal) ||
	    !reply_text(&wire, &verdict->exception) || wire.in.len != 0)
		return nonsense(handle);
	*out = verdict;
	return FRESHET_OK;
}

/* robots.txt. */

static enum freshet_status
facts_reply(struct freshet_robots *robots, struct slice payload)
{
	struct freshet_robots_facts *facts = &robots->facts;
	struct wire wire = wire_open(payload);
	enum freshet_status status;
	uint32_t count;

	if (!reply_keep(&robots->text, &wire))
		return FRESHET_NO_MEMORY;
	*facts = (struct freshet_robots_facts){0};
	facts->rules = wire_get_u32(&wire);
	facts->delay_ms = wire_get_u32(&wire);
	count = wire_get_u32(&wire);
	if (!wire.ok || count > wire.in.len / 8)
		return FRESHET_HELPER_LOST;
	free(robots->sitemaps);
	robots->sitemaps = calloc((size_t)count + 1, sizeof(*facts->sitemaps));
	if (robots->sitemaps == NULL)
		return FRESHET_NO_MEMORY;
	for (uint32_t i = 0; i < count; i++) {
		robots->sitemaps[i].line = wire_get_u32(&wire);
		if (!reply_text(&wire, &robots->sitemaps[i].url) ||
		    robots->sitemaps[i].url == NULL)
			return FRESHET_HELPER_LOST;
	}
	status = reply_findings(&wire, &robots->findings);
	if (status != FRESHET_OK)
		return status;
	facts->sitemaps = robots->sitemaps;
	facts->sitemap_count = count;
	facts->findings = robots->findings.items;
	facts->finding_count = robots->findings.count;
	return wire.ok && wire.in.len == 0 ? FRESHET_OK : FRESHET_HELPER_LOST;
}

/* send_robots(robots): give the file to the helper.  A helper that comes after
 * the one that died answers the same, so its facts are taken only once. */
static enum freshet_status
send_robots(struct freshet_robots *robots)
{
	struct freshet *handle = robots->handle;
	enum freshet_status status;
	struct message message;
	struct slice payload;

	message_begin(&message, LIBRARY_ROBOTS);
	message_u32(&message, robots->id);
	message_text(&message, robots->agent);
	message_text(&message, robots->profile);
	status = helper_link_request(&handle->link, &message);
	if (status == FRESHET_OK)
		status = helper_link_body(
		    &handle->link, robots->bytes, robots->len);
	if (status == FRESHET_OK)
		status = helper_link_body_end(&handle->link);
	if (status != FRESHET_OK)
		return lost(handle, status);
	status = expect(handle, LIBRARY_FACTS, &payload);
	if (status != FRESHET_OK)
		return status;
	if (robots->text == NULL)
		status = facts_reply(robots, payload);
	if (status == FRESHET_HELPER_LOST)
		return nonsense(handle);
	if (status != FRESHET_OK)
		return lost(handle, status);
	robots->helper = handle->helpers;
	return FRESHET_OK;
}

static void
robots_release(struct freshet_robots *robots)
{
	free(robots->bytes);
	free(robots->agent);
	free(robots->profile);
	free(robots->text);
	free(robots->sitemaps);
	finding_set_release(&robots->findings);
	free(robots);
}

/* robots_make(handle, bytes, len, agent, profile): NULL: there is no memory. */
static struct freshet_robots *
robots_make(struct freshet *handle, const void *bytes, size_t len,
    const char *agent, const char *profile)
{
	struct freshet_robots *robots = calloc(1, sizeof(*robots));

	if (robots == NULL)
		return NULL;
	robots->handle = handle;
	robots->len = len < ROBOTS_BYTES ? len : ROBOTS_BYTES;
	robots->bytes = malloc(robots->len + 1);
	if (robots->bytes == NULL || !copy_text(&robots->agent, agent) ||
	    !copy_text(&robots->profile, profile)) {
		robots_release(robots);
		return NULL;
	}
	if (robots->len > 0)
		memcpy(robots->bytes, bytes, robots->len);
	robots->id = ++handle->robots;
	return robots;
}

PUBLIC enum freshet_status
freshet_robots_new(struct freshet *handle, const void *bytes, size_t len,
    const char *agent, const char *profile, struct freshet_robots **out)
{
	struct freshet_robots *robots;
	enum freshet_status status;

	*out = NULL;
	status = handle_begin(handle);
	if (status != FRESHET_OK)
		return status;
	robots = robots_make(handle, bytes, len, agent, profile);
	if (robots == NULL)
		return handle_fail(handle, FRESHET_NO_MEMORY, "out of memory");
	status = send_robots(robots);
	if (status == FRESHET_OK)
		*out = robots;
	else
		robots_release(robots);
	return status;
}

PUBLIC void
freshet_robots_free(struct freshet_robots *robots)
{
	struct freshet *handle;
	struct message message;

	if (robots == NULL)
		return;
	handle = robots->handle;
	/* The helper's copy; without a helper there is none. */
	if (handle->owner == getpid() && robots->helper == handle->helpers &&
	    handle->link.fd >= 0) {
		message_begin(&message, LIBRARY_ROBOTS_DROP);
		message_u32(&message, robots->id);
		(void)helper_link_request(&handle->link, &message);
	}
	robots_release(robots);
}

PUBLIC const struct freshet_robots_facts *
freshet_robots_facts(const struct freshet_robots *robots)
{
	return &robots->facts;
}

PUBLIC enum freshet_status
freshet_robots_ask(struct freshet_robots *robots, const char *url,
    const struct freshet_robots_verdict **out)
{
	struct freshet *handle = robots->handle;
	struct freshet_robots_verdict *verdict = &handle->robots_verdict;
	enum freshet_status status;
	struct message message;
	struct slice payload;
	struct wire wire;

	*out = NULL;
	status = handle_begin(handle);
	if (status == FRESHET_OK && robots->helper != handle->helpers)
		status = send_robots(robots);
	if (status != FRESHET_OK)
		return status;
	message_begin(&message, LIBRARY_ROBOTS_ASK);
	message_u32(&message, robots->id);
	message_text(&message, url);
	status = helper_link_request(&handle->link, &message);
	if (status != FRESHET_OK)
		return lost(handle, status);
	status = expect(handle, LIBRARY_VERDICT_ROBOTS, &payload);
	if (status != FRESHET_OK)
		return status;
	wire = wire_open(payload);
	verdict->is_allowed = wire_get_u8(&wire) != 0;
	verdict->line = wire_get_u32(&wire);
	if (!reply_text(&wire, &verdict->rule) || verdict->rule == NULL ||
	    wire.in.len != 0)
		return nonsense(handle);
	*out = verdict;
	return FRESHET_OK;
}
