"use strict";
// Send the progress, as numbers only, to the crowd's page around the frame, so that it can ask before a half-done task
// is returned. It can answer with a message that opens the page on stopping; only the worker's own click submits there.
judging.progress = (form, count) => {
  const of = Number(form.dataset.total), base = Number(form.dataset.base), bonus = Number(form.dataset.bonus);
  window.addEventListener("message", (event) => {
    if (event.source === window.parent && event.data?.preferee === "stop") document.getElementById("leave").click();
  });
  return () => {
    if (window.parent === window) return;
    const done = count(), news = { preferee: "progress", done, of };
    if (bonus > 0 || done === of) news.cents = base + Math.ceil((bonus * done) / of);
    window.parent.postMessage(news, "*");   // the page's policy limits who can frame it
  };
};
