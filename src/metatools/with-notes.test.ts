import { expect, it } from "vitest";
import { localActor } from "../model/actor.js";
import type { MetaAnswer, MetaTool } from "./meta-tool.js";
import { withNotes } from "./with-notes.js";

const context = { actor: localActor("mcp") };
const answering = (answer: MetaAnswer): MetaTool => ({
  name: "x",
  description: "",
  inputSchema: {},
  readOnly: true,
  run: async () => answer,
});

it.each<[string, MetaAnswer, string[], unknown]>([
  ["adds nothing without notices", { kind: "data", data: { a: 1 } }, [], { a: 1 }],
  ["adds notices", { kind: "data", data: { a: 1 } }, ["One.", "Two."], { a: 1, note: "One. Two." }],
  ["keeps the note of the answer first", { kind: "data", data: { note: "Own." } }, ["One."], { note: "Own. One." }],
])("%s", async (_, answer, notes, data) => {
  expect(await withNotes(answering(answer), () => notes).run({}, context)).toEqual({ kind: "data", data });
});

it("leaves the answer of a server unchanged", async () => {
  const answer: MetaAnswer = { kind: "result", result: { content: [] } };
  expect(await withNotes(answering(answer), () => ["One."]).run({}, context)).toBe(answer);
});
