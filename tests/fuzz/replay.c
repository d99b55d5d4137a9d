/*
 * replay FOLDER...: run a fuzz target over its corpus without a fuzzer, so
 * that every build can.  Prints `N passed, 0 failed`; what fails ends it.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "tests/fuzz/fuzz.h"

#define INPUT_MAX (1 << 20)

static bool
load(struct buf *out, const char *folder, const char *name)
{
	char path[4096];
	char piece[4096];
	size_t n;

	buf_clear(out);
	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	FILE *file = fopen(path, "rb");
	if (file == NULL)
		return false;
	do {
		n = fread(piece, 1, sizeof(piece), file);
	} while (n > 0 && buf_put(out, piece, n));
	fclose(file);
	return true;
}

static unsigned
replay(const char *folder)
{
	unsigned count = 0;
	const struct dirent *entry;
	struct buf input;
	DIR *dir = opendir(folder);

	if (dir == NULL) {
		fprintf(stderr, "cannot open '%s'\n", folder);
		exit(2);
	}
	buf_init(&input, INPUT_MAX);
	for (entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
		if (entry->d_name[0] == '.' ||
		    !load(&input, folder, entry->d_name))
			continue;
		(void)LLVMFuzzerTestOneInput(
		    (const uint8_t *)buf_str(&input), input.len);
		count++;
	}
	closedir(dir);
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
