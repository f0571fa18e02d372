import { z } from "zod";

const LONGEST_TEXT = 8_192;
const RISKS = ["low", "medium", "high", "destructive"] as const;

const text = z
  .string()
  .min(1)
  .max(LONGEST_TEXT)
  .refine((value) => !value.includes("\0"), "must not hold a NUL character");

const adapterName = z
  .string()
  .regex(/^[a-z0-9-]{1,64}$/, "an adapter's name has 1 to 64 small letters, digits and dashes");

const webAddress = text.refine(
  isWebAddress,
  "must be a web address that starts with http:// or https://, without a name and password in it",
);

const headerName = z.string().regex(/^[!#$%&'*+.^_`|~\w-]+$/, "is not the name of an HTTP header");
const words = z.array(text).max(1_000).default([]);

const auth = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("bearer").describe("A token in the header `Authorization`."),
    token: text.describe("The token, as a variable: `${PAYMENTS_TOKEN}`."),
  }),
  z.strictObject({
    type: z.literal("basic").describe("A name and a password in the header `Authorization`."),
    username: text.describe("The name."),
    password: z.string().max(LONGEST_TEXT).default("").describe("The password, as a variable."),
  }),
  z.strictObject({
    type: z.literal("apiKey").describe("A key under a name of the API's own."),
    in: z.enum(["header", "query", "cookie"]).default("header").describe("Where the key is sent."),
    name: text.describe("Its name there."),
    value: text.describe("The key, as a variable."),
  }),
  z.strictObject({
    type: z.literal("oauth2").describe("OAuth 2 client credentials: tokens are fetched, kept and renewed."),
    tokenUrl: webAddress.describe("Where tokens are fetched."),
    clientId: text.describe("The client's id."),
    clientSecret: text.describe("Its secret, as a variable."),
    scopes: words.describe("The scopes to ask for."),
  }),
]);

const operationEntry = z.strictObject({
  tools: z
    .union([text, z.array(text).min(1).max(1_000)], { error: "must be a tool's name, or a list of them" })
    .transform((tools) => (Array.isArray(tools) ? tools : [tools]))
    .describe("The tools that it is about: names, with `*` for any characters and `?` for one."),
  risk: z.enum(RISKS).optional().describe("How much harm a call can do; else its HTTP method decides."),
  idempotent: z.boolean().optional().describe("Whether a call may run twice without harm."),
  reversible: z.boolean().optional().describe("Whether what it does can be undone."),
  category: text.optional().describe("In place of the document's tag or folder."),
});

const adapterFields = {
  document: text.describe(
    "The OpenAPI or Postman document: a web address, or a file, `~` being the home folder, else relative to the configuration file.",
  ),
  baseUrl: webAddress
    .optional()
    .describe("Where the API is; all requests stay below it. Without it, the first address of the document."),
  headers: z.record(headerName, text).default({}).describe("HTTP headers sent with every request."),
  auth: auth.optional().describe("How the API knows who calls. Nothing of it is ever shown or an argument."),
  idempotencyHeader: headerName
    .optional()
    .describe("The header in which the API takes idempotency keys, such as `Idempotency-Key`."),
  uploads: words.describe("Folders from which files may be sent. Without any, none are."),
  title: text.optional().describe("The API's name for people; else the document's."),
  description: text.optional().describe("What the API is for; search reads it too. Else the document's."),
  category: text.optional().describe("What kind of API it is, such as `payments`."),
  capabilities: words.describe("What it can do, in words that requests may use."),
  countries: words.describe("Countries in which it works, as ISO 3166 codes."),
  currencies: words.describe("Currencies with which it works, as ISO 4217 codes."),
  documentation: webAddress.optional().describe("The provider's own documentation."),
  operations: z
    .array(operationEntry)
    .max(10_000)
    .default([])
    .describe("What you say of operations, whatever the document says. The first entry that states a fact decides it."),
  enabled: z.boolean().default(true).describe("`false` leaves the adapter out."),
};

const namedAdapter = z.strictObject({
  name: adapterName.describe("Unique among all servers; the first half of `adapter:tool`."),
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
      context.addIssue({ code: "custom", path: [index, "name"], message: "names the same adapter again" });
    seen.add(name);
  });
}

/** Whoever can change a document on the web must not choose who gets the credentials. */
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
      message: "is needed beside `auth` and `headers` when the document comes from the web",
    });
  }
}

function isWebAddress(address: string): boolean {
  if (address.startsWith("${")) return true;
  if (!/^https?:\/\//i.test(address)) return false;
  if (address.includes("${")) return true;
  return URL.canParse(address) && new URL(address).username === "";
}
