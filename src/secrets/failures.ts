import { DiscoveryError } from "../errors.js";
import { cutAtWord, toOneLine } from "../util/text.js";
import type { SecretReference } from "./reference.js";
import { MAX_OUTPUT_BYTES, type ToolCall, type ToolResult } from "./run-tool.js";

const MAX_QUOTE_LENGTH = 200;

/**
 * The error for a secret reference whose value cannot be read. It never contains a value or the output of a user
 * command.
 */
export function unreadable(
  text: string,
  { kind }: SecretReference,
  { call, result }: { readonly call: ToolCall; readonly result: ToolResult },
): DiscoveryError {
  const what = describeToolResult(result, call.program, kind !== "command");
  const hint = result.kind === "missing" ? INSTALL[kind] : REPAIR[kind];
  return new DiscoveryError("CONFIGURATION_ERROR", `\${${text}} cannot be read: ${what}.`, {
    hint: hint.replaceAll("PROGRAM", call.program).replaceAll("NAME", text.replace(/^keychain:/, "")),
    facts: { reference: `\${${text}}` },
  });
}

export function describeToolResult(result: ToolResult, program: string, quotes: boolean): string {
  switch (result.kind) {
    case "missing":
      return `the program ${program} was not found`;
    case "too-slow":
      return `${program} did not end within ${result.limitMs / 1000} s`;
    case "too-much":
      return `${program} printed more than ${MAX_OUTPUT_BYTES / 1024} KiB`;
    case "failed":
      return `${program} could not be run (${result.error})`;
    case "ended":
      if (result.code === 0) return `${program} printed nothing`;
      return `${program} ended with code ${result.code}${quotes ? quoteOf(result.stderr) : ""}`;
  }
}

function quoteOf(stderr: string): string {
  const lines = stderr.split("\n").filter((line) => line.trim() !== "");
  const quote = cutAtWord(toOneLine(lines.at(-1) ?? ""), MAX_QUOTE_LENGTH).replace(/[.\s]+$/, "");
  return quote === "" ? "" : `: "${quote}"`;
}

const INSTALL: Readonly<Record<SecretReference["kind"], string>> = {
  keychain: "Install PROGRAM (on Debian and Ubuntu `apt install libsecret-tools`), or use a variable instead.",
  "1password": "Install the 1Password CLI, or use a variable instead.",
  vault: "Install the Vault CLI, or use a variable instead.",
  command: "Correct the command in the configuration, or give the full path of the program.",
};

const REPAIR: Readonly<Record<SecretReference["kind"], string>> = {
  keychain: "Unlock the keychain, or store the secret with `anygpt mcp secret set NAME`.",
  "1password": "Sign in with `op signin`, and try the same reference with `op read`.",
  vault: "Log in with `vault login`, and try the same path with `vault kv get`.",
  command: "Run the command in a terminal. It must print the secret on standard output and exit with code 0.",
};
