// mcf: minimum-cost flow by the network simplex method with block pricing and strongly feasible trees (Cunningham,
// Math. Programming 1976). What 429.mcf of SPEC 2006 solves; nothing here is from there.
//
//   mcf [SEED [NODES [ARCS_PER_NODE]]]
#include "bench.h"

enum { kMostNodes = 1024, kMostCost = 1 << 17, kNoNode = UINT32_MAX };
enum { kArtificialCost = 1 << 29, kUnbounded = 1 << 30 };  // dearer than any path; more than flows

typedef struct {
  uint32_t from, to;
  int32_t cost, capacity, flow;
  bool isBasic;
} Link;

/// A node of the tree of basic links, which hangs from the root. Children are a list.
typedef struct {
  uint32_t parent, link;  // the link to or from the parent
  uint32_t depth, firstChild, nextSibling, lastSibling;
  int32_t potential;  // cost + from's potential - to's potential is 0 for basic links
} Node;

typedef struct {
  Node *nodes;  // the root is the last one
  Link *links;
  uint32_t nodeCount, linkCount;
  uint32_t block, nextLink;  // pricing
} Network;

static void hang(Network *network, uint32_t child, uint32_t parent, uint32_t link) {
  Node *nodes = network->nodes;
  nodes[child].parent = parent;
  nodes[child].link = link;
  nodes[child].lastSibling = kNoNode;
  nodes[child].nextSibling = nodes[parent].firstChild;
  if (nodes[parent].firstChild != kNoNode) nodes[nodes[parent].firstChild].lastSibling = child;
  nodes[parent].firstChild = child;
}

static void cut(Network *network, uint32_t child) {
  Node *nodes = network->nodes, *node = &nodes[child];
  if (node->lastSibling == kNoNode)
    nodes[node->parent].firstChild = node->nextSibling;
  else
    nodes[node->lastSibling].nextSibling = node->nextSibling;
  if (node->nextSibling != kNoNode) nodes[node->nextSibling].lastSibling = node->lastSibling;
}

/// How far a link's price is wrong for the bound that its flow is at; 0: it is right.
static int32_t violation(const Network *network, const Link *link) {
  if (link->isBasic) return 0;
  int32_t reduced = link->cost + network->nodes[link->from].potential - network->nodes[link->to].potential;
  if (link->flow == 0 && reduced < 0) return -reduced;
  if (link->flow == link->capacity && reduced > 0) return reduced;
  return 0;
}

/// The worst link of the first block with a wrong one, from where the last search ended; NULL: the flow is optimal.
static Link *enteringLink(Network *network) {
  Link *worst = NULL;
  int32_t most = 0;
  uint32_t inBlock = 0;
  for (uint32_t i = 0; i < network->linkCount; i++) {
    Link *link = &network->links[network->nextLink];
    if (++network->nextLink == network->linkCount) network->nextLink = 0;
    int32_t wrong = violation(network, link);
    if (wrong > most) {
      most = wrong;
      worst = link;
    }
    if (++inBlock < network->block) continue;
    if (worst) return worst;
    inBlock = 0;
  }
  return worst;
}

/// How much more may flow from `node` to its parent (`isUp`) or from the parent to it.
static int32_t room(const Network *network, uint32_t node, bool isUp) {
  const Link *link = &network->links[network->nodes[node].link];
  return (link->from == node) == isUp ? link->capacity - link->flow : link->flow;
}

static void addFlow(Network *network, uint32_t node, bool isUp, int32_t amount) {
  Link *link = &network->links[network->nodes[node].link];
  link->flow += (link->from == node) == isUp ? amount : -amount;
}

/// Depths and potentials below `top`, whose own are given by its link.
static void updateBelow(Network *network, uint32_t top) {
  Node *nodes = network->nodes;
  uint32_t at = top;
  for (;;) {
    Node *node = &nodes[at];
    const Link *link = &network->links[node->link];
    node->depth = nodes[node->parent].depth + 1;
    node->potential = nodes[node->parent].potential + (link->from == at ? -link->cost : link->cost);
    if (node->firstChild != kNoNode) {
      at = node->firstChild;
      continue;
    }
    while (at != top && nodes[at].nextSibling == kNoNode) at = nodes[at].parent;
    if (at == top) return;
    at = nodes[at].nextSibling;
  }
}

/// Turns the links between `bottom` and `top`, an ancestor that is cut off, and hangs `bottom` below `parent`.
static void rehang(Network *network, uint32_t bottom, uint32_t top, uint32_t parent, uint32_t link) {
  uint32_t node = bottom;
  for (;;) {
    uint32_t next = network->nodes[node].parent, nextLink = network->nodes[node].link;
    cut(network, node);
    hang(network, node, parent, link);
    if (node == top) break;
    parent = node;
    link = nextLink;
    node = next;
  }
  updateBelow(network, bottom);
}

/// Sends as much as possible around the cycle that `entering` closes, and takes the last link that limits it, seen
/// along the cycle from its highest node, out of the tree: so the tree stays strongly feasible, and nothing cycles.
static void pivot(Network *network, Link *entering) {
  Node *nodes = network->nodes;
  bool isForward = entering->flow == 0;
  uint32_t tail = isForward ? entering->from : entering->to, head = isForward ? entering->to : entering->from;
  uint32_t a = tail, b = head;
  while (a != b) {
    if (nodes[a].depth >= nodes[b].depth)
      a = nodes[a].parent;
    else
      b = nodes[b].parent;
  }
  uint32_t join = a, leaving = kNoNode;
  bool isTailSide = false;
  int32_t amount = entering->capacity;
  for (uint32_t v = tail; v != join; v = nodes[v].parent)
    if (room(network, v, false) < amount) {
      amount = room(network, v, false);
      leaving = v;
      isTailSide = true;
    }
  for (uint32_t v = head; v != join; v = nodes[v].parent)
    if (room(network, v, true) <= amount) {
      amount = room(network, v, true);
      leaving = v;
      isTailSide = false;
    }
  for (uint32_t v = tail; v != join; v = nodes[v].parent) addFlow(network, v, false, amount);
  for (uint32_t v = head; v != join; v = nodes[v].parent) addFlow(network, v, true, amount);
  entering->flow += isForward ? amount : -amount;
  if (leaving == kNoNode) return;  // from one bound to the other
  network->links[nodes[leaving].link].isBasic = false;
  entering->isBasic = true;
  uint32_t link = (uint32_t)(entering - network->links);
  rehang(network, isTailSide ? tail : head, leaving, isTailSide ? head : tail, link);
}

/// Starts with a link of its own between the root and each node, which carries the node's supply.
static void solve(Network *network, const int32_t *supplies) {
  uint32_t root = network->nodeCount;
  network->nodes[root] = (Node){kNoNode, 0, 0, kNoNode, kNoNode, kNoNode, 0};
  for (uint32_t v = 0; v < network->nodeCount; v++) {
    uint32_t link = network->linkCount + v;
    bool isUp = supplies[v] >= 0;
    network->links[link] =
        (Link){isUp ? v : root, isUp ? root : v, kArtificialCost, kUnbounded, isUp ? supplies[v] : -supplies[v], true};
    network->nodes[v] = (Node){root, link, 1, kNoNode, kNoNode, kNoNode, isUp ? -kArtificialCost : kArtificialCost};
    hang(network, v, root, link);
  }
  for (Link *link = enteringLink(network); link; link = enteringLink(network)) pivot(network, link);
}

int main(int argc, char **argv) {
  Rng rng = seededRng(argc, argv);
  uint32_t nodes = argument(argc, argv, 2, 256, 8, kMostNodes);
  uint32_t perNode = argument(argc, argv, 3, 10, 1, 64);
  Network network = {
      newArray(nodes + 1, sizeof(Node)), newArray((size_t)nodes * (perNode + 2), sizeof(Link)), nodes, 0, 0, 0};
  // A dear ring with room for everything, so that there is a flow, and random links.
  for (uint32_t v = 0; v < nodes; v++) {
    int32_t dear = kMostCost + (int32_t)randomBelow(&rng, kMostCost);
    network.links[network.linkCount++] = (Link){v, (v + 1) % nodes, dear, 1 << 20, 0, false};
    for (uint32_t i = 0; i < perNode; i++) {
      uint32_t to = randomBelow(&rng, nodes);
      int32_t cost = 1 + (int32_t)randomBelow(&rng, kMostCost), capacity = randomBetween(&rng, 1, 60);
      if (to != v) network.links[network.linkCount++] = (Link){v, to, cost, capacity, 0, false};
    }
  }
  // What the first quarter supplies, the last one wants.
  int32_t *supplies = newArray(nodes, sizeof *supplies);
  for (uint32_t v = 0; v < nodes / 4; v++) {
    supplies[v] = randomBetween(&rng, 1, 80);
    supplies[nodes - 1 - v] = -supplies[v];
  }
  while (network.block * network.block < network.linkCount) network.block++;

  region_begin();
  solve(&network, supplies);
  region_end();

  int64_t cost = 0, amount = 0, unmet = 0;
  Checksum flows = newChecksum();
  for (uint32_t i = 0; i < network.linkCount; i++) {
    cost += (int64_t)network.links[i].cost * network.links[i].flow;
    amount += network.links[i].flow;
    addWord(&flows, (uint32_t)network.links[i].flow);
  }
  for (uint32_t v = 0; v < nodes; v++) unmet += network.links[network.linkCount + v].flow;
  printf("links %" PRIu32 " cost %" PRId64 " unmet %" PRId64 "\n", network.linkCount, cost, unmet);
  printf("amount %" PRId64 " flows %016" PRIx64 "\n", amount, flows.value);
  free(supplies);
  free(network.links);
  free(network.nodes);
  return 0;
}
