"use strict";
// Tell the page around the frame how tall this page is, so that it shows all of it and only the outer page scrolls.
// Also tell it immediately: a browser observes nothing in a frame that is not yet on screen.
(() => {
  const tell = () => parent.postMessage({ height: Math.ceil(document.body.getBoundingClientRect().height) }, "*");
  tell();
  new ResizeObserver(tell).observe(document.body);
})();
