/* The checks of `freshet doctor`: libraries, the system, the store. */
#include "crawler/commands/doctor_checks.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/host.h"
#include "base/mem.h"
#include "base/w3cdate.h"
#include "crawler/cli/textfile.h"
#include "crawler/commands/doctor_report.h"
#include "crawler/event/loop.h"
#include "crawler/event/ndjson.h"
#include "crawler/event/scratch.h"
#include "crawler/fetch/fetch_curl.h"
#include "crawler/parse/gunzip.h"
#include "crawler/parse/xml.h"
#include "crawler/sandbox/sandbox.h"
#include "crawler/sandbox/sandbox_trial.h"
#include "store/file_system.h"
#include "store/query.h"
#include "store/store.h"

#define LIBRARIES 11

/* A version as a number that grows with it: 3.40.1 is 3040001. */
static long
number_of(const char *version)
{
	long number = 0;
	char *end;

	for (int i = 0; i < 3; i++) {
		long part = strtol(version, &end, 10);

		number = number * 1000 + (part < 999 ? part : 999);
		version = *end == '.' && end != version ? end + 1 : "";
	}
	return number;
}

/* Known faults of versions (HOSTILE.md section 1). freshet works around most of
 * them; these faults are listed without a warning, so that users learn of them
 * here. */
static const struct {
	const char *library;
	const char *from; /* the first version with the fault */
	const char *before; /* the first version without it */
	enum doctor_status status;
	const char *what;
	const char *remedy;
} known[] = {
    {"SQLite", "0", "3.37", DOCTOR_BAD, "before 3.37 it has no STRICT tables",
	"install SQLite 3.37 or newer"},
    {"SQLite", "3.7.0", "3.51.3", DOCTOR_OK,
	"before 3.51.3 two processes that write or checkpoint at the same "
	"moment can damage a store",
	"freshet lets one process write and checkpoint, under a lock; let no "
	"other program write to the store"},
    {"libcurl", "0", "7.87.0", DOCTOR_WARN,
	"before 7.87 a slow name server stops all transfers",
	"install libcurl 7.87 or newer"},
    {"libcurl", "0", "8.4.0", DOCTOR_OK,
	"before 8.4 its limit for large files looks at Content-Length only",
	"freshet counts the bytes itself"},
    {"libcurl", "7.88.0", "7.89.0", DOCTOR_OK,
	"7.88 keeps the trailers of an answer without a limit",
	"freshet counts headers and trailers and ends at 64 KiB"},
    {"libxml2", "2.9", "2.10", DOCTOR_OK,
	"2.9 has no guard against entities that multiply",
	"freshet stops at a DOCTYPE, so no entity is ever read"},
    {"libevent", "0", "2.2", DOCTOR_OK,
	"before 2.2 its HTTP server limits neither connections nor the time "
	"of a request",
	"freshet counts and times them itself"},
};

static void
judge(struct doctor *doctor, const struct library *library)
{
	long running = number_of(library->running);

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strcmp(known[i].library, library->name) != 0 ||
		    running < number_of(known[i].from) ||
		    running >= number_of(known[i].before))
			continue;
		doctor_add(
		    doctor, known[i].status, library->name, known[i].remedy);
		doctor_say(doctor, "%s", known[i].what);
	}
}

/* An older version than that of the build may lack what the build found;
 * another major version is another library. */
static void
put_version(struct doctor *doctor, const struct library *library)
{
	long built = number_of(library->built);
	long running = number_of(library->running);
	bool is_older = running < built || running / 1000000 != built / 1000000;

	doctor_add(doctor, is_older ? DOCTOR_WARN : DOCTOR_OK, library->name,
	    is_older ? "build freshet anew, or install the library that it "
		       "was built with"
		     : NULL);
	doctor_say(doctor, "%s", library->running);
	if (strcmp(library->built, library->running) != 0)
		doctor_say(doctor, ", built with %s", library->built);
}

/* The version of a package in Debian's list of installed packages; false if
 * there is no list. HOSTILE T25: Debian closed eight holes of evhttp with
 * patches, which no version number of the library shows. */
static bool
debian_version(const char *package, char version[static 64])
{
	FILE *file = fopen("/var/lib/dpkg/status", "re");
	char *line = NULL;
	size_t room = 0;
	bool is_it = false;
	bool is_found = false;

	if (file == NULL)
		return false;
	while (!is_found && getline(&line, &room, file) >= 0) {
		line[strcspn(line, "\n")] = '\0';
		if (strncmp(line, "Package: ", 9) == 0)
			is_it = strcmp(line + 9, package) == 0;
		else if (is_it && strncmp(line, "Version: ", 9) == 0) {
			(void)snprintf(version, 64, "%s", line + 9);
			is_found = true;
		}
	}
	free(line);
	(void)fclose(file);
	return is_found;
}

/* Is the libevent of this process the system's own? A tarball brings another
 * one, of which the system's list of packages says nothing. */
static bool
uses_system_evhttp(void)
{
	FILE *file = fopen("/proc/self/maps", "re");
	char *line = NULL;
	size_t room = 0;
	bool is_found = false;

	if (file == NULL)
		return false;
	while (!is_found && getline(&line, &room, file) >= 0) {
		const char *path = strchr(line, '/');

		is_found = path != NULL &&
		    strstr(path, "/libevent_extra-") != NULL &&
		    (strncmp(path, "/usr/lib/", 9) == 0 ||
			strncmp(path, "/lib/", 5) == 0);
	}
	free(line);
	(void)fclose(file);
	return is_found;
}

static void
judge_evhttp(struct doctor *doctor)
{
	/* of Debian 12 and 13 */
	static const char *const packages[] = {
	    "libevent-extra-2.1-7", "libevent-extra-2.1-7t64"};
	static const char unpatched[] = "2.1.12-stable-8";
	const char *package = packages[0];
	char version[64];
	bool is_old, is_patched;

	if (!uses_system_evhttp())
		return;
	if (!debian_version(package, version)) {
		package = packages[1];
		if (!debian_version(package, version))
			return;
	}
	is_old = strcmp(version, unpatched) == 0;
	is_patched = strncmp(version, "2.1.12-stable-8+deb12u", 22) == 0;
	doctor_add(doctor, is_old ? DOCTOR_WARN : DOCTOR_OK, "evhttp",
	    is_old ? "apt-get install --only-upgrade libevent-extra-2.1-7; "
		     "freshet listens on loopback only"
		   : NULL);
	doctor_say(doctor, "Debian's %s, ", version);
	if (is_old)
		doctor_say(doctor, "without the patches of 2026");
	else if (is_patched)
		doctor_say(doctor, "with the patches of 2026");
	else
		doctor_say(doctor,
		    "of which freshet does not know whether it has the patches "
		    "of 2026: 'apt-get changelog %s' says that",
		    package);
}

static void
put_fetcher(struct doctor *doctor, const struct fetch_facts *facts)
{
	doctor_add(doctor, facts->tls == NULL ? DOCTOR_BAD : DOCTOR_OK, "TLS",
	    facts->tls == NULL ? "install a libcurl with TLS" : NULL);
	doctor_say(doctor, "%s",
	    facts->tls == NULL ? "libcurl has none: no https" : facts->tls);
	doctor_add(doctor, facts->has_async_names ? DOCTOR_OK : DOCTOR_WARN,
	    "names",
	    !facts->has_async_names
		? "install a libcurl with an asynchronous resolver"
		: facts->has_c_ares
		? NULL
		: "freshet looks up 16 names at once at most, and waits for "
		  "no thread");
	doctor_say(doctor, "%s",
	    !facts->has_async_names ? "looking one up stops all transfers"
		: facts->has_c_ares ? "looked up by c-ares"
				    : "looked up by threads: no c-ares");
}

void
doctor_libraries(struct doctor *doctor)
{
	struct library all[LIBRARIES];
	struct fetch_facts facts;

	doctor->group = "libraries";
	fetch_facts(&facts);
	all[0] = facts.library;
	loop_library(&all[1]);
	gunzip_libraries(&all[2]);
	xml_library(&all[4]);
	ndjson_library(&all[5]);
	hash_library(&all[6]);
	host_libraries(&all[7]);
	store_libraries(&all[7 + HOST_LIBRARIES]);
	for (size_t i = 0; i < LIBRARIES; i++)
		put_version(doctor, &all[i]);
	put_fetcher(doctor, &facts);
	doctor->group = "known of these versions";
	for (size_t i = 0; i < LIBRARIES; i++)
		judge(doctor, &all[i]);
	judge_evhttp(doctor);
}

/* The sandbox, limits, the clock, the network. */

#define MIN_FILES 256
#define WANTED_FILES 4096 /* HOSTILE T31 */
#define MIN_MEMORY (512ull << 20)
#define READER_MEMORY (256ull << 20) /* HOSTILE F16 */
#define MIN_ROOM (1ull << 30)
#define CLOCK_FROM_S \
	INT64_C(1735689600) /* 2025-01-01: freshet was written later \ */
#define CLOCK_TO_S INT64_C(4102444800) /* 2100-01-01 */

/* The sandbox. */

static const char *
sandbox_outcome(enum sandbox_outcome outcome)
{
	static const char *const names[] = {"done", "refused", "killed",
	    "not tried: no process, or no sandbox"};

	return names[outcome];
}

static void
put_trials(struct doctor *doctor)
{
	struct sandbox_trial trial;

	for (size_t i = 0; sandbox_trial_run(i, &trial); i++) {
		bool is_good = sandbox_trial_is_good(&trial);

		doctor_add(doctor, is_good ? DOCTOR_OK : DOCTOR_BAD, trial.name,
		    is_good ? NULL
			    : "do not read documents of strangers here; "
			      "report this, with the kernel's version");
		doctor_say(doctor, "%s", sandbox_outcome(trial.outcome));
	}
}

void
doctor_sandbox(struct doctor *doctor)
{
	bool has = sandbox_is_supported();
	struct utsname system;

	doctor->group = "sandbox";
	doctor_add(doctor, has ? DOCTOR_OK : DOCTOR_WARN, "seccomp",
	    has ? NULL
		: "use a kernel and a container that allow seccomp: without "
		  "it, 'crawl' reads in processes with limits only, unless "
		  "--sandbox required forbids that");
	if (uname(&system) == 0)
		doctor_say(doctor, "%s %s %s%s", system.sysname, system.release,
		    system.machine,
		    has ? ": readers can be sandboxed"
			: ": no sandbox for readers");
	if (has)
		put_trials(doctor);
}

/* Limits. */

static void
put_files(struct doctor *doctor)
{
	struct rlimit files;
	bool is_low;

	if (getrlimit(RLIMIT_NOFILE, &files) != 0)
		return;
	is_low = files.rlim_max < WANTED_FILES;
	doctor_add(doctor,
	    files.rlim_max < MIN_FILES ? DOCTOR_BAD
		: is_low               ? DOCTOR_WARN
				       : DOCTOR_OK,
	    "descriptors",
	    is_low ? "raise the hard limit (ulimit -Hn, LimitNOFILE=) to 4096: "
		     "fewer sites are asked at once"
		   : NULL);
	doctor_say(doctor, "%llu, up to %llu",
	    (unsigned long long)files.rlim_cur,
	    (unsigned long long)files.rlim_max);
}

static void
put_address_space(struct doctor *doctor)
{
	struct rlimit space;
	bool is_low;

	if (getrlimit(RLIMIT_AS, &space) != 0)
		return;
	is_low = space.rlim_cur < 4 * READER_MEMORY;
	doctor_add(doctor, is_low ? DOCTOR_WARN : DOCTOR_OK, "address space",
	    is_low ? "raise it (ulimit -v) to 1 GiB at least" : NULL);
	if (space.rlim_cur == RLIM_INFINITY)
		doctor_say(doctor, "unlimited");
	else
		doctor_say(
		    doctor, "%llu bytes", (unsigned long long)space.rlim_cur);
}

static void
put_machine(struct doctor *doctor)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	uint64_t memory = (uint64_t)sysconf(_SC_PHYS_PAGES) *
	    (uint64_t)sysconf(_SC_PAGESIZE);

	doctor_add(doctor, DOCTOR_OK, "processors", NULL);
	doctor_say(doctor, "%ld", cores);
	doctor_add(doctor, memory < MIN_MEMORY ? DOCTOR_WARN : DOCTOR_OK,
	    "memory",
	    memory < MIN_MEMORY ? "use few readers (--readers 1)" : NULL);
	doctor_say_bytes(doctor, memory);
}

static void
put_temporary(struct doctor *doctor)
{
	int fd = scratch_fd(NULL);
	int error = errno;
	struct statvfs fs;
	uint64_t room = 0;
	char text[128];

	if (fd >= 0 && fstatvfs(fd, &fs) == 0)
		room = (uint64_t)fs.f_bavail * fs.f_frsize;
	doctor_add(doctor,
	    fd < 0                ? DOCTOR_BAD
		: room < MIN_ROOM ? DOCTOR_WARN
				  : DOCTOR_OK,
	    "temporary files",
	    fd < 0 || room < MIN_ROOM
		? "set TMPDIR to a folder with 1 GB of room: bodies wait there "
		  "for their readers"
		: NULL);
	if (fd < 0) {
		doctor_say(doctor, "no file can be made: %s",
		    strerror_r(error, text, sizeof(text)));
		return;
	}
	doctor_say_bytes(doctor, room);
	doctor_say(doctor, " of room");
	(void)close(fd);
}

static void
put_clock(struct doctor *doctor)
{
	int64_t now_s = doctor->options->now_s;
	bool is_sane = now_s >= CLOCK_FROM_S && now_s < CLOCK_TO_S;
	struct buf text;

	doctor_add(doctor, is_sane ? DOCTOR_OK : DOCTOR_BAD, "clock",
	    is_sane ? NULL
		    : "set the clock: dates and certificates are judged by "
		      "it");
	buf_init(&text, 64);
	time_print(&text, now_s);
	doctor_say(doctor, "%s", buf_str(&text));
	buf_release(&text);
}

void
doctor_system(struct doctor *doctor)
{
	doctor->group = "system";
	put_files(doctor);
	put_address_space(doctor);
	put_machine(doctor);
	put_temporary(doctor);
	put_clock(doctor);
}

/* The network, from files of this machine alone. */

/* The number of lines that begin so; -1: there is no file. */
static long
count_lines(const char *path, const char *beginning)
{
	FILE *file = fopen(path, "re");
	char *line = NULL;
	size_t room = 0;
	long count = 0;

	if (file == NULL)
		return -1;
	while (getline(&line, &room, file) >= 0)
		count += strncmp(line, beginning, strlen(beginning)) == 0;
	free(line);
	(void)fclose(file);
	return count;
}

static void
put_names(struct doctor *doctor)
{
	long servers = count_lines("/etc/resolv.conf", "nameserver");

	doctor_add(doctor, servers > 0 ? DOCTOR_OK : DOCTOR_WARN,
	    "name servers",
	    servers > 0 ? NULL
			: "name one in /etc/resolv.conf; until then only names "
			  "in /etc/hosts, and those of a resolver on this "
			  "machine, are found");
	if (servers < 0)
		doctor_say(doctor, "there is no /etc/resolv.conf");
	else
		doctor_say(doctor, "%ld in /etc/resolv.conf", servers);
}

static void
put_certificates(struct doctor *doctor)
{
	static const char begin[] = "-----BEGIN CERTIFICATE-----";
	struct fetch_facts facts;
	const char *path = doctor->options->network.ca_file;
	long count = -1;

	fetch_facts(&facts);
	if (path == NULL)
		path = facts.ca_file;
	/* libcurl gets no folder if a file is known (fetch_curl.c) */
	if (path == NULL && facts.ca_folder != NULL &&
	    access(facts.ca_folder, R_OK) == 0) {
		doctor_add(doctor, DOCTOR_OK, "certificates", NULL);
		doctor_say(doctor, "those in %s", facts.ca_folder);
		return;
	}
	if (path != NULL)
		count = count_lines(path, begin);
	doctor_add(doctor, count > 0 ? DOCTOR_OK : DOCTOR_BAD, "certificates",
	    count > 0 ? NULL
		      : "install ca-certificates, or name a file with "
			"--cacert: no https without them");
	if (count >= 0)
		doctor_say(doctor, "%ld in %s", count, path);
	else if (path != NULL)
		doctor_say(doctor, "none: %s cannot be read", path);
	else
		doctor_say(doctor, "none: no file of them is known");
}

static void
put_proxy(struct doctor *doctor)
{
	static const char *const names[] = {"http_proxy", "https_proxy",
	    "HTTPS_PROXY", "all_proxy", "ALL_PROXY"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (getenv(names[i]) != NULL) {
			doctor_add(doctor, DOCTOR_OK, "proxy",
			    "name it with --proxy if it shall be used");
			doctor_say(doctor, "%s is set, and not used", names[i]);
			return;
		}
}

void
doctor_network(struct doctor *doctor)
{
	doctor->group = "network";
	put_names(doctor);
	put_certificates(doctor);
	put_proxy(doctor);
}

/* The store and its folder. */

#define MIN_FREE (1ull << 30) /* HOSTILE T18: a crawl stops below that */
#define OWNER_UNSEEN (-2)
#define LARGE_WAL \
	(256ull << 20) /* four times the size at which SQLite checkpoints */

/* The folder of the store. The default store's folder may be missing until it
 * is needed: then the nearest folder above it. Owned. */
static char *
folder_of(const struct options_store *place)
{
	char *folder = textfile_folder(place->path);

	while (place->is_default && access(folder, F_OK) != 0 &&
	    folder[1] != '\0') {
		char *above = textfile_folder(folder);

		free(folder);
		folder = above;
	}
	return folder;
}

/* Returns false if the folder does not exist. */
static bool
put_place(struct doctor *doctor, const char *folder)
{
	struct file_system system;
	char room[128];

	if (!file_system_look(&system, folder)) {
		doctor_add(doctor, DOCTOR_BAD, "folder",
		    "make the folder, or name another store");
		doctor_say(doctor, "%s: %s", folder,
		    strerror_r(errno, room, sizeof(room)));
		return false;
	}
	doctor_add(doctor,
	    system.is_network || system.is_read_only ? DOCTOR_BAD : DOCTOR_OK,
	    "file system",
	    system.is_network ? "put the store on a disk of this machine: it "
				"is refused here"
		: system.is_read_only
		? "a store that cannot be written can only be read"
		: NULL);
	doctor_say(doctor, "%s in %s%s", system.type, folder,
	    system.is_read_only ? ", read-only" : "");
	doctor_add(doctor,
	    system.free_bytes < MIN_FREE ? DOCTOR_BAD : DOCTOR_OK, "room",
	    system.free_bytes < MIN_FREE
		? "make room: a crawl stops when less than 1 GiB is free"
		: NULL);
	doctor_say_bytes(doctor, system.free_bytes);
	return true;
}

static void
put_locks(struct doctor *doctor, const char *folder)
{
	const char *trouble = file_system_trouble(folder);
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

/* The process that has locked the store; 0: none, -1: not known; OWNER_UNSEEN:
 * only the file's owner may look. */
static long
owner_of(const char *path)
{
	struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	char text[24] = "";
	struct buf name;
	long owner = 0;
	struct stat st;
	int fd;

	buf_init(&name, SIZE_MAX);
	(void)buf_print(&name, "%s.lock", path);
	fd = open(buf_str(&name), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	buf_release(&name);
	if (fd < 0)
		return errno == EACCES ? OWNER_UNSEEN : 0;
	if (fstat(fd, &st) == 0 && store_trusts(path, st.st_uid) &&
	    fcntl(fd, F_OFD_GETLK, &whole) == 0 && whole.l_type != F_UNLCK) {
		ssize_t n = pread(fd, text, sizeof(text) - 1, 0);

		text[n > 0 ? n : 0] = '\0';
		owner = strtol(text, NULL, 10);
		if (owner <= 0)
			owner = -1;
	}
	(void)close(fd);
	return owner;
}

static void
put_owner(struct doctor *doctor)
{
	long owner = owner_of(doctor->options->store.path);

	doctor_add(doctor, DOCTOR_OK, "lock",
	    owner == 0 || owner == OWNER_UNSEEN
		? NULL
		: "'crawl' hands its targets over when a crawl holds "
		  "it; 'db migrate', 'prune', 'vacuum' and 'fsck "
		  "--repair' end with status 5 until it is free");
	if (owner == 0)
		doctor_say(doctor, "nobody holds it");
	else if (owner == OWNER_UNSEEN)
		doctor_say(doctor, "only its owner can see who holds it");
	else if (owner < 0)
		doctor_say(doctor, "another process holds it");
	else
		doctor_say(doctor, "process %ld holds it", owner);
}

static void
put_log(struct doctor *doctor)
{
	struct buf name;
	struct stat st;
	bool is_large;

	buf_init(&name, SIZE_MAX);
	(void)buf_print(&name, "%s-wal", doctor->options->store.path);
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

/* HOSTILE T21: warn if the clock is behind the last reading. */
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
	    .path = doctor->options->store.path, .is_read_only = true};
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
	char *folder = folder_of(&doctor->options->store);

	doctor->group = "store";
	if (put_place(doctor, folder))
		put_locks(doctor, folder);
	if (access(doctor->options->store.path, F_OK) == 0) {
		put_owner(doctor);
		put_log(doctor);
		put_store(doctor);
	} else {
		doctor_add(doctor, DOCTOR_OK, "store", NULL);
		doctor_say(doctor, "none yet: %s", doctor->options->store.path);
	}
	free(folder);
}
