// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Pages that follow a block: the clock of the slider is shown in the state.
document.querySelectorAll(".travel").forEach((travel) => {
  const frames = JSON.parse(travel.dataset.frames);
  const slider = travel.querySelector("input");
  const cells = travel.querySelectorAll(".state td");
  const show = () => {
    const frame = frames[slider.value];
    travel.querySelector("output").textContent = slider.value;
    travel.querySelector(".text").textContent = frame.text;
    travel.querySelector(".what").textContent = frame.what || "no new bytes of the state";
    cells.forEach((cell, place) => {
      const at = 4 * (place % 4) + Math.floor(place / 4);
      cell.textContent = frame.state[at] || "·";
      cell.className = frame.fresh.includes(at) ? "fresh" : "";
    });
  };
  slider.addEventListener("input", show);
  travel.querySelectorAll("button").forEach((button) =>
    button.addEventListener("click", () => {
      slider.value = Number(slider.value) + Number(button.dataset.by);
      show();
    })
  );
});
