/* Which providers are installed here? Reads files, keeps nothing. */
#include "catalogue.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *util_catalogue_folder(void)
{
	const char *folder = getenv("SOFTRNIC_ND_CATALOG");

	return folder != NULL && folder[0] != '\0' ? folder : ND_CATALOG_FOLDER;
}

bool util_guid_parse(const char *text, GUID *guid)
{
	unsigned d[11];
	int end = 0;

	if (*text == '{')
		text++;
	if (sscanf(text, "%8x-%4x-%4x-%2x%2x-%2x%2x%2x%2x%2x%2x%n", &d[0], &d[1], &d[2], &d[3],
		   &d[4], &d[5], &d[6], &d[7], &d[8], &d[9], &d[10], &end) != 11 ||
	    end != 36)
		return false;
	guid->Data1 = d[0];
	guid->Data2 = (uint16_t)d[1];
	guid->Data3 = (uint16_t)d[2];
	for (int i = 0; i < 8; i++)
		guid->Data4[i] = (uint8_t)d[3 + i];
	return true;
}

/* "key = value" without the spaces around either; false for comments, blank lines and the like. */
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

static bool read_entry(const char *path, struct util_entry *entry)
{
	bool has_guid = false, has_library = false;
	char line[1024], *key, *value;
	FILE *f = fopen(path, "re");

	if (f == NULL)
		return false;
	while (fgets(line, sizeof(line), f) != NULL) {
		if (!split_line(line, &key, &value))
			continue;
		if (strcmp(key, "guid") == 0)
			has_guid = util_guid_parse(value, &entry->guid);
		else if (strcmp(key, "library") == 0)
			has_library = (size_t)snprintf(entry->library, sizeof(entry->library), "%s",
						       value) < sizeof(entry->library) &&
				      value[0] != '\0';
	}
	fclose(f);
	return has_guid && has_library;
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

int util_catalogue_read(const char *folder, struct util_entry *entries, unsigned max)
{
	struct dirent **names;
	int nnames = scandir(folder, &names, visible, alphasort), n = 0;
	char path[1024];

	if (nnames < 0)
		return 0;
	for (int i = 0; i < nnames; i++) {
		struct util_entry entry;

		if ((unsigned)n < max &&
		    (size_t)snprintf(path, sizeof(path), "%s/%s", folder, names[i]->d_name) <
			    sizeof(path) &&
		    read_entry(path, &entry) && !listed(entries, n, &entry.guid))
			entries[n++] = entry;
		free(names[i]);
	}
	free(names);
	return n;
}
