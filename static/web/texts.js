/* The preview follows the form. Without this script its buttons do the same. */
"use strict";

const texts = document.getElementById("texts");
const views = document.querySelectorAll("button.see");
let shown = [...views].find((button) => button.value === "consent"), timer;

function mark() {
  for (const button of views) button.setAttribute("aria-pressed", String(button === shown));
}
for (const button of views) {
  button.addEventListener("click", () => {
    shown = button;
    mark();
  });
}
mark();
texts.addEventListener("input", (event) => {
  clearTimeout(timer);
  const wanted = event.target.name === "consent" || event.target.name === "content_warning" ? "consent" : event.target.name === "ethics_approval" ? "consent" : "pairs";
  timer = setTimeout(() => {
    shown = [...views].find((button) => button.value === wanted);
    mark();
    texts.requestSubmit(shown);
  }, 400);
});
