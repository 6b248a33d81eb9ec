// The tests of test_types.c compiled as C++, between C++ library headers that use the names of
// Windows macros such as min.
#include <algorithm>
#include <limits>

#include "test_types.c"

#include <functional>
#include <memory>
#include <string>

using namespace std;

size_t smallest(size_t a)
{
	int b = 3, c = 4;

	return std::min<size_t>(a, numeric_limits<size_t>::max()) + min(b, c) + (max)(b, c);
}

static_assert(min(2u, 3ul) == 2 && max(2u, 3ul) == 3, "usable in constants");
static_assert(sizeof(max(1, 2.5f)) == sizeof(float) && max(1, 2.5f) == 2.5f, "of the wider type");
