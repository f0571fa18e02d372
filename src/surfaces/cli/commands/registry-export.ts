import { randomBytes } from "node:crypto";
import { rename, rm, writeFile } from "node:fs/promises";
import { DiscoveryError } from "../../../errors.js";
import { readRegistry } from "../../../metatools/gateway/contract.js";
import { listOperations } from "../../../metatools/gateway/operations.js";
import { isJsonObject } from "../../../model/json.js";
import { toRegistry, toRegistryText } from "../../../registry/registry.js";
import type { Handler } from "../command.js";
import { count, GOOD, line } from "../lines.js";
import { withRegistry } from "../registry-desk.js";

export const exportRegistry: Handler = (input, context) =>
  withRegistry(input, context, async ({ stages, operations, file, unknown }) => {
    if (!input.flag("force")) await assertReplaceable(file);
    const all = listOperations(stages.snapshot().servers.values(), operations);
    await writeWhole(file, toRegistryText(toRegistry(all, stages.place.now())));
    if (context.isJson) context.json({ file, operation_count: all.length, unknown });
    else context.show([line(0, GOOD, ` ${count(all.length, "operation")} written to ${file}.`)]);
    if (unknown.length > 0) {
      context.warn(`Left out, because their tools are not known: ${unknown.join(", ")}. Run \`anygpt mcp doctor\`.`);
    }
    return 0;
  });

/** A generated file is replaced without a question, any other is somebody's work. */
async function assertReplaceable(file: string): Promise<void> {
  const known = await readRegistry(file);
  if (known.kind === "absent") return;
  const isRegistry = known.kind === "document" && isJsonObject(known.document) && "operations" in known.document;
  if (isRegistry) return;
  throw new DiscoveryError("INVALID_REQUEST", `${file} exists and is no registry.`, {
    hint: "Name another file with --file, or replace it with --force.",
  });
}

/** A reader sees the old registry or the new, never a part. */
async function writeWhole(file: string, text: string): Promise<void> {
  const draft = `${file}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    await writeFile(draft, text, { flag: "wx" });
    await rename(draft, file);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown reason";
    throw new DiscoveryError("INVALID_REQUEST", `${file} could not be written (${code}).`, {
      hint: "Name a file in a folder that exists and that you may write to.",
      cause: error,
    });
  } finally {
    await rm(draft, { force: true });
  }
}
