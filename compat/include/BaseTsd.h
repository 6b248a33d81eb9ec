/* Another spelling of basetsd.h. */
#include "basetsd.h"
