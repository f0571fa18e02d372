import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Nameable, nameOperations, toKebab } from "./names.js";

const operation = (id: string | undefined, path: string, method = "GET"): Nameable => ({
  key: `${method} ${path}`,
  method,
  path,
  ...(id === undefined ? {} : { id }),
});
const names = (...operations: Nameable[]): string[] => [...nameOperations(operations).values()];
const nameOf = (one: Nameable, all: readonly Nameable[]) => nameOperations(all).get(one);

it.each([
  ["listAllUsers", "list-all-users"],
  ["repos/list-for-user", "repos-list-for-user"],
  ["HTTPServer2Start", "http-server2-start"],
  ["getURLById", "get-url-by-id"],
  ["Größe_ändern", "große-andern".replace("ß", "-")],
  ["日本", ""],
])("toKebab(%j) is %j", (text, kebab) => {
  expect(toKebab(text)).toBe(kebab);
});

describe("names", () => {
  it.each([
    [operation("getPet", "/pets/{id}"), "get-pet"],
    [operation(undefined, "/pets/{petId}/photos", "POST"), "post-pets-by-pet-id-photos"],
    [operation("日本", "/x"), "get-x"],
  ])("are derived from the operation's id, otherwise from method and path", (one, name) => {
    expect(names(one)).toEqual([name]);
  });

  it("are generated if the operation has no usable word", () => {
    expect(names(operation(undefined, "/日本"))[0]).toMatch(/^get-[0-9a-f]{6}$/);
  });

  it("have at most 64 characters and stay distinct", () => {
    const long = "a".repeat(70);
    const [first, second] = names(operation(`${long}1`, "/1"), operation(`${long}2`, "/2"));
    expect(first).toMatch(/^a{55}-[0-9a-f]{8}$/);
    expect(second).not.toBe(first);
  });

  it("that several operations have go to the one with that exact id, then to the shortest key; the others get a suffix", () => {
    const own = operation("get-pet", "/zoo/pets");
    const short = operation("getPet", "/p");
    const long = operation("get_pet", "/p/long");
    const all = [long, short, own];
    expect(nameOf(own, all)).toBe("get-pet");
    expect(nameOf(short, all)).toMatch(/^get-pet-[0-9a-f]{6}$/);
    expect(nameOf(long, all)).toMatch(/^get-pet-[0-9a-f]{6}$/);
  });

  it("go to the shortest key, independent of alphabetical order", () => {
    const [short, long] = [operation("x", "/b"), operation("x", "/aa")];
    expect([nameOf(short, [long, short]), nameOf(long, [long, short])]).toEqual(["x", expect.stringMatching(/^x-/)]);
  });

  it("do not change when an operation with another name is added", () => {
    const all = [operation("a", "/1"), operation("a", "/22"), operation("b", "/3")];
    const before = all.map((one) => nameOf(one, all));
    const more = [operation("c", "/0"), ...all];
    expect(all.map((one) => nameOf(one, more))).toEqual(before);
  });

  it("are unique, well formed and independent of the order", () => {
    const arbitrary = fc.array(
      fc.record({
        id: fc.option(fc.oneof(fc.constantFrom("a", "A", "a-", "__proto__", "constructor"), fc.string())),
        path: fc.oneof(fc.constantFrom("/a", "/{a}", "/"), fc.string()),
        method: fc.constantFrom("GET", "POST"),
      }),
      { maxLength: 30 },
    );
    fc.assert(
      fc.property(arbitrary, (given) => {
        const unique = new Map(given.map((one) => [`${one.method} ${one.path}`, one]));
        const all = [...unique.values()].map(({ id, path, method }) => operation(id ?? undefined, path, method));
        const named = nameOperations(all);
        const list = all.map((one) => named.get(one)!);
        expect(new Set(list).size).toBe(all.length);
        for (const name of list) expect(name).toMatch(/^[a-z0-9-]{1,64}$/);
        const turned = nameOperations([...all].reverse());
        expect(all.map((one) => turned.get(one))).toEqual(list);
      }),
    );
  });

  it("differ for the same operation written twice", () => {
    const twins = [operation("a", "/x"), operation("a", "/x"), operation("a", "/x")];
    expect(new Set(names(...twins)).size).toBe(3);
  });
});
