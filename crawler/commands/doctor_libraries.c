/* doctor: libraries, and the combinations that are known to be bad. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/host.h"
#include "crawler/commands/doctor.h"
#include "crawler/event/loop.h"
#include "crawler/event/ndjson.h"
#include "crawler/fetch/fetch_curl.h"
#include "crawler/parse/gunzip.h"
#include "crawler/parse/xml.h"
#include "store/versions.h"

#define LIBRARIES 10

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

/*
 * What is known of versions (HOSTILE section 1).  Most of it freshet sees to
 * by itself, and then it is no warning; it is said, so that nobody has to
 * find out.
 */
static const struct {
	const char *library;
	const char *from; /* the first version that has it */
	const char *before; /* the first one that has not, or not any more */
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

/* put_version(doctor, library): an older one than it was built with may lack
 * what was found at build time; another major one is another library. */
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

/*
 * debian_version(package, version): from the list of installed packages; false
 * where there is none.  HOSTILE T25: eight holes of evhttp are closed in
 * Debian's patches, which no version number of the library shows.
 */
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

static void
judge_evhttp(struct doctor *doctor)
{
	static const char unpatched[] = "2.1.12-stable-8";
	char version[64];
	bool is_old;

	if (!debian_version("libevent-extra-2.1-7", version))
		return;
	is_old = strcmp(version, unpatched) == 0;
	doctor_add(doctor, is_old ? DOCTOR_WARN : DOCTOR_OK, "evhttp",
	    is_old ? "apt-get install --only-upgrade libevent-extra-2.1-7; "
		     "freshet listens on loopback only"
		   : NULL);
	doctor_say(doctor, "Debian's %s, %s", version,
	    is_old ? "without the patches of 2026"
		   : "no older than its patches");
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
	gunzip_library(&all[2]);
	xml_library(&all[3]);
	ndjson_library(&all[4]);
	hash_library(&all[5]);
	host_libraries(&all[6]);
	store_libraries(&all[6 + HOST_LIBRARIES]);
	for (size_t i = 0; i < LIBRARIES; i++)
		put_version(doctor, &all[i]);
	put_fetcher(doctor, &facts);
	doctor->group = "known of these versions";
	for (size_t i = 0; i < LIBRARIES; i++)
		judge(doctor, &all[i]);
	judge_evhttp(doctor);
}
