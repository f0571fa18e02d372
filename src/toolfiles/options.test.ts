import { describe, expect, it } from "vitest";
import { toolFilesOptions } from "./options.js";

describe("toolFilesOptions", () => {
  it("fills in the defaults", () => {
    expect(toolFilesOptions.parse({})).toEqual({
      enabled: true,
      signatures: "required",
      agents: { discover: true, hosts: [], variables: [] },
    });
  });

  it.each([
    ["an unknown key", { folder: ["x"] }],
    ["another kind of signature", { signatures: "none" }],
    ["a folder that is not text", { folders: [1] }],
    ["a host with a NUL character", { agents: { hosts: ["a\0b"] } }],
  ])("rejects %s", (_, value) => {
    expect(toolFilesOptions.safeParse(value).success).toBe(false);
  });
});
