// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Files through the core: the modes of operation of NIST SP 800-38A around the block cipher.
//
// Modes without feedback offer a block in every clock in which the core takes one; CBC and CFB
// encryption and OFB wait for each result, which the bench registers before it goes back in, so a
// block takes latency + 1 clocks (latency behind narrower ports, where results are registered anyway).
// Memory does not grow with the file.

#include <algorithm>
#include <chrono>
#include <cstring>
#include <deque>
#include <vector>

#include "bench.h"

namespace aesfab {
namespace {

constexpr size_t kBuffer = 1 << 16;
constexpr size_t kBlockBytes = 16;

// Blocks from stdin; the last one may be short.
class Source {
 public:
  // The next up to 16 bytes; 0 at the end.
  size_t next(uint8_t* bytes) {
    if (end_ - position_ < kBlockBytes) refill();
    const size_t size = std::min(kBlockBytes, end_ - position_);
    std::memcpy(bytes, buffer_.data() + position_, size);
    position_ += size;
    return size;
  }

 private:
  void refill() {
    std::memmove(buffer_.data(), buffer_.data() + position_, end_ - position_);
    end_ -= position_;
    position_ = 0;
    while (end_ < kBlockBytes) {
      const size_t size = std::fread(buffer_.data() + end_, 1, kBuffer - end_, stdin);
      if (size == 0) {
        if (std::ferror(stdin) != 0) throw UserError("cannot read the input to its end");
        break;
      }
      end_ += size;
    }
  }

  std::vector<uint8_t> buffer_ = std::vector<uint8_t>(kBuffer);
  size_t position_ = 0;
  size_t end_ = 0;
};

// Bytes to stdout, which hands them on in pieces of its own.
void sink(const uint8_t* bytes, size_t size) {
  if (size > 0 && std::fwrite(bytes, 1, size, stdout) != size) {
    throw UserError("cannot write the output: is the disk full?");
  }
}

template <typename Words>
void parse_hex(Words& words, const std::string& hex) {
  std::vector<uint8_t> bytes(4 * words.size());
  for (size_t i = 0; i + 1 < hex.size() && i / 2 < bytes.size(); i += 2) {
    bytes[i / 2] = static_cast<uint8_t>(std::stoul(hex.substr(i, 2), nullptr, 16));
  }
  from_bytes(words, bytes.data());
}

void increment(Block& counter) {
  for (auto& word : counter) {
    if (++word != 0) break;
  }
}

// What is to be done with a block of the core's results when it leaves.
struct Pending {
  Block mask;   // added to the result
  size_t size;  // bytes of it that are used
};

class Crypt {
 public:
  Crypt(const Options& options, const CryptOptions& crypt) : bench_(options), crypt_(crypt) {
    const std::string& mode = crypt.mode;
    ecb_ = mode == "ecb";
    cbc_ = mode == "cbc";
    ctr_ = mode == "ctr";
    cfb_ = mode == "cfb";
    ofb_ = mode == "ofb";
    if (!(ecb_ || cbc_ || ctr_ || cfb_ || ofb_)) throw UserError("unknown mode " + mode);
    whole_ = ecb_ || cbc_;
    feedback_ = ofb_ || ((cbc_ || cfb_) && !crypt.decrypt);
    parse_hex(chain_, crypt.iv);
  }

  void run() {
    bench_.reset();
    Key key;
    parse_hex(key, crypt_.key);
    const auto key_len = static_cast<uint8_t>((crypt_.key.size() / 2 - 16) / 8);
    if (bench_.options().stored_keys) {
      bench_.load_key(key, key_len, kPatience);
    } else {
      bench_.in.in_key = key;
    }
    bench_.in.in_decrypt = crypt_.core_decrypts;
    uint64_t blocks = 0;
    uint64_t first_clock = 0;
    uint64_t last_clock = 0;
    uint64_t last_progress = bench_.clock();
    auto reported = std::chrono::steady_clock::now();
    for (;;) {
      if (!bench_.in.in_valid && !ended_ && (!feedback_ || pending_.empty())) fetch();
      if (!bench_.in.in_valid && pending_.empty()) break;
      bench_.settle();
      if (bench_.has_result()) {
        if (pending_.empty()) throw CoreError("out_valid_o without a block");
        deliver();
        last_progress = bench_.clock();
        last_clock = bench_.result_clock();
        if (++blocks % 4096 == 0) {
          const auto now = std::chrono::steady_clock::now();
          if (now - reported > std::chrono::milliseconds(100)) {
            reported = now;
            std::fprintf(stderr, "progress %llu\n", static_cast<unsigned long long>(blocks));
          }
        }
      }
      if (bench_.block_taken()) {
        if (first_clock == 0) first_clock = bench_.block_began();
        last_progress = bench_.clock();
        pending_.push_back(offered_);
        bench_.in.in_valid = false;
      }
      if (bench_.clock() > last_progress + kPatience) throw CoreError("the core does not answer");
      bench_.edge();
    }
    finish();
    std::fprintf(stderr, "result %llu %llu\n", static_cast<unsigned long long>(blocks),
                 static_cast<unsigned long long>(last_clock - first_clock));
  }

 private:
  static constexpr uint64_t kPatience = 100000;  // clocks; far beyond every latency and key set-up

  // Prepares the next block for the core, if there is one.
  void fetch() {
    uint8_t bytes[kBlockBytes] = {};
    size_t size = source_.next(bytes);
    if (size < kBlockBytes) {
      ended_ = true;
      if (whole_) {
        if (crypt_.decrypt || !crypt_.pad) {
          if (size > 0) throw UserError("the input is not a whole number of 16-byte blocks");
        } else {
          std::memset(bytes + size, static_cast<int>(kBlockBytes - size), kBlockBytes - size);
          size = kBlockBytes;
        }
      }
      if (size == 0) return;
    }
    Block data;
    from_bytes(data, bytes);
    offered_ = Pending{{}, size};
    Block& to_core = bench_.in.in_block;
    if (ecb_) {
      to_core = data;
    } else if (cbc_ && !crypt_.decrypt) {
      to_core = data;
      xor_into(to_core, chain_);
    } else if (cbc_) {
      to_core = data;
      offered_.mask = chain_;
      chain_ = data;
    } else {
      to_core = chain_;
      offered_.mask = data;
      if (ctr_) increment(chain_);
      if (cfb_ && crypt_.decrypt) chain_ = data;
    }
    bench_.in.in_valid = true;
  }

  // A result of the core: becomes a block of the output.
  void deliver() {
    const Pending pending = pending_.front();
    pending_.pop_front();
    Block data = bench_.result();
    if (ofb_) chain_ = data;
    xor_into(data, pending.mask);
    if (feedback_ && !ofb_) chain_ = data;
    uint8_t bytes[kBlockBytes];
    to_bytes(bytes, data);
    if (whole_ && crypt_.decrypt && crypt_.pad) {
      // Held back: the last block carries the padding.
      if (held_) sink(last_, kBlockBytes);
      std::memcpy(last_, bytes, kBlockBytes);
      held_ = true;
    } else {
      sink(bytes, pending.size);
    }
  }

  void finish() {
    if (whole_ && crypt_.decrypt && crypt_.pad) {
      if (!held_) throw UserError("the input is empty, so it holds no padding");
      const size_t count = last_[kBlockBytes - 1];
      bool good = count >= 1 && count <= kBlockBytes;
      for (size_t i = 0; good && i < count; ++i) good = last_[kBlockBytes - 1 - i] == count;
      if (!good) throw UserError("bad padding: a wrong key, IV or mode, or damaged input");
      sink(last_, kBlockBytes - count);
    }
    if (std::fflush(stdout) != 0) throw UserError("cannot write the output: is the disk full?");
  }

  Bench bench_;
  const CryptOptions& crypt_;
  bool ecb_, cbc_, ctr_, cfb_, ofb_;
  bool whole_;     // the mode takes whole blocks only
  bool feedback_;  // a block needs the result of the last one
  Source source_;
  bool ended_ = false;
  Block chain_{};  // IV, last ciphertext, last key stream or counter, as the mode has it
  Pending offered_{};
  std::deque<Pending> pending_;
  uint8_t last_[kBlockBytes] = {};
  bool held_ = false;
};

}  // namespace

void run_crypt(const Options& options, const CryptOptions& crypt) { Crypt(options, crypt).run(); }

}  // namespace aesfab
