/* What a fuzz target offers: to libFuzzer, or to replay.c. */
#ifndef FRESHET_FUZZ_H
#define FRESHET_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* Once, before the first input. */
int LLVMFuzzerInitialize(int *argc, char ***argv);

/* One input; a promise that does not hold ends the process. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
