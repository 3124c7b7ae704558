// Our kernel for OpenCL, by our runtime.
#pragma once

// The rows of gemm.h; none where there is no OpenCL device.
void RegisterOpenClGemm();
