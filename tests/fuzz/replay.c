/*
 * replay CORPUS.tar...: run a fuzz target over its corpus without a fuzzer, so
 * that every build can.  A corpus is a tar archive in the format ustar, each
 * file an input.  Prints `N passed, 0 failed`; what fails ends the program.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "tests/fuzz/fuzz.h"

#define INPUT_MAX (1 << 20)
/* An archive is made of blocks; a file is a header and its bytes, padded. */
#define BLOCK 512
#define SIZE_AT 124
#define SIZE_LEN 12
#define TYPE_AT 156

static void
fail(const char *path, const char *what)
{
	fprintf(stderr, "'%s': %s\n", path, what);
	exit(2);
}

static size_t
size_of(const char *path, const char *header)
{
	char text[SIZE_LEN + 1] = "";
	char *end;

	memcpy(text, header + SIZE_AT, SIZE_LEN);
	unsigned long size = strtoul(text, &end, 8);
	if (end == text || size > INPUT_MAX)
		fail(path, "an input has no size, or one that is too large");
	return size;
}

/* One input into `out`; false at the end of the archive. */
static bool
next(struct buf *out, const char *path, FILE *file)
{
	char block[BLOCK];

	buf_clear(out);
	if (fread(block, BLOCK, 1, file) != 1)
		fail(path, "ends too early");
	if (block[0] == '\0')
		return false;
	if (block[TYPE_AT] != '0')
		fail(path, "holds something that is no file");
	for (size_t left = size_of(path, block); left > 0;) {
		size_t n = left < BLOCK ? left : BLOCK;

		if (fread(block, BLOCK, 1, file) != 1 ||
		    !buf_put(out, block, n))
			fail(path, "ends too early");
		left -= n;
	}
	return true;
}

static unsigned
replay(const char *path)
{
	unsigned count = 0;
	struct buf input;
	FILE *file = fopen(path, "rb");

	if (file == NULL)
		fail(path, "cannot be opened");
	buf_init(&input, INPUT_MAX + 1);
	while (next(&input, path, file)) {
		(void)LLVMFuzzerTestOneInput(
		    (const uint8_t *)buf_str(&input), input.len);
		count++;
	}
	fclose(file);
	buf_release(&input);
	return count;
}

int
main(int argc, char **argv)
{
	unsigned count = 0;

	(void)LLVMFuzzerInitialize(&argc, &argv);
	for (int i = 1; i < argc; i++)
		count += replay(argv[i]);
	printf("%u passed, 0 failed\n", count);
	return count == 0;
}
