// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Packets and messages through the pins of an engine: keys, descriptors and beats of a script go in on
// their channels, each at its own pace, and all that is taken or comes out is recorded with its clock.
// An engine has tid, or tuser of its beats, where its ports have these names.
//
// Checked in every clock: tvalid of the results never falls and their payload never changes before
// tready, but for a reset, in which it is low. What is offered stays until it is taken; what is not
// valid, and the bytes of a beat that do not count, are random.
//
// A reset comes some clocks after so many descriptors and beats, and only while a packet is under way.
// Packets on slots that had a key follow it before any key does: each has to end without one.

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "Vdut.h"
#include "verilated.h"

namespace {

enum Kind : uint8_t { kKey = 0, kDescriptor = 1, kBeat = 2, kResult = 3 };

// A record of the script: a key, a descriptor or a beat.
struct Step {
  uint8_t kind;
  uint8_t last;      // of a beat
  uint16_t user;     // tuser of a key or a beat
  uint16_t keep;     // of a beat
  uint16_t tid;      // of a descriptor or a beat
  uint32_t after;    // a key, a beat: descriptors, a descriptor: keys that are to be taken before it
  uint8_t data[32];  // byte 0 first
};
static_assert(sizeof(Step) == 44, "as engine/packets.py packs it");

// A record of what happened.
struct Event {
  uint8_t kind;
  uint8_t last;
  uint16_t user;
  uint16_t keep;
  uint16_t tid;
  uint32_t keys;  // taken before
  uint32_t clock;
  uint8_t data[16];
};
static_assert(sizeof(Event) == 32, "as engine/packets.py reads it");

struct Options {
  uint32_t seed;
  uint32_t stall[4];  // chances of 256 that a stream does not go on: keys, descriptors, beats, results
  uint32_t patience;  // clocks in which something has to happen
  uint32_t resets;    // so many, after each of which the script begins again
  uint32_t highest;   // number of a stream
  uint32_t late;      // a beat is not offered before nothing has happened for as many clocks
  uint32_t slots;     // of the engine
  uint32_t whole;     // bit of tuser of the key that a slot has last; 0: it has one
  uint32_t latency;   // clocks by which a reset may come later
};

constexpr uint32_t kClear = 1 << 10, kClearAll = 1 << 11;  // tuser of a key
constexpr size_t kSlot = 17;                               // byte of a descriptor
constexpr size_t kProbes = 8;                              // packets after a reset at most
constexpr uint8_t kNoKey = 2 << 2 | 1;                     // tuser of their results

class Random {
 public:
  explicit Random(uint32_t seed) : state_(seed * 2654435761u + 0x9e3779b97f4a7c15ull) {}
  uint32_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<uint32_t>(state_ >> 16);
  }
  bool chance(uint32_t of_256) { return (next() & 255) < of_256; }

 private:
  uint64_t state_;
};

// Words of a port, the lowest first; ports of up to 64 bits are plain integers.
template <typename Port>
void put(Port& port, const uint8_t* bytes) {
  std::memcpy(&port, bytes, sizeof(port));
}

// Ports that only some engines have; the last argument makes the first form the better one.
template <typename Dut>
auto put_desc_tid(Dut& dut, uint32_t tid, int) -> decltype(dut.s_desc_tid_i, void()) {
  dut.s_desc_tid_i = tid;
}
template <typename Dut>
void put_desc_tid(Dut&, uint32_t, long) {}

template <typename Dut>
auto put_data_tid(Dut& dut, uint32_t tid, int) -> decltype(dut.s_data_tid_i, void()) {
  dut.s_data_tid_i = tid;
}
template <typename Dut>
void put_data_tid(Dut&, uint32_t, long) {}

template <typename Dut>
auto put_data_user(Dut& dut, uint32_t user, int) -> decltype(dut.s_data_tuser_i, void()) {
  dut.s_data_tuser_i = user & 3;
}
template <typename Dut>
void put_data_user(Dut&, uint32_t, long) {}

template <typename Dut>
auto result_tid(const Dut& dut, int) -> decltype(uint8_t(dut.m_data_tid_o)) {
  return dut.m_data_tid_o;
}
template <typename Dut>
uint8_t result_tid(const Dut&, long) {
  return 0;
}

struct Channel {
  std::vector<Step> steps;
  size_t next = 0;
  bool offered = false;
  bool empty() const { return next == steps.size(); }
};

// Slots that have a key, as far as the keys tell that have been taken.
class Slots {
 public:
  explicit Slots(const Options& options) : whole_(options.whole), has_(options.slots) {}
  void take(uint32_t user) {
    const size_t slot = user & 255;
    if (user & kClearAll) {
      has_.assign(has_.size(), false);
    } else if (slot < has_.size()) {
      has_[slot] = !(user & kClear) && (whole_ == 0 || (user & whole_));
    }
  }
  // Some of them, in any order.
  std::vector<uint8_t> some(size_t most, Random& random) {
    std::vector<uint8_t> found;
    for (size_t slot = 0; slot < has_.size(); ++slot) {
      if (has_[slot]) found.push_back(static_cast<uint8_t>(slot));
    }
    for (size_t n = 0; n < found.size(); ++n) {
      std::swap(found[n], found[n + random.next() % (found.size() - n)]);
    }
    if (found.size() > most) found.resize(most);
    return found;
  }
  void clear() { take(kClearAll); }

 private:
  uint32_t whole_;
  std::vector<bool> has_;
};

struct Payload {
  uint8_t data[16];
  uint16_t keep;
  uint8_t user;
  uint8_t last;
  uint8_t tid;
  uint8_t unused;
  bool operator==(const Payload& other) const { return std::memcmp(this, &other, sizeof *this) == 0; }
};

struct Run {
  std::vector<Event> events;
  std::string error;
};

void run(const std::vector<Step>& script, const std::vector<Step>& probe, const Options& options,
         Run& result) {
  VerilatedContext context;
  context.randReset(2);
  context.randSeed(static_cast<int>(options.seed & 0x7fffffff));
  Vdut dut{&context};
  Random random{options.seed};
  Channel channels[3];
  auto& [keys, descriptors, beats] = channels;
  const auto begin = [&](const std::vector<Step>& steps) {
    for (Channel& channel : channels) channel = Channel{};
    for (const Step& step : steps) channels[step.kind].steps.push_back(step);
    result.events.clear();
  };

  const auto edge = [&] {
    dut.clk_i = 1;
    dut.eval();
    dut.clk_i = 0;
  };
  const auto reset = [&] {
    dut.clk_i = 0;
    dut.rst_ni = 1;
    dut.s_key_tvalid_i = dut.s_desc_tvalid_i = dut.s_data_tvalid_i = dut.m_data_tready_i = 0;
    dut.eval();
    dut.rst_ni = 0;
    for (int i = 0; i < 3; ++i) {
      dut.eval();
      if (dut.m_data_tvalid_o) result.error = "m_data_tvalid_o is high in a reset";
      edge();
    }
    dut.rst_ni = 1;
    return result.error.empty();
  };
  if (!reset()) return;
  begin(script);

  size_t ended = 0;
  uint32_t quiet = 0;  // clocks since something happened
  uint32_t tail = 0;   // clocks since all is done
  bool was_waiting = false;
  Payload before{};
  Slots slots{options};
  std::vector<uint8_t> probed;  // slots of the packets that follow a reset; empty: the script runs
  uint32_t resets = options.resets;
  size_t reset_after = 0;  // descriptors and beats
  uint32_t reset_late = 0;
  const auto draw_reset = [&] {
    // The early ones are likelier, so that a run is not much longer.
    const size_t most = 1 + 3 * (descriptors.steps.size() + beats.steps.size()) / 4;
    const size_t one = random.next() % most, other = random.next() % most;
    reset_after = 1 + (one < other ? one : other);
    reset_late = random.next() % (options.latency + 1);
  };
  if (resets > 0) draw_reset();
  for (uint32_t clock = 0; tail < 300; ++clock) {
    if (resets > 0 && probed.empty() && descriptors.next + beats.next >= reset_after) {
      const bool late = reset_late > 0 && !(descriptors.empty() && beats.empty());
      if (late) --reset_late;
      if (!late && descriptors.next > ended) probed = slots.some(kProbes, random);
      if (!probed.empty()) {
        --resets;
        if (!reset()) return;
        std::vector<Step> steps;
        for (const uint8_t slot : probed) {
          for (Step step : probe) {
            if (step.kind == kDescriptor) step.data[kSlot] = slot;
            steps.push_back(step);
          }
        }
        begin(steps);
        slots.clear();
        ended = 0;
        quiet = 0;
        was_waiting = false;
      }
    } else if (!probed.empty() && ended == probed.size() && descriptors.empty() && beats.empty()) {
      probed.clear();
      begin(script);
      if (resets > 0) draw_reset();
      ended = 0;
      quiet = 0;
    }
    for (int s = 0; s < 3; ++s) {
      Channel& channel = channels[s];
      if (channel.offered || channel.empty()) continue;
      const Step& step = channel.steps[channel.next];
      const size_t done = s == kDescriptor ? keys.next : descriptors.next;
      const bool early = s == kBeat && quiet < options.late;
      channel.offered = done >= step.after && !early && !random.chance(options.stall[s]);
      uint8_t noise[32];
      for (int i = 0; i < 32; i += 4) {
        const uint32_t word = random.next();
        std::memcpy(noise + i, &word, 4);
      }
      uint8_t data[32];
      std::memcpy(data, channel.offered ? step.data : noise, sizeof data);
      if (s == kKey) {
        put(dut.s_key_tdata_i, data);
        dut.s_key_tuser_i = (channel.offered ? step.user : noise[0] * 16u) & 0xfff;
      } else if (s == kDescriptor) {
        put(dut.s_desc_tdata_i, data);
        put_desc_tid(dut, (channel.offered ? step.tid : noise[18]) & options.highest, 0);
      } else {
        for (int i = 0; i < 16; ++i) {
          if (channel.offered && !(step.keep >> i & 1)) data[i] = noise[i];
        }
        put(dut.s_data_tdata_i, data);
        dut.s_data_tkeep_i = channel.offered ? step.keep : static_cast<uint16_t>(noise[16] * 257);
        dut.s_data_tlast_i = (channel.offered ? step.last : noise[17]) & 1;
        put_data_user(dut, channel.offered ? step.user : noise[18], 0);
        put_data_tid(dut, (channel.offered ? step.tid : noise[19]) & options.highest, 0);
      }
    }
    dut.s_key_tvalid_i = keys.offered;
    dut.s_desc_tvalid_i = descriptors.offered;
    dut.s_data_tvalid_i = beats.offered;
    dut.m_data_tready_i = !random.chance(options.stall[3]);
    dut.eval();

    const auto record = [&](Kind kind) -> Event& {
      Event event{};
      event.kind = kind;
      event.keys = static_cast<uint32_t>(keys.next);
      event.clock = clock;
      result.events.push_back(event);
      quiet = 0;
      return result.events.back();
    };
    const bool valid = dut.m_data_tvalid_o;
    Payload now{};
    std::memcpy(now.data, &dut.m_data_tdata_o, 16);
    now.keep = dut.m_data_tkeep_o;
    now.user = dut.m_data_tuser_o;
    now.last = dut.m_data_tlast_o;
    now.tid = result_tid(dut, 0);
    if (was_waiting && !valid) {
      result.error = "m_data_tvalid_o fell before m_data_tready_i, in clock " + std::to_string(clock);
      return;
    }
    if (was_waiting && !(now == before)) {
      result.error = "a result changed before m_data_tready_i, in clock " + std::to_string(clock);
      return;
    }
    was_waiting = valid && !dut.m_data_tready_i;
    before = now;
    if (!probed.empty() && valid && ended == probed.size()) {
      result.error = "a result without a descriptor, in clock " + std::to_string(clock);
      return;
    }
    if (!probed.empty() && valid && !(now.last && now.user == kNoKey)) {
      result.error = "after a reset a packet finds a key in slot " + std::to_string(probed[ended]) +
                     ", in clock " + std::to_string(clock);
      return;
    }
    if (valid && dut.m_data_tready_i) {
      Event& event = record(kResult);
      event.last = now.last;
      event.user = now.user;
      event.keep = now.keep;
      event.tid = now.tid;
      std::memcpy(event.data, now.data, 16);
      ended += now.last;
    }
    const bool ready[3] = {dut.s_key_tready_o != 0, dut.s_desc_tready_o != 0,
                           dut.s_data_tready_o != 0};
    // A descriptor that is taken in the clock of a key is taken under the slot's old one.
    for (int s = 2; s >= 0; --s) {
      Channel& channel = channels[s];
      if (!channel.offered || !ready[s]) continue;
      Event& event = record(static_cast<Kind>(s));
      event.user = channel.steps[channel.next].user;
      event.last = channel.steps[channel.next].last;
      event.tid = channel.steps[channel.next].tid;
      if (s == kKey) slots.take(channel.steps[channel.next].user);
      ++channel.next;
      channel.offered = false;
    }
    edge();
    const bool done = keys.empty() && descriptors.empty() && beats.empty() &&
                      ended >= descriptors.steps.size();
    if (ended > descriptors.steps.size()) {
      result.error = "a result without a descriptor, in clock " + std::to_string(clock);
      return;
    }
    if (done && probed.empty() && resets > 0) {
      result.error = std::to_string(resets) + " resets met no packet, up to clock " +
                     std::to_string(clock);
      return;
    }
    tail = done && probed.empty() ? tail + 1 : 0;
    if (!done && ++quiet > options.patience) {
      result.error = "nothing happened for " + std::to_string(quiet) + " clocks up to clock " +
                     std::to_string(clock) + ", after " + std::to_string(ended) + " results";
      return;
    }
  }
}

char* copy(const void* bytes, size_t size) {
  char* kept = static_cast<char*>(std::malloc(size + 1));
  if (kept == nullptr) std::abort();
  if (size > 0) std::memcpy(kept, bytes, size);
  kept[size] = 0;
  return kept;
}

}  // namespace

extern "C" {

// Runs a script; a probe is a packet that follows a reset. The events, `count` of them, and the error,
// empty if there is none, are the caller's; aesfab_engine_free gives them back.
void aesfab_engine_run(const void* script, size_t steps, const void* probe, size_t probe_steps,
                       const void* options, void** events, size_t* count, void** error) {
  std::vector<Step> given(steps), probing(probe_steps);
  if (steps > 0) std::memcpy(given.data(), script, steps * sizeof(Step));
  if (probe_steps > 0) std::memcpy(probing.data(), probe, probe_steps * sizeof(Step));
  Options how;
  std::memcpy(&how, options, sizeof how);
  Run result;
  run(given, probing, how, result);
  *events = copy(result.events.data(), result.events.size() * sizeof(Event));
  *count = result.events.size();
  *error = copy(result.error.data(), result.error.size());
}

void aesfab_engine_free(void* memory) { std::free(memory); }

}  // extern "C"
