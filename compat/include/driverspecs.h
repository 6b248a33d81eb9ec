/* Another spelling of sal.h. */
#include "sal.h"
