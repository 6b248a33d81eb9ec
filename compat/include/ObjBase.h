/* Another spelling of objbase.h. */
#include "objbase.h"
