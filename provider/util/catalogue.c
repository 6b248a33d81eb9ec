/* Reads the catalogue of installed NetworkDirect providers (catalogue.h). Keeps no state. Any
 * thread may call the functions. */
#include "util/catalogue.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const char *util_catalogue_folder(void)
{
	const char *folder = getenv("SOFTRNIC_ND_CATALOG");

	return folder != NULL && folder[0] != '\0' ? folder : ND_CATALOG_FOLDER;
}

/* True if the text begins with xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx (hexadecimal digits). The
 * caller checks the rest of the text. */
static bool is_guid(const char *text)
{
	for (int i = 0; i < 36; i++) {
		bool dash = i == 8 || i == 13 || i == 18 || i == 23;

		if (dash ? text[i] != '-' : !isxdigit((unsigned char)text[i]))
			return false;
	}
	return true;
}

bool util_guid_parse(const char *text, GUID *guid)
{
	bool braces = *text == '{';
	unsigned d[11];

	if (braces)
		text++;
	if (!is_guid(text) || strcmp(text + 36, braces ? "}" : "") != 0)
		return false;
	sscanf(text, "%8x-%4x-%4x-%2x%2x-%2x%2x%2x%2x%2x%2x", &d[0], &d[1], &d[2], &d[3], &d[4],
	       &d[5], &d[6], &d[7], &d[8], &d[9], &d[10]);
	guid->Data1 = d[0];
	guid->Data2 = (uint16_t)d[1];
	guid->Data3 = (uint16_t)d[2];
	for (int i = 0; i < 8; i++)
		guid->Data4[i] = (uint8_t)d[3 + i];
	return true;
}

/* Splits a line "key = value" and strips the spaces. Returns false if the line is a comment or has
 * no "=". */
static bool split_line(char *line, char **key, char **value)
{
	char *equals, *end;

	while (isspace((unsigned char)*line))
		line++;
	equals = strchr(line, '=');
	if (*line == '#' || equals == NULL)
		return false;
	for (end = equals; end > line && isspace((unsigned char)end[-1]); end--)
		;
	*end = '\0';
	*key = line;
	for (line = equals + 1; isspace((unsigned char)*line); line++)
		;
	for (end = line + strlen(line); end > line && isspace((unsigned char)end[-1]); end--)
		;
	*end = '\0';
	*value = line;
	return true;
}

/* Stores one "key = value" in the catalogue entry. Ignores unknown keys. Returns NULL, or a text
 * that describes the error. */
static const char *read_line(const char *key, const char *value, struct util_entry *entry,
			     bool *has_guid)
{
	if (strcmp(key, "guid") == 0) {
		*has_guid = util_guid_parse(value, &entry->guid);
		return *has_guid ? NULL : "the GUID is malformed";
	}
	if (strcmp(key, "library") == 0) {
		if ((size_t)snprintf(entry->library, sizeof(entry->library), "%s", value) >=
		    sizeof(entry->library))
			return "the library's path is too long";
	}
	return NULL;
}

/* Reads one file of the catalogue into `entry`. Returns NULL, or a text that describes the error in
 * the file. */
static const char *read_entry(const char *path, struct util_entry *entry)
{
	char line[1024], *key, *value;
	const char *wrong = NULL;
	bool has_guid = false;
	struct stat st;
	FILE *f;

	entry->library[0] = '\0';
	if (stat(path, &st) != 0)
		return strerror(errno);
	if (!S_ISREG(st.st_mode))
		return "it is not a file";
	f = fopen(path, "re");
	if (f == NULL)
		return strerror(errno);
	while (wrong == NULL && fgets(line, sizeof(line), f) != NULL) {
		if (strlen(line) == sizeof(line) - 1)
			wrong = "a line is too long";
		else if (split_line(line, &key, &value))
			wrong = read_line(key, value, entry, &has_guid);
	}
	fclose(f);
	if (wrong == NULL && !has_guid)
		wrong = "it has no guid";
	if (wrong == NULL && entry->library[0] == '\0')
		wrong = "it names no library";
	return wrong;
}

static bool listed(const struct util_entry *entries, int n, const GUID *guid)
{
	for (int i = 0; i < n; i++)
		if (IsEqualGUID(&entries[i].guid, guid))
			return true;
	return false;
}

static int visible(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

bool util_is_shortage(int error)
{
	error = abs(error);
	return error == EMFILE || error == ENFILE || error == ENOMEM;
}

/* Calls fn with the path of each file of the catalogue's folder, sorted by name. Stops when fn
 * returns false. Returns 0, or -errno if descriptors or memory ran out. */
static int each_file(const char *folder, bool (*fn)(void *arg, const char *path), void *arg)
{
	struct dirent **names;
	int n = scandir(folder, &names, visible, alphasort);
	bool go_on = true;
	char path[1024];

	if (n < 0)
		return util_is_shortage(errno) ? -errno : 0;
	for (int i = 0; i < n; i++) {
		if (go_on && (size_t)snprintf(path, sizeof(path), "%s/%s", folder,
					      names[i]->d_name) < sizeof(path))
			go_on = fn(arg, path);
		free(names[i]);
	}
	free(names);
	return 0;
}

struct reading {
	struct util_entry *entries;
	unsigned max;
	int n;
	int rc; /* 0, or -errno if file descriptors or memory ran out while reading */
};

static bool read_file(void *arg, const char *path)
{
	struct reading *r = arg;
	struct util_entry entry;
	errno = 0;
	const char *wrong = read_entry(path, &entry);

	if (wrong != NULL && util_is_shortage(errno)) {
		r->rc = -errno;
		return false;
	}
	if (wrong != NULL) {
		fprintf(stderr, "NetworkDirect catalogue: %s is skipped: %s\n", path, wrong);
	} else if (!listed(r->entries, r->n, &entry.guid)) {
		if ((unsigned)r->n == r->max) {
			fprintf(stderr,
				"NetworkDirect catalogue: %s is skipped: the folder already has %u entries before it\n",
				path, r->max);
			return false;
		}
		r->entries[r->n++] = entry;
	}
	return true;
}

int util_catalogue_read(const char *folder, struct util_entry *entries, unsigned max)
{
	struct reading r = {.entries = entries, .max = max};

	int rc = each_file(folder, read_file, &r);
	return rc != 0 ? rc : r.rc != 0 ? r.rc : r.n;
}

static uint64_t mix(uint64_t sum, uint64_t word)
{
	return (sum ^ word) * 0x9e3779b97f4a7c15u + (sum >> 29);
}

static bool mark_file(void *arg, const char *path)
{
	uint64_t *sum = arg;
	struct stat st = {0};

	stat(path, &st); /* if stat() fails, st stays zero, and the file counts as unchanged */
	for (; *path != '\0'; path++)
		*sum = mix(*sum, (unsigned char)*path);
	*sum = mix(mix(*sum, st.st_ino), (uint64_t)st.st_size);
	*sum = mix(mix(*sum, (uint64_t)st.st_mtim.tv_sec), (uint64_t)st.st_mtim.tv_nsec);
	return true;
}

int util_catalogue_mark(const char *folder, uint64_t *mark)
{
	*mark = 1;
	return each_file(folder, mark_file, mark);
}
