/*
 * libfreshet: read sitemaps and robots.txt files that somebody else wrote.
 *
 * Give it bytes, and what is known of them (the URL, the index that lists the
 * document, the rules); get the kind of the document, its entries with the
 * verdict of the location rules on each, and what is wrong with it.
 *
 * All bytes are parsed in processes of their own, in a sandbox without files
 * and sockets.  A handle has one helper process, which freshet_open starts with
 * posix_spawn; the helper starts those that parse.  So no input, however
 * hostile, and no lack of memory ends or forks the caller: a call that cannot
 * be answered returns an error, and the next call starts another helper.  The
 * library never prints, never exits, installs no signal handler, starts no
 * thread and reads no clock.
 *
 * Threads: a handle, and what was made from it, belongs to one thread at a
 * time.  Different handles share nothing.  A process that was forked from the
 * caller must not use the caller's handles: calls return FRESHET_BAD_ARGUMENT.
 *
 * Children: the helper is a child of the calling process until freshet_close,
 * and handles signals from the terminal by ignoring them.  A caller that waits
 * for any child (wait, or SIGCHLD ignored) may collect it; the library copes.
 *
 * Memory: what a call returns through `const struct ... *` belongs to the
 * handle, and is valid until the time that the comment of the call names.
 * Strings end with NUL.  Strings that come from a document are foreign text:
 * escape them before they go to a terminal or a page.
 *
 * Versions: FRESHET_API grows when members or functions are added, at the end
 * and with old programs still working; the name of the library changes with
 * anything else.  So a struct that the caller fills begins with its size, which
 * the FRESHET_*_INIT macros set; all members that are not set are 0 or NULL,
 * which is a good default.
 */
#ifndef FRESHET_FRESHET_H
#define FRESHET_FRESHET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FRESHET_API 1

enum freshet_status {
	FRESHET_OK = 0,
	/* An argument makes no sense; freshet_error says which.  Nothing was
	 * read, and the helper lives. */
	FRESHET_BAD_ARGUMENT = 1,
	/* The caller has no memory left for the answer. */
	FRESHET_NO_MEMORY = 2,
	/* The helper program cannot be started. */
	FRESHET_NO_HELPER = 3,
	/* The kernel has no seccomp filters, and options.sandbox wants them. */
	FRESHET_NO_SANDBOX = 4,
	/* The helper died, or gave no answer in time.  The next call starts
	 * another; the same bytes may be tried again. */
	FRESHET_HELPER_LOST = 5,
	/* The bytes could not be read from the descriptor, or the helper has no
	 * room for them on the disk. */
	FRESHET_NO_BODY = 6
};

enum freshet_sandbox {
	FRESHET_SANDBOX_REQUIRED = 0,
	/* Parse without a filter where the kernel has none; limits of memory
	 * and time hold all the same. */
	FRESHET_SANDBOX_IF_POSSIBLE = 1
};

struct freshet;

struct freshet_options {
	size_t size; /* FRESHET_OPTIONS_INIT sets it */
	/* The path of the helper; NULL: libfreshet0/freshet-helper in the
	 * folder of the library. */
	const char *helper;
	/* The folder for bodies and for sorting, in files without a name; NULL:
	 * /var/tmp. */
	const char *scratch_dir;
	uint64_t memory_bytes; /* of a process that parses; 0: 1 GiB */
	uint32_t cpu_s; /* CPU seconds for one document; 0: 10 */
	uint32_t wall_ms; /* wall clock for one document; 0: 60,000 */
	/* A process that parses is replaced after so many documents, so that
	 * one that a document has subverted can lie about few others; 0: 256,
	 * 1: no two documents share a process. */
	uint32_t documents_each;
	int sandbox; /* enum freshet_sandbox */
};

#define FRESHET_OPTIONS_INIT                           \
	{                                              \
		.size = sizeof(struct freshet_options) \
	}

/*
 * freshet_open(out, options): start a helper; options may be NULL.  *out is a
 * handle whenever the status is not FRESHET_NO_MEMORY, so that freshet_error
 * can explain; a handle without a helper tries to start one at each call.
 * freshet_close frees it in every case.
 *
 * Returns FRESHET_OK, FRESHET_BAD_ARGUMENT, FRESHET_NO_MEMORY,
 * FRESHET_NO_HELPER, FRESHET_NO_SANDBOX or FRESHET_HELPER_LOST.
 */
enum freshet_status freshet_open(
    struct freshet **out, const struct freshet_options *);

/* freshet_close(handle): end the helper and wait for its end.  NULL is ignored.
 * The robots.txt files of the handle were freed before. */
void freshet_close(struct freshet *);

/* freshet_error(handle): the last error in words, without a full stop; "" after
 * a call that returned FRESHET_OK.  Valid until the next call. */
const char *freshet_error(const struct freshet *);

/* freshet_api(), freshet_version(): FRESHET_API and the version, as "0.1.0", of
 * the library that is loaded. */
unsigned freshet_api(void);
const char *freshet_version(void);

/* freshet_has_sandbox(handle): are documents parsed behind a filter of system
 * calls?  Always with FRESHET_SANDBOX_REQUIRED. */
bool freshet_has_sandbox(const struct freshet *);

/* Documents. */

enum freshet_kind {
	FRESHET_UNKNOWN = 0,
	FRESHET_ROBOTS = 1,
	FRESHET_INDEX = 2,
	FRESHET_URLSET = 3,
	FRESHET_TEXT = 4,
	FRESHET_RSS = 5,
	FRESHET_ATOM = 6
};

/* freshet_kind_name(kind): "index", "urlset", "text", "rss", "atom", "robots";
 * "unknown" for anything else. */
const char *freshet_kind_name(int kind);

/* Where a document is, and what proves that it may list pages. */
struct freshet_place {
	const char *url; /* as robots.txt or the index names it */
	const char *final_url; /* after redirects; NULL: url */
	/* URLs, with any path, of the origins whose robots.txt names the
	 * document: they prove that it may list their pages. */
	const char *const *proofs;
	size_t proof_count;
};

/* Bits of freshet_document.checks: what is looked for besides. */
enum freshet_checks {
	/* Image, video, news and hreflang elements; fills the alternates of
	 * entries. */
	FRESHET_CHECK_EXTENSIONS = 1,
	/* What only the XML schema forbids. */
	FRESHET_CHECK_SCHEMA = 2
};

struct freshet_document {
	size_t size; /* FRESHET_DOCUMENT_INIT sets it */
	/* .url NULL: the place is unknown, and every entry is accepted. */
	struct freshet_place place;
	struct freshet_place
	    index; /* the index that lists it; .url NULL: none */
	/* How many indexes are above the document; 0: one if there is an index,
	 * else none. */
	uint32_t depth;
	/* For an index: URLs of sitemaps that the robots.txt of their own
	 * origin names.  The index may list these wherever they are. */
	const char *const *listed;
	size_t listed_count;
	/* What the caller owns: "domain:example.com", or the beginning of a
	 * URL.  Documents of the owner may list all that is his. */
	const char *const *own;
	size_t own_count;
	const char *profile; /* "google" (NULL), "strict" or "lenient" */
	/* Switches that differ from the profile: "dir-rule=warn"; `freshet help
	 * check` lists them. */
	const char *const *switches;
	size_t switch_count;
	const char *content_type; /* the headers of the response; NULL: none */
	const char *content_encoding;
	int64_t now_s; /* seconds since 1970, UTC; 0: the clock of the helper */
	int64_t listed_s; /* lastmod of the document in its index; 0: unknown */
	int64_t modified_s; /* its Last-Modified; 0: unknown */
	unsigned checks; /* enum freshet_checks */
	bool is_truncated; /* the transfer ended early */
};

#define FRESHET_DOCUMENT_INIT                           \
	{                                               \
		.size = sizeof(struct freshet_document) \
	}

/* One place where a finding occurred. */
struct freshet_sample {
	uint32_t line; /* of the decoded document, from 1; 0: unknown */
	const char *text; /* what stands there, cut to 512 bytes; foreign */
};

/* What is wrong or remarkable; each code at most once. */
struct freshet_finding {
	const char *code; /* as "host-mismatch"; codes never change */
	const char *severity; /* "error", "warning" or "info" */
	const char *meaning; /* when the code is reported */
	const char *remedy; /* what the owner of the site does about it */
	const char *rule; /* of the specification, as "R-58" */
	uint64_t count; /* how often it occurred */
	const struct freshet_sample *samples; /* the first of them, at most 8 */
	size_t sample_count;
};

struct freshet_reading {
	int kind; /* enum freshet_kind */
	/* Why nothing could be read, as "unsupported-format", "gzip-bomb" or
	 * "reader-killed"; NULL: the entries are there. */
	const char *failure;
	/* May the index list this document, and the place where redirects led?
	 * NULL: it may, or there is no index; else the code of the rule that
	 * refuses. */
	const char *refusal;
	bool is_complete; /* false: entries may be missing; findings say why */
	uint64_t seen; /* entries of the document, valid or not, with repeats */
	uint64_t accepted; /* of these */
	uint64_t entries; /* that freshet_next will give, refused ones too */
	uint64_t decoded_bytes;
	uint32_t gzip_layers;
	bool are_alternates_cut; /* there were more alternates than were kept */
	const struct freshet_finding *findings;
	size_t finding_count;
};

/*
 * freshet_read(handle, document, bytes, len, reading): read one document, as it
 * came over the wire: gzip is recognised by its bytes.  *reading is valid until
 * the next freshet_read, freshet_read_fd or freshet_close.
 * freshet_read_fd(...): read the bytes from a descriptor, from where it stands
 * to its end, blocking; the descriptor stays the caller's.
 *
 * FRESHET_OK means that *reading says what became of the bytes, even if they
 * are no sitemap, are a bomb, or killed the process that parsed them.
 * Otherwise *reading is NULL.
 */
enum freshet_status freshet_read(struct freshet *,
    const struct freshet_document *, const void *bytes, size_t len,
    const struct freshet_reading **reading);
enum freshet_status freshet_read_fd(struct freshet *,
    const struct freshet_document *, int fd,
    const struct freshet_reading **reading);

/* Forms of lastmod: which parts the document wrote. */
enum freshet_precision {
	FRESHET_NO_DATE = 0,
	FRESHET_YEAR = 1,
	FRESHET_MONTH = 2,
	FRESHET_DAY = 3,
	FRESHET_MINUTE = 4,
	FRESHET_SECOND = 5,
	FRESHET_FRACTION = 6
};

/* Bits of freshet_entry.extensions. */
enum freshet_extension {
	FRESHET_IMAGE = 1,
	FRESHET_VIDEO = 2,
	FRESHET_NEWS = 4,
	FRESHET_HREFLANG = 8,
	FRESHET_OTHER = 16
};

/* A link with rel="alternate". */
struct freshet_alternate {
	const char
	    *language; /* as "de-CH" or "x-default"; "": none, or no code */
	const char *url; /* normalised */
};

struct freshet_entry {
	const char *url; /* normalised: printable ASCII, absolute, http(s) */
	/* The code of the rule that does not let the document list this URL, as
	 * "host-mismatch"; NULL: it is accepted.  Do not fetch refused URLs. */
	const char *refusal;
	uint32_t ordinal; /* where it is first in the document, from 0 */
	int64_t lastmod_s; /* the first second of the date, UTC, since 1970 */
	uint32_t lastmod_nanos;
	int lastmod_precision; /* enum freshet_precision; FRESHET_NO_DATE: none
				*/
	bool has_zone; /* the date names its time zone */
	int changefreq; /* 1 to 7: always, hourly, daily, weekly, monthly,
			   yearly, never; 0: none */
	int priority; /* tenths, 0 to 10; -1: none */
	unsigned extensions; /* enum freshet_extension */
	/* With FRESHET_CHECK_EXTENSIONS, of entries that were accepted. */
	const struct freshet_alternate *alternates;
	size_t alternate_count;
};

/* freshet_next(handle, entry): the next entry of the reading, in ascending
 * order of URLs, each URL once; NULL after the last one.  *entry is valid until
 * the next call with the handle.  A reading need not be taken to its end.
 * Returns FRESHET_OK, FRESHET_NO_MEMORY or FRESHET_HELPER_LOST; *entry is NULL
 * with an error, and the rest of the reading is lost. */
enum freshet_status freshet_next(
    struct freshet *, const struct freshet_entry **entry);

/* freshet_entry_fn: return false to end.  It must not use the handle. */
typedef bool freshet_entry_fn(void *arg, const struct freshet_entry *);

/* freshet_each(handle, fn, arg): call fn for all entries that are left. */
enum freshet_status freshet_each(
    struct freshet *, freshet_entry_fn *, void *arg);

struct freshet_verdict {
	const char *url; /* normalised; NULL: the text is no URL */
	/* Why the URL is refused, as "invalid-url" or "outside-directory";
	 * NULL: it is accepted. */
	const char *refusal;
	/* The exception that accepts it, as "accepted-by-robots-proof"; NULL:
	 * none was needed. */
	const char *exception;
};

/* freshet_judge(handle, document, url, is_child, verdict): may the document
 * list the URL, as a page, or as a sitemap if is_child?  No bytes are needed.
 * What is left of a reading is dropped.  *verdict is valid until the next call.
 */
enum freshet_status freshet_judge(struct freshet *,
    const struct freshet_document *, const char *url, bool is_child,
    const struct freshet_verdict **verdict);

/* robots.txt. */

struct freshet_robots;

struct freshet_robots_sitemap {
	const char *url; /* normalised */
	uint32_t line;
};

struct freshet_robots_facts {
	uint32_t rules; /* that apply to the agent */
	uint32_t delay_ms; /* Crawl-delay, at most 60,000; 0: none */
	const struct freshet_robots_sitemap *sitemaps;
	size_t sitemap_count; /* at most 10,000 */
	const struct freshet_finding *findings;
	size_t finding_count;
};

/* freshet_robots_new(handle, bytes, len, agent, profile, out): parse a
 * robots.txt for the product token `agent` ("examplebot"); bytes after the
 * first 512,000 are ignored, as RFC 9309 allows.  profile as in struct
 * freshet_document.  *out keeps a copy of the bytes, so that it outlives a
 * helper.  *out is NULL with an error. */
enum freshet_status freshet_robots_new(struct freshet *, const void *bytes,
    size_t len, const char *agent, const char *profile,
    struct freshet_robots **out);

/* freshet_robots_free(robots): before freshet_close; NULL is ignored. */
void freshet_robots_free(struct freshet_robots *);

/* freshet_robots_facts(robots): valid until freshet_robots_free. */
const struct freshet_robots_facts *freshet_robots_facts(
    const struct freshet_robots *);

struct freshet_robots_verdict {
	bool is_allowed;
	uint32_t line; /* of the rule that decides, from 1; 0: no rule does */
	const char *rule; /* as written; foreign; "" if no rule decides */
};

/* freshet_robots_ask(robots, url, verdict): may the agent fetch the URL?  Only
 * its path and query count: whether the file is that of the URL's origin is the
 * caller's business.  What is left of a reading is dropped.  *verdict is valid
 * until the next call with the handle. */
enum freshet_status freshet_robots_ask(struct freshet_robots *, const char *url,
    const struct freshet_robots_verdict **verdict);

#ifdef __cplusplus
}
#endif

#endif
