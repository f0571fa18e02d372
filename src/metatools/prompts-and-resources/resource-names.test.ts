import { expect, it } from "vitest";
import { parseSharedUri, toSharedTemplate, toSharedUri } from "./resource-names.js";

it.each([
  ["book://shelf/1", "anygpt://servers/lib/book://shelf/1"],
  ["file:///a%20b/c?d=e#f", "anygpt://servers/lib/file:///a%20b/c?d=e#f"],
  ["no scheme/at all", "anygpt://servers/lib/no%20scheme%2Fat%20all"],
  ["anygpt://servers/inner/x:y", "anygpt://servers/lib/anygpt://servers/inner/x:y"],
  ["a:line\nbreak", "anygpt://servers/lib/a:line\nbreak"],
])("converts %j to %j and back", (uri, shared) => {
  expect(toSharedUri({ server: "lib", uri })).toBe(shared);
  expect(parseSharedUri(shared)).toEqual({ server: "lib", uri });
});

it("supports any characters in the name of a server", () => {
  const resource = { server: "a/b c%:é", uri: "x:1" };
  expect(parseSharedUri(toSharedUri(resource))).toEqual(resource);
});

it("parses a URI that is percent-encoded completely", () => {
  expect(parseSharedUri("anygpt://servers/lib/book%3A%2F%2Fshelf%2F1")).toEqual({
    server: "lib",
    uri: "book://shelf/1",
  });
});

it("keeps the escape sequences of an expanded template", () => {
  const template = toSharedTemplate("lib", "book://{shelf}/{+path}");
  expect(parseSharedUri(template)).toEqual({ server: "lib", uri: "book://{shelf}/{+path}" });
  const filled = template.replace("{shelf}", "a%2Fb").replace("{+path}", "c/d");
  expect(parseSharedUri(filled)).toEqual({ server: "lib", uri: "book://a%2Fb/c/d" });
  expect(parseSharedUri(toSharedTemplate("lib", "{name}"))).toEqual({ server: "lib", uri: "{name}" });
});

it.each(["anygpt://guide", "anygpt://servers/lib", "anygpt://servers/lib/", "anygpt://servers//x:1", "book://shelf/1"])(
  "rejects %j, which is not a resource of a server",
  (uri) => {
    expect(parseSharedUri(uri)).toBeUndefined();
  },
);

it("rejects invalid escape sequences", () => {
  expect(parseSharedUri("anygpt://servers/%zz/x:1")).toBeUndefined();
  expect(parseSharedUri("anygpt://servers/lib/%zz")).toBeUndefined();
});
