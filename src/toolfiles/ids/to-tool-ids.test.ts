import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isToolId } from "./tool-id.js";
import { toToolIds } from "./to-tool-ids.js";

const idOf = (name: string, server = "srv") => toToolIds(server, [name]).get(name);

describe("toToolIds", () => {
  it.each([
    ["resolve-library-id", "srv_resolve_library_id"],
    ["read_file", "srv_read_file"],
    ["getHTTPPage2", "srv_get_http_page2"],
    ["repos/list.all", "srv_repos_list_all"],
    ["Café ouvert", "srv_cafe_ouvert"],
    ["../x", "srv_x"],
    ["CON", "srv_con"],
    ["nul.", "srv_nul"],
  ])("names the file of %j %s", (name, id) => {
    expect(idOf(name)).toBe(id);
  });

  it.each([
    ["nothing", "", /^srv_[0-9a-f]{8}$/],
    ["punctuation alone", "../..", /^srv_[0-9a-f]{8}$/],
    ["letters that are lost", "删除 docs", /^srv_docs_[0-9a-f]{8}$/],
    ["control characters", "a\u0000b\u001b", /^srv_a_b_[0-9a-f]{8}$/],
    ["200 characters", "long".repeat(50), /^srv_(long)+(l|lo|lon)?_[0-9a-f]{8}$/],
    ["a million characters", "x".repeat(1_000_000), /^srv_x+_[0-9a-f]{8}$/],
  ])("adds a hash to a name of %s", (_, name, id) => {
    expect(idOf(name)).toMatch(id);
    expect(isToolId(idOf(name))).toBe(true);
  });

  it("gives the plain form to the tool with exactly that name, and a hash to the others", () => {
    const ids = toToolIds("srv", ["getUser", "get_user", "get-user"]);
    expect(ids.get("get_user")).toBe("srv_get_user");
    expect(ids.get("getUser")).toMatch(/^srv_get_user_[0-9a-f]{8}$/);
    expect(new Set(ids.values()).size).toBe(3);
  });

  it("gives no tool the plain form if none has exactly that name", () => {
    expect([...toToolIds("srv", ["getUser", "get-user"]).values()]).not.toContain("srv_get_user");
  });

  it("keeps the ids of files that exist, whatever they are", () => {
    const own = new Map([
      ["resolve-library-id", "context7_resolve_library"],
      ["getUser", "context7_get_user"],
    ]);
    const ids = toToolIds("context7", ["get_user", "getUser", "resolve-library-id"], { own });
    expect(ids.get("resolve-library-id")).toBe("context7_resolve_library");
    expect(ids.get("getUser")).toBe("context7_get_user");
    expect(ids.get("get_user")).toMatch(/^context7_get_user_[0-9a-f]{8}$/);
  });

  it("does not use an id of another server's tool", () => {
    const id = toToolIds("a_b", ["c"], { others: new Set(["a_b_c"]) }).get("c");
    expect(id).toMatch(/^a_b_c_[0-9a-f]{8}$/);
  });

  it("gives a longer hash where the short one is taken", () => {
    const taken = idOf("删除 docs")!;
    expect(toToolIds("srv", ["删除 docs"], { others: new Set([taken]) }).get("删除 docs")).toMatch(/_[0-9a-f]{9}$/);
  });

  it("gives tools whose hashes begin alike the same ids in any order", () => {
    const ids = toToolIds("srv", ["仦乇", "佅举"]);
    expect([...ids.values()]).toEqual(["srv_6cd496fc", expect.stringMatching(/^srv_6cd496fc[0-9a-f]$/)]);
    expect(toToolIds("srv", ["佅举", "仦乇"]).get("仦乇")).toBe("srv_6cd496fc");
  });

  const odd = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.string({ unit: fc.constantFrom("a", "B", "_", "-", ".", "/", "é", "删", "\0"), maxLength: 6 }),
    fc.string({ minLength: 75, maxLength: 200 }),
    fc.constantFrom("__proto__", "constructor", "com1", "x\ud800"),
  );

  it("gives every tool a unique safe id, in any order", () => {
    fc.assert(
      fc.property(fc.uniqueArray(odd, { maxLength: 30 }), fc.infiniteStream(fc.nat()), (names, numbers) => {
        const ids = toToolIds("my-srv", names);
        expect([...ids.keys()]).toEqual(names);
        expect([...ids.values()].every((id) => isToolId(id) && id.startsWith("my_srv_"))).toBe(true);
        expect(new Set(ids.values()).size).toBe(names.length);
        const shuffled = names
          .map((name) => ({ name, at: numbers.next().value }))
          .sort((one, other) => one.at - other.at)
          .map(({ name }) => name);
        const again = toToolIds("my-srv", shuffled);
        for (const name of names) expect(again.get(name)).toBe(ids.get(name));
      }),
    );
  });

  it("keeps the ids of a folder when tools are added and removed", () => {
    fc.assert(
      fc.property(fc.uniqueArray(odd, { maxLength: 15 }), fc.uniqueArray(odd, { maxLength: 15 }), (before, after) => {
        const own = toToolIds("srv", before);
        const ids = toToolIds("srv", after, { own });
        for (const name of after.filter((one) => own.has(one))) expect(ids.get(name)).toBe(own.get(name));
        const fresh = after.filter((name) => !own.has(name)).map((name) => ids.get(name));
        expect(fresh.filter((id) => [...own.values()].includes(id!))).toEqual([]);
      }),
    );
  });
});

it.each([
  ["a", true],
  ["com1_x", true],
  ["x".repeat(80), true],
  ["x".repeat(81), false],
  ["con", false],
  ["com1", false],
  ["a-b", false],
  ["A", false],
  ["a\n", false],
  ["", false],
  ["../a", false],
  [7, false],
])("isToolId(%j) is %s", (value, expected) => {
  expect(isToolId(value)).toBe(expected);
});
