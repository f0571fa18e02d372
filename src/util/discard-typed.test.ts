import { Readable } from "node:stream";
import { expect, it } from "vitest";
import { discardTyped } from "./discard-typed.js";

function createTerminalInput(): {
  input: Readable & { isTTY: boolean; setRawMode(mode: boolean): void };
  modes: boolean[];
} {
  const modes: boolean[] = [];
  const input = Object.assign(new Readable({ read: () => undefined }), {
    isTTY: true,
    setRawMode: (mode: boolean) => void modes.push(mode),
  });
  return { input, modes };
}

it("drops what a user has typed, and nothing that follows", async () => {
  const { input, modes } = createTerminalInput();
  input.push("y\n");
  input.push("yes");
  expect(await discardTyped(input)).toBe(true);
  expect([modes, input.isPaused()]).toEqual([[true, false], true]);
  input.push("n\n");
  const [chunk] = (await new Promise<unknown[]>((resolve) =>
    input.once("data", (...all) => resolve(all)).resume(),
  )) as [Buffer];
  expect(chunk.toString()).toBe("n\n");
});

it("gives up on an input that never stops", async () => {
  const { input, modes } = createTerminalInput();
  input.on("data", () => setImmediate(() => input.push("y\n")));
  input.push("y\n");
  expect(await discardTyped(input)).toBe(false);
  expect(modes).toEqual([true, false]);
  input.destroy();
});

it("leaves a pipe alone", async () => {
  const input = Readable.from([Buffer.from("y\n")]);
  expect(await discardTyped(input)).toBe(true);
  expect((await input.toArray()).join("")).toBe("y\n");
});
