#include "lwt/machine/sanitizer.h"

#if defined(LWT_ASAN)
const char lwt_must_be_compiled_with_address_sanitizer_as_this_file_is = 0;
#elif defined(LWT_TSAN)
const char lwt_must_be_compiled_with_thread_sanitizer_as_this_file_is = 0;
#else
const char lwt_must_be_compiled_without_sanitizers_as_this_file_is = 0;
#endif
