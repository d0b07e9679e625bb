// Where the files that come with Pimento are: machines, reference points.
//
// They lie in share/pimento beside the folder that this code was loaded from: PREFIX/bin/pimento or
// PREFIX/lib*/libpimento.so finds PREFIX/share/pimento, and so does a build folder, which links its share/pimento to
// the sources. Nothing is compiled in, so an installed copy can be moved.
#pragma once

#include <string>
#include <vector>

namespace pimento::driver {

/// PREFIX/share/pimento/NAME ("machines", "validation"), whether it exists or not.
std::string dataFolder(const std::string &name);

/// Folders with machine files: $PIMENTO_MACHINES, else those that come with Pimento.
std::vector<std::string> machineFolders();

}  // namespace pimento::driver
