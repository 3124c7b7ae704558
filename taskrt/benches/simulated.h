// Rows of simulated devices: their time is virtual, and what they copy is counted. Against what
// else the same runtime could do.
#pragma once

namespace simulated {

// simulated_cholesky: four devices against one. copied_in_half_memory: bytes that go to a device
// whose memory has room for half of the blocks, against the rule of who was used least recently.
void Register();

}  // namespace simulated
