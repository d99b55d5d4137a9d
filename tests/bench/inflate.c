/*
 * The measure of all costs (DESIGN 7): download and inflate the bytes of the
 * URLs on stdin, one a line, with libcurl and zlib, and do nothing else.
 * Prints the wire bytes, the inflated bytes and the number of files.
 *
 *   inflate [-d | -f] [-c CONNECT_TO]
 *
 * -d only downloads; -f inflates files, whose names are on stdin; -c is what
 * curl's --connect-to takes.
 */
#include <curl/curl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { MAX_LINE = 4096, OUT_BYTES = 65536 };

struct sink {
	z_stream z;
	bool is_raw; /* nothing is inflated */
	bool is_begun;
	bool is_gzip;
	bool is_bad;
	uint64_t wire_bytes;
	uint64_t bytes;
	unsigned char out[OUT_BYTES];
};

static void
inflate_some(struct sink *sink, unsigned char *p, size_t n)
{
	sink->z.next_in = p;
	sink->z.avail_in = (uInt)n;
	while (sink->z.avail_in > 0) {
		int rc;

		sink->z.next_out = sink->out;
		sink->z.avail_out = sizeof(sink->out);
		rc = inflate(&sink->z, Z_NO_FLUSH);
		sink->bytes += sizeof(sink->out) - sink->z.avail_out;
		if (rc == Z_STREAM_END)
			rc = inflateReset(&sink->z);
		if (rc != Z_OK) {
			sink->is_bad = true;
			return;
		}
	}
}

static size_t
take(char *p, size_t size, size_t n, void *arg)
{
	struct sink *sink = arg;

	n *= size;
	if (!sink->is_begun && n > 0) {
		sink->is_begun = true;
		sink->is_gzip = !sink->is_raw && (unsigned char)p[0] == 0x1f;
	}
	sink->wire_bytes += n;
	if (sink->is_gzip)
		inflate_some(sink, (unsigned char *)p, n);
	else
		sink->bytes += n;
	return sink->is_bad ? 0 : n;
}

static bool
fetch(CURL *curl, const char *url)
{
	long status = 0;

	(void)curl_easy_setopt(curl, CURLOPT_URL, url);
	if (curl_easy_perform(curl) != CURLE_OK)
		return false;
	(void)curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
	return status == 200;
}

static bool
read_file(struct sink *sink, const char *path)
{
	static char in[16 << 10]; /* as much as libcurl gives at once */
	FILE *file = fopen(path, "rb");
	bool ok = file != NULL;
	size_t n = 1;

	while (ok && n > 0) {
		n = fread(in, 1, sizeof(in), file);
		ok = !ferror(file) && take(in, 1, n, sink) == n;
	}
	if (file != NULL)
		(void)fclose(file);
	return ok;
}

/* All that stdin names; curl is NULL: files. */
static bool
take_all(CURL *curl, struct sink *sink)
{
	char line[MAX_LINE];
	unsigned files = 0;

	while (fgets(line, sizeof(line), stdin) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		sink->is_begun = false;
		(void)inflateReset(&sink->z);
		if (curl != NULL ? !fetch(curl, line)
				 : !read_file(sink, line)) {
			fprintf(stderr, "cannot read '%s'\n", line);
			return false;
		}
		files++;
	}
	printf("%llu %llu %u\n", (unsigned long long)sink->wire_bytes,
	    (unsigned long long)sink->bytes, files);
	return true;
}

static bool
download_all(struct sink *sink, const char *connect_to)
{
	CURL *curl = curl_easy_init();
	struct curl_slist *to = NULL;
	bool ok;

	if (curl == NULL)
		return false;
	if (connect_to != NULL)
		to = curl_slist_append(NULL, connect_to);
	(void)curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take);
	(void)curl_easy_setopt(curl, CURLOPT_WRITEDATA, sink);
	(void)curl_easy_setopt(curl, CURLOPT_PROXY, "");
	(void)curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	(void)curl_easy_setopt(curl, CURLOPT_CONNECT_TO, to);
	ok = take_all(curl, sink);
	curl_easy_cleanup(curl);
	curl_slist_free_all(to);
	return ok;
}

int
main(int argc, char **argv)
{
	static struct sink sink; /* too big for a careful stack */
	const char *connect_to = NULL;
	bool is_files = false;
	bool ok;
	int option;

	while ((option = getopt(argc, argv, "dfc:")) != -1) {
		if (option == 'd')
			sink.is_raw = true;
		else if (option == 'f')
			is_files = true;
		else if (option == 'c')
			connect_to = optarg;
		else
			return 2;
	}
	if (inflateInit2(&sink.z, 15 + 16) != Z_OK)
		return 1;
	ok = is_files ? take_all(NULL, &sink) : download_all(&sink, connect_to);
	(void)inflateEnd(&sink.z);
	return ok ? 0 : 1;
}
