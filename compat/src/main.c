/*
 * How does a program with wmain instead of main start? The main() in this file decodes the
 * arguments to wide text and calls wmain under its C name or a mangled C++ name. This file is part
 * of a static library: the linker takes main() only if the program defines no main().
 *
 * This file owns the decoded arguments until the program ends. The functions run on the main
 * thread.
 */
#include "text.h"

#include <stdio.h>
#include <stdlib.h>

typedef int entry(int count, wchar_t **arguments, wchar_t **environment);

/*
 * The linker names of wmain: one for C, and one for each C++ list of parameters. The program
 * defines one of these functions; the others are NULL. main() passes three arguments; a wmain with
 * fewer parameters ignores the rest.
 */
extern entry wmain __attribute__((weak));
extern entry wmain_of_nothing __asm__("_Z5wmainv") __attribute__((weak));
extern entry wmain_of_two __asm__("_Z5wmainiPPw") __attribute__((weak));
extern entry wmain_of_two_constant __asm__("_Z5wmainiPPKw") __attribute__((weak));
extern entry wmain_of_three __asm__("_Z5wmainiPPwS0_") __attribute__((weak));

/*
 * These pointers are never read. Because of these pointers a leak checker does not report the
 * memory of the decoded arguments.
 */
static wchar_t **volatile kept[2];

static wchar_t **decode(char **texts)
{
	size_t n = 0;

	while (texts[n])
		n++;
	wchar_t **wide = calloc(n + 1, sizeof(*wide));

	for (size_t i = 0; wide && i < n; i++) {
		wide[i] = compat_widen(texts[i]);
		if (!wide[i])
			return NULL;
	}
	return wide;
}

int main(int count, char **arguments, char **environment)
{
	entry *start = wmain_of_two	       ? wmain_of_two
		       : wmain_of_three	       ? wmain_of_three
		       : wmain_of_nothing      ? wmain_of_nothing
		       : wmain_of_two_constant ? wmain_of_two_constant
					       : wmain;
	/*
	 * These pointers are static, because the program may keep pointers to its arguments until
	 * the program exits.
	 */
	static wchar_t **wide, **variables;

	wide = decode(arguments);
	variables = decode(environment);

	kept[0] = wide;
	kept[1] = variables;
	if (!start) {
		fputs("this program has no _tmain\n", stderr);
		return EXIT_FAILURE;
	}
	if (!wide || !variables) {
		fputs("no memory for the arguments\n", stderr);
		return EXIT_FAILURE;
	}
	return start(count, wide, variables);
}
