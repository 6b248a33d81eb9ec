/* Another spelling of unknwn.h. */
#include "unknwn.h"
