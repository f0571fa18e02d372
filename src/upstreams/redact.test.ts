import { describe, expect, it } from "vitest";
import { DiscoveryError } from "../errors.js";
import { createRedact, redactError } from "./redact.js";

describe("redact", () => {
  it.each<[string, string]>([
    ["the key is s3cret-key", "the key is ***"],
    ["Authorization: Bearer tok/en+value", "Authorization: ***"],
    ["rejected tok/en+value", "rejected ***"],
    ["GET /?k=tok%2Fen%2Bvalue", "GET /?k=***"],
    ["short values like abc stay", "short values like abc stay"],
  ])("turns %j into %j", (text, hidden) => {
    expect(createRedact(["s3cret-key", "Bearer tok/en+value", "abc"])(text)).toBe(hidden);
  });

  it("hides the longest value first", () => {
    expect(createRedact(["secret", "secret-and-more"])("secret-and-more")).toBe("***");
  });

  it("hides values in everything that an error says", () => {
    const error = new DiscoveryError("SERVER_CONNECTION_ERROR", "/opt/s3cret-key was not found.", {
      hint: "Look at s3cret-key.",
      facts: { stderr: ["a", "with s3cret-key"], status: 5 },
      server: "x",
      executed: "unknown",
    });
    expect(redactError(error, createRedact(["s3cret-key"]))).toMatchObject({
      code: "SERVER_CONNECTION_ERROR",
      message: "/opt/*** was not found.",
      hint: "Look at ***.",
      facts: { stderr: ["a", "with ***"], status: 5 },
      server: "x",
      executed: "unknown",
    });
  });
});
