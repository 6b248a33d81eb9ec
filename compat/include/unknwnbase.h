/* IUnknown and the words of COM; all of them stand in combaseapi.h. */
#include "combaseapi.h"
