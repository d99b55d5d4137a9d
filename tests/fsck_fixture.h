/* A store to be examined, and what fsck says of it, for tests. */
#ifndef FRESHET_FSCK_FIXTURE_H
#define FRESHET_FSCK_FIXTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/slice.h"
#include "store/fsck/fsck.h"
#include "tests/store_fixture.h"

#define FSCK_READER_VERSION 1
#define INDEX_URL "http://h.test/index.xml" /* document 1, reading 1 */
#define CHILD_URL "http://h.test/child.xml" /* 2, read by 2, 3 and 4 */

/* What was found, in order: "J3 J8 ", notes as "n11 ". */
struct heard {
	struct buf text;
	uint64_t lines;
};

/* fsck_run(path, repairs, heard): the totals; heard is emptied first. */
struct fsck_totals fsck_run(const char *path, bool repairs, struct heard *);

/* fsck_hear(heard, finding): an fsck_fn. */
void fsck_hear(void *heard, const struct fsck_finding *);

/* sql_run(path, sql): what nobody but a test does to a store. */
void sql_run(const char *path, const char *sql);
int64_t sql_number(const char *path, const char *sql); /* its answer */

/* A closed store with an index, and its child, read three times. */
struct patient {
	struct world world;
	struct buf whole; /* the file, sound */
	struct heard heard;
};

void patient_open(struct patient *);
void patient_close(struct patient *);

/* patient_write(patient, bytes): the file is that, without a log. */
void patient_write(struct patient *, struct slice bytes);

#endif
