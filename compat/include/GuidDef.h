/* Another spelling of guiddef.h. */
#include "guiddef.h"
