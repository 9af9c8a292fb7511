/* Fills in again the fields typed before the session ended. The person presses the button. */
"use strict";

const kept = JSON.parse(document.getElementById("kept-form").textContent);
const values = new Map();
for (const [name, value] of kept.fields) values.set(name, [...(values.get(name) ?? []), value]);
for (const form of document.forms) {
  if (form.method !== "post" || new URL(form.action, location.href).pathname !== kept.action) continue;
  for (const field of form.elements) {
    if (!field.name || ["hidden", "file", "password", "submit", "button"].includes(field.type)) continue;
    if (field.type === "checkbox" || field.type === "radio") {
      field.checked = (values.get(field.name) ?? []).includes(field.value);
    } else if (field instanceof HTMLSelectElement && field.multiple) {
      for (const option of field.options) option.selected = (values.get(field.name) ?? []).includes(option.value);
    } else if (values.get(field.name)?.length) {
      field.value = values.get(field.name).shift();
    }
  }
  const folded = form.closest("details") ?? form.querySelector("details");
  if (folded) folded.open = true;
}
