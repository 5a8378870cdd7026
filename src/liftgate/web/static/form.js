// Forms: what they hold as text, and the errors that stand beside their fields.

export function held(form) {
  const asked = new URLSearchParams();
  for (const [name, value] of new FormData(form)) if (typeof value === "string" && value) asked.append(name, value);
  return asked;
}

export function fill(form, asked) {
  for (const field of form.querySelectorAll("[name]")) {
    const given = asked.getAll(field.name);
    if (field.type === "checkbox") field.checked = given.includes(field.value);
    else if (field.type === "radio") field.checked = given.length ? given.includes(field.value) : field.defaultChecked;
    else if (given.length) field.value = given[0];
    else if (field.tagName === "SELECT") field.value = ([...field.options].find((o) => o.defaultSelected) ?? field.options[0]).value;
    else field.value = field.defaultValue;
  }
  echo(form);
}

// The value of a slider beside it, as it is.
export function echo(form) {
  for (const place of form.querySelectorAll("[data-shown]")) place.textContent = form.elements[place.dataset.shown].value;
}

export function clear(form) {
  for (const place of form.querySelectorAll(".field-error")) {
    place.textContent = "";
    place.hidden = true;
  }
  for (const field of form.querySelectorAll("[aria-invalid]")) field.removeAttribute("aria-invalid");
}

export function complain(form, name, record) {
  const place = name && form.querySelector(`[data-field="${name}"]`);
  if (!place) return false;
  const text = place.querySelector(".field-error");
  text.textContent = record.fix || record.value;
  text.hidden = false;
  const field = place.querySelector("input:not([type=file]):not([type=checkbox]):not([type=radio]), select, textarea");
  field?.setAttribute("aria-invalid", "true");
  return true;
}
