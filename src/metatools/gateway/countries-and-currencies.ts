const CODE = /^[A-Za-z]{2}$/;
const currencies = new Intl.DisplayNames(["en"], { type: "currency", fallback: "none" });
const regions = new Intl.DisplayNames(["en"], { type: "region", fallback: "none" });

/** Whether two strings name the same country, by code or by English name: `NG` equals `Nigeria`. */
export function isSameCountry(requested: string, listed: string): boolean {
  return plain(nameOf(requested)) === plain(nameOf(listed));
}

export function isSameCurrency(requested: string, listed: string): boolean {
  return requested.trim().toUpperCase() === listed.toUpperCase();
}

/** A country or currency that was found in a text, and the text without it. */
export interface NamedCode {
  readonly code: string;
  readonly rest: string;
}

/**
 * Finds a listed country in a text by its name, or by a city that names one of its time zones: "Lagos" is in Nigeria.
 * Two-letter codes are ignored, because they can also be ordinary words. If several names match, the longest is used.
 */
export function findCountry(text: string, listed: Iterable<string>): NamedCode | undefined {
  return [...new Set(listed)]
    .flatMap((code) => [nameOf(code), ...citiesOf(code)].map((name) => ({ code, name })))
    .filter(({ name }) => plain(name).length > 2)
    .sort((a, b) => b.name.length - a.name.length)
    .flatMap(({ code, name }) => without(text, name, { code, flags: "iu" }))[0];
}

/**
 * Finds a listed currency in a text by its code in upper case, or by a word of its English name that no other listed
 * currency has: "naira" and "Nigerian" for `NGN`.
 */
export function findCurrency(text: string, listed: Iterable<string>): NamedCode | undefined {
  const codes = [...new Set(listed)].filter((code) => /^[A-Za-z]{3}$/.test(code));
  const byCode = codes.flatMap((code) => without(text, code.toUpperCase(), { code, flags: "u" }))[0];
  if (byCode !== undefined) return byCode;
  const words = codes.map((code) => ({ code, own: plain(currencies.of(code.toUpperCase()) ?? "").split(" ") }));
  return words
    .flatMap(({ code, own }) => own.map((word) => ({ code, word })))
    .filter(({ code, word }) => word.length > 3 && words.every((one) => one.code === code || !one.own.includes(word)))
    .flatMap(({ code, word }) => without(text, word, { code, flags: "iu" }))[0];
}

function without(text: string, name: string, { code, flags }: { code: string; flags: string }): NamedCode[] {
  const words = name.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "");
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])${words.join("[^\\p{L}\\p{N}]+")}(?![\\p{L}\\p{N}])`, flags);
  return pattern.test(text) ? [{ code, rest: text.replace(pattern, " ").trim() }] : [];
}

/** The cities that name the time zones of a country: `Africa/Lagos`. */
function citiesOf(country: string): string[] {
  const code = country.trim();
  if (!CODE.test(code)) return [];
  const { timeZones = [] } = new Intl.Locale(`und-${code}`) as { timeZones?: readonly string[] };
  return timeZones.map((zone) => (zone.split("/").at(-1) ?? "").replaceAll("_", " "));
}

function nameOf(country: string): string {
  const code = country.trim();
  return (CODE.test(code) ? regions.of(code.toUpperCase()) : undefined) ?? code;
}

function plain(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}
