// LAPACK's functions, of which OpenBLAS brings no C header of its own. Matrices are by columns.
#pragma once

extern "C" {
// L L' or U'U in the place of that triangle of `a`. info: 0, or the first row, from 1 on, whose
// pivot is not positive.
void dpotrf_(const char* uplo, const int* n, double* a, const int* lda, int* info);
}
