// Chooses the addresses at which ranks on other machines call a machine, and the order.
//
// Each rank publishes a list, and a caller tries it from the front. In front is the address that
// the launch's connection has shown to work; behind are the interfaces that are up, network cards
// before the bridges of containers and virtual machines: docker0 has the same address on many
// machines.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace llcl {

// No rank publishes more: a caller holds a connection to each while it waits for an answer.
inline constexpr std::size_t kMostAddresses = 8;

// An address of an interface, in digits. A value.
struct InterfaceAddress {
  std::string interface = {};
  std::string address = {};
  bool is_up = false;
  bool is_loopback = false;
};

// The facts behind the choice. A value.
struct AddressFacts {
  std::string chosen = {};      // LLCL_ADDRESS, where it is no network; empty: not set
  bool shares_network = false;  // all ranks have one loopback network
  std::string local = {};       // Launch::LocalAddress
  std::vector<InterfaceAddress> interfaces = {};
};

// The addresses for a rank to listen at and to publish, in the order of calls: the chosen address
// alone; else, where all ranks share their
// network, the loopback's alone; else the local one, then those of the interfaces. Empty: no
// address leads here from another machine.
std::vector<std::string> ChooseAddresses(const AddressFacts& facts);

// Does the address lead to the machine itself only?
bool IsLoopback(std::string_view address);

}  // namespace llcl
