// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0
//
// A Worker for pages that were opened as files, where browsers start none: the script runs in a
// hidden frame of the same page.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.onmessage = null;
      this.waiting = [];
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.documentElement.appendChild(frame);
      const inside = frame.contentWindow;
      const page = frame.contentDocument;
      // What the script posts comes here; what it imports is a script of the frame.
      inside.postMessage = (data) => {
        const event = new MessageEvent("message", { data });
        this.dispatchEvent(event);
        if (this.onmessage) this.onmessage(event);
      };
      inside.importScripts = (...urls) =>
        urls.reduce((before, each) => before.then(() => load(each)), Promise.resolve());
      const load = (source) =>
        new Promise((resolve, reject) => {
          const script = page.createElement("script");
          script.src = source;
          script.onload = resolve;
          script.onerror = reject;
          page.body.appendChild(script);
        });
      this.inside = inside;
      load(url).then(() => {
        const waiting = this.waiting;
        this.waiting = null;
        waiting.forEach((data) => this.hand(data));
      });
    }

    hand(data) {
      this.inside.dispatchEvent(new this.inside.MessageEvent("message", { data }));
    }

    postMessage(data) {
      if (this.waiting) this.waiting.push(data);
      else this.hand(data);
    }

    terminate() {}
  };
}
