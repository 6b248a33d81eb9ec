/* Another spelling of initguid.h. */
#include "initguid.h"
