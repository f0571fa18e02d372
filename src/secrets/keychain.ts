// Reads and writes the system keychain with the platform's command line tool.
import { DiscoveryError } from "../errors.js";
import { describeToolResult } from "./failures.js";
import { keychainCalls } from "./keychain-calls.js";
import { keychainItem } from "./reference.js";
import { createRunTool, type ToolCall, type SecretToolParts, type ToolResult } from "./run-tool.js";
import { valueIn } from "./value-in.js";

export interface Keychain {
  /** Returns the value of an entry. Undefined if the entry does not exist. */
  read(name: string): Promise<string | undefined>;
  /** Creates the entry or replaces its value. */
  write(name: string, value: string): Promise<void>;
  remove(name: string): Promise<void>;
  /** Whether the platform's keychain tool is installed and can access the keychain. */
  isAvailable(): Promise<boolean>;
}

export interface KeychainParts extends SecretToolParts {
  readonly platform: NodeJS.Platform;
}

/** The name of an entry that probably does not exist. Reading it shows whether the keychain is accessible. */
const PROBE = "availability-check";

export function openKeychain({ platform, ...parts }: KeychainParts): Keychain {
  const calls = keychainCalls(platform);
  const run = createRunTool(parts);

  async function read(name: string): Promise<string | undefined> {
    const call = calls.read(keychainItem(name));
    const result = await run(call);
    // If the entry does not exist, the tools exit with a code other than 0 or print nothing.
    if (result.kind === "ended" && (result.code !== 0 || result.stdout === "")) return undefined;
    return valueIn(result) ?? fail("read", name, { call, result });
  }

  return {
    read,
    async write(name, value) {
      if (value === "" || /[\r\n\0]/.test(value)) throw notStorable(name);
      const call = calls.write(keychainItem(name), value);
      const result = await run(call);
      // Reads the value back, because `security -i` exits with code 0 even if the command failed.
      const isStored = result.kind === "ended" && result.code === 0 && (await read(name)) === value;
      if (!isStored) fail("written", name, { call, result });
    },
    async remove(name) {
      const call = calls.remove(keychainItem(name));
      if ((await read(name)) === undefined) throw entryMissing(name);
      const result = await run(call);
      if (result.kind !== "ended" || (await read(name)) !== undefined) fail("removed", name, { call, result });
    },
    async isAvailable() {
      return calls.isAnswer(await run(calls.read(keychainItem(PROBE))));
    },
  };
}

/**
 * Whether the keychain tools of all platforms return the value unchanged. `security` prints non-ASCII text in
 * hexadecimal.
 */
export function isStorable(value: string): boolean {
  return /^[\x20-\x7e]+$/.test(value);
}

interface ToolRun {
  readonly call: ToolCall;
  readonly result: ToolResult;
}

function fail(action: string, name: string, { call, result }: ToolRun): never {
  const isSilent = result.kind === "ended" && result.code === 0;
  const what = isSilent
    ? `${call.program} exited with code 0, but did not change the entry`
    : describeToolResult(result, call.program, true);
  throw new DiscoveryError("CONFIGURATION_ERROR", `The keychain entry ${name} could not be ${action}: ${what}.`, {
    hint:
      result.kind === "missing"
        ? `Install ${call.program} (on Debian and Ubuntu \`apt install libsecret-tools\`), or keep secrets in ~/.ai/.env.`
        : "Unlock the keychain and try again.",
  });
}

function notStorable(name: string): DiscoveryError {
  return new DiscoveryError("INVALID_REQUEST", `The value for ${name} is empty or has more than one line.`, {
    hint: "Enter one line of text.",
  });
}

function entryMissing(name: string): DiscoveryError {
  return new DiscoveryError("INVALID_REQUEST", `The keychain has no entry ${name}.`, {
    hint: { action: "run-command", command: `anygpt mcp secret set ${name}`, purpose: "create it" },
  });
}
