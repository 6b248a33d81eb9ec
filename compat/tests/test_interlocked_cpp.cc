// The tests of test_interlocked.c compiled as C++, and operations called with `::` before the name.
#include "test_interlocked.c"

static volatile LONG global;

LONG qualified()
{
	return ::InterlockedIncrement(&global) + ::InterlockedDecrement(&global);
}
