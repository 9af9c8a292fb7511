"use strict";
// The crowd's form is sent (or its link followed) by itself at its first showing alone. Should the crowd's site not take
// it, whoever comes back finds a button, the receipt and what to do. The page around the frame is told that all is done,
// and its "stop and submit" sends the form as the button does.
(() => {
  const step = document.getElementById("crowd");
  const send = () => { if (step instanceof HTMLFormElement) step.submit(); else location.assign(step.href); };
  if (window.parent !== window) {
    const { done, of, cents } = step.dataset, news = { preferee: "progress", done: Number(done), of: Number(of) };
    if (cents) news.cents = Number(cents);
    window.parent.postMessage(news, "*");   // the page's policy says who may frame it
    window.addEventListener("message", (event) => {
      if (event.source === window.parent && event.data?.preferee === "stop") send();
    });
  }
  if (step.dataset.first) send();
})();
