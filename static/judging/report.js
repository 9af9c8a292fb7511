"use strict";
// "Report this pair": sent like a choice, without leaving the page.
judging.reporting = (queue) => {
  const told = (slot) => document.querySelector(`#pair-${slot} .reported`);
  return {
    send(page) {
      const { slot } = page.dataset;
      const kind = page.querySelector(".report input:checked");
      if (!kind) { told(slot).textContent = judging.say("kind"); return; }
      const words = page.querySelector(".report textarea");
      told(slot).textContent = judging.say("reporting");
      queue.add("report", { slot, kind: kind.value, words: words.value });
      kind.checked = false;
      words.value = "";
      const details = page.querySelector("details.report");
      details.open = false;
      details.querySelector("summary").focus();
    },
    refused(slot, why) { told(slot).textContent = judging.say("unreported", why); },
    done(slot) { told(slot).textContent = judging.say("reported"); },
  };
};
