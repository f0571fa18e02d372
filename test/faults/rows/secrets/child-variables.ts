// The gateway has 50 variables that no server needs: each server process gets only its configured variables and the safe
// set.
import { openGateway } from "../../support/gateway.js";
import { inHome } from "../../support/home.js";
import { createRandom } from "../../support/random.js";
import type { RowOptions, RowResult } from "../../support/row.js";
import { endingOf, givenOf, plainTool, scripted } from "../../support/scripted.js";

const KNOWN = [
  "AWS_SECRET_ACCESS_KEY",
  "AWS_SESSION_TOKEN",
  "GITHUB_TOKEN",
  "GH_TOKEN",
  "NPM_TOKEN",
  "OPENAI_API_KEY",
  "ANTHROPIC_API_KEY",
  "DATABASE_URL",
  "PGPASSWORD",
  "SSH_AUTH_SOCK",
  "KUBECONFIG",
  "GOOGLE_APPLICATION_CREDENTIALS",
  "npm_config_registry",
  "PYTHONSTARTUP",
  "BASH_ENV",
  "PROXY_TOKEN",
  "path_of_others",
  "HOMEBREW_TOKEN",
  "LCX_TOKEN",
  "XDG_TOKEN",
];
/** Variables that a server may always see, and those that the gateway sets for it. */
const SAFE = ["PATH", "HOME", "LANG", "LC_ALL", "TZ", "TERM", "ANYGPT_DEPTH"];

/** `count`: how many variables the gateway has. */
export async function childVariables({ count, seed, dist }: RowOptions): Promise<RowResult> {
  return await inHome(async (home) => {
    const random = createRandom(seed);
    const made = Array.from({ length: Math.max(0, count - KNOWN.length) }, (_, n) => `CANARY_${n}`);
    const names = [...KNOWN.slice(0, count), ...made];
    const value = (name: string): string => `canary-${name}-${random.between(0, 1e9)}`;
    const canaries = Object.fromEntries(names.map((name) => [name, value(name)]));
    const safe = { LANG: "C", LC_ALL: "C", TZ: "UTC", TERM: "dumb" };
    const server = scripted(home, "s", { tools: [plainTool("given")] });
    const [first = "", second = ""] = names;
    home.configure({
      none: server,
      declared: { ...server, env: { OWN: "1", [first]: "other", TAKEN: `\${${second}}` } },
      again: { ...server, env: { TERM: "own" } },
    });
    const gateway = await openGateway({ ...home, env: { ...home.env, ...safe, ...canaries } }, { dist });
    const violations: string[] = [];
    const declared: Record<string, Record<string, string>> = {
      none: {},
      declared: { OWN: "1", [first]: "other", TAKEN: canaries[second] ?? "" },
      again: { TERM: "own" },
    };
    for (const [name, own] of Object.entries(declared)) {
      const outcome = await gateway.execute({ server: name, tool: "given", arguments: {} });
      const env = givenOf(outcome)?.env;
      if (env === undefined) violations.push(`${name} ends in ${endingOf(outcome)}`);
      const extra = Object.keys(env ?? {}).filter((key) => !SAFE.includes(key) && !(key in own));
      violations.push(...extra.map((key) => `${name} sees ${key}`));
      const wrong = Object.entries(own).filter(([key, text]) => env?.[key] !== text);
      violations.push(...wrong.map(([key]) => `${name} has another value of ${key}`));
      const values = Object.entries(canaries).filter(
        ([key, text]) => Object.values(env ?? {}).includes(text) && !(name === "declared" && key === second),
      );
      violations.push(...values.map(([key]) => `${name} has the value of ${key}`));
    }
    await gateway.close();
    const n = count * Object.keys(declared).length;
    const title = "variables of the gateway that servers must not inherit";
    return { id: "S2", title, n, injected: count, violations, figures: { variables: count, servers: 3 } };
  });
}
