/* Help: CLI section 1, examples first, every option named. */
#include "tests/unit/fixture.h"

#include <stdio.h>
#include <string.h>

#include "crawler/options_table.h"

static void
help_names_every_option(void **state)
{
	const struct command *command;
	struct buf out;

	(void)state;
	buf_init(&out, 1 << 20);
	assert_false(options_help("crwal", &out));
	assert_true(options_help(NULL, &out));
	for (size_t i = 0; (command = command_row(i)) != NULL; i++) {
		assert_non_null(strstr(buf_str(&out), command->name));
		assert_true(command->examples[0] != '\0');
	}
	for (size_t i = 0; (command = command_row(i)) != NULL; i++) {
		const struct option *option;
		const char *line;

		buf_clear(&out);
		assert_true(options_help(command->name, &out));
		line = buf_str(&out);
		for (size_t k = 0; (option = option_row(k)) != NULL; k++) {
			char name[64];

			(void)snprintf(
			    name, sizeof(name), " --%s", option->name);
			if ((option->commands & 1u << i) != 0 &&
			    strstr(line, name) == NULL)
				fail_msg("%s: %s", command->name, name);
		}
		for (; *line != '\0'; line += strcspn(line, "\n") + 1)
			if (strcspn(line, "\n") > 80)
				fail_msg("%s: %.90s", command->name, line);
	}
	buf_release(&out);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(help_names_every_option),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
