import { z } from "zod";
import { isJsonObject } from "../model/json.js";
import { RISKS } from "./risk.js";

const LONGEST_PATTERN = 512;
const MOST_PATTERNS = 1_000;
const MOST_ENTRIES = 10_000;
const LONGEST_NAME = 128;

const risk = z.enum(RISKS);
const riskOrNever = z.enum([...RISKS, "never"]);

const pattern = z
  .string()
  .min(1, "A pattern must not be empty.")
  .max(LONGEST_PATTERN, `A pattern has at most ${LONGEST_PATTERN} characters.`);

const scope = z
  .string()
  .max(LONGEST_NAME)
  .regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, "A scope is printable ASCII without spaces, quotes and backslashes.");

/** What an entry is about. */
const about = {
  tools: z
    .union([pattern, z.array(pattern).min(1, "An entry needs at least one pattern.").max(MOST_PATTERNS)], {
      error: "Expected a pattern or a list of patterns.",
    })
    .optional()
    .describe(
      "Globs or regexes as in `toolRules`, tried on the tool's name and on `server:tool`, or on the name only when " +
        "`server` is given. A leading `!` excludes. May be left out when `server` is given.",
    ),
  server: pattern.optional().describe("Name or glob of the servers that the entry is about."),
};
const isAboutSomething = (entry: { tools?: unknown; server?: unknown }): boolean =>
  entry.tools !== undefined || entry.server !== undefined;
const NEEDS_TOOLS = { path: ["tools"], error: "An entry without `server` needs `tools`." };

const riskEntry = z
  .strictObject({ ...about, risk: risk.describe("How much harm a call of these tools can do.") })
  .refine(isAboutSomething, NEEDS_TOOLS);
const scopeEntry = z
  .strictObject({
    ...about,
    required_scopes: z.array(scope).min(1).describe("What an actor must be allowed, all of it, to call these tools."),
  })
  .refine(isAboutSomething, NEEDS_TOOLS);
const rateEntry = z
  .strictObject({ ...about, rate_limit_bucket: z.string().describe("The bucket that a call takes from.") })
  .refine(isAboutSomething, NEEDS_TOOLS);

const keyEntry = z
  .strictObject({
    ...about,
    idempotent: z
      .boolean()
      .optional()
      .describe(
        "Whether these tools may run twice without harm: then a call whose outcome is unknown may be repeated.",
      ),
    sendKeyAs: z
      .string()
      .min(1)
      .max(LONGEST_NAME)
      .optional()
      .describe(
        "How a call's key travels to the server, which must see to it that nothing happens twice: `_meta`, or the name of the argument that takes it.",
      ),
  })
  .refine(isAboutSomething, NEEDS_TOOLS);

const confirmation = z
  .strictObject({
    mode: z
      .enum(["auto", "human", "never"])
      .optional()
      .describe(
        "`auto`: the client's person is asked where the client can ask, else the caller repeats the call with `confirmed`. " +
          "`human`: only a person can answer, in the client or with `anygpt mcp approve`. `never`: nobody is asked. " +
          "Default `auto`; `human` under `strict`.",
      ),
    from: risk
      .optional()
      .describe("The least risk that has to be confirmed. Default `destructive`; `high` under `strict`."),
    ttlSeconds: z
      .int()
      .min(10)
      .max(86_400)
      .default(300)
      .describe("How long a question waits for its answer, and an answer for its call."),
  })
  .prefault({})
  .describe("Which calls have to be confirmed before they run, and by whom.");

const requiredFrom = z
  .strictObject({
    gateway: riskOrNever.optional().describe("In the profile `gateway`. Default `high`."),
    elsewhere: riskOrNever.optional().describe("Everywhere else. Default `never`; `high` under `strict`."),
  })
  .prefault({})
  .describe("The least risk for which a call must carry an idempotency key.");

const bucket = z.strictObject({
  calls: z.int().min(1).max(1_000_000).describe("How many calls there can be …"),
  perSeconds: z.int().min(1).max(86_400).describe("… in any span of this many seconds."),
  per: z
    .enum(["actor", "everyone"])
    .default("actor")
    .describe("Whether each actor has such a bucket or all share one."),
});

const view = z
  .strictObject({
    tools: z
      .union([pattern, z.array(pattern).min(1).max(MOST_ENTRIES)])
      .optional()
      .describe("The tools that are seen, as the `pattern` of a rule. Default: all."),
    servers: z
      .array(pattern)
      .min(1)
      .max(MOST_ENTRIES)
      .optional()
      .describe("Names or globs of the servers that are seen. Default: those that have a tool that is."),
  })
  .refine(({ tools, servers }) => tools !== undefined || servers !== undefined, "needs `tools` or `servers`.");

const authored = z.strictObject({
  preset: z
    .enum(["default", "strict"])
    .default("default")
    .describe(
      "`strict` refuses every tool whose risk nobody but its server states, believes no annotations, enforces pinning, has a " +
        "person confirm from `high` on, requires idempotency keys from `high` on and starts no server with variables in its " +
        "`args`; what is said beside it still counts.",
    ),
  risk: z
    .array(riskEntry)
    .max(MOST_ENTRIES)
    .default([])
    .describe("How risky tools are, whatever their servers say. The first entry that is about a tool decides."),
  distrust: z
    .array(pattern)
    .optional()
    .describe(
      "Names or globs of servers whose annotations make no tool less risky. Default: none; all under `strict`.",
    ),
  confirmation,
  idempotency: z
    .strictObject({
      requiredFrom,
      ttlSeconds: z
        .int()
        .min(60)
        .max(2_592_000)
        .default(86_400)
        .describe("How long a key is remembered; after that it is a new one."),
      tools: z
        .array(keyEntry)
        .max(MOST_ENTRIES)
        .default([])
        .describe("What is known of tools whatever their servers say. The first entry that says it decides."),
    })
    .prefault({})
    .describe("Which calls must carry an idempotency key, and what is done with it."),
  localScopes: z
    .array(scope)
    .default(["*"])
    .describe(
      "What calls over stdio, HTTP with this machine's token, the command line and the library may do; `*` is everything, `a:*` all of `a`.",
    ),
  scopes: z
    .array(scopeEntry)
    .max(MOST_ENTRIES)
    .default([])
    .describe("Scopes that tools require. Those of all entries that are about a tool add up."),
  buckets: z
    .record(z.string().min(1).max(LONGEST_NAME), bucket)
    .default({})
    .describe("Rate limits by name: no more than so many calls in any span of so much time."),
  rateLimits: z
    .array(rateEntry)
    .max(MOST_ENTRIES)
    .default([])
    .describe("Which tools take from which bucket. The first entry that is about a tool decides."),
  views: z
    .record(z.string().regex(/^[A-Za-z0-9._-]{1,64}$/, "is not a name: letters, digits, dot, dash, underscore"), view)
    .default({})
    .describe("What callers may discover, by name; who has which view is said where callers are known: `http`."),
  pinning: z
    .enum(["off", "warn", "enforce"])
    .optional()
    .describe(
      "What a tool means whose definition changed since it was first seen: nothing, a notice, or a refusal until a person " +
        "approves it. Default `warn`; `enforce` under `strict`.",
    ),
});

const PRESETS = {
  default: {
    distrust: [],
    confirmation: { mode: "auto", from: "destructive" },
    requiredFrom: { gateway: "high", elsewhere: "never" },
    pinning: "warn",
  },
  strict: {
    distrust: ["*"],
    confirmation: { mode: "human", from: "high" },
    requiredFrom: { gateway: "high", elsewhere: "high" },
    pinning: "enforce",
  },
} as const;

/** The section `policy` of the configuration. */
export const policyOptions = authored
  .superRefine(({ buckets, rateLimits }, context) => {
    for (const [index, { rate_limit_bucket: name }] of rateLimits.entries()) {
      if (Object.hasOwn(buckets, name)) continue;
      const message = `There is no bucket "${name}" in policy.buckets.`;
      context.addIssue({ code: "custom", path: ["rateLimits", index, "rate_limit_bucket"], message });
    }
  })
  .transform(({ confirmation, idempotency, distrust, pinning, ...rest }) => {
    const defaults = PRESETS[rest.preset];
    return {
      ...rest,
      distrust: distrust ?? [...defaults.distrust],
      confirmation: {
        mode: confirmation.mode ?? defaults.confirmation.mode,
        from: confirmation.from ?? defaults.confirmation.from,
        ttlSeconds: confirmation.ttlSeconds,
      },
      idempotency: {
        ...idempotency,
        requiredFrom: {
          gateway: idempotency.requiredFrom.gateway ?? defaults.requiredFrom.gateway,
          elsewhere: idempotency.requiredFrom.elsewhere ?? defaults.requiredFrom.elsewhere,
        },
      },
      pinning: pinning ?? defaults.pinning,
    };
  })
  .describe("What an actor may do now: risk, confirmation, idempotency keys, scopes, rate limits and pinning.");

export type PolicyOptions = z.output<typeof policyOptions>;

interface BadPattern {
  readonly path: readonly (string | number)[];
  readonly reason: string;
}

/**
 * The patterns that do not compile, in a section as it was read and whatever else is wrong with it. `findBad` knows the
 * pattern language: it takes entries in the words of `toolRules`.
 */
export async function findBadSelectors(
  section: unknown,
  findBad: (rules: readonly object[]) => Promise<readonly BadPattern[]>,
): Promise<BadPattern[]> {
  const { distrust, ...lists } = isJsonObject(section) ? section : {};
  const found: BadPattern[] = [];
  const { tools } = isJsonObject(lists["idempotency"]) ? lists["idempotency"] : {};
  const places: readonly (readonly [path: readonly string[], list: unknown])[] = [
    ...["risk", "scopes", "rateLimits"].map((name) => [[name], lists[name]] as const),
    [["idempotency", "tools"], tools],
  ];
  for (const [place, list] of places) {
    const rules = toList(list).map((entry) =>
      isJsonObject(entry) ? { pattern: entry["tools"], server: entry["server"] } : {},
    );
    for (const { path, reason } of await findBad(rules)) {
      found.push({ path: [...place, ...path.map((step) => (step === "pattern" ? "tools" : step))], reason });
    }
  }
  for (const { path, reason } of await findBad(toList(distrust).map((server) => ({ server })))) {
    found.push({ path: ["distrust", ...path.slice(0, 1)], reason });
  }
  for (const [name, view] of isJsonObject(lists["views"]) ? Object.entries(lists["views"]) : []) {
    if (!isJsonObject(view)) continue;
    const bad = await findBad([{ pattern: view["tools"] }, ...toList(view["servers"]).map((server) => ({ server }))]);
    for (const {
      path: [entry, , ...rest],
      reason,
    } of bad) {
      const place = entry === 0 ? ["tools", ...rest] : ["servers", Number(entry) - 1];
      found.push({ path: ["views", name, ...place], reason });
    }
  }
  return found;
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
