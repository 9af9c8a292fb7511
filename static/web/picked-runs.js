/* Two runs can be picked on a leaderboard: then the other boxes are disabled, and a sentence says so. Picks stay when
   the list is filtered: the filters send them along, and they come back in the address. */
"use strict";

const picked = new Set(new URLSearchParams(location.search).getAll("run"));

function sendAlong(form, runs) {
  for (const old of form.querySelectorAll('input[type="hidden"][name="run"]')) old.remove();
  for (const run of runs) {
    const input = document.createElement("input");
    Object.assign(input, { type: "hidden", name: "run", value: run });
    form.append(input);
  }
}

function showPicked() {
  const form = document.querySelector("#pick"), status = form?.querySelector("[data-when-full]");
  if (!status) return;
  const boxes = [...document.querySelectorAll('input[type="checkbox"][form="pick"]')];
  const full = picked.size >= 2;
  for (const box of boxes) {
    box.checked = picked.has(box.value);
    box.disabled = full && !box.checked;
    box.title = box.disabled ? status.dataset.whenFull : "";
  }
  const listed = new Set(boxes.map((box) => box.value));
  const others = [...picked].filter((run) => !listed.has(run));
  const sentences = [full ? status.dataset.whenFull : "", others.length ? `${status.dataset.notListed} ${others.join(", ")}` : ""];
  status.textContent = sentences.filter(Boolean).join(" ");
  sendAlong(form, others);
  for (const filters of document.querySelectorAll("form[data-at-once]")) sendAlong(filters, picked);
}

document.addEventListener("change", (event) => {
  if (event.target.form?.id !== "pick") return;
  if (event.target.checked) picked.add(event.target.value);
  else picked.delete(event.target.value);
  const address = new URL(location.href);
  address.searchParams.delete("run");
  for (const run of picked) address.searchParams.append("run", run);
  history.replaceState(null, "", address);
  showPicked();
});
document.addEventListener("list-replaced", showPicked);
/* A browser that goes back restores the ticks. */
window.addEventListener("pageshow", () => {
  for (const box of document.querySelectorAll('input[type="checkbox"][form="pick"]:checked')) picked.add(box.value);
  showPicked();
});
