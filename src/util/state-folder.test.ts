import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { openEngine } from "../engine.js";
import { assertStateFolderPrivate } from "./state-folder.js";

const folder = mkdtempSync(join(tmpdir(), "anygpt-state-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.skipIf(process.platform === "win32")("a state folder", () => {
  it.each([0o700, 0o750, 0o755])("with mode %o is accepted", (mode) => {
    chmodSync(folder, mode);
    expect(() => assertStateFolderPrivate(folder)).not.toThrow();
  });

  it.each([
    [0o770, "The members of its group can write"],
    [0o777, "All users can write"],
    [0o702, "All users can write"],
  ])("with mode %o is refused, with the command that corrects it", async (mode, message) => {
    chmodSync(folder, mode);
    const failure = { code: "CONFIGURATION_ERROR", message: expect.stringContaining(message) as string };
    expect(() => assertStateFolderPrivate(folder)).toThrow(expect.objectContaining(failure));
    expect(() => assertStateFolderPrivate(folder)).toThrow(
      expect.objectContaining({ hint: expect.stringContaining(`chmod 700 ${folder}`) as string }),
    );
    await expect(
      (async () => await openEngine({ stateFolder: folder, cwd: folder, env: {} }).stages())(),
    ).rejects.toThrow(message);
  });

  it("that does not exist yet is accepted", () => {
    expect(() => assertStateFolderPrivate(join(folder, "none"))).not.toThrow();
  });
});
