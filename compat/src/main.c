/*
 * How does a program start that has a wide main? This `main` decodes its arguments and calls it, by
 * the name it has in C or any of those it may have in C++. It is a library of its own, because it is
 * linked only into programs that have no `main`.
 *
 * Owns the decoded arguments, as long as the program runs. The main thread.
 */
#include "text.h"

#include <stdio.h>
#include <stdlib.h>

typedef int entry(int count, wchar_t **arguments, wchar_t **environment);

/* Taking fewer parameters, a function ignores the rest. */
extern entry wmain __attribute__((weak));
extern entry wmain_of_nothing __asm__("_Z5wmainv") __attribute__((weak));
extern entry wmain_of_two __asm__("_Z5wmainiPPw") __attribute__((weak));
extern entry wmain_of_two_constant __asm__("_Z5wmainiPPKw") __attribute__((weak));
extern entry wmain_of_three __asm__("_Z5wmainiPPwS0_") __attribute__((weak));

/* Never read: so that what the program was given is not taken for lost. */
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
	entry *start = wmain_of_two    ? wmain_of_two
		       : wmain_of_three ? wmain_of_three
		       : wmain_of_nothing ? wmain_of_nothing
		       : wmain_of_two_constant ? wmain_of_two_constant
					       : wmain;
	/* Static: the program may keep them, and who looks for leaks finds them here. */
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
