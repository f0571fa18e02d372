// Access to the public API of the npm registry, and installations with a separate cache and HOME, so that the user's account is neither read nor changed.
import { execFile, execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { parseTarGzip } from "nanotar";

const ANSWER_LIMIT_MS = 60_000;
const MAX_TARBALL_BYTES = 32 * 1024 * 1024;
/** Proxy and certificate variables are passed on, because they belong to the machine and not to the account. */
const NETWORK = ["PATH", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"];

/** The registry that npm is set to use. */
function configuredRegistry() {
  return execFileSync("npm", ["config", "get", "registry"], { encoding: "utf8" }).trim().replace(/\/+$/, "");
}

export function createNpm(folder, registry = configuredRegistry()) {
  const env = {
    ...pick(process.env, NETWORK),
    HOME: join(folder, "home"),
    npm_config_cache: join(folder, "npm-cache"),
    npm_config_registry: registry,
  };
  mkdirSync(env.HOME, { recursive: true });

  return {
    /** The manifest of the latest version, or undefined if the package does not exist. */
    async view(name) {
      const response = await get(`${registry}/${name.replace("/", "%2f")}/latest`);
      if (response.status === 404) return undefined;
      if (!response.ok) throw new Error(`The registry answered with HTTP status ${response.status} for ${name}.`);
      return response.json();
    },
    /** The text files of one version by their paths, after the tarball's integrity is checked. */
    async unpack({ name, dist }) {
      const response = await get(dist.tarball);
      const bytes = Buffer.from(await response.arrayBuffer());
      if (bytes.length > MAX_TARBALL_BYTES) return new Map();
      const [algorithm, expected] = dist.integrity.split(/-(.*)/s);
      if (createHash(algorithm).update(bytes).digest("base64") !== expected) {
        throw new Error(`The hash of the tarball of ${name} differs from the integrity value in the registry.`);
      }
      const files = await parseTarGzip(bytes, { filter: ({ name: path }) => isText(path) });
      return new Map(files.map((file) => [file.name.replace(/^[^/]+\//, ""), file.text]));
    },
    /** Installs exact versions into one folder without running their install scripts. */
    install(specs, into, limitMs) {
      mkdirSync(into, { recursive: true });
      const flags = ["--ignore-scripts", "--no-save", "--omit=dev", "--legacy-peer-deps", "--no-audit", "--no-fund"];
      return new Promise((resolve) => {
        execFile(
          "npm",
          ["install", ...specs, "--prefix", into, ...flags],
          { cwd: into, env, timeout: limitMs, killSignal: "SIGKILL", maxBuffer: MAX_TARBALL_BYTES },
          (error) => resolve(error === null),
        );
      });
    },
  };
}

function get(address) {
  return fetch(address, { signal: AbortSignal.timeout(ANSWER_LIMIT_MS) });
}

function isText(path) {
  return /(?:^|\/)(?:readme|licen[cs]e)[^/]*$|\.(?:[cm]?js|json)$/i.test(path) && !/\/node_modules\//.test(path);
}

function pick(values, names) {
  return Object.fromEntries(names.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]])));
}
