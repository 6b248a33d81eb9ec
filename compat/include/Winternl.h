/* Another spelling of winternl.h. */
#include "winternl.h"
