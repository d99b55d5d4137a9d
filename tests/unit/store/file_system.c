/* File systems, and whether a store may lie there. */
#include "tests/fixtures/fixture.h"

#include <stdlib.h>
#include <string.h>

#include "store/file_system.h"
#include "store/store.h"

static const char *
temporary(void)
{
	const char *folder = getenv("TMPDIR");

	return folder != NULL && folder[0] != '\0' ? folder : "/tmp";
}

static void
a_folder_has_a_file_system(void **state)
{
	struct file_system system;

	assert_true(file_system_look(&system, temporary()));
	assert_true(system.free_bytes > 0);
	assert_int_not_equal(system.type[0], '\0');
	assert_false(system.is_read_only);
	assert_null(file_system_trouble(temporary()));
}

static void
a_folder_without_locks_is_reported(void **state)
{
	struct file_system system;

	assert_false(file_system_look(&system, "/nonexistent"));
	assert_non_null(file_system_trouble("/nonexistent"));
	assert_non_null(file_system_trouble("/proc"));
}

/* The table of names has no name for "proc". */
static void
a_type_without_a_name_is_a_number(void **state)
{
	struct file_system system;

	assert_true(file_system_look(&system, "/proc"));
	assert_memory_equal(system.type, "0x", 2);
}

static void
libraries_tell_their_versions(void **state)
{
	struct library libraries[STORE_LIBRARIES];

	store_libraries(libraries);
	for (int i = 0; i < STORE_LIBRARIES; i++) {
		assert_non_null(libraries[i].name);
		assert_non_null(strchr(libraries[i].built, '.'));
		assert_non_null(strchr(libraries[i].running, '.'));
	}
}

UNIT_TESTS(file_system, cmocka_unit_test(a_folder_has_a_file_system),
    cmocka_unit_test(a_folder_without_locks_is_reported),
    cmocka_unit_test(a_type_without_a_name_is_a_number),
    cmocka_unit_test(libraries_tell_their_versions));
