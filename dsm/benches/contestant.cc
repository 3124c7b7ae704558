#include "dsm/benches/contestant.h"

namespace vicinity {

const Contestant contestant{VICINITY_CONTESTANT, VICINITY_PAGE_BYTES, VICINITY_CONDUIT};

}  // namespace vicinity
