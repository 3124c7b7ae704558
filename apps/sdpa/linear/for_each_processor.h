// Functions that are compiled for several kinds of processors, of which the one that runs is chosen
// when the program is loaded. Pure.
#pragma once

// Sanitizers do not stand what chooses.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define SDPA_FOR_EACH_PROCESSOR __attribute__((target_clones("avx2", "default")))
#else
#define SDPA_FOR_EACH_PROCESSOR
#endif
