/* doctor: the sandbox, limits, the clock, the way to the network. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/w3cdate.h"
#include "crawler/commands/doctor.h"
#include "crawler/event/scratch.h"
#include "crawler/fetch/fetch_curl.h"
#include "crawler/sandbox/sandbox.h"
#include "crawler/sandbox/sandbox_trial.h"

#define MIN_FILES 256
#define WANTED_FILES 4096 /* HOSTILE T31 */
#define MIN_MEMORY (512ull << 20)
#define READER_MEMORY (256ull << 20) /* HOSTILE F16 */
#define MIN_ROOM (1ull << 30)
#define CLOCK_FROM_S                                            \
	INT64_C(1735689600) /* 2025-01-01: it was written later \
			     */
#define CLOCK_TO_S INT64_C(4102444800) /* 2100-01-01 */

/* The jail. */

static const char *
sandbox_outcome(enum sandbox_outcome outcome)
{
	static const char *const names[] = {
	    "done", "refused", "killed", "not tried: no process, or no jail"};

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
		    has ? ": readers can be jailed" : ": no jail for readers");
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

/* The way to the network, without asking it. */

/* count_lines(path, beginning): how many lines begin so; -1: no file. */
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
	const char *path = doctor->options->ca_file;
	long count = -1;

	fetch_facts(&facts);
	if (path == NULL)
		path = facts.ca_file;
	/* Where a file is known libcurl gets no folder: see fetch_curl.c. */
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
