"use strict";
// Tell the page around the frame how tall this page is, so that it can show all of it and be the one that scrolls. At
// once, too: a browser observes nothing in a frame that is not on screen yet.
(() => {
  const tell = () => parent.postMessage({ height: Math.ceil(document.body.getBoundingClientRect().height) }, "*");
  tell();
  new ResizeObserver(tell).observe(document.body);
})();
