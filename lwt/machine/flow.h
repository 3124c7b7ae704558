// A flow of control as context.h switches it: the words that all processors share.
#pragma once

namespace lwt {

using StackPointer = void*;  // of a flow that does not run
using ChildFunction = StackPointer* (*)(void* first, void* second);
using FlowEntry = void (*)(void* value, void* argument);

}  // namespace lwt

// The first instructions of a prepared flow.
extern "C" void lwt_start_flow();
