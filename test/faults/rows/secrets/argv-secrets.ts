// Variables in server arguments with the strict preset: no such server is started, and no command line contains a secret
// value.
import { readdirSync } from "node:fs";
import { waitFor } from "../../support/deadline.js";
import { openGateway } from "../../support/gateway.js";
import { inHome } from "../../support/home.js";
import type { RowOptions, RowResult } from "../../support/row.js";
import { listServers, plainTool, scripted } from "../../support/scripted.js";

const LIMIT_MS = 60_000;

/** Ways to write a reference; each server would create a file with the value in its name if it were started. */
const FORMS: readonly string[] = [
  "${CANARY}",
  "--key=${CANARY}",
  "${CANARY:-none}",
  "${UNSET:-${CANARY}}",
  "${HOME}-${CANARY}",
  "a${CANARY}b${CANARY}",
  "$${NOT}${CANARY}",
  "https://user:${CANARY}@host",
];

/** `count`: how many of the ways are tried. */
export async function argvSecrets({ count, seed, dist }: RowOptions): Promise<RowResult> {
  return await inHome(async (home) => {
    const canary = `canary${seed}x${process.pid}`;
    const forms = FORMS.slice(0, count);
    const started = home.path("started");
    const bad = forms.map((form, n): [string, object] => [
      `bad${n}`,
      { command: "sh", args: ["-c", `: > "${started}-${n}"`, form] },
    ]);
    const good = { ...scripted(home, "good", { tools: [plainTool("one")] }), env: { TOKEN: "${CANARY}" } };
    home.configure({ ...Object.fromEntries(bad), good }, { policy: { preset: "strict" } });
    const gateway = await openGateway({ ...home, env: { ...home.env, CANARY: canary } }, { dist });
    const servers = await waitFor(
      async () => {
        const listed = await listServers(gateway);
        const failed = listed.filter(({ status }) => status === "error");
        return failed.length >= forms.length && listed;
      },
      "list of all servers",
      LIMIT_MS,
    );
    const unreported = servers.filter(
      ({ name, reason = "" }) => name !== "good" && !reason.includes("can read them in the process list"),
    );
    const ran = readdirSync(home.folder).filter((name) => name.startsWith("started-"));
    await gateway.close();
    return {
      title: "variables in server arguments",
      n: forms.length,
      injected: forms.length,
      violations: [
        ...unreported.map(({ name, reason }) => `${name} is rejected with: ${reason}`),
        ...ran.map((name) => `${name.replace("started-", "bad")} was started`),
        ...(servers.some(({ name, status }) => name === "good" && status === "error")
          ? ["a reference in env is rejected too"]
          : []),
        ...(JSON.stringify(servers).includes(canary) ? ["the value is revealed"] : []),
      ],
      figures: { "servers started with a value": ran.length, "servers with the value in env": 1 },
    };
  });
}
