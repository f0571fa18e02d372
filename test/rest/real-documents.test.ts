import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { upgrade } from "@scalar/openapi-upgrader";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { convertDocument } from "../../src/adapters/convert-document.js";
import type { JsonObject } from "../../src/model/json.js";
import { type Failure, roundTrip } from "./round-trip.js";
import { toConnection } from "./session.js";

const DATA = process.env["ANYGPT_DATA"];
const SEED = 2026;
const OPERATIONS = 500;
const MINUTES = 60_000;

interface Real {
  readonly file: string;
  readonly document: JsonObject;
  readonly tools: Awaited<ReturnType<typeof convertDocument>>["tools"];
}

async function readReal(folder: string): Promise<Real[]> {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) =>
    /\.(?:json|ya?ml)$/.test(file),
  );
  return await Promise.all(
    files.sort().map(async (file) => {
      const text = readFileSync(join(folder, file), "utf8");
      const raw = (file.endsWith(".json") ? JSON.parse(text) : parse(text)) as JsonObject;
      const { tools } = await convertDocument(text, toConnection({ document: join(folder, file) }));
      return {
        file: basename(file),
        document: raw["swagger"] === undefined ? raw : upgrade(raw, "3.0"),
        tools,
      };
    }),
  );
}

describe("real documents", () => {
  it(
    `describe the received requests, for ${OPERATIONS} of their operations`,
    async ({ skip }) => {
      if (DATA === undefined) return skip("ANYGPT_DATA names no folder, so there are no documents to read.");
      const real = await readReal(join(DATA, "openapi"));
      const total = real.reduce((sum, { tools }) => sum + tools.length, 0);
      const failures: (Failure & { file: string })[] = [];
      let [sent, without] = [0, 0];
      for (const { file, document, tools } of real) {
        const count = Math.ceil((OPERATIONS * tools.length) / total);
        const trip = await roundTrip({ document, tools, seed: SEED, count });
        sent += trip.sent;
        without += trip.without.length;
        failures.push(...trip.failures.map((failure) => ({ file, ...failure })));
      }
      expect(failures).toEqual([]);
      expect(without).toBeLessThanOrEqual(OPERATIONS / 50);
      expect(sent + without).toBeGreaterThanOrEqual(OPERATIONS);
    },
    10 * MINUTES,
  );
});
