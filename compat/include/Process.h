/* Another spelling of process.h. */
#include "process.h"
