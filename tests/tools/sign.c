/*
 * Signed requests for verifiers of others, and what a signature costs.
 *
 *	sign FOLDER COUNT	lines of JSON: random requests, each signed
 *	sign FOLDER		microseconds of a signature: of libcrypto alone,
 *				and of all that belongs to it
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/out_json.h"
#include "crawler/identity/identity.h"

#define ROUNDS 20000

static uint32_t seed = 46;

static unsigned
random_below(unsigned limit)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % limit;
}

static void
random_word(struct buf *out, unsigned most)
{
	for (unsigned n = 1 + random_below(most); n > 0; n--)
		(void)buf_put_char(out, (char)('a' + random_below(26)));
}

static void
print_one(const struct identity *identity, int64_t now_s)
{
	static const enum agent_form forms[] = {
	    AGENT_DICTIONARY, AGENT_STRING, AGENT_NONE};
	struct challenge challenge = {.form = forms[random_below(3)]};
	uint8_t nonce[IDENTITY_NONCE_BYTES];
	struct buf authority = BUF_UP_TO(SIZE_MAX), agent = BUF_UP_TO(SIZE_MAX),
		   line = BUF_UP_TO(SIZE_MAX), word = BUF_UP_TO(SIZE_MAX);
	struct signing signing = {.challenge = &challenge,
	    .created_s = now_s - random_below(60),
	    .expires_s = now_s + 60 + random_below(86000),
	    .nonce = nonce};
	struct signature signature;

	if (random_below(8) == 0)
		(void)buf_print(&authority, "[::%x]", 1 + random_below(65535));
	else {
		random_word(&authority, 20);
		(void)buf_print(&authority, ".test");
	}
	if (random_below(3) == 0)
		(void)buf_print(&authority, ":%u", 1024 + random_below(60000));
	(void)buf_print(&agent, "https://");
	random_word(&agent, 30);
	(void)buf_print(&agent, ".test");
	if (random_below(2) == 0) {
		random_word(&word, 20);
		memcpy(challenge.label, buf_str(&word), word.len);
	}
	identity_nonce(nonce);
	signing.authority = buf_text(&authority);
	signing.agent = buf_text(&agent);
	identity_sign(identity, &signing, &signature);
	out_json_line(&line, "signed");
	out_json_word(&line, "authority", signing.authority);
	out_json_flag(&line, "old", challenge.form != AGENT_DICTIONARY);
	out_json_word(&line, "agent", slice_of(signature.agent));
	out_json_word(&line, "input", slice_of(signature.input));
	out_json_word(&line, "signature", slice_of(signature.value));
	out_json_line_end(&line);
	(void)fwrite(line.p, 1, line.len, stdout);
	signature_release(&signature);
	buf_release(&authority);
	buf_release(&agent);
	buf_release(&word);
	buf_release(&line);
}

static double
cpu_us(void)
{
	struct timespec at;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &at);
	return (double)at.tv_sec * 1e6 + (double)at.tv_nsec / 1e3;
}

/* The base of a request is about as long as these bytes. */
static void
print_costs(const struct identity *identity, int64_t now_s)
{
	uint8_t nonce[IDENTITY_NONCE_BYTES], bytes[64];
	struct challenge challenge = {.form = AGENT_DICTIONARY};
	struct signing signing = {slice_of("www.example.com"),
	    slice_of("https://bot.example"), &challenge, now_s, now_s + 300,
	    nonce};
	struct signature signature;
	char base[450];
	double from, alone, whole;

	memset(base, 'x', sizeof(base));
	from = cpu_us();
	for (unsigned i = 0; i < ROUNDS; i++)
		identity_sign_text(
		    identity, 0, slice_make(base, sizeof(base)), bytes);
	alone = (cpu_us() - from) / ROUNDS;
	from = cpu_us();
	for (unsigned i = 0; i < ROUNDS; i++) {
		identity_nonce(nonce);
		identity_sign(identity, &signing, &signature);
		signature_release(&signature);
	}
	whole = (cpu_us() - from) / ROUNDS;
	(void)printf("libcrypto %.1f us, all %.1f us, ours %.1f us\n", alone,
	    whole, whole - alone);
}

int
main(int argc, char **argv)
{
	int64_t now_s = time(NULL);
	struct identity *identity;
	struct buf why = BUF_UP_TO(SIZE_MAX);

	if (argc < 2 ||
	    identity_open(&identity, argv[1], now_s, &why) != DIAG_OK) {
		(void)fprintf(stderr, "sign: %s\n", buf_str(&why));
		return 1;
	}
	if (argc == 2)
		print_costs(identity, now_s);
	for (long n = argc > 2 ? strtol(argv[2], NULL, 10) : 0; n > 0; n--)
		print_one(identity, now_s);
	identity_free(identity);
	return 0;
}
