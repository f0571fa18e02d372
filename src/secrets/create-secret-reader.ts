// Resolves secret references with the platform's tools at the moment of use, and caches the values for a short time.
import { unreadable } from "./failures.js";
import { keychainCalls } from "./keychain-calls.js";
import { parseReference, type SecretReference } from "./reference.js";
import { createRunTool, type ToolCall, type SecretToolParts } from "./run-tool.js";
import { valueIn } from "./value-in.js";

/**
 * How long values are cached, so that the user has to unlock the keychain only once if several servers start in a row.
 */
const CACHE_MS = 300_000;

export interface SecretReaderParts extends SecretToolParts {
  readonly platform: NodeJS.Platform;
  /** A monotonic clock in milliseconds. */
  readonly elapsed: () => number;
}

export interface SecretReader {
  /** The value of a reference. Throws CONFIGURATION_ERROR, which names the reference and never the value. */
  read(reference: string): Promise<string>;
}

interface CachedSecret {
  readonly value: Promise<string>;
  readonly since: number;
}

export function createSecretReader(parts: SecretReaderParts): SecretReader {
  const run = createRunTool(parts);
  const cache = new Map<string, CachedSecret>();

  async function runTool(text: string): Promise<string> {
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
      const known = cache.get(text);
      if (known !== undefined && now - known.since < CACHE_MS) return known.value;
      const value = runTool(text);
      cache.set(text, { value, since: now });
      value.catch(() => cache.delete(text));
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
