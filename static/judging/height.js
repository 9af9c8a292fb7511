"use strict";
// Send this page's height to the page around the frame, so that the frame fits and only the outer page scrolls.
// Send it immediately, too: a browser observes nothing in a frame that is not yet on screen.
(() => {
  const tell = () => parent.postMessage({ height: Math.ceil(document.body.getBoundingClientRect().height) }, "*");
  tell();
  new ResizeObserver(tell).observe(document.body);
})();
