/** All encoded forms in which a secret value may appear in a text. */
export function formsOf(value: string): string[] {
  const text = value.toWellFormed();
  const bytes = Buffer.from(text, "utf8");
  const hex = bytes.toString("hex");
  const escaped = [...addressForms(text), ...jsonForms(text)];
  return [...new Set([value, ...escaped, ...base64Forms(bytes), hex, hex.toUpperCase()])];
}

/**
 * The percent-encoded forms, as in a query string, a form or a whole URL. Programs differ in which characters they
 * escape and in the case of the escapes.
 */
function addressForms(text: string): string[] {
  const component = encodeURIComponent(text);
  const form = new URLSearchParams([["", text]]).toString().slice(1);
  const strict = component.replace(/[!'()*~]/g, toEscape);
  const address = encodeURI(text);
  const query = withoutPrefix(new URL(`http://h/?${address}`).href, "http://h/?");
  const login = new URL("http://h");
  login.password = text;
  const forms = [component, form, strict, address, query, login.password, encodeURIComponent(component)];
  return [...forms, ...forms.map((one) => one.replace(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase()))];
}

function withoutPrefix(text: string, prefix: string): string {
  return text.startsWith(prefix) ? text.slice(prefix.length) : text;
}

function toEscape(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

/**
 * The value as it appears inside a JSON string, with different optional escapes, and inside JSON that is itself in a
 * JSON string.
 */
function jsonForms(text: string): string[] {
  const plain = inner(text);
  const forms = [plain, plain.replaceAll("/", "\\/"), toAscii(plain), toAscii(plain).replace(UNICODE, toUpper)];
  return [...forms, ...forms.map(inner)];
}

const UNICODE = /\\u[0-9a-f]{4}/g;

function inner(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function toAscii(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function toUpper(escape: string): string {
  return `\\u${escape.slice(2).toUpperCase()}`;
}

/**
 * The Base64 forms. Three bytes become four characters, so a value inside a longer text, as in `user:password`, has
 * three forms that depend on its offset. The characters at both ends that also encode neighboring bytes are left out.
 */
function base64Forms(bytes: Buffer): string[] {
  const forms = [0, 1, 2].map((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64url");
    const first = Math.ceil((offset * 8) / 6);
    const last = Math.floor(((offset + bytes.length) * 8) / 6);
    return encoded.slice(first, last);
  });
  return forms.flatMap((form) => [form, form.replaceAll("-", "+").replaceAll("_", "/")]);
}
