// Arguments: docs/decisions/0009 and facts of the published compiler. 64-bit values come as two 32-bit halves and are
// assigned by code (lowering_calls.cpp), so that they lie in an even-odd pair.
// Kept in pairs: one instruction stores two registers.
def CSR : CalleeSavedRegs<(add D14, D16, D18, D20)>;
