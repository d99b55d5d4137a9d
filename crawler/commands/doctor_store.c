/* doctor: where the store lies, and how it is. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/w3cdate.h"
#include "crawler/commands/doctor.h"
#include "store/place.h"
#include "store/query.h"

#define MIN_FREE (1ull << 30) /* HOSTILE T18: a crawl stops there */
#define HOLDER_UNSEEN (-2)
#define LARGE_WAL (256ull << 20) /* four times the checkpoint's threshold */

/* parent_of(path): the folder that it lies in; owned. */
static char *
parent_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (slash == NULL)
		return mem_copy(".");
	if (slash == path)
		return mem_copy("/");
	return slice_dup(slice_make(path, (size_t)(slash - path)));
}

/* folder_of(options): the store's folder; for the default store, whose folder
 * is made when it is needed, the nearest one above it that exists.  Owned. */
static char *
folder_of(const struct options *options)
{
	char *folder = parent_of(options->store);

	while (options->is_default_store && access(folder, F_OK) != 0 &&
	    folder[1] != '\0') {
		char *above = parent_of(folder);

		free(folder);
		folder = above;
	}
	return folder;
}

/* put_place(doctor, folder): false when there is no such folder. */
static bool
put_place(struct doctor *doctor, const char *folder)
{
	struct place place;
	char room[128];

	if (!place_look(&place, folder)) {
		doctor_add(doctor, DOCTOR_BAD, "folder",
		    "make the folder, or name another store");
		doctor_say(doctor, "%s: %s", folder,
		    strerror_r(errno, room, sizeof(room)));
		return false;
	}
	doctor_add(doctor,
	    place.is_network || place.is_read_only ? DOCTOR_BAD : DOCTOR_OK,
	    "file system",
	    place.is_network ? "put the store on a disk of this machine: it "
			       "is refused here"
		: place.is_read_only
		? "a store that cannot be written can only be read"
		: NULL);
	doctor_say(doctor, "%s in %s%s", place.type, folder,
	    place.is_read_only ? ", read-only" : "");
	doctor_add(doctor, place.free_bytes < MIN_FREE ? DOCTOR_BAD : DOCTOR_OK,
	    "room",
	    place.free_bytes < MIN_FREE
		? "make room: a crawl stops when less than 1 GiB is free"
		: NULL);
	doctor_say_bytes(doctor, place.free_bytes);
	return true;
}

static void
put_locks(struct doctor *doctor, const char *folder)
{
	const char *trouble = place_trouble(folder);
	int error = errno;
	char room[128];

	doctor_add(doctor, trouble == NULL ? DOCTOR_OK : DOCTOR_BAD, "locks",
	    trouble == NULL ? NULL
			    : "put the store on another file system, which "
			      "this user may write");
	if (trouble == NULL)
		doctor_say(doctor, "locks exclude, memory is shared");
	else if (error == 0)
		doctor_say(doctor, "%s", trouble);
	else
		doctor_say(doctor, "%s: %s", trouble,
		    strerror_r(error, room, sizeof(room)));
}

/* holder_of(path): who holds the store's lock; 0: nobody, -1: not known;
 * HOLDER_UNSEEN: only its owner may look. */
static long
holder_of(const char *path)
{
	struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	char text[24] = "";
	struct buf name;
	long holder = 0;
	int fd;

	buf_init(&name, SIZE_MAX);
	(void)buf_print(&name, "%s.lock", path);
	fd = open(buf_str(&name), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	buf_release(&name);
	if (fd < 0)
		return errno == EACCES ? HOLDER_UNSEEN : 0;
	if (fcntl(fd, F_OFD_GETLK, &whole) == 0 && whole.l_type != F_UNLCK) {
		ssize_t n = pread(fd, text, sizeof(text) - 1, 0);

		text[n > 0 ? n : 0] = '\0';
		holder = strtol(text, NULL, 10);
		if (holder <= 0)
			holder = -1;
	}
	(void)close(fd);
	return holder;
}

static void
put_holder(struct doctor *doctor)
{
	long holder = holder_of(doctor->options->store);

	doctor_add(doctor, DOCTOR_OK, "lock",
	    holder == 0 || holder == HOLDER_UNSEEN
		? NULL
		: "'crawl' hands its targets over when a crawl holds "
		  "it; 'db migrate', 'prune', 'vacuum' and 'fsck "
		  "--repair' end with status 5 until it is free");
	if (holder == 0)
		doctor_say(doctor, "nobody holds it");
	else if (holder == HOLDER_UNSEEN)
		doctor_say(doctor, "only its owner can see who holds it");
	else if (holder < 0)
		doctor_say(doctor, "another process holds it");
	else
		doctor_say(doctor, "process %ld holds it", holder);
}

static void
put_log(struct doctor *doctor)
{
	struct buf name;
	struct stat st;
	bool is_large;

	buf_init(&name, SIZE_MAX);
	(void)buf_print(&name, "%s-wal", doctor->options->store);
	if (stat(buf_str(&name), &st) == 0) {
		is_large = (uint64_t)st.st_size > LARGE_WAL;
		doctor_add(doctor, is_large ? DOCTOR_WARN : DOCTOR_OK,
		    "write-ahead log",
		    is_large ? "end programs that read the store for long: it "
			       "cannot be emptied beside them"
			     : NULL);
		doctor_say_bytes(doctor, (uint64_t)st.st_size);
	}
	buf_release(&name);
}

/* put_last(doctor, last_s): HOSTILE T21: a clock that went back. */
static void
put_last(struct doctor *doctor, int64_t last_s)
{
	bool is_later = last_s > doctor->options->now_s;
	struct buf text;

	if (last_s == 0)
		return;
	doctor_add(doctor, is_later ? DOCTOR_BAD : DOCTOR_OK, "last reading",
	    is_later ? "set the clock: it stands before the last reading"
		     : NULL);
	buf_init(&text, 64);
	time_print(&text, last_s);
	doctor_say(doctor, "%s", buf_str(&text));
	buf_release(&text);
}

static void
put_store(struct doctor *doctor)
{
	struct store_options how = {
	    .path = doctor->options->store, .is_read_only = true};
	struct store_info info = {0};
	struct store *store;
	struct buf why;
	enum diag_code code;

	buf_init(&why, SIZE_MAX);
	code = store_open(&how, &store, &why);
	if (code == DIAG_OK) {
		store_info(store, &info);
		code = store_failed(store);
		store_close(store);
		if (code != DIAG_OK)
			(void)buf_print(&why, "it cannot be read");
	}
	doctor_add(doctor, code == DIAG_OK ? DOCTOR_OK : DOCTOR_BAD, "store",
	    code == DIAG_OK ? NULL : diag_info(code)->remedy);
	if (code == DIAG_OK) {
		doctor_say(doctor, "schema %d, %llu documents, ",
		    info.schema_version, (unsigned long long)info.documents);
		doctor_say_bytes(doctor, info.file_bytes);
		put_last(doctor, info.last_reading_s);
	} else {
		doctor_say(doctor, "%s: %s", diag_name(code), buf_str(&why));
	}
	buf_release(&why);
}

void
doctor_store(struct doctor *doctor)
{
	char *folder = folder_of(doctor->options);

	doctor->group = "store";
	if (put_place(doctor, folder))
		put_locks(doctor, folder);
	if (access(doctor->options->store, F_OK) == 0) {
		put_holder(doctor);
		put_log(doctor);
		put_store(doctor);
	} else {
		doctor_add(doctor, DOCTOR_OK, "store", NULL);
		doctor_say(doctor, "none yet: %s", doctor->options->store);
	}
	free(folder);
}
