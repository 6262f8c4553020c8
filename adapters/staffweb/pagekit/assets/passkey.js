// Asks the browser for a passkey when a form with data-passkey is sent, and sends what
// the passkey signs as the form's field "signed". Without this script, such forms are
// not to be seen, and the page says so.
"use strict";

const bytes = (text) => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (c) => c.charCodeAt(0));
const text = (buffer) => buffer && btoa(String.fromCharCode(...new Uint8Array(buffer))).replace(/\+/g, "-").replace(/\//g, "_").replace(/=/g, "");

// The options come as JSON; the browser wants bytes.
const decoded = (options) => {
  options.challenge = bytes(options.challenge);
  if (options.user) options.user.id = bytes(options.user.id);
  for (const list of [options.allowCredentials, options.excludeCredentials]) {
    for (const credential of list || []) credential.id = bytes(credential.id);
  }
  return options;
};

const encoded = ({ id, type, response, authenticatorAttachment }) => JSON.stringify({
  id, rawId: id, type, authenticatorAttachment, clientExtensionResults: {},
  response: {
    clientDataJSON: text(response.clientDataJSON),
    attestationObject: text(response.attestationObject),
    transports: response.getTransports ? response.getTransports() : undefined,
    authenticatorData: text(response.authenticatorData),
    signature: text(response.signature),
    userHandle: text(response.userHandle) || undefined,
  },
});

const sign = async (form) => {
  const body = new URLSearchParams({ for: form.dataset.passkey, token: form.elements.token ? form.elements.token.value : "" });
  const answer = await fetch(form.dataset.challenge, { method: "POST", body });
  if (!answer.ok) throw new Error("refused");
  const publicKey = decoded(await answer.json());
  const credential = form.dataset.passkey === "add"
    ? await navigator.credentials.create({ publicKey })
    : await navigator.credentials.get({ publicKey });
  return encoded(credential);
};

for (const form of document.querySelectorAll("form[data-passkey]")) {
  const says = form.querySelector("[role=alert]");
  const button = form.querySelector("button");
  form.hidden = false;
  if (!window.PublicKeyCredential) {
    says.textContent = "This browser cannot use passkeys. Use another browser or another device.";
    button.disabled = true;
    continue;
  }
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (!form.reportValidity()) return;
    button.disabled = true;
    says.textContent = "";
    try {
      form.elements.signed.value = await sign(form);
      form.submit();
    } catch (fault) {
      says.textContent = fault.name === "InvalidStateError"
        ? "This device or key has a passkey for you already."
        : fault.message === "refused"
          ? "This page is out of date. Reload."
          : "No passkey was used. Try again.";
      button.disabled = false;
      button.focus();
    }
  });
}
