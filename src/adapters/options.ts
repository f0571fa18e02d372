import { z } from "zod";

const MAX_TEXT_LENGTH = 8_192;
const RISKS = ["low", "medium", "high", "destructive"] as const;

const text = z
  .string()
  .min(1)
  .max(MAX_TEXT_LENGTH)
  .refine((value) => !value.includes("\0"), "must not contain a NUL character");

const adapterName = z
  .string()
  .regex(/^[a-z0-9-]{1,64}$/, "the name of an adapter must have 1 to 64 lower-case letters, digits and dashes");

const webAddress = text.refine(
  isWebAddress,
  "must be a URL that starts with http:// or https:// and contains no user name and password",
);

const headerName = z.string().regex(/^[!#$%&'*+.^_`|~\w-]+$/, "is not the name of an HTTP header");
const words = z.array(text).max(1_000).default([]);

const auth = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("bearer").describe("A bearer token in the header `Authorization`."),
    token: text.describe("The token, as a variable: `${PAYMENTS_TOKEN}`."),
  }),
  z.strictObject({
    type: z
      .literal("basic")
      .describe("HTTP basic authentication: user name and password in the header `Authorization`."),
    username: text.describe("The user name."),
    password: z.string().max(MAX_TEXT_LENGTH).default("").describe("The password, as a variable."),
  }),
  z.strictObject({
    type: z.literal("apiKey").describe("An API key in a header, query parameter or cookie."),
    in: z.enum(["header", "query", "cookie"]).default("header").describe("Where the key is sent."),
    name: text.describe("The name of the header, query parameter or cookie."),
    value: text.describe("The key, as a variable."),
  }),
  z.strictObject({
    type: z
      .literal("oauth2")
      .describe("OAuth 2 client credentials: the gateway requests, stores and refreshes tokens."),
    tokenUrl: webAddress.describe("The token endpoint."),
    clientId: text.describe("The client id."),
    clientSecret: text.describe("The client secret, as a variable."),
    scopes: words.describe("The scopes to request."),
  }),
]);

const operationEntry = z.strictObject({
  tools: z
    .union([text, z.array(text).min(1).max(1_000)], { error: "must be a tool's name, or a list of them" })
    .transform((tools) => (Array.isArray(tools) ? tools : [tools]))
    .describe("Names of the tools that the entry applies to, with `*` for any characters and `?` for one."),
  risk: z.enum(RISKS).optional().describe("The risk of a call. Default: derived from the HTTP method."),
  idempotent: z.boolean().optional().describe("Whether a call can run twice without harm."),
  reversible: z.boolean().optional().describe("Whether the effect of a call can be undone."),
  category: text.optional().describe("The category of the tools. Default: the document's tag or folder."),
});

const adapterFields = {
  document: text.describe(
    "The OpenAPI or Postman document: a URL or a file. `~` is the home folder; other relative paths are relative to the configuration file.",
  ),
  baseUrl: webAddress
    .optional()
    .describe("The base URL of the API; every request URL starts with it. Default: the first address in the document."),
  headers: z.record(headerName, text).default({}).describe("HTTP headers sent with every request."),
  auth: auth
    .optional()
    .describe("How the gateway authenticates with the API. The values are never shown and never arguments."),
  idempotencyHeader: headerName.optional().describe("The header for idempotency keys, such as `Idempotency-Key`."),
  uploads: words.describe("Folders from which files may be sent. Default: none, so that no file can be sent."),
  title: text.optional().describe("The display name of the API. Default: the title in the document."),
  description: text
    .optional()
    .describe("What the API is for; search uses it too. Default: the description in the document."),
  category: text.optional().describe("The category of the API, such as `payments`."),
  capabilities: words.describe("What the API can do, in words that users may search for."),
  countries: words.describe("Countries that the API supports, as ISO 3166 codes."),
  currencies: words.describe("Currencies that the API supports, as ISO 4217 codes."),
  documentation: webAddress.optional().describe("The URL of the provider's documentation."),
  operations: z
    .array(operationEntry)
    .max(10_000)
    .default([])
    .describe(
      "Facts about operations, which override the document. For each fact, the first matching entry with it decides.",
    ),
  enabled: z.boolean().default(true).describe("`false` disables the adapter."),
};

const namedAdapter = z.strictObject({
  name: adapterName.describe("The name of the adapter, unique among all servers; the first part of `adapter:tool`."),
  ...adapterFields,
});
const keyedAdapter = z.strictObject(adapterFields);

export type AdapterEntry = z.output<typeof namedAdapter>;

/** The section `adapters` of the configuration. */
export const adaptersOptions = z
  .union([z.array(namedAdapter).superRefine(checkNames), z.record(adapterName, keyedAdapter)], {
    error: "must be a list of adapters, or a map of them by name",
  })
  .superRefine(checkAddresses)
  .transform((adapters): AdapterEntry[] =>
    Array.isArray(adapters) ? adapters : Object.entries(adapters).map(([name, entry]) => ({ ...entry, name })),
  )
  .prefault([])
  .describe("REST APIs whose operations are offered as tools: a list of entries with `name`, or a map by name.");

type Context = { addIssue(issue: { code: "custom"; path: (string | number)[]; message: string }): void };

function checkNames(adapters: readonly { readonly name: string }[], context: Context): void {
  const seen = new Set<string>();
  adapters.forEach(({ name }, index) => {
    if (seen.has(name))
      context.addIssue({
        code: "custom",
        path: [index, "name"],
        message: "is the name of another adapter in the list",
      });
    seen.add(name);
  });
}

/**
 * Rejects configurations that send credentials to a URL from a remote document: an attacker who can change the document
 * would receive them.
 */
function checkAddresses(
  adapters: readonly z.output<typeof namedAdapter>[] | Readonly<Record<string, z.output<typeof keyedAdapter>>>,
  context: Context,
): void {
  for (const [key, { auth, headers, baseUrl, document }] of Object.entries(adapters)) {
    const isOpen = auth === undefined && Object.keys(headers).length === 0;
    if (isOpen || baseUrl !== undefined || !/^(https?:\/\/|\$\{)/i.test(document)) continue;
    const path = [Array.isArray(adapters) ? Number(key) : key, "baseUrl"];
    context.addIssue({
      code: "custom",
      path,
      message: "is required with `auth` or `headers` if the document comes from the web",
    });
  }
}

function isWebAddress(address: string): boolean {
  if (address.startsWith("${")) return true;
  if (!/^https?:\/\//i.test(address)) return false;
  if (address.includes("${")) return true;
  return URL.canParse(address) && new URL(address).username === "";
}
