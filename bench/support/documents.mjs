import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/**
 * @typedef {object} Document one API document of the data folder
 * @property {string} path below the folder `openapi`
 * @property {string} file
 * @property {number} megabytes
 * @property {string} adapter the name that a user would give the adapter
 */

const PAYSTACK = {
  category: "payments",
  countries: ["NG", "GH", "ZA", "KE", "CI", "EG", "RW"],
  currencies: ["NGN", "GHS", "ZAR", "KES", "XOF", "EGP", "RWF", "USD"],
};

const STRIPE = {
  category: "payments",
  countries: "US CA MX BR GB IE DE FR ES IT NL BE AT CH SE NO DK FI PL CZ PT GR RO HU AU NZ JP SG HK TH AE".split(" "),
  currencies: "USD CAD MXN BRL GBP EUR CHF SEK NOK DKK PLN CZK RON HUF AUD NZD JPY SGD HKD THB AED".split(" "),
};

/** Adapter names for files whose name is not the name of the API. */
const NAMES = {
  "github-api.github.com.json": "github",
  "netlify-swagger2.json": "netlify",
  "readme-train-travel-3.1.json": "train-travel",
  "scalar-galaxy-3.1.json": "galaxy",
  "shutterstock-1.1.32.yaml": "shutterstock",
  "stripe-2023-09-12.yaml": "stripe",
  "twilio/twilio_api_v2010.json": "twilio",
};

/** @returns {Document[]} in the order of their paths */
export function listDocuments(dataFolder) {
  const folder = join(dataFolder, "openapi");
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => /\.(?:json|ya?ml)$/.test(path))
    .sort()
    .map((path) => {
      const file = join(folder, path);
      return { path, file, megabytes: statSync(file).size / 1e6, adapter: NAMES[path] ?? toName(path) };
    });
}

function toName(path) {
  return path
    .replace(/^.*\//, "")
    .replace(/_v\d+|\.\w+$/g, "")
    .replaceAll("_", "-");
}

/** A configuration with one adapter per document; those of Stripe and Paystack also declare countries and currencies. */
export function toAdapters(documents) {
  const factsOf = (name) => (name.startsWith("paystack") ? PAYSTACK : name === "stripe" ? STRIPE : {});
  return Object.fromEntries(documents.map(({ file, adapter }) => [adapter, { document: file, ...factsOf(adapter) }]));
}
