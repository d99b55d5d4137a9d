/* Misbehaviours for the tests of the sandbox and of main (HOSTILE X33, X34). */
#include "crawler/sandbox/reader.h"

#include <string.h>

#ifdef FRESHET_TEST_HOOKS

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "crawler/sandbox/reader_protocol.h"

#define PROBED_DESCRIPTORS 1024
#define FLOOD_URL_BYTES 30000
#define HOARD_BYTES (UINT64_C(8) << 30)

typedef void plant_fn(const struct reader_plant_scene *);

static _Noreturn void
plant_exit(bool is_good)
{
	_exit(is_good ? READER_EXIT_PLANT_GOOD : READER_EXIT_PLANT_BAD);
}

static void
plant_open(const struct reader_plant_scene *scene)
{
	static const char *const paths[] = {"/etc/passwd", "/dev/null", "/",
	    "/proc/self/maps", "/tmp/new", "relative"};
	bool is_good = true;
	struct stat st;
	size_t i;

	(void)scene;
	for (i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		is_good = is_good && open(paths[i], O_RDONLY) < 0 &&
		    errno == EACCES &&
		    open(paths[i], O_RDWR | O_CREAT, 0600) < 0 &&
		    errno == EACCES && stat(paths[i], &st) != 0 &&
		    errno == EACCES && access(paths[i], F_OK) != 0 &&
		    errno == EACCES;
#ifdef SYS_open
		is_good = is_good && syscall(SYS_open, paths[i], 0) < 0 &&
		    errno == EACCES;
#endif
	}
	plant_exit(is_good);
}

static void
plant_socket(const struct reader_plant_scene *scene)
{
	(void)scene;
	(void)syscall(SYS_socket, AF_INET, SOCK_STREAM, 0);
	plant_exit(false);
}

static void
plant_exec(const struct reader_plant_scene *scene)
{
	(void)scene;
	(void)syscall(SYS_execve, "/bin/true", NULL, NULL);
	plant_exit(false);
}

static void
plant_fork(const struct reader_plant_scene *scene)
{
	(void)scene;
	(void)syscall(SYS_clone, 0, 0, 0, 0, 0);
	plant_exit(false);
}

/* Memory that can be executed. */
static void
plant_map(const struct reader_plant_scene *scene)
{
	(void)scene;
	(void)mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	plant_exit(false);
}

/* fcntl is not allowed here; lseek tells as well what is open. */
static void
plant_fds(const struct reader_plant_scene *scene)
{
	int fd;

	for (fd = 0; fd < PROBED_DESCRIPTORS; fd++) {
		bool is_open = lseek(fd, 0, SEEK_CUR) >= 0 || errno != EBADF;
		bool is_known = fd <= STDERR_FILENO || fd == scene->socket_fd ||
		    fd == scene->body_fd || fd == scene->scratch_fd;

		if (is_open != is_known)
			plant_exit(false);
	}
	plant_exit(true);
}

static void
plant_crash(const struct reader_plant_scene *scene)
{
	(void)scene;
	__builtin_trap();
}

static void
plant_loop(const struct reader_plant_scene *scene)
{
	volatile unsigned turns = 0;

	(void)scene;
	for (;;)
		turns++;
}

static void
plant_sleep(const struct reader_plant_scene *scene)
{
	uint32_t word = 0;

	(void)scene;
	for (;;)
		(void)syscall(SYS_futex, &word, FUTEX_WAIT, 0, NULL);
}

static void
plant_send(const struct reader_plant_scene *scene, struct slice bytes)
{
	while (bytes.len > 0) {
		ssize_t n = write(scene->socket_fd, bytes.p, bytes.len);

		if (n < 0)
			plant_exit(false);
		bytes = slice_from(bytes, (size_t)n);
	}
}

static void
plant_garbage(const struct reader_plant_scene *scene)
{
	char bytes[4096];

	memset(bytes, 0xa5, sizeof(bytes));
	for (;;)
		plant_send(scene, slice_make(bytes, sizeof(bytes)));
}

/* A frame that says it is longer than any may be. */
static void
plant_oversize(const struct reader_plant_scene *scene)
{
	static const char head[] = {
	    (char)0xff, (char)0xff, (char)0xff, 0x7f, FRAME_SEGMENT};

	plant_send(scene, slice_make(head, sizeof(head)));
	plant_sleep(scene);
}

/* put_flood(text, i): a URL of the document, after those before it, that no
 * compression makes much smaller. */
static void
put_flood(struct buf *text, const struct scope *scope, unsigned i)
{
	uint64_t state = i;

	buf_clear(text);
	(void)buf_put_slice(text, url_directory(&scope->location.final));
	(void)buf_print(text, "%010u/", i);
	while (text->len < FLOOD_URL_BYTES) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		(void)buf_put_char(text, (char)('a' + (state >> 59) % 26));
	}
}

static void
put_frame(void *arg, const struct block *block)
{
	const struct reader_plant_scene *scene = arg;
	struct buf out;
	size_t mark;

	buf_init(&out, 1 << 20);
	mark = frame_begin(&out, FRAME_SEGMENT);
	frame_put_block(&out, block);
	(void)frame_end(&out, mark);
	plant_send(scene, buf_text(&out));
	buf_release(&out);
}

/* Frames without end, each of them good and after the one before. */
static void
plant_flood(const struct reader_plant_scene *scene)
{
	struct reader_plant_scene copy = *scene;
	struct buf text;
	unsigned i;

	buf_init(&text, URL_MAX_BYTES);
	for (i = 0;; i++) {
		struct block_writer *writer = block_writer_new(
		    put_frame, &copy);
		struct entry entry = {.first_seen_s = scene->scope->now_s};

		put_flood(&text, scene->scope, i);
		entry.url = buf_text(&text);
		block_writer_add(writer, &entry);
		block_writer_finish(writer);
		block_writer_free(writer);
	}
}

/* Blocks that are small, and whose URLs are long: they begin alike. */
static void
plant_pack(const struct reader_plant_scene *scene)
{
	struct reader_plant_scene copy = *scene;
	struct buf text;
	unsigned i;

	buf_init(&text, URL_MAX_BYTES);
	for (i = 0;; i++) {
		struct block_writer *writer = block_writer_new(
		    put_frame, &copy);
		struct entry entry = {.first_seen_s = scene->scope->now_s};
		size_t front;
		unsigned k;

		put_flood(&text, scene->scope, i);
		front = text.len;
		for (k = 0; k < BLOCK_ENTRIES / 2; k++) {
			text.len = front;
			(void)buf_print(&text, "%06u", k);
			entry.url = buf_text(&text);
			block_writer_add(writer, &entry);
		}
		block_writer_finish(writer);
		block_writer_free(writer);
	}
}

/* Answers without end, of which one was asked for. */
static void
plant_ends(const struct reader_plant_scene *scene)
{
	struct content content;
	struct buf out;
	unsigned i;

	content_init(&content);
	content.kind = KIND_URLSET;
	content.merge.entries = content.accepted = content.seen = 1;
	buf_init(&out, 1 << 20);
	for (i = 0; i < 1000; i++) {
		size_t mark = frame_begin(&out, FRAME_END);

		frame_put_content(&out, &content);
		(void)frame_end(&out, mark);
	}
	for (i = 0; i < 1000; i++)
		plant_send(scene, buf_text(&out));
	plant_sleep(scene);
}

static void
plant_leave(const struct reader_plant_scene *scene)
{
	(void)scene;
	_exit(READER_EXIT_OK);
}

static void
plant_memory(const struct reader_plant_scene *scene)
{
	uint64_t had;

	(void)scene;
	/* Not touched: where no limit holds, it costs nothing. */
	for (had = 0; had < HOARD_BYTES; had += 16u << 20) {
		volatile char *p = mem_alloc(16u << 20);

		p[0] = 1;
	}
	plant_exit(false);
}

static const struct plant {
	const char *name;
	plant_fn *fn;
	bool is_after_end;
} plants[] = {
    {"open", plant_open, false},
    {"socket", plant_socket, false},
    {"exec", plant_exec, false},
    {"fork", plant_fork, false},
    {"map", plant_map, false},
    {"fds", plant_fds, false},
    {"crash", plant_crash, false},
    {"loop", plant_loop, false},
    {"sleep", plant_sleep, false},
    {"garbage", plant_garbage, false},
    {"oversize", plant_oversize, false},
    {"flood", plant_flood, false},
    {"pack", plant_pack, false},
    {"exit", plant_leave, false},
    {"memory", plant_memory, false},
    {"after-end", plant_garbage, true},
    {"ends", plant_ends, true},
};

static const struct plant *
plant_find(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(plants) / sizeof(plants[0]); i++) {
		if (strcmp(plants[i].name, name) == 0)
			return &plants[i];
	}
	return NULL;
}

bool
reader_plant_is_known(const char *name)
{
	return plant_find(name) != NULL || reader_lie_is_known(name);
}

void
reader_plant(const struct reader_plant_scene *scene)
{
	const struct plant *plant = plant_find(scene->name);

	if (plant != NULL && plant->is_after_end == scene->is_after_end)
		plant->fn(scene);
	reader_lie(scene);
}

#else

bool
reader_plant_is_known(const char *name)
{
	(void)name;
	return false;
}

void
reader_plant(const struct reader_plant_scene *scene)
{
	(void)scene;
}

#endif
