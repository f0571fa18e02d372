// A server puts terminal escape sequences, links, bidirectional, invisible and tag characters into every field: no
// command prints them unescaped, and agents get results unchanged and descriptions within the size limit.
import { spawn } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { withDeadline } from "../../support/deadline.js";
import { type Gateway, openGateway } from "../../support/gateway.js";
import { type FaultHome, inHome } from "../../support/home.js";
import { describe } from "../../support/replay.js";
import type { RowOptions, RowResult } from "../../support/row.js";
import { COMMANDS, type TerminalCommand } from "../../support/terminal-commands.js";

const LAUNCH = fileURLToPath(new URL("../../support/launch.mjs", import.meta.url));
const SERVER = fileURLToPath(new URL("../../support/hostile-server.mjs", import.meta.url));
const LIMIT_MS = 60_000;
/** Limit for an answer about tools, one of which has a description of 1 MB. */
const MAX_BYTES = 64 * 1024;

const EVIL: Readonly<Record<string, string>> = {
  "clear the screen": "\u001b[2J",
  "a link": "\u001b]8;;http://evil.example\u0007click\u001b]8;;\u0007",
  "a title": "\u001b]0;evil\u0007",
  "a C1 control": "\u009b31m",
  backspaces: "\b\b\b",
  "a carriage return": "\rfake",
  "right to left": "\u202egnp.exe",
  isolates: "\u2066x\u2069",
  "zero width": "\u200b\u2060\ufeff",
  tags: "\u{e0041}\u{e0042}\u{e007f}",
  "line separators": "\u2028\u2029",
  markup: "<b>[x](javascript:alert(1))</b>",
};
const WORDS = `evil ${Object.values(EVIL).join(" ")} end`;

/** All characters that control a terminal, hide or reorder text; without line breaks, tabs and the two joiners. */
const UNSAFE = /(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
/** Sequences that the program itself sends to a terminal: colours, and the progress line. */
const ESCAPE = "\u001b";
const OWN = new RegExp(`${ESCAPE}\\[[0-9;]*m|\\r?${ESCAPE}\\[2K|${ESCAPE}\\[\\?25[hl]|\\r\\n|\\r$`, "gu");

/** `count`: how many of the commands are run, each in a pipe, as JSON and at a terminal. */
export async function terminalText({ count, dist, onProgress }: RowOptions): Promise<RowResult> {
  return await inHome(async (home) => {
    const line = `"${process.execPath}" "${SERVER}" "${home.folder}"`;
    writeFileSync(home.path("words.txt"), WORDS);
    home.configure(
      { s: { command: process.execPath, args: [SERVER, home.folder] } },
      { policy: { pinning: "enforce" } },
    );
    const violations: string[] = [];
    const place = { home, dist, line };
    const agent = await judgeAgentView(home, dist, violations);
    const step = Math.max(COMMANDS.length / count, 1);
    const chosen = COMMANDS.filter((_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step));
    let printing = 0;
    let runs = 0;
    for (const command of chosen) {
      setScene(home, command.with);
      const outputs = await Promise.all(FORMS.map((form) => runCommand(place, command, form)));
      runs += outputs.length;
      printing += outputs.filter((output) => output.includes("evil")).length;
      FORMS.forEach((form, index) => {
        const unsafe = findUnsafe(outputs[index]!, form);
        if (unsafe !== undefined) violations.push(`${command.words.join(" ")} (${form.name}): ${unsafe}`);
      });
      if (runs % 30 === 0) onProgress?.(`${runs} runs`);
    }
    if (printing === 0) violations.push("no command printed the text of the server");
    return {
      title: "hostile text in every field of a server",
      n: runs + agent.answers,
      injected: Object.keys(EVIL).length * runs,
      violations,
      figures: {
        commands: chosen.length,
        runs,
        "outputs with the server's text": printing,
        "kinds of hostile text": Object.keys(EVIL).length,
        "largest answer about its tools, KiB": Math.round(agent.largest / 1024),
      },
    };
  });
}

interface Form {
  readonly name: string;
  readonly more: readonly string[];
  readonly isTerminal: boolean;
}

const FORMS: readonly Form[] = [
  { name: "in a pipe", more: [], isTerminal: false },
  { name: "as JSON", more: ["--json"], isTerminal: false },
  { name: "at a terminal", more: [], isTerminal: true },
];

/** The first unsafe character, with the text around it. */
function findUnsafe(output: string, { isTerminal }: Form): string | undefined {
  const rest = isTerminal ? output.replaceAll(OWN, "\n") : output;
  const found = UNSAFE.exec(rest);
  return found === null ? undefined : JSON.stringify(rest.slice(Math.max(found.index - 60, 0), found.index + 20));
}

function setScene(home: FaultHome, scene: TerminalCommand["with"]): void {
  for (const one of ["changed", "broken"]) {
    if (one === scene) writeFileSync(home.path(one), "");
    else rmSync(home.path(one), { force: true });
  }
}

interface Place {
  readonly home: FaultHome;
  readonly dist: string;
  readonly line: string;
}

/** All output of the command. */
async function runCommand({ home, dist, line }: Place, { words }: TerminalCommand, form: Form): Promise<string> {
  const given = words.map((word) => (word === "$SERVER" ? line : word));
  const own = words[0] === "discover" ? [] : ["--config", home.config];
  const argv = [process.execPath, LAUNCH, dist, "anygpt", "mcp", ...given, ...own, ...form.more];
  const quoted = argv.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
  const asked = form.isTerminal ? ["script", "-qec", quoted, "/dev/null"] : argv;
  const child = spawn(asked[0]!, asked.slice(1), {
    cwd: home.folder,
    env: { ...home.env, ...(form.isTerminal ? { TERM: "xterm-256color" } : {}) },
    stdio: ["pipe", "pipe", "pipe"],
  });
  home.own(child);
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  child.stdin.on("error", () => undefined).end("n\n");
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  await withDeadline(ended, LIMIT_MS, words.join(" "));
  return Buffer.concat(chunks).toString("utf8");
}

/** What an agent receives: results unchanged, answers about tools with a limited length. */
async function judgeAgentView(home: FaultHome, dist: string, violations: string[]) {
  const gateway = await openGateway(home, { dist });
  const said = await gateway.execute({ server: "s", tool: "say", arguments: {} });
  const text = said.kind === "answer" ? (said.result["content"] as { text?: string }[])[0]?.text : describe(said);
  if (text !== `answer ${WORDS}`) violations.push(`an agent received ${JSON.stringify(text)}`);
  const answers = await Promise.all([
    ask(gateway, "search_tools", { query: "endless" }),
    ask(gateway, "list_tools", { server: "s" }),
    ask(gateway, "list_mcp_servers", {}),
  ]);
  const largest = Math.max(...answers.map((answer) => Buffer.byteLength(answer)));
  if (largest > MAX_BYTES) violations.push(`an answer about tools has ${largest} bytes`);
  await gateway.close();
  return { answers: answers.length + 1, largest };
}

async function ask(gateway: Gateway, name: string, args: object): Promise<string> {
  return JSON.stringify(await gateway.request("tools/call", { name, arguments: args }));
}
