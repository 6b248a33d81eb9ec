/* Another spelling of winerror.h. */
#include "winerror.h"
