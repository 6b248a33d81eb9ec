/* The files of sysfs that the kernel would have for the devices. Only what never changes is here:
 * to read it starts no adapter. Owns nothing; any thread may call these functions. */
#include "verbs/sysfs.h"

#include "verbs/private.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define CLASS	    "/sys/class/infiniband"
#define CHAR_DEVICE "/dev/infiniband"

/* Text that grows at its end. */
struct text {
	char *at;
	size_t room; /* with the zero byte */
};

static __attribute__((format(printf, 2, 3))) void add(struct text *t, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(t->at, t->room, format, args);
	va_end(args);
	if (n < 0 || t->room == 0)
		return;
	if ((size_t)n >= t->room)
		n = (int)t->room - 1;
	t->at += n;
	t->room -= (size_t)n;
}

/* ---- files ---- */

static void node_type(const struct rn_link_info *info, unsigned index, struct text *t)
{
	add(t, "%d: CA\n", IBV_NODE_CA);
}

static void guid(const struct rn_link_info *info, unsigned index, struct text *t)
{
	add(t, "%04x:%04x:%04x:%04x\n", (unsigned)(info->guid >> 48),
	    (unsigned)(info->guid >> 32) & 0xffff, (unsigned)(info->guid >> 16) & 0xffff,
	    (unsigned)info->guid & 0xffff);
}

/* No memory of the machine is nearer to the device than other memory. */
static void numa_node(const struct rn_link_info *info, unsigned index, struct text *t)
{
	add(t, "-1\n");
}

static void link_layer(const struct rn_link_info *info, unsigned index, struct text *t)
{
	add(t, "Ethernet\n");
}

static void gid(const struct rn_link_info *info, unsigned index, struct text *t)
{
	const uint8_t *b = info->gids[index].b;

	for (unsigned i = 0; i < 16; i += 2)
		add(t, "%02x%02x%c", b[i], b[i + 1], i < 14 ? ':' : '\n');
}

static void gid_type(const struct rn_link_info *info, unsigned index, struct text *t)
{
	add(t, "RoCE v2\n");
}

/* Files of a device. "#" stands for the index of a GID. Files of one folder stand together. */
static const struct {
	const char *path;
	void (*write)(const struct rn_link_info *info, unsigned index, struct text *t);
} files[] = {
	{"device/numa_node", numa_node}, {"node_guid", guid},
	{"node_type", node_type},	 {"ports/1/gid_attrs/types/#", gid_type},
	{"ports/1/gids/#", gid},	 {"ports/1/link_layer", link_layer},
	{"sys_image_guid", guid},
};
#define NFILES (sizeof(files) / sizeof(files[0]))

/* Is this the path of a file? With "#", *index becomes the number in its place. */
static bool matches(const char *pattern, const char *path, unsigned ngids, unsigned *index)
{
	size_t n = strcspn(pattern, "#");
	char number[12];

	if (strncmp(pattern, path, n) != 0)
		return false;
	if (pattern[n] == '\0')
		return path[n] == '\0';
	*index = (unsigned)strtoul(path + n, NULL, 10);
	snprintf(number, sizeof(number), "%u", *index);
	return *index < ngids && strcmp(number, path + n) == 0;
}

/* ---- folders ---- */

/* Adds the part of a path below a folder as far as the next slash, unless it was added last. */
static void add_name(struct text *t, const char *path, const char **last, unsigned ngids)
{
	size_t n = strcspn(path, "/");

	if (*last != NULL && strncmp(path, *last, n) == 0 && strcspn(*last, "/") == n)
		return;
	*last = path;
	if (path[0] != '#')
		add(t, "%.*s\n", (int)n, path);
	for (unsigned i = 0; path[0] == '#' && i < ngids; i++)
		add(t, "%u\n", i);
}

/* Looks at a path below the folder of a device; "" is that folder. */
static unsigned look_below(const struct rn_link_info *info, const char *path, struct text *t)
{
	const char *last = NULL;
	size_t n = strlen(path);
	unsigned index = 0;

	for (unsigned i = 0; i < NFILES; i++) {
		if (matches(files[i].path, path, info->ngids, &index)) {
			files[i].write(info, index, t);
			return S_IFREG;
		}
		if (n == 0 || (strncmp(files[i].path, path, n) == 0 && files[i].path[n] == '/'))
			add_name(t, files[i].path + (n == 0 ? 0 : n + 1), &last, info->ngids);
	}
	return last != NULL ? S_IFDIR : 0;
}

/* ---- devices ---- */

/* Takes the text at the start of a path and the slash after it away. Returns the rest, or NULL if
 * the path begins in another way. */
static const char *behind(const char *path, const char *start)
{
	size_t n = strlen(start);

	if (strncmp(path, start, n) != 0 || (path[n] != '/' && path[n] != '\0'))
		return NULL;
	return path + n + (path[n] == '/');
}

static unsigned look_at(const char *path, struct text *t)
{
	const char *rest = behind(path, CLASS);
	bool whole = rest != NULL && rest[0] == '\0'; /* the folder of all devices */
	struct vb_device *d;

	for (unsigned i = 0; (d = vb_device_at(i)) != NULL; i++) {
		const char *below = rest != NULL ? behind(rest, d->dev.name) : NULL;
		const char *node;

		if (whole)
			add(t, "%s\n", d->dev.name);
		else if (below != NULL)
			return look_below(&d->info, below, t);
		node = behind(path, CHAR_DEVICE);
		if (node != NULL && strcmp(node, d->dev.dev_name) == 0)
			return S_IFCHR;
	}
	return whole ? S_IFDIR : 0;
}

unsigned softrnic_sysfs(const char *path, char *text, size_t size)
{
	struct text t = {text, size};

	if (size > 0)
		text[0] = '\0';
	return look_at(path, &t);
}

/* ---- the functions of libibverbs ---- */

/* There is no such folder for softrnic unless libsoftrnic-preload.so shows one; but programs join
 * the path with names of their own. */
const char *ibv_get_sysfs_path(void)
{
	const char *path = secure_getenv("SYSFS_PATH");

	return path != NULL ? path : "/sys";
}

/* Reads a file of softrnic's, without the newline at its end. Returns the number of bytes, or -1
 * and sets errno. */
int ibv_read_sysfs_file(const char *dir, const char *file, char *buf, size_t size)
{
	char path[512], text[128];
	size_t n;

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	if (size == 0 || softrnic_sysfs(path, text, sizeof(text)) != S_IFREG) {
		errno = ENOENT;
		return -1;
	}
	n = strcspn(text, "\n");
	if (n > size)
		n = size;
	memcpy(buf, text, n);
	if (n < size)
		buf[n] = '\0';
	return (int)n;
}
