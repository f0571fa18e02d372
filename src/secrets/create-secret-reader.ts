// References come in, secrets go out: asked of the platform's tools when they are needed, remembered for a short while.
import { unreadable } from "./failures.js";
import { keychainCalls } from "./keychain-calls.js";
import { parseReference, type SecretReference } from "./reference.js";
import { createRunTool, type ToolCall, type ToolParts } from "./run-tool.js";
import { valueIn } from "./value-in.js";

/** Several servers may start one after the other: the person is asked once. */
const KEPT_MS = 300_000;

export interface SecretReaderParts extends ToolParts {
  readonly platform: NodeJS.Platform;
  /** Milliseconds that only ever grow. */
  readonly elapsed: () => number;
}

export interface SecretReader {
  /** The value of a reference, or CONFIGURATION_ERROR that names the reference and never the value. */
  read(reference: string): Promise<string>;
}

interface Kept {
  readonly value: Promise<string>;
  readonly since: number;
}

export function createSecretReader(parts: SecretReaderParts): SecretReader {
  const run = createRunTool(parts);
  const kept = new Map<string, Kept>();

  async function ask(text: string): Promise<string> {
    const reference = parseReference(text);
    const call = callFor(reference, parts.platform);
    const result = await run(call);
    const value = valueIn(result);
    if (value === undefined) throw unreadable(text, reference, { call, result });
    return value;
  }

  return {
    read(text) {
      const now = parts.elapsed();
      const known = kept.get(text);
      if (known !== undefined && now - known.since < KEPT_MS) return known.value;
      const value = ask(text);
      kept.set(text, { value, since: now });
      value.catch(() => kept.delete(text));
      return value;
    },
  };
}

function callFor(reference: SecretReference, platform: NodeJS.Platform): ToolCall {
  switch (reference.kind) {
    case "keychain":
      return keychainCalls(platform).read(reference.item);
    case "1password":
      return { program: "op", args: ["read", "--no-newline", reference.address] };
    case "vault":
      return { program: "vault", args: ["kv", "get", `-field=${reference.field}`, reference.path] };
    case "command":
      return reference;
  }
}
