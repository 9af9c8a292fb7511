/* A form whose result is on the same page: request it again after every change, and keep the address up to date.
   Without this script its button does the same. */
"use strict";

for (const form of document.querySelectorAll("form[data-live]")) {
  let timer, asked = 0;
  const target = () => document.getElementById(form.dataset.live);
  const query = () => {
    const fields = new URLSearchParams(new FormData(form));
    fields.delete("csrfmiddlewaretoken");
    for (const name of (form.dataset.unasked || "").split(" ")) fields.delete(name);  // long texts
    return fields;
  };

  async function ask() {
    const address = new URL(form.dataset.ask || form.action, location.href), mine = ++asked;
    address.search = query().toString();
    target().setAttribute("aria-busy", "true");
    try {
      const reply = await fetch(address, { headers: { Accept: "text/html" }, credentials: "same-origin" });
      const page = new DOMParser().parseFromString(await reply.text(), "text/html");
      const fresh = page.getElementById(form.dataset.live);
      if (mine !== asked || !fresh) return;
      keepTyped(target(), fresh);
      target().replaceWith(document.adoptNode(fresh));
      if (form.method === "get") history.replaceState(null, "", address);
      for (const field of form.elements) mark(field, page);
      for (const words of form.querySelectorAll("[data-fresh]")) {
        const now = page.querySelector(`[data-fresh="${words.dataset.fresh}"]`);
        if (now) words.textContent = now.textContent;
      }
    } catch {
      /* the server is briefly unreachable; the button tries again */
    } finally {
      target().setAttribute("aria-busy", "false");
    }
  }

  /* Keep a name that was typed in the replaced part. */
  function keepTyped(before, fresh) {
    for (const field of before.querySelectorAll("input[name]:not([type=hidden])")) {
      const now = fresh.querySelector(`input[name="${field.name}"]:not([type=hidden])`);
      if (now && field.value !== field.defaultValue) now.value = field.value;
    }
  }

  /* A field's error is beside it, as on a full page. */
  function mark(field, page) {
    if (!field.id) return;
    const now = document.getElementById(`${field.id}_error`), then = page.getElementById(`${field.id}_error`);
    if (now && then) now.replaceWith(document.adoptNode(then));
    else if (now) now.remove();
    else if (then) field.parentElement.append(document.adoptNode(then));
    field.toggleAttribute("aria-invalid", Boolean(then));
  }

  /* Whether a field differs from the loaded page. */
  function changed(field) {
    if (field.options) {
      const came = [...field.options].findIndex((option) => option.defaultSelected);
      return field.selectedIndex !== Math.max(came, 0);
    }
    return field.type === "checkbox" || field.type === "radio"
      ? field.checked !== field.defaultChecked
      : "defaultValue" in field && field.value !== field.defaultValue;
  }

  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(ask, 250);
  };
  form.addEventListener("input", later);
  /* Also request the result for choices made before this script loaded or restored by the browser. */
  if ([...form.elements].some(changed)) later();
  if (form.method === "get") {
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      clearTimeout(timer);
      ask();
    });
  }
}
