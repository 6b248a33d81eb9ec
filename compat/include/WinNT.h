/* Another spelling of winnt.h. */
#include "winnt.h"
