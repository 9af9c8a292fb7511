"use strict";
// Submit the crowd's form (or follow its link) automatically, but only when first shown. If the crowd's site does not
// accept it, a worker who returns finds a button, the receipt and instructions. The page around the frame is told that
// the task is done; its "stop and submit" submits the form like the button.
(() => {
  const step = document.getElementById("crowd");
  const send = () => { if (step instanceof HTMLFormElement) step.submit(); else location.assign(step.href); };
  if (window.parent !== window) {
    const { done, of, cents } = step.dataset, news = { preferee: "progress", done: Number(done), of: Number(of) };
    if (cents) news.cents = Number(cents);
    window.parent.postMessage(news, "*");   // the page's policy limits who can frame it
    window.addEventListener("message", (event) => {
      if (event.source === window.parent && event.data?.preferee === "stop") send();
    });
  }
  if (step.dataset.first) send();
})();
