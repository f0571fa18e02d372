// Runs the shell examples of the documentation, in an empty home folder with the built programs.
import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** An empty home with a project folder, the built programs on the PATH, and an npx that starts installed packages only. */
export function createExampleHome() {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "anygpt-docs-")));
  mkdirSync(join(home, "project"));
  mkdirSync(join(home, "bin"));
  const write = (name, script) => {
    writeFileSync(join(home, "bin", name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(home, "bin", name), 0o755);
  };
  for (const name of ["anygpt", "discovery"]) write(name, `exec "${process.execPath}" "${ROOT}bin/${name}.js" "$@"`);
  write(
    "npx",
    [
      'if [ "$1" = "-y" ]; then shift; fi',
      "package=$1; shift",
      `exec "${process.execPath}" "${ROOT}node_modules/$package/dist/index.js" "$@"`,
    ].join("\n"),
  );
  return home;
}

/** Exit code and output of a script. Standard output and standard error are combined, as at a terminal. The home folder is shown as `~`. */
export async function runExample(script, home) {
  const env = {
    HOME: home,
    USER: "ann",
    PATH: [join(home, "bin"), dirname(process.execPath), "/usr/local/bin", "/usr/bin", "/bin"].join(delimiter),
    LANG: "C.UTF-8",
    ANYGPT_DAEMON: "0",
    NO_UPDATE_NOTIFIER: "1",
  };
  const words = ["-c", `exec 2>&1\nset -e\n${script}`];
  const child = spawn("bash", words, { cwd: join(home, "project"), env, stdio: ["ignore", "pipe", "ignore"] });
  const chunks = [];
  child.stdout.on("data", (chunk) => chunks.push(chunk));
  const exit = await new Promise((resolve) => child.on("close", resolve));
  return { exit, output: withoutProgress(Buffer.concat(chunks).toString("utf8").replaceAll(home, "~")) };
}

const PROGRESS =
  /^(?:[A-Z][a-z]+ing\b.*…|Checking \d+ of \d+ servers?… .*|Waiting for \d+ of \d+ servers?)\n(?: {2}\S+: (?:installing|starting|does not answer|failed: .*|\d+ tools?)\n)*/gm;

/** Progress is printed only when a server takes long; at a terminal the next line replaces it. */
function withoutProgress(output) {
  return output.replaceAll(PROGRESS, "");
}

/** `$ command` with the output below it; a backslash at the end of a line continues the command. */
export function stepsOf(text) {
  return text
    .split(/^\$ /m)
    .slice(1)
    .map((step) => {
      const [command] = /^(?:.*\\\n)*.*/.exec(step);
      return { command, shown: step.slice(command.length + 1).trimEnd() };
    });
}

/** Whether the output matches the page; `…` matches any text. */
export function isShown(shown, output) {
  const parts = shown.split("…").map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join("[\\s\\S]*?")}$`).test(output.trimEnd());
}
