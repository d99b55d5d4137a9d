/*
 * The functions of libfreshet: requests to the helper, and its replies as
 * structs.
 *
 *	IDLE --message--> waits for its reply --> IDLE
 *	  ^                       |
 *	  |                       '--READING--> entries are left
 *	  '--END, or the next request drops the rest--'
 *
 * stream.fd is -1 when there is no helper; handle_begin() starts one.
 * is_reading says that entries are left.  Any failure of the stream ends the
 * helper, because nobody knows any more which reply comes next.
 *
 * Nothing here ends the process, and lack of memory is a status, because all of
 * it runs in somebody else's program.
 */
#include "crawler/library/freshet.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/wire.h"
#include "crawler/library/library_protocol.h"
#include "crawler/sandbox/frames.h"

#define DEFAULT_MEMORY (UINT64_C(1) << 30)
#define DEFAULT_CPU_S 10
#define DEFAULT_WALL_MS 60000
#define DEFAULT_DOCUMENTS 256

#define WAIT_TIMES 2
#define WAIT_MORE_MS 20000
#define WALL_MAX_MS 3600000

#define END_MS 2000 /* to wait until a helper has ended by itself */

/* The parser of robots.txt looks at no further bytes, and reports that there
 * were more (ROBOTS_MAX_BYTES of base/robots.h). */
#define ROBOTS_BYTES (512000 + 1)

#define PUBLIC __attribute__((visibility("default")))

struct freshet {
	struct frame_stream stream;
	pid_t pid; /* of the helper */
	pid_t owner; /* the process that may use the handle */
	struct freshet_options options; /* with defaults; its texts are owned */
	uint32_t helpers; /* started so far */
	uint32_t robots; /* the id of the last robots.txt */
	bool has_sandbox;
	bool is_reading; /* the helper sends entries of a reading */
	char error[256];
	struct image_room reading; /* valid until the next reading */
	struct image_room reply; /* entry or verdict: until the next call */
};

struct freshet_robots {
	struct freshet *handle; /* borrowed */
	char *bytes; /* owned */
	size_t len;
	char *agent; /* owned */
	char *profile; /* owned, may be NULL */
	uint32_t id;
	uint32_t helper; /* the number of the helper that has it */
	struct image_room room;
	const struct freshet_robots_facts *facts; /* in the room */
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

static enum freshet_status
handle_fail(struct freshet *handle, enum freshet_status status, const char *why)
{
	(void)snprintf(handle->error, sizeof(handle->error), "%s", why);
	return status;
}

/* The helper. */

/* helper_stop(handle): close the socket, which ends the helper, and collect it;
 * one that does not end within END_MS is killed.  The helper of a process that
 * forked this one is only forgotten. */
static void
helper_stop(struct freshet *handle)
{
	bool is_ours = handle->owner == getpid();
	int waited_ms = 0;
	pid_t ended;

	if (handle->stream.fd < 0)
		return;
	/* A process that the caller forked may hold the socket open. */
	if (is_ours)
		(void)shutdown(handle->stream.fd, SHUT_RDWR);
	(void)close(handle->stream.fd);
	buf_release(&handle->stream.in);
	buf_release(&handle->stream.out);
	frame_stream_init(&handle->stream, -1, false);
	handle->is_reading = false;
	if (!is_ours)
		return;
	/* Where the caller has collected the helper, there is no such child,
	 * and waitpid fails. */
	for (;;) {
		ended = waitpid(handle->pid, NULL, WNOHANG);
		if (ended != 0 && (ended > 0 || errno != EINTR))
			return;
		if (waited_ms >= END_MS)
			break;
		(void)poll(NULL, 0, waited_ms < 20 ? 1 : 10);
		waited_ms += waited_ms < 20 ? 1 : 10;
	}
	(void)kill(handle->pid, SIGKILL);
	while (waitpid(handle->pid, NULL, 0) < 0 && errno == EINTR)
		continue;
}

/* handle_lost(handle, error): the stream failed with that errno, 0: the helper
 * closed it.  End the helper and say why. */
static enum freshet_status
handle_lost(struct freshet *handle, int error)
{

	helper_stop(handle);
	if (error == ENOMEM)
		return handle_fail(handle, FRESHET_NO_MEMORY, "out of memory");
	if (error == EMSGSIZE)
		return handle_fail(
		    handle, FRESHET_BAD_ARGUMENT, "the arguments are too long");
	if (error == 0)
		return handle_fail(
		    handle, FRESHET_HELPER_LOST, "the helper ended");
	if (error == EAGAIN || error == EWOULDBLOCK)
		return handle_fail(
		    handle, FRESHET_HELPER_LOST, "the helper did not answer");
	(void)snprintf(handle->error, sizeof(handle->error), "the helper: %s",
	    strerrordesc_np(error));
	return FRESHET_HELPER_LOST;
}

/* End a request that frame_begin() began, and send it. */
static enum freshet_status
handle_end(struct freshet *handle, size_t mark)
{
	bool has_memory = !handle->stream.out.is_cut || errno != ENOMEM;

	if (frame_end(&handle->stream.out, mark))
		return frame_stream_send(&handle->stream)
		    ? FRESHET_OK
		    : handle_lost(handle, errno);
	return handle_lost(handle, has_memory ? EMSGSIZE : ENOMEM);
}

/* handle_send(handle, type, shape, value): send a request. */
static enum freshet_status
handle_send(struct freshet *handle, enum library_request type,
    const struct image_shape *shape, const void *value)
{
	size_t mark;

	errno = 0;
	mark = frame_begin(&handle->stream.out, type);
	image_put(&handle->stream.out, shape, value);
	return handle_end(handle, mark);
}

/* handle_body_end(handle): send BODY_END. */
static enum freshet_status
handle_body_end(struct freshet *handle)
{
	errno = 0;
	return handle_end(
	    handle, frame_begin(&handle->stream.out, LIBRARY_BODY_END));
}

/* handle_body(handle, bytes, len): send bytes as BODY frames. */
static enum freshet_status
handle_body(struct freshet *handle, const char *bytes, size_t len)
{
	struct buf *out = &handle->stream.out;
	enum freshet_status status = FRESHET_OK;

	while (len > 0 && status == FRESHET_OK) {
		size_t n = len < LIBRARY_BODY_BYTES ? len : LIBRARY_BODY_BYTES;
		size_t mark;

		errno = 0;
		mark = frame_begin(out, LIBRARY_BODY);
		out->is_cut = out->is_cut || !buf_put(out, bytes, n);
		status = handle_end(handle, mark);
		bytes += n;
		len -= n;
	}
	return status;
}

/* The next reply, of any type but FAILED. */
static enum freshet_status
handle_take(struct freshet *handle, uint8_t *type, struct slice *payload)
{
	struct slice why;
	struct wire wire;
	uint8_t status;
	int got = frame_stream_take(&handle->stream, type, payload);

	if (got <= 0)
		return handle_lost(handle, got == 0 ? 0 : errno);
	if (*type != LIBRARY_FAILED)
		return FRESHET_OK;
	wire = (struct wire){*payload, true};
	status = (uint8_t)wire_get_fixed(&wire, 1);
	why = wire_get_slice(&wire);
	/* A reading that has begun does not fail. */
	if (handle->is_reading || !wire.ok || why.len == 0 ||
	    why.p[why.len - 1] != '\0' || status == FRESHET_OK ||
	    status > FRESHET_NO_BODY)
		return handle_lost(handle, EPROTO);
	(void)handle_fail(handle, (enum freshet_status)status, why.p);
	if (status == FRESHET_HELPER_LOST)
		helper_stop(handle);
	return (enum freshet_status)status;
}

/* The reply, which must be of that type, and is taken in the room. */
static enum freshet_status
handle_expect(struct freshet *handle, enum library_reply type,
    const struct image_shape *shape, struct image_room *room, const void **out)
{
	enum freshet_status status;
	struct slice payload;
	uint8_t got;

	status = handle_take(handle, &got, &payload);
	if (status != FRESHET_OK)
		return status;
	*out = got == type ? image_take(room, shape, payload) : NULL;
	if (*out != NULL)
		return FRESHET_OK;
	return handle_lost(handle, got == type ? errno : EPROTO);
}

/* helper_spawn(handle, path, fd): start the helper with fd as its LIBRARY_FD
 * and nothing else of the caller's: no descriptors, no signal mask, no ignored
 * signals.  Returns 0 or an errno. */
static int
helper_spawn(struct freshet *handle, const char *path, int fd)
{
	/* The helper gets nothing of the caller's environment: it needs none of
	 * it, and another thread may be changing it. */
	static char *const environment[] = {NULL};
	char name[] = "freshet-helper";
	char *argv[] = {name, NULL};
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none, all;
	int error;

	error = posix_spawn_file_actions_init(&actions);
	if (error != 0)
		return error;
	error = posix_spawnattr_init(&attributes);
	if (error != 0) {
		(void)posix_spawn_file_actions_destroy(&actions);
		return error;
	}
	(void)sigemptyset(&none);
	(void)sigfillset(&all);
	for (int i = 0; i <= STDERR_FILENO && error == 0; i++)
		error = posix_spawn_file_actions_addopen(
		    &actions, i, "/dev/null", O_RDWR, 0);
	if (error == 0)
		error = posix_spawn_file_actions_adddup2(
		    &actions, fd, LIBRARY_FD);
	if (error == 0)
		error = posix_spawn_file_actions_addclosefrom_np(
		    &actions, LIBRARY_FD + 1);
	if (error == 0)
		error = posix_spawnattr_setsigmask(&attributes, &none);
	if (error == 0)
		error = posix_spawnattr_setsigdefault(&attributes, &all);
	if (error == 0)
		error = posix_spawnattr_setflags(&attributes,
		    POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	if (error == 0)
		error = posix_spawn(&handle->pid, path, &actions, &attributes,
		    argv, environment);
	(void)posix_spawnattr_destroy(&attributes);
	(void)posix_spawn_file_actions_destroy(&actions);
	return error;
}

/* helper_introduce(handle): the first request to a new helper. */
static enum freshet_status
helper_introduce(struct freshet *handle)
{
	struct buf *out = &handle->stream.out;
	enum freshet_status status;
	struct slice payload;
	struct wire wire;
	uint32_t protocol;
	uint8_t type;
	size_t mark;

	errno = 0;
	mark = frame_begin(out, LIBRARY_OPEN);
	wire_put_fixed(out, 4, LIBRARY_PROTOCOL);
	image_put(out, &image_options, &handle->options);
	status = handle_end(handle, mark);
	if (status == FRESHET_OK)
		status = handle_take(handle, &type, &payload);
	if (status != FRESHET_OK) {
		helper_stop(handle);
		return status;
	}
	wire = (struct wire){payload, true};
	protocol = (uint32_t)wire_get_fixed(&wire, 4);
	handle->has_sandbox = wire_get_fixed(&wire, 1) != 0;
	if (type != LIBRARY_READY || !wire.ok)
		return handle_lost(handle, EPROTO);
	if (protocol == LIBRARY_PROTOCOL)
		return FRESHET_OK;
	helper_stop(handle);
	return handle_fail(handle, FRESHET_NO_HELPER,
	    "the helper belongs to another version of the library");
}

static enum freshet_status
handle_start(struct freshet *handle)
{
	/* If the first process used up its time, a second one may get the
	 * document. */
	const uint32_t wait_ms = handle->options.wall_ms * WAIT_TIMES +
	    WAIT_MORE_MS;
	const struct timeval wait = {
	    .tv_sec = wait_ms / 1000, .tv_usec = wait_ms % 1000 * 1000};
	const char *path = handle->options.helper;
	char found[4096];
	const char *slash;
	int fds[2];
	int theirs, error;
	Dl_info info;

	if (path == NULL) {
		/* Take the helper that was installed with this library. */
		if (dladdr((const void *)freshet_api, &info) == 0 ||
		    info.dli_fname == NULL)
			slash = NULL;
		else
			slash = strrchr(info.dli_fname, '/');
		if (slash == NULL ||
		    (size_t)snprintf(found, sizeof(found), "%.*s/%s",
			(int)(slash - info.dli_fname), info.dli_fname,
			FRESHET_HELPER) >= sizeof(found))
			return handle_fail(handle, FRESHET_NO_HELPER,
			    "the folder of the library is unknown");
		path = found;
	}
	error = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) == 0
	    ? 0
	    : errno;
	if (error == 0) {
		/* The numbers up to LIBRARY_FD are opened anew in the
		 * helper. */
		theirs = fcntl(fds[1], F_DUPFD_CLOEXEC, LIBRARY_FD + 1);
		error = theirs < 0 ? errno : helper_spawn(handle, path, theirs);
		(void)close(fds[1]);
		if (theirs >= 0)
			(void)close(theirs);
		if (error != 0)
			(void)close(fds[0]);
	}
	if (error != 0) {
		(void)snprintf(handle->error, sizeof(handle->error),
		    "cannot start '%.150s': %s", path, strerrordesc_np(error));
		return FRESHET_NO_HELPER;
	}
	handle->stream.fd = fds[0];
	/* A helper that neither answers nor takes anything counts as lost. */
	(void)setsockopt(fds[0], SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
	(void)setsockopt(fds[0], SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof(wait));
	handle->helpers++;
	return helper_introduce(handle);
}

/* handle_begin(handle): make the helper ready for a message.  A helper that
 * died since the last call is replaced without an error. */
static enum freshet_status
handle_begin(struct freshet *handle)
{
	struct frame_stream *stream = &handle->stream;
	struct pollfd fd = {.fd = stream->fd, .events = POLLIN};
	struct slice payload;
	uint8_t type = LIBRARY_ENTRY;

	if (handle->owner != getpid())
		return handle_fail(handle, FRESHET_BAD_ARGUMENT,
		    "the handle belongs to the process that forked this one");
	handle->error[0] = '\0';
	/* Take the entries that nobody asked for. */
	while (handle->is_reading && type == LIBRARY_ENTRY &&
	    frame_stream_take(stream, &type, &payload) > 0)
		continue;
	if (handle->is_reading && type != LIBRARY_END)
		helper_stop(handle);
	handle->is_reading = false;
	/* A helper that lives has nothing to say now. */
	fd.fd = stream->fd;
	if (fd.fd >= 0 && stream->in_at == stream->in.len &&
	    poll(&fd, 1, 0) == 0)
		return FRESHET_OK;
	helper_stop(handle);
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
	frame_stream_init(&handle->stream, -1, false);
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
	helper_stop(handle);
	buf_release(&handle->stream.in);
	buf_release(&handle->stream.out);
	free(handle->reading.p);
	free(handle->reply.p);
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

/* Begin a call with the request about a document.  A caller that was compiled
 * with an older header gives fewer members; the others get their defaults. */
static enum freshet_status
handle_question(struct freshet *handle, enum library_request type,
    const struct freshet_document *given, const char *url, bool is_child)
{
	static const struct freshet_document standard = FRESHET_DOCUMENT_INIT;
	enum freshet_status status = handle_begin(handle);
	struct library_question question;

	if (status != FRESHET_OK)
		return status;
	memset(&question, 0, sizeof(question));
	question.url = url;
	question.is_child = is_child;
	if (given == NULL)
		given = &standard;
	if (given->size < sizeof(given->size) || given->size > sizeof(*given))
		return handle_fail(handle, FRESHET_BAD_ARGUMENT,
		    "document: its size is not one of this library");
	memcpy(&question.document, given, given->size);
	return handle_send(handle, type, &image_question, &question);
}

/* handle_reading(handle, out): take the reading, after the body. */
static enum freshet_status
handle_reading(struct freshet *handle, const struct freshet_reading **out)
{
	enum freshet_status status = handle_body_end(handle);
	const void *reading = NULL;

	if (status == FRESHET_OK)
		status = handle_expect(handle, LIBRARY_READING, &image_reading,
		    &handle->reading, &reading);
	handle->is_reading = status == FRESHET_OK;
	*out = reading;
	return status;
}

PUBLIC enum freshet_status
freshet_read(struct freshet *handle, const struct freshet_document *document,
    const void *bytes, size_t len, const struct freshet_reading **reading)
{
	enum freshet_status status = handle_question(
	    handle, LIBRARY_DOCUMENT, document, NULL, false);

	*reading = NULL;
	if (status == FRESHET_OK)
		status = handle_body(handle, bytes, len);
	return status == FRESHET_OK ? handle_reading(handle, reading) : status;
}

PUBLIC enum freshet_status
freshet_read_fd(struct freshet *handle, const struct freshet_document *document,
    int fd, const struct freshet_reading **reading)
{
	enum freshet_status status = handle_question(
	    handle, LIBRARY_DOCUMENT, document, NULL, false);
	char bytes[LIBRARY_BODY_BYTES];
	ssize_t n = 1;

	*reading = NULL;
	while (status == FRESHET_OK && n != 0) {
		n = read(fd, bytes, sizeof(bytes));
		if (n >= 0) {
			status = handle_body(handle, bytes, (size_t)n);
		} else if (errno != EINTR) {
			/* The helper waits for a body that does not come. */
			(void)snprintf(handle->error, sizeof(handle->error),
			    "cannot read the document: %s",
			    strerrordesc_np(errno));
			helper_stop(handle);
			return FRESHET_NO_BODY;
		}
	}
	return status == FRESHET_OK ? handle_reading(handle, reading) : status;
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
	status = handle_take(handle, &type, &payload);
	if (status != FRESHET_OK)
		return status;
	if (type == LIBRARY_END) {
		handle->is_reading = false;
		return FRESHET_OK;
	}
	if (type != LIBRARY_ENTRY)
		return handle_lost(handle, EPROTO);
	*entry = image_take(&handle->reply, &image_entry, payload);
	return *entry != NULL ? FRESHET_OK : handle_lost(handle, errno);
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
	enum freshet_status status = handle_question(
	    handle, LIBRARY_JUDGE, given, url, is_child);
	const void *verdict = NULL;

	if (status == FRESHET_OK)
		status = handle_expect(handle, LIBRARY_VERDICT, &image_verdict,
		    &handle->reply, &verdict);
	*out = verdict;
	return status;
}

/* robots.txt. */

/* robots_send(robots): give the file to the helper.  A helper that comes after
 * the one that died answers the same, so its facts are taken only once. */
static enum freshet_status
robots_send(struct freshet_robots *robots)
{
	struct freshet *handle = robots->handle;
	const struct library_robots request = {.id = robots->id,
	    .agent = robots->agent,
	    .profile = robots->profile};
	enum freshet_status status;
	const void *facts;

	status = handle_send(handle, LIBRARY_ROBOTS, &image_robots, &request);
	if (status == FRESHET_OK)
		status = handle_body(handle, robots->bytes, robots->len);
	if (status == FRESHET_OK)
		status = handle_body_end(handle);
	if (status == FRESHET_OK)
		status = handle_expect(handle, LIBRARY_FACTS, &image_facts,
		    robots->facts == NULL ? &robots->room : &handle->reply,
		    &facts);
	if (status != FRESHET_OK)
		return status;
	if (robots->facts == NULL)
		robots->facts = facts;
	robots->helper = handle->helpers;
	return FRESHET_OK;
}

static void
robots_release(struct freshet_robots *robots)
{
	free(robots->bytes);
	free(robots->agent);
	free(robots->profile);
	free(robots->room.p);
	free(robots);
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
	robots = calloc(1, sizeof(*robots));
	if (robots == NULL)
		return handle_fail(handle, FRESHET_NO_MEMORY, "out of memory");
	/* The copies outlive the helper, and the caller's own. */
	robots->handle = handle;
	robots->len = len < ROBOTS_BYTES ? len : ROBOTS_BYTES;
	robots->bytes = malloc(robots->len + 1);
	robots->id = ++handle->robots;
	if (robots->bytes == NULL || !copy_text(&robots->agent, agent) ||
	    !copy_text(&robots->profile, profile)) {
		robots_release(robots);
		return handle_fail(handle, FRESHET_NO_MEMORY, "out of memory");
	}
	if (robots->len > 0)
		memcpy(robots->bytes, bytes, robots->len);
	status = robots_send(robots);
	if (status == FRESHET_OK)
		*out = robots;
	else
		robots_release(robots);
	return status;
}

PUBLIC void
freshet_robots_free(struct freshet_robots *robots)
{
	struct frame_stream *stream;
	struct freshet *handle;
	size_t mark;

	if (robots == NULL)
		return;
	handle = robots->handle;
	stream = &handle->stream;
	/* The helper's copy; without a helper there is none.  If it is not told
	 * that is no failure of the reading whose entries may still come. */
	if (handle->owner == getpid() && robots->helper == handle->helpers &&
	    stream->fd >= 0) {
		mark = frame_begin(&stream->out, LIBRARY_ROBOTS_DROP);
		image_put(&stream->out, &image_robots,
		    &(struct library_robots){.id = robots->id});
		if (frame_end(&stream->out, mark))
			(void)frame_stream_send(stream);
		buf_clear(&stream->out);
	}
	robots_release(robots);
}

PUBLIC const struct freshet_robots_facts *
freshet_robots_facts(const struct freshet_robots *robots)
{
	return robots->facts;
}

PUBLIC enum freshet_status
freshet_robots_ask(struct freshet_robots *robots, const char *url,
    const struct freshet_robots_verdict **out)
{
	struct freshet *handle = robots->handle;
	const struct library_robots request = {.id = robots->id, .url = url};
	enum freshet_status status = handle_begin(handle);
	const void *verdict = NULL;

	if (status == FRESHET_OK && robots->helper != handle->helpers)
		status = robots_send(robots);
	if (status == FRESHET_OK)
		status = handle_send(
		    handle, LIBRARY_ROBOTS_ASK, &image_robots, &request);
	if (status == FRESHET_OK)
		status = handle_expect(handle, LIBRARY_VERDICT_ROBOTS,
		    &image_robots_verdict, &handle->reply, &verdict);
	*out = verdict;
	return status;
}
