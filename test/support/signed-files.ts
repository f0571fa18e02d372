import { definitionHash, type ToolFile } from "../../src/toolfiles/format/tool-file.js";
import { toToolFileText } from "../../src/toolfiles/format/to-text.js";
import { createKeyPair, keyIdOf, parseKeyBytes, signWith } from "../../src/toolfiles/keys/ed25519.js";
import type { KnownKey, SigningKey } from "../../src/toolfiles/keys/known-key.js";
import { encodeStamp, bodyHash, toValidatedAt } from "../../src/toolfiles/signing/envelope.js";
import { signToolFile } from "../../src/toolfiles/signing/sign.js";

export const NOW = Date.parse("2026-03-01T12:00:00Z");

export function sampleFile(changes: Partial<ToolFile> & { description?: string } = {}): ToolFile {
  const { description = "Finds a library.", ...rest } = changes;
  const tool = { name: "find", description, inputSchema: { type: "object", properties: { q: { type: "string" } } } };
  return {
    toolId: "lib_find",
    version: "1.0.0",
    server: "lib",
    tool,
    discoveredAt: "2026-01-27T12:00:00Z",
    definitionHash: definitionHash(tool),
    needs: [],
    connection: { kind: "http", url: "https://lib.example/mcp", headers: {} },
    timeoutMs: 30_000,
    ...rest,
  };
}

export const stdioFile = (changes: Partial<ToolFile> = {}): ToolFile =>
  sampleFile({
    toolId: "fs_find",
    server: "fs",
    connection: { kind: "stdio", command: "npx", args: ["-y", "server-filesystem"], env: {} },
    ...changes,
  });

/** A key pair that the test controls. */
export function createTestKey(name = "ann"): { known: KnownKey; signing: SigningKey } {
  const { publicKey, privateKey } = createKeyPair();
  const keyId = keyIdOf(parseKeyBytes(publicKey)!);
  return {
    known: { keyId, publicKey, name, trustedAt: new Date(NOW).toISOString(), isOwn: false, canSign: false },
    signing: { keyId, name, sign: (message) => signWith(privateKey, message) },
  };
}

export const signed = (file: ToolFile, key: SigningKey, now = NOW): Buffer =>
  signToolFile(Buffer.from(toToolFileText(file)), key, now);

/** As other programs write it: one line with the hash of everything that follows. */
export function hashed(file: ToolFile, now = NOW): Buffer {
  const body = Buffer.from(toToolFileText(file));
  return Buffer.concat([
    Buffer.from(`${encodeStamp({ validatedAt: toValidatedAt(now), hash: bodyHash(body) })}\n`),
    body,
  ]);
}
