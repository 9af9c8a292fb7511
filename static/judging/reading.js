"use strict";
// Passages of the pair that were read to their end, as far as a page can detect: the end was on screen or was
// scrolled past. An end that the browser has not yet reported counts as read.
judging.reading = (told) => {
  const unread = new Set();
  const endsOf = (page) => [...page.querySelectorAll(".end")];
  // Between two frames, an end can jump from below the screen to above it without ever being on it.
  const isAbove = (end) => end.getBoundingClientRect().bottom < 0;
  const observer = window.IntersectionObserver && new IntersectionObserver((entries) => {
    entries.forEach(({ target, isIntersecting }) => {
      if (isIntersecting) target.dataset.read = "";
      if ("read" in target.dataset) unread.delete(target); else unread.add(target);
    });
    [...unread].filter(isAbove).forEach((end) => { end.dataset.read = ""; unread.delete(end); });
    told();
  });
  return {
    // Observe only the ends on the current page.
    look(page) {
      observer?.disconnect();
      unread.clear();
      if (page) endsOf(page).forEach((end) => observer?.observe(end));
    },
    missing: () => unread.size > 0,
    // People who use a screen reader or choose by key need not scroll by hand.
    show() { [...unread][0]?.scrollIntoView({ block: "nearest" }); },
  };
};
