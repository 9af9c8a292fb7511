/* Ask before a task is returned. The task's page can report how much is done and what submitting it pays. It belongs
   to another site, so only its numbers are shown. Without this script, the question is a page of its own.
   A page with nothing for the worker reports that, and the task is returned at once so that it frees its slot. */
"use strict";

(() => {
  const form = document.getElementById("return-form");
  const frame = document.getElementById("task-frame");
  const asking = document.getElementById("returning");
  if (!form || !frame || !asking) return;
  const stop = document.getElementById("stop-and-submit");
  const counts = (number, most) => Number.isInteger(number) && number >= 0 && number <= most;
  const pays = document.getElementById("pays-now");
  const whole = pays.textContent;
  let told = null;

  window.addEventListener("message", ({ source, data }) => {
    if (source !== frame.contentWindow) return;
    if (data?.preferee === "refused") refused();
    if (data?.preferee !== "progress") return;
    if (!counts(data.of, 10000) || !counts(data.done, data.of)) return;
    told = { done: data.done, of: data.of, cents: counts(data.cents, 10000000) ? data.cents : null };
  });
  // Once the page has reported progress, only the worker decides: the work may be paid. The amount is no longer known.
  let worked = false;
  const refused = () => {
    worked = worked || Boolean(told);
    told = null;
    if (!worked) giveBack();
  };
  const giveBack = async () => {
    if (form.hidden) return;
    form.hidden = true;
    document.dispatchEvent(new CustomEvent("task-returning", { detail: true }));
    const body = new FormData(form);
    body.set("confirmed", "yes");
    body.set("by_script", "yes");
    const given = await fetch(form.action, { method: "POST", body }).then(({ status }) => status === 204, () => false);
    form.hidden = given;
    document.dispatchEvent(new CustomEvent("task-returning", { detail: given }));
    if (!given) return;
    document.getElementById("after-submit").hidden = true;
    document.getElementById("given-back").hidden = false;
    frame.contentWindow.postMessage({ preferee: "returned" }, "*");
  };
  form.addEventListener("submit", (event) => {
    if (told && !told.done) form.elements.confirmed.value = "yes";
    if (form.elements.confirmed.value) return;
    event.preventDefault();
    document.getElementById("done-so-far").textContent = told ? `You have done ${told.done} of ${told.of}.` : "";
    pays.textContent = told && told.cents !== null
      ? `Submitting it now pays $${(told.cents / 100).toFixed(2)}.` : whole;
    stop.hidden = !told;
    asking.showModal();
  });
  document.getElementById("keep-working").addEventListener("click", () => asking.close());
  stop.addEventListener("click", () => {
    asking.close();
    frame.contentWindow.postMessage({ preferee: "stop" }, "*");
    frame.focus();
  });
  document.getElementById("return-anyway").addEventListener("click", () => {
    form.elements.confirmed.value = "yes";
    form.requestSubmit();
  });
})();
