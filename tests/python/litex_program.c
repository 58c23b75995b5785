// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// What test_litex.py runs on a processor of LiteX: both ways of docs/litex.md, which says in page.h
// what the page has. Results go to the console.

#include <generated/csr.h>
#include <generated/mem.h>
#include <generated/soc.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "aesfab_litex.h"
#include "aesfab_registers.h"
#include "given.h"
#include "page.h"

#define END '\x04'

static uint8_t result[sizeof given_message];

static void put(char c) {
  while (uart_txfull_read()) {
  }
  uart_rxtx_write((uint8_t)c);
}

static void say(const char *text) {
  while (*text != '\0') put(*text++);
  put('\n');
}

static void show(const char *what) {
  static const char kDigits[] = "0123456789abcdef";
  while (*what != '\0') put(*what++);
  put(' ');
  for (size_t i = 0; i < sizeof result; ++i) {
    put(kDigits[result[i] >> 4]);
    put(kDigits[result[i] & 15]);
  }
  put('\n');
  memset(result, 0, sizeof result);
}

int main(void) {
  const uint32_t blocks = sizeof given_message / 16;
  uart_ev_enable_write(0);

  if (encrypt(given_key, given_message, result, sizeof given_message) != AESFAB_OK) {
    say("the library failed");
  }
  show("library");

  aes_erase(AES_BASE);
  aes_set_key(AES_BASE, given_key, 16);
  if (!aes_crypt(AES_BASE, given_message, result, blocks)) say("the sequence failed");
  show("sequence");

  // Idle, and the condition is enabled.
  say(aes_ev_status_read() ? "interrupt high" : "interrupt low");
  *at(AES_BASE, AESFAB_IRQ_ENABLE) = AESFAB_IRQ_ENABLE_IDLE;
  say(aes_ev_status_read() ? "interrupt high" : "interrupt low");
  *at(AES_BASE, AESFAB_IRQ_ENABLE) = 0;

  // A length that the core has not.
  aes_set_key(AES_BASE, given_key, 24);
  say(aes_crypt(AES_BASE, given_message, result, 1) ? "no error" : "error");
  put(END);
  for (;;) {
  }
}
