import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { convertDocument } from "../../src/adapters/convert-document.js";
import { compileCheck } from "../../src/executor/check-value.js";
import { assertSchemaWithinLimits } from "../../src/executor/schema-limits.js";
import { isJsonObject } from "../../src/model/json.js";
import { checkJsonValue } from "../../src/util/json/check-value.js";

const data = process.env["ANYGPT_DATA"];
const MESSAGE = "ANYGPT_DATA does not name a folder with real documents";
/** Larger documents are converted only once: the stability of names does not depend on the size. */
const SECOND_RUN = 2_000_000;
const METHODS = ["get", "put", "post", "delete", "options", "head", "patch"];

function documentsIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.(?:json|ya?ml)$/.test(file))
    .map((file) => join(folder, file))
    .sort();
}

/** The number of operations of a document, counted directly. */
async function countOperations(text: string): Promise<number> {
  const { parse } = await import("yaml");
  const document: unknown = text.startsWith("{")
    ? JSON.parse(text)
    : parse(text, { maxAliasCount: -1, uniqueKeys: false });
  const paths = isJsonObject(document) && isJsonObject(document["paths"]) ? Object.values(document["paths"]) : [];
  return paths.flatMap((item) => METHODS.filter((method) => isJsonObject(item) && isJsonObject(item[method]))).length;
}

describe("all real documents", () => {
  it("convert completely: names are unique and stable, schemas compile within the limits", async ({ skip }) => {
    if (data === undefined) return skip(MESSAGE);
    let total = 0;
    for (const file of documentsIn(join(data, "openapi"))) {
      const text = readFileSync(file, "utf8");
      const connection = { document: file, operations: [] };
      const { tools, dropped } = await convertDocument(text, connection);
      expect([file, dropped]).toEqual([file, []]);
      expect([file, tools.length]).toEqual([file, await countOperations(text)]);
      expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length);
      for (const tool of tools) {
        expect(tool.name).toMatch(/^[a-z0-9-]{1,64}$/);
        assertSchemaWithinLimits(tool.inputSchema, tool.name);
        expect([tool.name, checkJsonValue(tool).kind]).toEqual([tool.name, "value"]);
        compileCheck(structuredClone(tool.inputSchema))({});
      }
      const again = text.length < SECOND_RUN ? await convertDocument(text, connection) : { tools };
      expect(again.tools).toEqual(tools);
      total += tools.length;
    }
    expect(total).toBeGreaterThanOrEqual(1_604);
  });
});
