// Records the first steps of a new user, from `npm install -g` to a successful call to a new server, in a real terminal
// with an empty home folder and an empty npm cache, and the same steps with mcporter. Writes docs/start/newcomer.md.
// Usage: npm run newcomer. It needs tmux and a package registry, and takes about two minutes.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openTerminal } from "./terminal.mjs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const TARGET = join(ROOT, "docs/start/newcomer.md");
const COLUMNS = 100;
const SERVER = "@modelcontextprotocol/server-memory";

/** The variables with which this machine reaches the package registry. */
const NETWORK = /^(?:(?:https?|no|all)_proxy|ssl_cert_.*|node_extra_ca_certs|npm_config_registry)$/i;

const scratch = mkdtempSync(join(tmpdir(), "newcomer-"));
try {
  const packed = execFileSync("npm", ["pack", "--silent", "--pack-destination", scratch], {
    cwd: ROOT,
    encoding: "utf8",
  });
  const tarball = join(scratch, packed.trim().split("\n").at(-1));
  const ours = await record("ours", [
    { typed: `npm install -g --loglevel=error ${tarball}`, shown: "npm install -g @anygpt/discovery" },
    { typed: `anygpt mcp add memory --yes -- npx -y ${SERVER}` },
    { typed: 'anygpt search "create entities in the graph"' },
    {
      typed: `anygpt execute memory:create_entities entities:='[{"name":"Alice","entityType":"person","observations":["works at Acme"]}]'`,
    },
  ]);
  const theirs = await record("theirs", [
    { typed: "npm install -g --loglevel=error mcporter", shown: "npm install -g mcporter" },
    { typed: `mcporter config add memory --command npx --arg -y --arg ${SERVER} --scope home` },
    { typed: "mcporter list memory" },
    {
      typed: `mcporter call memory.create_entities --args '{"entities":[{"name":"Alice","entityType":"person","observations":["works at Acme"]}]}'`,
    },
  ]);
  mkdirSync(join(ROOT, "docs/start"), { recursive: true });
  writeFileSync(TARGET, page(ours, theirs));
  console.log(`${TARGET}: ${summary(ours)}; mcporter: ${summary(theirs)}`);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

async function record(name, steps) {
  const folder = join(scratch, name);
  const home = join(folder, "home");
  const cwd = join(home, "project");
  mkdirSync(cwd, { recursive: true });
  const prefix = join(folder, "prefix");
  const env = {
    HOME: home,
    PATH: `${prefix}/bin:${process.env.PATH}`,
    TERM: "xterm",
    LANG: "C.UTF-8",
    npm_config_prefix: prefix,
    npm_config_cache: join(folder, "cache"),
    npm_config_update_notifier: "false",
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => NETWORK.test(name))),
  };
  const terminal = openTerminal({ cwd, env, columns: COLUMNS, name: `newcomer-${name}-${process.pid}` });
  try {
    const done = [];
    for (const { typed, shown = typed } of steps) {
      const { seconds, lines } = await terminal.run(typed);
      const printed = lines.slice(1).map((line) => line.replaceAll(home, "~"));
      done.push({ shown, seconds, printed });
    }
    return done;
  } finally {
    terminal.close();
    if (name === "ours") endDaemons(env, cwd);
  }
}

function endDaemons(env, cwd) {
  spawnSync("anygpt", ["mcp", "daemon", "stop", "--all"], { env, cwd, stdio: "ignore" });
}

function summary(steps) {
  const seconds = steps.reduce((sum, step) => sum + step.seconds, 0);
  return `${steps.length} commands, ${seconds.toFixed(1)} s`;
}

function page(ours, theirs) {
  return `# A first run, recorded

This page shows a first run of \`anygpt\` from installation to the first tool call, with times, and the same with [mcporter](https://www.npmjs.com/package/mcporter), another command line for MCP servers. The times depend on the machine and the package registry, so compare only the two runs with each other.

\`npm run newcomer\` records both runs in a real terminal (tmux, ${COLUMNS} columns), with an empty home folder, an empty npm cache and Node ${process.versions.node}. The package is installed from a local \`npm pack\`; its dependencies and the server come from the package registry.

| | commands | seconds, install to result |
|---|---|---|
| anygpt | ${ours.length} | ${total(ours)} |
| mcporter | ${theirs.length} | ${total(theirs)} |

## anygpt

${ours.map(section).join("\n")}
## The same with mcporter

${theirs.map(section).join("\n")}`;
}

function total(steps) {
  return steps.reduce((sum, step) => sum + step.seconds, 0).toFixed(1);
}

function section({ shown, seconds, printed }) {
  return `\`\`\`console needs-network
$ ${shown}
${printed.join("\n")}
\`\`\`

${seconds.toFixed(1)} s

`;
}
