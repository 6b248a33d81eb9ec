// The rows of test_interlocked.c as C++, with `::` before a name and with windows.h as C++ sees it.
#include "test_interlocked.c"

static volatile LONG global;

LONG qualified()
{
	return ::InterlockedIncrement(&global) + ::InterlockedDecrement(&global);
}
