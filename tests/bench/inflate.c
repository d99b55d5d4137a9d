/*
 * The measure of all costs (DESIGN 7): download and inflate the bytes of the
 * URLs on stdin, one a line, with libcurl and zlib, and do nothing else.
 * Prints the wire bytes, the inflated bytes and the number of files.
 */
#include <curl/curl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

enum { MAX_LINE = 4096, OUT_BYTES = 65536 };

struct sink {
	z_stream z;
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
		sink->is_gzip = (unsigned char)p[0] == 0x1f;
	}
	sink->wire_bytes += n;
	if (sink->is_gzip)
		inflate_some(sink, (unsigned char *)p, n);
	else
		sink->bytes += n;
	return sink->is_bad ? 0 : n;
}

static bool
fetch(CURL *curl, struct sink *sink, const char *url)
{
	long status = 0;

	sink->is_begun = false;
	(void)inflateReset(&sink->z);
	(void)curl_easy_setopt(curl, CURLOPT_URL, url);
	if (curl_easy_perform(curl) != CURLE_OK)
		return false;
	(void)curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
	return status == 200;
}

static bool
fetch_all(CURL *curl, struct sink *sink)
{
	char line[MAX_LINE];
	unsigned files = 0;

	while (fgets(line, sizeof(line), stdin) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		if (!fetch(curl, sink, line)) {
			fprintf(stderr, "cannot read '%s'\n", line);
			return false;
		}
		files++;
	}
	printf("%llu %llu %u\n", (unsigned long long)sink->wire_bytes,
	    (unsigned long long)sink->bytes, files);
	return true;
}

int
main(void)
{
	static struct sink sink; /* too big for a careful stack */
	CURL *curl;
	bool ok;

	if (inflateInit2(&sink.z, 15 + 16) != Z_OK)
		return 1;
	curl = curl_easy_init();
	if (curl == NULL)
		return 1;
	(void)curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take);
	(void)curl_easy_setopt(curl, CURLOPT_WRITEDATA, &sink);
	(void)curl_easy_setopt(curl, CURLOPT_PROXY, "");
	(void)curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	ok = fetch_all(curl, &sink);
	curl_easy_cleanup(curl);
	(void)inflateEnd(&sink.z);
	return ok ? 0 : 1;
}
