/* The list of checks of `freshet doctor`. */
#include "crawler/commands/doctor_report.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/human.h"
#include "base/mem.h"

#define MESSAGE_MAX 1024

void
doctor_add(struct doctor *doctor, enum doctor_status status, const char *name,
    const char *remedy)
{
	doctor->items = mem_grow(doctor->items, &doctor->cap, doctor->count + 1,
	    sizeof(*doctor->items));
	doctor->items[doctor->count++] = (struct doctor_check){
	    .group = doctor->group,
	    .name = name,
	    .status = status,
	    .text = mem_copy(""),
	    .remedy = remedy};
}

void
doctor_say(struct doctor *doctor, const char *format, ...)
{
	struct doctor_check *check = &doctor->items[doctor->count - 1];
	char more[MESSAGE_MAX];
	struct buf text;
	va_list list;

	va_start(list, format);
	(void)vsnprintf(more, sizeof(more), format, list);
	va_end(list);
	buf_init(&text, SIZE_MAX);
	(void)buf_print(&text, "%s%s", check->text, more);
	free(check->text);
	check->text = buf_take(&text);
}

void
doctor_say_bytes(struct doctor *doctor, uint64_t bytes)
{
	struct buf text;

	buf_init(&text, 64);
	human_bytes(&text, bytes);
	doctor_say(doctor, "%s", buf_str(&text));
	buf_release(&text);
}
