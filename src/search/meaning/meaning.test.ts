import { readFileSync } from "node:fs";
import { describe, expect, it, vi } from "vitest";
import { expectCpuTime, flat } from "../../../test/support/cost.js";
import { createTableMemory } from "./add-rows.js";
import { likenessOf, type Meaning, openMeaning } from "./meaning.js";

const bytes = readFileSync(new URL("../../../model/tools.bin", import.meta.url));

function open(): Meaning {
  const table = createTableMemory(bytes.length);
  table.file.set(bytes);
  return openMeaning(table);
}

const meaning = open();
const likeness = (left: string, right: string): number => likenessOf(meaning.readQuery(left), meaning.readQuery(right));

describe("openMeaning", () => {
  it.each([
    ["will it rain tomorrow", "weather forecast", "stock prices"],
    ["how much is 100 dollars in euros", "currency exchange rate", "list files"],
    ["wie wird das wetter", "weather forecast", "send email"],
  ])("places %j nearer to %j than to %j", (query, near, far) => {
    expect(likeness(query, near)).toBeGreaterThan(likeness(query, far) + 0.1);
  });

  it("returns a zero vector for a text without known pieces", () => {
    expect(meaning.readQuery("…!?")).toEqual({ values: new Int8Array(256), scale: 0 });
    expect(likeness("…", "weather")).toBe(0);
  });

  it("gives the same numbers without WebAssembly", () => {
    vi.stubGlobal("WebAssembly", undefined);
    try {
      const plain = open();
      for (const text of ["create a pull request", "天气预报", "x"]) {
        expect(plain.readQuery(text)).toEqual(meaning.readQuery(text));
        const parameters = [{ name: "fileName", description: text }];
        const tool = { id: "s:x", server: "GitHub", name: text, description: `${text}. Or not.`, parameters, tags: [] };
        expect(plain.readTool(tool)).toEqual(meaning.readTool(tool));
        const { pieces } = meaning.readTool(tool);
        expect(plain.comparePieces("pull request")(pieces)).toEqual(meaning.comparePieces("pull request")(pieces));
      }
    } finally {
      vi.unstubAllGlobals();
    }
  });

  it("does not depend on the previous text", () => {
    const alone = meaning.readQuery("weather forecast");
    meaning.readTool({ id: "s:x", server: "mail", name: "send", description: "Send.", parameters: [], tags: [] });
    expect(meaning.readQuery("weather forecast")).toEqual(alone);
  });

  it("returns how close the pieces of a query and a tool are", () => {
    const piecesOf = (server: string, name: string, description: string): Uint16Array =>
      meaning.readTool({ id: "s:x", server, name, description, parameters: [], tags: [] }).pieces;
    const compare = meaning.comparePieces("will it rain tomorrow in github");
    const forecast = compare(piecesOf("github", "rain_forecast", "Tells tomorrow's weather."));
    const prices = compare(piecesOf("exchange", "list_prices", "Tells what stocks cost."));
    expect(forecast.answered).toBeGreaterThan(prices.answered + 0.2);
    expect(forecast.name).toBeGreaterThan(prices.name + 0.2);
    expect(forecast.server).toBeCloseTo(1);
    expect(prices.server).toBeLessThan(0.6);
  });

  it("reads a tool with extremely long names about as fast as one with long names", async () => {
    const readNamed = (length: number) => {
      const name = flat("\ufdfa".repeat(length));
      const parameters = Array.from({ length: 16 }, () => ({ name, description: name }));
      return () => meaning.readTool({ id: "s:x", server: name, name, description: name, parameters, tags: [] });
    };
    await expectCpuTime(readNamed(200_000), { maxRatio: 10, control: readNamed(2_000) });
  });
});
