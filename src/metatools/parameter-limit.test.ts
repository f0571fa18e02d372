import { expect, it } from "vitest";
import { limitParameters } from "./parameter-limit.js";

const parameter = (name: string, type: string) => ({ name, type, required: false });
const HUGE = "word ".repeat(10_000);

it("returns an input within the limit unchanged", () => {
  const input = { parameters: [parameter("a", "string ".repeat(5_000))], isCut: false };
  expect(limitParameters(input)).toBe(input);
});

it("shortens the largest types first and lists them in omitted", () => {
  const parameters = [parameter("small", "string"), parameter("huge", HUGE), parameter("large", "x ".repeat(500))];
  const limited = limitParameters({ parameters, types: { Tree: "Tree[]" }, isCut: false });
  expect(limited.omitted).toEqual(["huge"]);
  expect(limited.parameters[0]).toEqual(parameters[0]);
  expect(limited.parameters[1]?.type).toMatch(/^word .{100,200}…$/u);
  expect(limited.parameters[2]).toEqual(parameters[2]);
  expect(limited.types).toEqual({ Tree: "Tree[]" });
});

it("omits raw schemas that are too large", () => {
  const schema = { description: HUGE };
  const parameters = [{ ...parameter("a", "string …"), schema }];
  expect(limitParameters({ parameters, isCut: false })).toMatchObject({
    parameters: [parameter("a", "string …")],
    omitted: ["a"],
  });
  expect(limitParameters({ parameters: [], inputSchema: schema, isCut: false })).toEqual({
    parameters: [],
    omitted: ["inputSchema"],
    isCut: false,
  });
});

it("shortens named types, and lists the first 20 and the number of the others", () => {
  const types = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`T${n}`, HUGE]));
  const limited = limitParameters({ parameters: [], types, isCut: false });
  expect(limited.omitted).toHaveLength(21);
  expect(limited.omitted?.at(-1)).toMatch(/^\d+ more types$/u);
});

it("drops the last parameters if there are too many", () => {
  const parameters = Array.from({ length: 5_000 }, (_, n) => parameter(`parameter${n}`, "string"));
  const limited = limitParameters({ parameters, isCut: false });
  expect(JSON.stringify(limited).length).toBeLessThan(42_000);
  expect(limited.omitted).toEqual([`${5_000 - limited.parameters.length} more parameters`]);
});
