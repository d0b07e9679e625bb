#include "pimento/targets/cim/counts.h"

namespace pimento::targets::cim {

const evaluate::CountTable &countTable() {
  static const evaluate::CountTable kTable = {{
      {"instructions", "committed instructions; counted by the core", {{"instructions"}}},
      {"branches", "branches and jumps; counted by the core", {{"branches"}}},
      {"wrong_guesses", "branches that the predictor got wrong; counted by the core"},
      {"loads", "reads of memory; counted by the core", {{"loads"}}},
      {"stores", "writes of memory; counted by the core", {{"stores"}}},
      {"forwarded", "loads that a store in the queue served; counted by the core"},
      {"integer_operations",
       "operations of integer units, addresses aside; counted by the core",
       {{"integer_operations"}}},
      {"complex_operations", "products and quotients; counted by the core", {{"complex_operations"}}},
      {"float_operations", "floating-point and vector operations; counted by the core", {{"float_operations"}}},
      {"vector_operations", "those of them that work on vectors; counted by the core"},
      {"register_reads", "registers read; counted by the decoder", {{"register_reads"}}},
      {"register_writes", "registers written; counted by the decoder", {{"register_writes"}}},
      {"l1i_reads", "lines read from the instruction cache; counted by the caches", {{"l1i_reads"}}},
      {"l1d_reads", "reads of the first data cache; counted by the caches", {{"l1d_reads"}}},
      {"l1d_writes", "writes of the first data cache; counted by the caches", {{"l1d_writes"}}},
      {"l2_reads", "reads of the cache behind it; counted by the caches", {{"l2_reads"}}},
      {"l2_writes", "writes of the cache behind it; counted by the caches", {{"l2_writes"}}},
      {"l3_reads", "reads of the third cache; counted by the caches", {{"l3_reads"}}},
      {"l3_writes", "writes of the third cache; counted by the caches", {{"l3_writes"}}},
      {"memory_reads", "lines read from memory; counted by the caches", {{"memory_reads"}}},
      {"memory_writes", "lines written to memory; counted by the caches", {{"memory_writes"}}},
      {"l1d_cim_read",
       "results that go back to a register, read in the first data cache; counted by the search for candidates",
       {{"l1d_cim_read"}}},
      {"l1d_cim_or", "ORs in the first data cache; counted by the search for candidates", {{"l1d_cim_or"}}},
      {"l1d_cim_and", "ANDs in the first data cache; counted by the search for candidates", {{"l1d_cim_and"}}},
      {"l1d_cim_xor", "XORs in the first data cache; counted by the search for candidates", {{"l1d_cim_xor"}}},
      {"l1d_cim_add",
       "sums and differences in the first data cache; counted by the search for candidates",
       {{"l1d_cim_add"}}},
      {"l2_cim_read",
       "results that go back to a register, read in the cache behind it; counted by the search for candidates",
       {{"l2_cim_read"}}},
      {"l2_cim_or", "ORs in the cache behind it; counted by the search for candidates", {{"l2_cim_or"}}},
      {"l2_cim_and", "ANDs in the cache behind it; counted by the search for candidates", {{"l2_cim_and"}}},
      {"l2_cim_xor", "XORs in the cache behind it; counted by the search for candidates", {{"l2_cim_xor"}}},
      {"l2_cim_add",
       "sums and differences in the cache behind it; counted by the search for candidates",
       {{"l2_cim_add"}}},
      {"l3_cim_read",
       "results that go back to a register, read in the third cache; counted by the search for candidates",
       {{"l3_cim_read"}}},
      {"l3_cim_or", "ORs in the third cache; counted by the search for candidates", {{"l3_cim_or"}}},
      {"l3_cim_and", "ANDs in the third cache; counted by the search for candidates", {{"l3_cim_and"}}},
      {"l3_cim_xor", "XORs in the third cache; counted by the search for candidates", {{"l3_cim_xor"}}},
      {"l3_cim_add", "sums and differences in the third cache; counted by the search for candidates", {{"l3_cim_add"}}},
  }};
  return kTable;
}

}  // namespace pimento::targets::cim
