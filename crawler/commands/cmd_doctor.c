/* freshet doctor: what on this machine stands in the way of freshet. Nothing is
 * sent over the network. */
#include <errno.h>
#include <stdarg.h>
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
#include "base/human.h"
#include "base/out_json.h"
#include "base/zone.h"
#include "crawler/archive/archive.h"
#include "crawler/cli/out.h"
#include "crawler/cli/textfile.h"
#include "crawler/commands/commands.h"
#include "crawler/event/exit.h"
#include "crawler/event/ndjson.h"
#include "crawler/event/scratch.h"
#include "crawler/fetch/fetch.h"
#include "crawler/identity/identity.h"
#include "crawler/parse/gunzip.h"
#include "crawler/parse/xml.h"
#include "crawler/sandbox/sandbox.h"
#include "store/depot/depot.h"
#include "store/file_system.h"
#include "store/query.h"

#define LIBRARIES 13
#define TEXT_COLUMN 26 /* columns of "  warn  name" */
#define MIN_FILES 256
#define WANTED_FILES 4096 /* HOSTILE T31 */
#define MIN_ROOM (1ull << 30) /* HOSTILE T18: a crawl stops below that */
/* 2025-01-01, when freshet was not yet written, to 2100-01-01 */
#define CLOCK_FROM_S INT64_C(1735689600)
#define CLOCK_TO_S INT64_C(4102444800)

/* How a check ends. */
enum { FINE = SEVERITY_NONE, WARN = SEVERITY_WARNING, BAD = SEVERITY_ERROR };

struct doctor {
	const struct options *options;
	struct out out;
	const char *group; /* of the checks to come */
	const char *printed; /* the group of the last check */
	size_t counts[BAD + 1];
	struct buf text; /* room for what one check prints */
};

/* Print the result of a check: what was found, and what to do about it, if it
 * is not in order. */
static void __attribute__((format(printf, 5, 6)))
doctor_say(struct doctor *doctor, unsigned end, const char *name,
    const char *remedy, const char *format, ...)
{
	static const char *const words[] = {
	    [FINE] = "ok", [WARN] = "warn", [BAD] = "bad"};
	struct buf *text = &doctor->out.text;
	char found[1024], first[TEXT_COLUMN + 1];
	struct buf lines = BUF_UP_TO(SIZE_MAX);
	va_list list;

	/* What was found may be a path or a text of a library: it is cut at
	 * this room, and made visible when it is printed. */
	va_start(list, format);
	(void)vsnprintf(found, sizeof(found), format, list);
	va_end(list);
	doctor->counts[end]++;
	remedy = end == FINE ? NULL : remedy;
	if (doctor->options->output.is_json) {
		out_json_line(text, "check");
		out_json_string(text, "group", doctor->group);
		out_json_string(text, "name", name);
		out_json_string(text, "status", words[end]);
		out_json_string(text, "text", found);
		out_json_string(text, "remedy", remedy);
		(void)out_end_json(&doctor->out);
		return;
	}
	if (doctor->printed != doctor->group)
		(void)buf_print(text, "%s\n", doctor->group);
	doctor->printed = doctor->group;
	(void)buf_print(text, "  ");
	out_severity(&doctor->out, (enum severity)end);
	(void)buf_print(text, "%s", words[end]);
	out_severity(&doctor->out, SEVERITY_NONE);
	(void)buf_print(text, "%*s", 6 - (int)strlen(words[end]), "");
	/* the columns that stand in the line already count as its beginning */
	(void)snprintf(
	    first, sizeof(first), "%8s%-*s", "", TEXT_COLUMN - 8, name);
	out_wrapped(&lines, first, found);
	(void)buf_put_slice(text, slice_from(buf_text(&lines), 8));
	buf_release(&lines);
	(void)snprintf(first, sizeof(first), "%*s", TEXT_COLUMN, "");
	if (remedy != NULL)
		out_wrapped(text, first, remedy);
}

/* The versions of all libraries, for reports of bugs; another major version is
 * another library.  Faults that freshet works around are not told, because
 * nobody has to do anything about them. */
static void
doctor_libraries(struct doctor *doctor, const struct fetch_facts *facts)
{
	struct library all[LIBRARIES];

	doctor->group = "libraries";
	all[0] = facts->library;
	loop_library(&all[1]);
	gunzip_libraries(&all[2]);
	xml_library(&all[4]);
	ndjson_library(&all[5]);
	hash_library(&all[6]);
	host_libraries(&all[7]);
	store_libraries(&all[7 + HOST_LIBRARIES]);
	archive_library(&all[LIBRARIES - 2]);
	if (!depot_library(&all[LIBRARIES - 1]))
		all[LIBRARIES - 1] = library_make(
		    "libpq", "not there: no postgresql:// stores", "");
	for (size_t i = 0; i < LIBRARIES; i++) {
		const char *running = all[i].running, *built = all[i].built;
		bool has_both = running[0] != '\0' && built[0] != '\0';
		bool is_other = has_both &&
		    strtol(running, NULL, 10) != strtol(built, NULL, 10);

		doctor_say(doctor, is_other ? WARN : FINE, all[i].name,
		    "build freshet anew, or install the library that it was "
		    "built with",
		    !has_both || strcmp(built, running) == 0
			? "%s"
			: "%s, built with %s",
		    running[0] == '\0' ? built : running, built);
	}
	doctor_say(doctor, facts->tls != NULL ? FINE : BAD, "TLS",
	    "install a libcurl with TLS", "%s",
	    facts->tls == NULL ? "libcurl has none: no https" : facts->tls);
}

/* A crawl of many sites needs descriptors, room for bodies that wait for their
 * readers, and a clock that dates and certificates can be judged by: small
 * machines without a battery begin in 1970. */
static void
doctor_machine(struct doctor *doctor, const struct fetch_facts *facts)
{
	int64_t now_s = doctor->options->now_s;
	struct rlimit files = {0};
	struct statvfs fs;
	uint64_t room = 0;
	int fd = scratch_fd(NULL);
	int error = errno;

	doctor->group = "system";
	/* freshet raises its soft limit itself, up to the hard one */
	(void)getrlimit(RLIMIT_NOFILE, &files);
	doctor_say(doctor,
	    files.rlim_max >= WANTED_FILES   ? FINE
		: files.rlim_max < MIN_FILES ? BAD
					     : WARN,
	    "descriptors",
	    "raise the hard limit (ulimit -Hn, LimitNOFILE=) to 4096: fewer "
	    "sites are asked at once",
	    "%llu, up to %llu", (unsigned long long)files.rlim_cur,
	    (unsigned long long)files.rlim_max);
	if (fd >= 0 && fstatvfs(fd, &fs) == 0)
		room = (uint64_t)fs.f_bavail * fs.f_frsize;
	doctor_say(doctor,
	    room >= MIN_ROOM ? FINE
		: fd < 0     ? BAD
			     : WARN,
	    "temporary files",
	    "set TMPDIR to a folder with 1 GB of room: bodies wait there for "
	    "their readers",
	    fd < 0 ? "no file can be made: %s" : "%s of room",
	    fd < 0 ? strerrordesc_np(error)
		   : human_scaled(room, human_bytes).text);
	if (fd >= 0)
		(void)close(fd);
	/* a wrong clock makes each certificate invalid, and each date a lie */
	doctor_say(doctor,
	    now_s >= CLOCK_FROM_S && now_s < CLOCK_TO_S ? FINE : BAD, "clock",
	    "set the clock: dates and certificates are judged by it", "%s",
	    zone_text(now_s, ZONE_FULL).text);
	/* libcurl gets no folder if a file is known (fetch.c) */
	const char *typed = doctor->options->network.ca_file;
	const char *path = typed != NULL ? typed
	    : facts->ca_file != NULL     ? facts->ca_file
					 : facts->ca_folder;
	struct stat found = {0};

	(void)stat(path == NULL ? "" : path, &found);
	doctor_say(doctor,
	    found.st_size > 0 && access(path, R_OK) == 0 ? FINE : BAD,
	    "certificates",
	    "install ca-certificates, or name a file with --cacert: no https "
	    "without them",
	    "%lld bytes in %s", (long long)found.st_size,
	    path != NULL ? path : "no file that is known");
}

/* The lock and the content of a store that there is. */
static void
doctor_content(struct doctor *doctor)
{
	struct store_options how = {
	    .path = doctor->options->store.path, .is_read_only = true};
	struct store_info info = {0};
	long owner;
	bool is_held = store_is_held(how.path, &owner);
	struct store *store;
	struct buf *text = &doctor->text;
	enum diag_code code;

	doctor_say(doctor, FINE, "lock", NULL,
	    is_held         ? "process %ld holds it: commands that write ask "
			      "it to do so; 'db migrate', 'prune', 'vacuum' "
			      "and 'fsck --repair' wait until it is through"
		: owner < 0 ? "only its owner can see who holds it"
			    : "nobody holds it",
	    owner);
	/* Can it be opened and read?  What is in it, row by row, is the
	 * business of `db fsck`. */
	buf_clear(text);
	code = store_open(&how, &store, text);
	if (code == DIAG_OK) {
		store_info(store, &info);
		code = store_failed(store);
		store_close(store);
		(void)buf_print(text, "it cannot be read");
	}
	if (code == DIAG_OK)
		doctor_say(doctor, FINE, "store", NULL,
		    "schema %d, %llu documents, %s", info.schema_version,
		    (unsigned long long)info.documents,
		    human_scaled(info.file_bytes, human_bytes).text);
	else
		doctor_say(doctor, BAD, "store", diag_info(code)->remedy,
		    "%s: %s", diag_name(code), buf_str(text));
	/* HOSTILE T21 */
	if (code == DIAG_OK && info.last_reading_s > 0)
		doctor_say(doctor,
		    info.last_reading_s <= doctor->options->now_s ? FINE : BAD,
		    "last reading",
		    "set the clock: it stands before the last reading", "%s",
		    zone_text(info.last_reading_s, ZONE_FULL).text);
}

/* Can a store lie in its folder?  HOSTILE T30: on a network file system locks
 * and shared memory do not work, and SQLite would damage it. */
static void
doctor_store(struct doctor *doctor)
{
	const struct options_store *place = &doctor->options->store;
	char *folder = textfile_folder(place->path);
	const char *trouble;
	struct file_system system;

	/* the folder of the default store is made when it is needed, in the
	 * nearest folder above that there is */
	while (place->is_default && access(folder, F_OK) != 0 &&
	    folder[1] != '\0') {
		char *above = textfile_folder(folder);

		free(folder);
		folder = above;
	}
	/* without its folder nothing else can be said of the store */
	doctor->group = "store";
	if (!file_system_look(&system, folder)) {
		doctor_say(doctor, BAD, "folder",
		    "make the folder, or name another store", "%s: %s", folder,
		    strerrordesc_np(errno));
		free(folder);
		return;
	}
	doctor_say(doctor,
	    !system.is_network && !system.is_read_only ? FINE : BAD,
	    "file system",
	    system.is_network
		? "put the store on a disk of this machine: it is refused here"
		: "a store that cannot be written can only be read",
	    "%s in %s%s", system.type, folder,
	    system.is_read_only ? ", read-only" : "");
	doctor_say(doctor, system.free_bytes >= MIN_ROOM ? FINE : BAD, "room",
	    "make room: a crawl stops when less than 1 GiB is free", "%s",
	    human_scaled(system.free_bytes, human_bytes).text);
	/* errno stays 0 where a call succeeded and did not do what it should */
	errno = 0;
	trouble = file_system_trouble(folder);
	doctor_say(doctor, trouble == NULL ? FINE : BAD, "locks",
	    "put the store on another file system, which this user may write",
	    trouble == NULL || errno == 0 ? "%s" : "%s: %s",
	    trouble == NULL ? "locks exclude, memory is shared" : trouble,
	    strerrordesc_np(errno));
	/* the cache is worth nothing: what PostgreSQL has counts */
	if (place->url != NULL) {
		bool is_good;

		buf_clear(&doctor->text);
		is_good = depot_probe(place->url, &doctor->text);
		/* of a server that was reached the text says what to do */
		doctor_say(doctor, is_good ? FINE : BAD, "PostgreSQL",
		    slice_starts(buf_text(&doctor->text), slice_of("cannot "))
			? "look at the server's log, and at PGPASSFILE"
			: NULL,
		    "%s", buf_str(&doctor->text));
	} else if (access(place->path, F_OK) == 0)
		doctor_content(doctor);
	else
		doctor_say(
		    doctor, FINE, "store", NULL, "none yet: %s", place->path);
	free(folder);
}

/* Can the identity sign?  Whoever configures none is not told of it. */
static void
doctor_identity(struct doctor *doctor)
{
	struct buf *why = &doctor->text;
	struct identity *identity;
	enum diag_code code;

	doctor->group = "identity";
	buf_clear(why);
	code = identity_open(&identity, doctor->options->identity.folder,
	    doctor->options->now_s, why);
	if (code == DIAG_OK)
		doctor_say(doctor, FINE, "key", NULL, "%s signs",
		    identity_key(identity, 0)->keyid);
	else
		doctor_say(doctor, BAD, "key", diag_info(code)->remedy,
		    "%s: %s", diag_name(code), buf_str(why));
	identity_free(identity);
}

int
command_doctor(struct options *options)
{
	struct doctor doctor = {.options = options};
	const size_t *counts = doctor.counts;
	struct fetch_facts facts;
	struct buf *text = &doctor.out.text;

	out_init(&doctor.out, &options->output);
	/* Can documents be read in a sandbox, and does it hold?  HOSTILE X34:
	 * calls that a subverted reader would make are tried in processes of
	 * their own, before a library starts a thread. */
	static const char *const outcomes[] = {"done", "refused", "killed",
	    "not tried: no process, or no sandbox"};
	bool has = sandbox_is_supported();
	struct utsname system = {0};
	struct sandbox_trial trial;

	doctor.group = "sandbox";
	(void)uname(&system);
	doctor_say(&doctor, has ? FINE : WARN, "seccomp",
	    "use a kernel and a container that allow seccomp: without it, "
	    "'crawl' reads in processes with limits only, unless --sandbox "
	    "required forbids that",
	    "%s %s %s: %s", system.sysname, system.release, system.machine,
	    has ? "readers can be sandboxed" : "no sandbox for readers");
	for (size_t i = 0; has && sandbox_trial_run(i, &trial); i++)
		doctor_say(&doctor, trial.is_good ? FINE : BAD, trial.name,
		    "do not read documents of strangers here; report this, "
		    "with the kernel's version",
		    "%s", outcomes[trial.outcome]);

	/* all but the sandbox is left out if that alone was asked for */
	if (!options->is_sandbox_test) {
		fetch_facts(&facts);
		doctor_libraries(&doctor, &facts);
		doctor_machine(&doctor, &facts);
		doctor_store(&doctor);
		if (options->identity.folder != NULL)
			doctor_identity(&doctor);
	}
	buf_release(&doctor.text);
	if (options->output.is_json) {
		out_json_line(text, "summary");
		out_json_number(text, "ok", counts[FINE]);
		out_json_number(text, "warn", counts[WARN]);
		out_json_number(text, "bad", counts[BAD]);
		out_json_line_end(text);
	} else {
		(void)buf_print(text, "%zu ok, %zu warning%s, %zu bad\n",
		    counts[FINE], counts[WARN], counts[WARN] == 1 ? "" : "s",
		    counts[BAD]);
	}
	return out_end(
	    &doctor.out, counts[BAD] > 0 ? EXIT_FINDINGS : EXIT_DONE);
}
