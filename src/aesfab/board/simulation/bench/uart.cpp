// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// A simulated board at a serial line: what is written to a descriptor (the master side of a
// pseudo-terminal) goes to the UART pin bit by bit, and what the board sends comes back.
//
// The bits are made here as a serial adapter makes them: 8N1, a bit lasts CLOCKS_PER_BIT clocks,
// which need not be a whole number. Time of the model passes only while the line is busy or the
// board is, and QUIET clocks beyond; so a silent host costs nothing.

#include <cerrno>
#include <cstdint>
#include <deque>
#include <memory>

#include <poll.h>
#include <unistd.h>

#include "Vdut.h"
#include "verilated.h"

double sc_time_stamp() { return 0; }

namespace {

class Sender {  // to the board
 public:
  explicit Sender(double bit) : bit_(bit) {}

  bool busy() const { return left_ > 0; }
  void begin(uint8_t value) {
    shift_ = static_cast<uint32_t>(value) << 1 | 0x200;
    left_ = 10;
    phase_ = 0;
  }
  bool level() const { return left_ == 0 || (shift_ & 1) != 0; }
  void clock() {
    if (left_ == 0 || ++phase_ < bit_) return;
    phase_ -= bit_;
    shift_ >>= 1;
    --left_;
  }

 private:
  double bit_, phase_ = 0;
  uint32_t shift_ = 0;
  int left_ = 0;
};

class Receiver {  // from the board
 public:
  explicit Receiver(double bit) : bit_(bit) {}

  bool busy() const { return left_ > 0; }
  // Whether a byte is complete with the level in this clock.
  bool clock(bool level, uint8_t* value) {
    if (left_ == 0) {
      if (!level) {
        left_ = 10;
        wait_ = bit_ / 2;
      }
      return false;
    }
    if (--wait_ > 0) return false;
    wait_ += bit_;
    --left_;
    if (left_ > 0 && left_ < 9) shift_ = static_cast<uint8_t>(shift_ >> 1 | (level ? 0x80 : 0));
    if (left_ == 9 && level) {  // no start bit
      left_ = 0;
      return false;
    }
    *value = shift_;
    return left_ == 0 && level;
  }

 private:
  double bit_, wait_ = 0;
  int left_ = 0;
  uint8_t shift_ = 0;
};

}  // namespace

extern "C" {

struct aesfab_board {
  std::unique_ptr<VerilatedContext> context;
  std::unique_ptr<Vdut> dut;
  uint64_t clocks;

  void clock() {
    dut->clk_i = 1;
    dut->eval();
    dut->clk_i = 0;
    dut->eval();
    ++clocks;
  }
};

aesfab_board* aesfab_board_new(int seed) {
  auto* board = new aesfab_board{std::make_unique<VerilatedContext>(), nullptr, 0};
  board->context->randReset(2);
  board->context->randSeed(seed);
  board->dut = std::make_unique<Vdut>(board->context.get());
  board->dut->uart_rx_i = 1;
  board->dut->clk_i = 0;
  board->dut->eval();
  // A board hears nothing while it comes out of its reset, long before a host is there.
  for (int n = 0; n < 64; ++n) board->clock();
  return board;
}

void aesfab_board_free(aesfab_board* board) {
  board->dut->final();
  delete board;
}

uint64_t aesfab_board_clocks(const aesfab_board* board) { return board->clocks; }

// Serves the descriptor, which must not block, until its other side is closed or *stop is not 0.
// drop and spoil are numbers of bytes from the host, from 1 on, that get lost or damaged on the
// line; 0: none. Returns 0, or errno.
int aesfab_board_serve(aesfab_board* board, int descriptor, double clocks_per_bit, uint64_t quiet,
                       uint64_t drop, uint64_t spoil, const volatile int* stop) {
  Sender to(clocks_per_bit);
  Receiver from(clocks_per_bit);
  std::deque<uint8_t> given;
  uint64_t taken = 0, left = quiet;
  unsigned look = 0;
  while (*stop == 0) {
    // Looking costs as much as a hundred clocks.
    if (!to.busy() && given.empty() && look == 0) {
      const bool asleep = left == 0;
      pollfd watched{descriptor, POLLIN, 0};
      const int ready = poll(&watched, 1, asleep ? 20 : 0);
      if (ready < 0 && errno != EINTR) return errno;
      if (ready > 0) {
        if ((watched.revents & POLLIN) != 0) {
          uint8_t bytes[256];
          const ssize_t size = read(descriptor, bytes, sizeof bytes);
          if (size < 0 && errno != EAGAIN && errno != EIO) return errno;
          if (size > 0) given.insert(given.end(), bytes, bytes + size);
        } else if (!asleep) {
          left = left > 64 ? left : 64;
        } else {
          usleep(1000);  // nobody has the line open
        }
      } else if (asleep) {
        continue;
      }
    }
    look = (look + 1) % 128;
    if (!to.busy() && !given.empty()) {
      uint8_t value = given.front();
      given.pop_front();
      ++taken;
      if (taken == spoil) value = static_cast<uint8_t>(value ^ 0x10);
      if (taken != drop) to.begin(value);
      left = quiet;
    }
    board->dut->uart_rx_i = to.level();
    board->clock();
    to.clock();
    uint8_t value = 0;
    if (from.clock(board->dut->uart_tx_o != 0, &value)) {
      while (write(descriptor, &value, 1) < 0 && errno == EAGAIN && *stop == 0) usleep(100);
    }
    if (from.busy() || to.busy()) left = quiet;
    if (left > 0) --left;
  }
  return 0;
}

}  // extern "C"
