// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Command line of the bench, called by the Python side only:
//
//   bench {script|chain|crypt} [--name value]...
//
// Exit status: 0, 2 (input, output or call at fault) or 3 (the core misbehaves), with one line
// "error ..." on stderr.

#include <exception>
#include <map>
#include <string>

#include "bench.h"

namespace {

int run(int argc, char** argv) {
  std::map<std::string, std::string> values;
  for (int i = 2; i + 1 < argc; i += 2) values[argv[i]] = argv[i + 1];
  const auto number = [&values](const char* name, uint64_t otherwise) {
    const auto found = values.find(name);
    return found == values.end() ? otherwise : std::stoull(found->second);
  };
  aesfab::Options options;
  options.seed = static_cast<uint32_t>(number("--seed", 1));
  options.stored_keys = number("--stored-keys", 0) != 0;
  options.piece = static_cast<uint32_t>(number("--piece", 16));
  options.round_key_words = static_cast<uint32_t>(number("--round-key-words", 0));
  options.vcd = values["--vcd"];
  options.from = number("--from", 0);
  options.to = number("--to", UINT64_MAX);
  const std::string job = argc > 1 ? argv[1] : "";
  if (job == "script") {
    aesfab::run_script(options);
  } else if (job == "chain") {
    aesfab::run_chain(options);
  } else if (job == "flips") {
    aesfab::run_flips(options);
  } else if (job == "crypt") {
    aesfab::CryptOptions crypt;
    crypt.mode = values["--mode"];
    crypt.decrypt = number("--decrypt", 0) != 0;
    crypt.pad = number("--pad", 1) != 0;
    crypt.core_decrypts = number("--core-decrypts", 0) != 0;
    // Keys come in the environment: a command line is open to every user of the machine.
    const char* key = std::getenv("AESFAB_BENCH_KEY");
    const char* iv = std::getenv("AESFAB_BENCH_IV");
    crypt.key = key != nullptr ? key : "";
    crypt.iv = iv != nullptr ? iv : "";
    aesfab::run_crypt(options, crypt);
  } else {
    throw aesfab::UserError("unknown job '" + job + "'");
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const int status = run(argc, argv);
    if (std::fflush(stdout) != 0) throw aesfab::UserError("cannot write: is the disk full?");
    return status;
  } catch (const aesfab::CoreError& error) {
    std::fprintf(stderr, "error %s\n", error.what());
    std::fflush(stdout);
    return 3;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error %s\n", error.what());
    return 2;
  }
}
