/* Another spelling of windef.h. */
#include "windef.h"
