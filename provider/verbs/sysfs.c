/* The files of sysfs that the kernel would have for the devices. Nothing here depends on the state
 * of an adapter: to read it starts none. Owns nothing; any thread may call these functions. */
#include "verbs/sysfs.h"

#include "verbs/ndev.h"
#include "verbs/private.h"

#include <net/if.h>
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

static void ndev(const struct rn_link_info *info, unsigned index, struct text *t)
{
	char name[IF_NAMESIZE];

	if (vb_ndev_of(&info->gids[index], name))
		add(t, "%s\n", name);
}

/* The number of the device's port that the interface stands for; the first is 0. */
static void dev_port(const struct rn_link_info *info, unsigned index, struct text *t)
{
	add(t, "0\n");
}

/* Files of a device. "#" stands for the index of a GID. "@" stands for the interface of the host
 * that has the address of the GID; without one there is no such file, as programs would only fail
 * to use the interface. Files of one folder stand together. */
static const struct file {
	const char *path;
	void (*write)(const struct rn_link_info *info, unsigned index, struct text *t);
	bool needs_ndev;
} files[] = {
	{"device/net/@/dev_port", dev_port, true},
	{"device/numa_node", numa_node, false},
	{"node_guid", guid, false},
	{"node_type", node_type, false},
	{"ports/1/gid_attrs/ndevs/#", ndev, true},
	{"ports/1/gid_attrs/types/#", gid_type, false},
	{"ports/1/gids/#", gid, false},
	{"ports/1/link_layer", link_layer, false},
	{"sys_image_guid", guid, false},
};
#define NFILES (sizeof(files) / sizeof(files[0]))

/* Writes the path of the file of a GID. Returns false if it has none. */
static bool expand(const struct file *file, const struct rn_link_info *info, unsigned index,
		   char *path, size_t size)
{
	size_t n = strcspn(file->path, "#@");
	char name[IF_NAMESIZE] = "";

	if (file->needs_ndev && !vb_ndev_of(&info->gids[index], name))
		return false;
	if (file->path[n] == '#')
		snprintf(name, sizeof(name), "%u", index);
	snprintf(path, size, "%.*s%s%s", (int)n, file->path, name,
		 file->path[n] == '\0' ? "" : file->path + n + 1);
	return true;
}

/* ---- folders ---- */

/* Adds the part of a path below a folder as far as the next slash, unless it was added last. */
static void add_name(struct text *t, const char *path, char *last, size_t size)
{
	char name[64];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(path, "/"), path);
	if (strcmp(name, last) == 0)
		return;
	snprintf(last, size, "%s", name);
	add(t, "%s\n", name);
}

/* Can the path of a file, or a folder above it, be `path`, which has n bytes? */
static bool may_be_at(const struct file *file, const char *path, size_t n)
{
	size_t fixed = strcspn(file->path, "#@");

	return strncmp(file->path, path, fixed < n ? fixed : n) == 0;
}

/* Looks at a path below the folder of a device; "" is that folder. */
static unsigned look_below(const struct rn_link_info *info, const char *path, struct text *t)
{
	char last[64] = "", full[128];
	size_t n = strlen(path);

	for (unsigned i = 0; i < NFILES; i++) {
		bool many = strpbrk(files[i].path, "#@") != NULL;

		if (!may_be_at(&files[i], path, n))
			continue;
		for (unsigned g = 0; g < (many ? info->ngids : 1); g++) {
			if (!expand(&files[i], info, g, full, sizeof(full)))
				continue;
			if (strcmp(full, path) == 0) {
				files[i].write(info, g, t);
				return S_IFREG;
			}
			if (n == 0 || (strncmp(full, path, n) == 0 && full[n] == '/'))
				add_name(t, full + (n == 0 ? 0 : n + 1), last, sizeof(last));
		}
	}
	return last[0] != '\0' ? S_IFDIR : 0;
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
