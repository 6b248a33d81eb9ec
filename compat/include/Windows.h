/* Another spelling of windows.h. */
#include "windows.h"
