import { createHash } from "node:crypto";
import { afterAll, describe, expect, it } from "vitest";
import { createCliPlace } from "../../../../test/support/cli.js";
import { toExpiry, toTokenEntry } from "../../http/token-entry.js";

const place = createCliPlace();
afterAll(() => place.remove());
const sha256 = (text: string): string => `sha256:${createHash("sha256").update(text).digest("hex")}`;

describe("a new token", () => {
  it("is shown once, with the entry that knows it by its hash", async () => {
    const { exit, stdout, stderr } = await place.run("mcp", "token", "create", "ci", "--scope", "a:read", "b:*");
    expect([exit, stderr]).toEqual([0, ""]);
    const [token = ""] = /agt_[\w-]{43}/.exec(stdout) ?? [];
    expect(stdout.split(token)).toHaveLength(2);
    expect(stdout).toContain(JSON.stringify({ name: "ci", hash: sha256(token), scopes: ["a:read", "b:*"] }));
  });

  it("is printed as JSON with its view and expiry, and differs every time", async () => {
    const words = ["mcp", "token", "create", "ci", "--view", "office", "--expires", "2999-01-31T00:00:00Z", "--json"];
    const [one, other] = [await place.run(...words), await place.run(...words)].map(
      (ran) => ran.json() as { token: string; entry: object },
    );
    expect(one?.entry).toEqual({
      name: "ci",
      hash: sha256(one?.token ?? ""),
      scopes: [],
      view: "office",
      expires: "2999-01-31T00:00:00.000Z",
    });
    expect(one?.token).not.toBe(other?.token);
  });

  it.each([
    ["a name with a space", ["a b"], "name"],
    ["a view with a slash", ["ci", "--view", "a/b"], "view"],
    ["a scope with quotes", ["ci", "--scope", 'a"b'], "scopes"],
    ["an end that is past", ["ci", "--expires", "2020-01-01"], "is not a time in the future"],
    ["an end that is none", ["ci", "--expires", "soon"], "is not a time in the future"],
  ])("is not made with %s", async (_, words, said) => {
    const { exit, stdout, stderr } = await place.run("mcp", "token", "create", ...words);
    expect(exit).toBe(1);
    expect(stdout).toBe("");
    expect(stderr).toContain(said);
  });
});

it.each([
  ["2h", "1970-01-01T02:00:00.000Z"],
  ["30d", "1970-01-31T00:00:00.000Z"],
  ["1w", "1970-01-08T00:00:00.000Z"],
  ["1970-01-02", "1970-01-02T00:00:00.000Z"],
])("counts %s from now", (text, expected) => expect(toExpiry(text, 0)).toBe(expected));

it("names every scope once", () => {
  expect(toTokenEntry({ name: "a", token: "t", scopes: ["x", "x"] }).scopes).toEqual(["x"]);
});

describe("a token of one's own", () => {
  it("is read from standard input and printed as its hash", async () => {
    const token = "0123456789abcdef0123456789abcdef";
    const ran = await place.runWith({ stdin: `${token}\n` }, "mcp", "token", "hash");
    expect(ran).toMatchObject({ exit: 0, stdout: `${sha256(token)}\n` });
    const asJson = await place.runWith({ stdin: token }, "mcp", "token", "hash", "--json");
    expect(asJson.json()).toEqual({ hash: sha256(token) });
  });

  it.each(["short", "x", "with a space 0123456789abcdef0123456789"])("is not %j", async (stdin) => {
    const { exit, stdout, stderr } = await place.runWith({ stdin }, "mcp", "token", "hash");
    expect([exit, stdout]).toEqual([1, ""]);
    expect(stderr).not.toContain(`"${stdin}"`);
  });
});
