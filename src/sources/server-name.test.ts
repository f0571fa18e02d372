import { expect, it } from "vitest";
import { toValidServerName } from "./server-name.js";

it.each<[string, string]>([
  ["github", "github"],
  ["io.github.upstash/context7", "io.github.upstash-context7"],
  ["@scope/x", "scope-x"],
  ["a:b", "a-b"],
  ["a\u0000\u001b[31mb", "a-31mb"],
  ["\u202eevil", "evil"],
  ["../../etc/passwd", "etc-passwd"],
  ["", "server"],
  ["///", "server"],
  ["n".repeat(100), "n".repeat(64)],
  [`${"n".repeat(63)}😀x`, "n".repeat(63)],
])("%j becomes %j", (written, name) => {
  expect(toValidServerName(written).name).toBe(name);
});

it("reports the original name without control characters", () => {
  expect(toValidServerName("a\u001b\nb").note).toBe(
    'The name "a\\u001b\\nb" is not allowed here and was changed to "a-b".',
  );
});
