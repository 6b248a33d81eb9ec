/* Runs a fuzz target without libFuzzer, over files and directories of files. So the stored corpus
 * runs as an ordinary test. */
#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

#include "fuzz.h"

#define INPUT_BYTES 65536

static unsigned inputs;

static void replay_file(const char *path)
{
	static uint8_t input[INPUT_BYTES];
	FILE *f = fopen(path, "rb");
	CHECK(f);
	size_t len = fread(input, 1, sizeof(input), f);
	fclose(f);
	LLVMFuzzerTestOneInput(input, len);
	inputs++;
}

static void replay_folder(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *e;
	CHECK(dir);
	while ((e = readdir(dir)) != NULL) {
		char file[1024];
		if (e->d_name[0] == '.')
			continue;
		snprintf(file, sizeof(file), "%s/%s", path, e->d_name);
		replay_file(file);
	}
	closedir(dir);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		struct stat st;
		CHECK(stat(argv[i], &st) == 0);
		if (S_ISDIR(st.st_mode))
			replay_folder(argv[i]);
		else
			replay_file(argv[i]);
	}
	printf("%u inputs\n", inputs);
	return inputs == 0;
}
