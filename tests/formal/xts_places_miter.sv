// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Places for results of a sector engine. places_o: an item never finds its queue full. Near, each item has
// a place; beside a far core each result: of text, of an error, and of bytes that were stolen, which have
// the place that their own block gave up; those leave a clock later, in which no other result comes. Places
// are given back in any clocks, none that is not there; all are free, with items, or of one on its way. It
// holds in some clocks after a reset, and where it holds in so many, it holds in the next one.

module xts_places_miter
  import aes_engine_streams_pkg::shape_t;
  import aes_engine_xts_pkg::item_t;
  import aes_engine_xts_pkg::ItemStolen;
  import aes_engine_xts_pkg::ItemTweak;
  import aes_engine_xts_pkg::info_t;
#(
  parameter bit Far    = 1'b0,
  parameter bit Spaced = 1'b0,
  parameter bit Stored = 1'b0
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         beat_valid_i,
  input  logic [127:0] beat_data_i,
  input  shape_t       beat_shape_i,
  input  logic         sector_valid_i,
  input  logic [127:0] sector_key_i,
  input  info_t        sector_info_i,
  input  logic         first_valid_i,
  input  logic [127:0] first_i,
  input  logic         tweak_valid_i,
  input  logic [127:0] tweak_key_i,
  input  logic [127:0] tweak_block_i,
  input  logic         key_ready_i,
  input  logic         core_ready_i,
  input  logic         freed_i,
  input  logic         steal_valid_i,
  input  logic [127:0] steal_i,
  output logic         places_o
);

  localparam int unsigned Places = 8;

  logic unused_take, unused_sector, unused_first, unused_tweak, unused_key_valid, unused_core_valid;
  logic unused_decrypt, item_valid, takes, freed;
  logic [127:0] unused_key, unused_block, unused_core_key;
  item_t item;

  aes_engine_xts_front #(
    .Decrypts  (Stored),
    .Stored    (Stored),
    .Shared    (!Stored),
    .Spaced    (Spaced),
    .Far       (Far),
    .NumPlaces (Places),
    .LengthBits(4)
  ) u_front (
    .clk_i,
    .rst_ni,
    .beat_valid_i,
    .beat_take_o   (unused_take),
    .beat_data_i,
    .beat_shape_i,
    .sector_valid_i,
    .sector_ready_o(unused_sector),
    .sector_key_i,
    .sector_info_i,
    .first_valid_i,
    .first_ready_o (unused_first),
    .first_i,
    .tweak_valid_i,
    .tweak_ready_o (unused_tweak),
    .tweak_key_i,
    .tweak_block_i,
    .key_valid_o   (unused_key_valid),
    .key_ready_i,
    .key_o         (unused_key),
    .core_valid_o  (unused_core_valid),
    .core_ready_i  (core_ready_i | Far),
    .core_block_o  (unused_block),
    .core_decrypt_o(unused_decrypt),
    .core_key_o    (unused_core_key),
    .item_valid_o  (item_valid),
    .item_o        (item),
    .freed_i       (freed),
    .steal_valid_i,
    .steal_i
  );

  // Items, or results, that have a place.
  logic [4:0] places_q;
  logic stolen_q;
  assign takes = item_valid & (~Far | (item.kind != ItemTweak));
  assign freed = freed_i && places_q != '0;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      places_q <= '0;
      stolen_q <= 1'b0;
    end else begin
      places_q <= places_q + 5'(takes) - 5'(freed);
      stolen_q <= item_valid && item.kind == ItemStolen;
    end
  end

  assign places_o = places_q <= 5'(Places) && (!takes || places_q != 5'(Places)) &&
                    5'(u_front.free_q) + places_q + 5'(takes) == 5'(Places) &&
                    !(Far && takes && stolen_q);

endmodule
