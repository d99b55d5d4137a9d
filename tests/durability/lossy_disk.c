/* A disk in memory that loses what was not synced. */
#include "tests/durability/lossy_disk.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* One in so many writes of a dirty sector finds that the system has written
 * the sector back before. */
#define WRITE_BACK 3

struct image {
	uint8_t *p; /* owned; zeroed from len to cap, a multiple of sectors */
	size_t len;
	size_t cap;
};

struct lossy_file {
	struct lossy_disk *disk;
	struct image cache; /* what is read back */
	struct image platter;
	bool *is_dirty; /* owned; by sector: must be written to the platter */
	size_t dirty_cap;
	struct lossy_file *next;
};

/* Which file a name leads to: now, and after a power cut. */
struct lossy_name {
	char *text; /* owned */
	struct lossy_file *cache; /* NULL: there is none */
	struct lossy_file *platter;
	struct lossy_name *next;
};

struct lossy_disk {
	uint64_t random;
	unsigned ops_left; /* 0: any number */
	unsigned syncs_left;
	bool is_dead;
	struct lossy_file *files; /* owned, the deleted ones too */
	struct lossy_name *names; /* owned */
};

struct lossy_disk *
lossy_disk_new(uint64_t seed)
{
	struct lossy_disk *disk = mem_zero(sizeof(*disk));

	disk->random = seed;
	return disk;
}

void
lossy_disk_free(struct lossy_disk *disk)
{
	while (disk->files != NULL) {
		struct lossy_file *file = disk->files;

		disk->files = file->next;
		free(file->cache.p);
		free(file->platter.p);
		free(file->is_dirty);
		free(file);
	}
	while (disk->names != NULL) {
		struct lossy_name *name = disk->names;

		disk->names = name->next;
		free(name->text);
		free(name);
	}
	free(disk);
}

/* splitmix64, public domain */
uint64_t
lossy_random(struct lossy_disk *disk, uint64_t below)
{
	uint64_t z = disk->random += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return (z ^ (z >> 31)) % below;
}

static bool
toss(struct lossy_disk *disk)
{
	return lossy_random(disk, 2) == 0;
}

void
lossy_plan(struct lossy_disk *disk, unsigned ops, unsigned syncs)
{
	disk->ops_left = ops;
	disk->syncs_left = syncs;
}

/* Count an operation that writes; false if the disk is dead. */
static bool
step(struct lossy_disk *disk)
{
	if (disk->ops_left > 0 && --disk->ops_left == 0)
		disk->is_dead = true;
	return !disk->is_dead;
}

/* Images. */

static void
image_room(struct image *image, size_t len)
{
	size_t sectors = (len + LOSSY_SECTOR - 1) / LOSSY_SECTOR;
	size_t cap = image->cap;

	if (sectors * LOSSY_SECTOR <= cap)
		return;
	while (cap < sectors * LOSSY_SECTOR)
		cap = cap == 0 ? 64 * LOSSY_SECTOR : cap * 2;
	image->p = mem_resize(image->p, cap);
	memset(image->p + image->cap, 0, cap - image->cap);
	image->cap = cap;
}

static void
image_resize(struct image *image, size_t len)
{
	image_room(image, len);
	if (len < image->len)
		memset(image->p + len, 0, image->len - len);
	image->len = len;
}

static size_t
sectors_of(const struct lossy_file *file)
{
	size_t len = file->cache.len > file->platter.len ? file->cache.len
							 : file->platter.len;

	return (len + LOSSY_SECTOR - 1) / LOSSY_SECTOR;
}

/* Move a sector from the cache to the platter. */
static void
keep(struct lossy_file *file, size_t sector)
{
	size_t at = sector * LOSSY_SECTOR;

	image_room(&file->cache, at + LOSSY_SECTOR);
	image_room(&file->platter, at + LOSSY_SECTOR);
	memcpy(file->platter.p + at, file->cache.p + at, LOSSY_SECTOR);
	file->is_dirty[sector] = false;
}

static void
mark_dirty(struct lossy_file *file, size_t sector)
{
	size_t before = file->dirty_cap;

	file->is_dirty = mem_grow(file->is_dirty, &file->dirty_cap, sector + 1,
	    sizeof(*file->is_dirty));
	for (size_t i = before; i < file->dirty_cap; i++)
		file->is_dirty[i] = false;
	file->is_dirty[sector] = true;
}

static bool
is_dirty(const struct lossy_file *file, size_t sector)
{
	return sector < file->dirty_cap && file->is_dirty[sector];
}

/* Files. */

static struct lossy_name *
find(const struct lossy_disk *disk, const char *text)
{
	struct lossy_name *name = disk->names;

	while (name != NULL && strcmp(name->text, text) != 0)
		name = name->next;
	return name;
}

struct lossy_file *
lossy_open(struct lossy_disk *disk, const char *text, bool creates)
{
	struct lossy_name *name = find(disk, text);
	struct lossy_file *file;

	if (disk->is_dead)
		return NULL;
	if (name != NULL && name->cache != NULL)
		return name->cache;
	if (!creates || !step(disk))
		return NULL;
	if (name == NULL) {
		name = mem_zero(sizeof(*name));
		name->text = mem_copy(text);
		name->next = disk->names;
		disk->names = name;
	}
	file = mem_zero(sizeof(*file));
	file->disk = disk;
	file->next = disk->files;
	disk->files = file;
	name->cache = file;
	return file;
}

uint64_t
lossy_size(const struct lossy_file *file)
{
	return file->cache.len;
}

int64_t
lossy_read(const struct lossy_file *file, void *p, size_t n, uint64_t at)
{
	if (file->disk->is_dead)
		return -1;
	if (at >= file->cache.len)
		return 0;
	if (n > file->cache.len - at)
		n = file->cache.len - at;
	memcpy(p, file->cache.p + at, n);
	return (int64_t)n;
}

bool
lossy_write(struct lossy_file *file, const void *p, size_t n, uint64_t at)
{
	if (!step(file->disk))
		return false;
	for (size_t i = at / LOSSY_SECTOR; i <= (at + n - 1) / LOSSY_SECTOR;
	     i++) {
		if (is_dirty(file, i) &&
		    lossy_random(file->disk, WRITE_BACK) == 0)
			keep(file, i);
		mark_dirty(file, i);
	}
	if (at + n > file->cache.len)
		image_resize(&file->cache, at + n);
	memcpy(file->cache.p + at, p, n);
	return true;
}

bool
lossy_truncate(struct lossy_file *file, uint64_t size)
{
	if (!step(file->disk))
		return false;
	for (size_t i = (size + LOSSY_SECTOR - 1) / LOSSY_SECTOR;
	     i < file->dirty_cap; i++)
		file->is_dirty[i] = false;
	image_resize(&file->cache, size);
	return true;
}

static void
sync_names(struct lossy_disk *disk)
{
	for (struct lossy_name *name = disk->names; name != NULL;
	     name = name->next)
		name->platter = name->cache;
}

bool
lossy_sync(struct lossy_file *file)
{
	struct lossy_disk *disk = file->disk;
	bool fails = disk->syncs_left > 0 && --disk->syncs_left == 0;

	if (!step(disk))
		return false;
	for (size_t i = 0; i < sectors_of(file); i++) {
		if (!is_dirty(file, i))
			continue;
		/* Linux reports a failed sync once, and then takes the page
		 * for clean. */
		if (!fails || toss(disk))
			keep(file, i);
		file->is_dirty[i] = false;
	}
	if (fails)
		return false;
	image_resize(&file->platter, file->cache.len);
	sync_names(disk);
	return true;
}

bool
lossy_delete(struct lossy_disk *disk, const char *text, bool syncs)
{
	if (!step(disk))
		return false;
	find(disk, text)->cache = NULL;
	if (syncs)
		sync_names(disk);
	return true;
}

/* Afterwards. */

/* What is left of a file after a power cut: its sectors and its length. */
static void
lose(struct lossy_disk *disk, struct lossy_file *file)
{
	size_t from = file->platter.len;
	size_t to = file->cache.len;
	size_t len = toss(disk) ? from : to;

	for (size_t i = 0; i < sectors_of(file); i++)
		if (is_dirty(file, i) && toss(disk))
			keep(file, i);
	if (to > from && toss(disk))
		len = from + (size_t)lossy_random(disk, to - from + 1);
	image_room(&file->platter, len);
	file->platter.len = len;
	if (file->platter.cap > len)
		memset(file->platter.p + len, 0, file->platter.cap - len);
	image_resize(&file->cache, 0);
	image_resize(&file->cache, len);
	if (len > 0)
		memcpy(file->cache.p, file->platter.p, len);
	for (size_t i = 0; i < file->dirty_cap; i++)
		file->is_dirty[i] = false;
}

void
lossy_restart(struct lossy_disk *disk, bool is_cut)
{
	disk->is_dead = false;
	disk->ops_left = disk->syncs_left = 0;
	if (!is_cut)
		return;
	for (struct lossy_file *file = disk->files; file != NULL;
	     file = file->next)
		lose(disk, file);
	for (struct lossy_name *name = disk->names; name != NULL;
	     name = name->next) {
		if (toss(disk))
			name->cache = name->platter;
		name->platter = name->cache;
	}
}
