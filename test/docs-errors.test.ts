import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ERRORS } from "../src/errors.js";

const SRC = new URL("../src/", import.meta.url);

describe("the table of errors", () => {
  it("equals docs/reference/errors.md", async () => {
    const generator = new URL("../scripts/docs/errors.mjs", import.meta.url).href;
    const { errorsMarkdown } = (await import(generator)) as { errorsMarkdown: (errors: object) => string };
    expect(readFileSync(new URL("../docs/reference/errors.md", import.meta.url), "utf8")).toBe(errorsMarkdown(ERRORS));
  });

  it("has no code that is never used", () => {
    const sources = readdirSync(SRC, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && file !== "errors.ts")
      .map((file) => readFileSync(new URL(file, SRC), "utf8"))
      .join("\n");
    expect(Object.keys(ERRORS).filter((code) => !sources.includes(`"${code}"`) && code !== "INTERNAL_ERROR")).toEqual(
      [],
    );
  });
});
