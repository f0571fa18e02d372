import { z } from "zod";
import { isJsonObject } from "../model/json.js";
import { RISKS } from "./risk.js";

const MAX_PATTERN_LENGTH = 512;
const MAX_PATTERNS = 1_000;
const MAX_ENTRIES = 10_000;
const MAX_NAME_LENGTH = 128;

const risk = z.enum(RISKS);
const riskOrNever = z.enum([...RISKS, "never"]);

const pattern = z
  .string()
  .min(1, "A pattern must not be empty.")
  .max(MAX_PATTERN_LENGTH, `A pattern must not have more than ${MAX_PATTERN_LENGTH} characters.`);

const scope = z
  .string()
  .max(MAX_NAME_LENGTH)
  .regex(
    /^[\x21\x23-\x5b\x5d-\x7e]+$/,
    "A scope may contain only printable ASCII characters, except space, double quote and backslash.",
  );

/** The keys that select the tools to which a policy entry applies. */
const selector = {
  tools: z
    .union([pattern, z.array(pattern).min(1, "An entry needs at least one pattern.").max(MAX_PATTERNS)], {
      error: "Expected a pattern or a list of patterns.",
    })
    .optional()
    .describe(
      "Globs or regexes as in `toolRules`, matched against the tool's name and against `server:tool`, or only against " +
        "the name if `server` is set. A leading `!` excludes the matching tools. Optional if `server` is set.",
    ),
  server: pattern.optional().describe("Name or glob of the servers that the entry applies to."),
};
const hasSelector = (entry: { tools?: unknown; server?: unknown }): boolean =>
  entry.tools !== undefined || entry.server !== undefined;
const NEEDS_TOOLS = { path: ["tools"], error: "An entry without `server` needs `tools`." };

const riskEntry = z
  .strictObject({ ...selector, risk: risk.describe("The risk of calls to these tools.") })
  .refine(hasSelector, NEEDS_TOOLS);
const scopeEntry = z
  .strictObject({
    ...selector,
    required_scopes: z
      .array(scope)
      .min(1)
      .describe("Scopes that an actor needs to call these tools; all of them are required."),
  })
  .refine(hasSelector, NEEDS_TOOLS);
const rateEntry = z
  .strictObject({
    ...selector,
    rate_limit_bucket: z.string().describe("The bucket in `policy.buckets` that counts calls to these tools."),
  })
  .refine(hasSelector, NEEDS_TOOLS);

const keyEntry = z
  .strictObject({
    ...selector,
    idempotent: z
      .boolean()
      .optional()
      .describe(
        "Whether these tools can run twice without harm. If true, the gateway may repeat a call whose outcome is unknown.",
      ),
    sendKeyAs: z
      .string()
      .min(1)
      .max(MAX_NAME_LENGTH)
      .optional()
      .describe(
        "Where the gateway passes the idempotency key to the server: `_meta`, or the name of an argument. The server must then prevent a second execution itself.",
      ),
    sendKeyUnchanged: z
      .boolean()
      .optional()
      .describe(
        "Whether the server receives the key as the caller wrote it. Default `false`: the server receives a UUID that the gateway derives from caller, tool and key, so that the same key of two callers is not the same key for the server.",
      ),
  })
  .refine(hasSelector, NEEDS_TOOLS);

const MIB = 1024 * 1024;

const confirmation = z
  .strictObject({
    mode: z
      .enum(["auto", "human", "never"])
      .optional()
      .describe(
        "`auto`: the client asks its user if it can; otherwise the caller repeats the call with `confirmed`. " +
          "`human`: only a user can confirm, in the client or with `anygpt mcp approve`. `never`: no call needs a confirmation. " +
          "Default `auto`; `human` under `strict`.",
      ),
    from: risk
      .optional()
      .describe("The lowest risk that needs a confirmation. Default `destructive`; `high` under `strict`."),
    ttlSeconds: z
      .int()
      .min(10)
      .max(86_400)
      .default(300)
      .describe(
        "How long a request for confirmation waits for an answer, and how long an answer stays valid, in seconds.",
      ),
  })
  .prefault({})
  .describe("Which calls need a confirmation before they run, and who can confirm them.");

const requiredFrom = z
  .strictObject({
    gateway: riskOrNever.optional().describe("The lowest risk for calls in the profile `gateway`. Default `high`."),
    elsewhere: riskOrNever
      .optional()
      .describe("The lowest risk for all other calls. Default `never`; `high` under `strict`."),
  })
  .prefault({})
  .describe(
    "The lowest risk for which a call must have an idempotency key. A call of risk `low` never needs one: with `low`, keys are required from `medium` on.",
  );

const bucket = z.strictObject({
  calls: z.int().min(1).max(1_000_000).describe("The maximum number of calls in the time span `perSeconds`."),
  perSeconds: z
    .int()
    .min(1)
    .max(86_400)
    .describe("The length of the time span in seconds. The limit holds for any span of this length."),
  per: z
    .enum(["actor", "everyone"])
    .default("actor")
    .describe("Whether each actor has its own bucket (`actor`) or all actors share one (`everyone`)."),
});

const view = z
  .strictObject({
    tools: z
      .union([pattern, z.array(pattern).min(1).max(MAX_ENTRIES)])
      .optional()
      .describe("Patterns of the visible tools, in the syntax of `pattern` in `toolRules`. Default: all."),
    servers: z
      .array(pattern)
      .min(1)
      .max(MAX_ENTRIES)
      .optional()
      .describe("Names or globs of the visible servers. Default: servers with a visible tool."),
  })
  .refine(({ tools, servers }) => tools !== undefined || servers !== undefined, "needs `tools` or `servers`.");

const authored = z.strictObject({
  preset: z
    .enum(["default", "strict"])
    .default("default")
    .describe(
      "`strict` denies every tool whose risk only its server declares, ignores annotations that lower the risk, enforces " +
        "pinning, requires a user's confirmation from `high` on, requires idempotency keys from `high` on and starts no " +
        "server with variables in its `args`. Options that are set explicitly still apply.",
    ),
  risk: z
    .array(riskEntry)
    .max(MAX_ENTRIES)
    .default([])
    .describe(
      "The risk of tools; overrides what their servers declare and what their names say. The first entry that matches a tool decides.",
    ),
  distrust: z
    .array(pattern)
    .optional()
    .describe(
      "Names or globs of servers whose annotations and names of tools cannot lower the risk of a tool. Default: none; all under `strict`.",
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
        .describe("How long an idempotency key is stored, in seconds. After that, the same key counts as new."),
      maxKeysPerActor: z
        .int()
        .min(100)
        .max(10_000_000)
        .default(100_000)
        .describe("The maximum number of stored idempotency keys of one actor. Further calls with a new key fail."),
      maxBytesPerActor: z
        .int()
        .min(MIB)
        .max(64 * 1024 * MIB)
        .default(64 * MIB)
        .describe(
          "The maximum size in bytes of the results that are stored under the idempotency keys of one actor. Further calls with a new key fail.",
        ),
      tools: z
        .array(keyEntry)
        .max(MAX_ENTRIES)
        .default([])
        .describe(
          "Properties of tools; they override what the servers declare. The first entry that sets a property decides.",
        ),
    })
    .prefault({})
    .describe("Which calls must have an idempotency key, and how keys are stored and passed on."),
  localScopes: z
    .array(scope)
    .default(["*"])
    .describe(
      "The scopes of callers over stdio, HTTP with this machine's token, the command line and the library. `*` covers every scope, `a:*` every scope that starts with `a:`.",
    ),
  scopes: z
    .array(scopeEntry)
    .max(MAX_ENTRIES)
    .default([])
    .describe(
      "Scopes that tools require. A tool requires the scopes of all entries that match it. A request for a prompt or resource is matched like a tool with the name of its method, for example `github:resources/read`.",
    ),
  buckets: z
    .record(z.string().min(1).max(MAX_NAME_LENGTH), bucket)
    .default({})
    .describe("Rate limits by name: at most `calls` calls in any `perSeconds` seconds."),
  rateLimits: z
    .array(rateEntry)
    .max(MAX_ENTRIES)
    .default([])
    .describe("Which bucket counts the calls of which tools. The first entry that matches a tool decides."),
  views: z
    .record(
      z
        .string()
        .regex(/^[A-Za-z0-9._-]{1,64}$/, "must be a name of 1 to 64 letters, digits, dots, dashes and underscores"),
      view,
    )
    .default({})
    .describe(
      "Named views, each a set of tools that a caller can discover. The section `http` assigns views to callers.",
    ),
  pinning: z
    .enum(["off", "warn", "enforce"])
    .optional()
    .describe(
      "What happens if the definition of a tool changed since it was first seen: nothing, a notice, or calls are denied " +
        "until a user approves the definition. Default `warn`; `enforce` under `strict`.",
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
      const message = `policy.buckets has no bucket "${name}".`;
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
  .describe("What an actor may do: risk, confirmation, idempotency keys, scopes, rate limits and pinning.");

export type PolicyOptions = z.output<typeof policyOptions>;

interface BadPattern {
  readonly path: readonly (string | number)[];
  readonly reason: string;
}

/**
 * Finds invalid patterns in the policy section. `section` is parsed but not validated, so it may have other errors too.
 * `findBad` implements the pattern language and takes entries with the keys of `toolRules`.
 */
export async function findBadSelectors(
  section: unknown,
  findBad: (rules: readonly object[]) => Promise<readonly BadPattern[]>,
): Promise<BadPattern[]> {
  const { distrust, ...rest } = isJsonObject(section) ? section : {};
  const found: BadPattern[] = [];
  const { tools } = isJsonObject(rest["idempotency"]) ? rest["idempotency"] : {};
  const lists: readonly (readonly [path: readonly string[], list: unknown])[] = [
    ...["risk", "scopes", "rateLimits"].map((name) => [[name], rest[name]] as const),
    [["idempotency", "tools"], tools],
  ];
  for (const [prefix, list] of lists) {
    const rules = toList(list).map((entry) =>
      isJsonObject(entry) ? { pattern: entry["tools"], server: entry["server"] } : {},
    );
    for (const { path, reason } of await findBad(rules)) {
      found.push({ path: [...prefix, ...path.map((step) => (step === "pattern" ? "tools" : step))], reason });
    }
  }
  for (const { path, reason } of await findBad(toList(distrust).map((server) => ({ server })))) {
    found.push({ path: ["distrust", ...path.slice(0, 1)], reason });
  }
  for (const [name, view] of isJsonObject(rest["views"]) ? Object.entries(rest["views"]) : []) {
    if (!isJsonObject(view)) continue;
    const bad = await findBad([{ pattern: view["tools"] }, ...toList(view["servers"]).map((server) => ({ server }))]);
    for (const {
      path: [entry, , ...rest],
      reason,
    } of bad) {
      const selector = entry === 0 ? ["tools", ...rest] : ["servers", Number(entry) - 1];
      found.push({ path: ["views", name, ...selector], reason });
    }
  }
  return found;
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
