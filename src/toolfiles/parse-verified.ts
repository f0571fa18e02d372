import { basename } from "node:path";
import { parseToolFile } from "./format/parse-tool-file.js";
import type { ToolFile } from "./format/tool-file.js";
import { type SignatureRefusal, toSignatureRefusal } from "./signing/refusal.js";
import { refuseHashOnly, type SignatureVerdict } from "./signing/verify.js";

export type ParsedFile =
  | { readonly kind: "ok"; readonly file: ToolFile }
  | { readonly kind: "refused"; readonly refusal: SignatureRefusal };

const MAX_REASONS = 10;

/** Parses the body of a tool file whose signature or hash was verified. */
export function parseVerified(
  path: string,
  { trust, body }: Extract<SignatureVerdict, { kind: "intact" }>,
): ParsedFile {
  const name = basename(path, ".yaml");
  const firstLine = trust.kind === "signed" ? 3 : 2;
  const parsed = parseToolFile(body, name, firstLine);
  if (parsed.kind === "wrong") {
    const refusal = misnamed(path, body, name) ?? wrongContent(path, parsed.reasons);
    return { kind: "refused", refusal };
  }
  // A hash alone does not allow starting a program, because any author can write a file with a matching hash.
  if (trust.kind === "hash" && parsed.file.connection.kind === "stdio") {
    return { kind: "refused", refusal: refuseHashOnly(path, "starts a program and is not signed") };
  }
  return { kind: "ok", file: parsed.file };
}

/** The reason for rejecting a file that is valid except for its file name. */
function misnamed(path: string, body: Buffer, name: string): SignatureRefusal | undefined {
  const toolId = /^tool_id: ([a-z0-9_]+)$/m.exec(body.toString("latin1"))?.[1];
  if (toolId === undefined || toolId === name || parseToolFile(body, toolId).kind === "wrong") return undefined;
  return toSignatureRefusal(path, "wrong-name", {
    what: `is the file of the tool ${toolId}`,
    hint: [
      `Rename the file to ${toolId}.yaml, or change its tool_id and sign it.`,
      { action: "run-command", command: `anygpt mcp sign ${name}`, purpose: "sign it" },
    ],
    facts: { tool_id: toolId },
  });
}

function wrongContent(path: string, reasons: readonly string[]): SignatureRefusal {
  const more = reasons.length - MAX_REASONS;
  const listed = reasons.slice(0, MAX_REASONS).join("; ").replace(/\.$/, "");
  return toSignatureRefusal(path, "wrong-content", {
    what: `has a valid signature or hash but invalid content: ${listed}${more > 0 ? `; and ${more} more` : ""}`,
    hint: [
      "Correct the file, or discover the server again.",
      { action: "run-command", command: "anygpt mcp sign", purpose: "sign the corrected file" },
    ],
    facts: { reasons },
  });
}
