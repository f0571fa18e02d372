import { describe, expect, it } from "vitest";
import { parameter, toOperation } from "../../../test/rest/session.js";
import type { RestBody, RestOperation, RestParameter } from "../../model/operation.js";
import type { JsonObject } from "../../model/json.js";
import { buildRequest, type RestRequest } from "./build-request.js";

const BASE = { origin: "https://api.example", prefix: "/v1" };

function build(operation: Partial<RestOperation>, values: JsonObject, reserved: string[] = []): Promise<RestRequest> {
  const uploads = { server: "api", folders: [] };
  return buildRequest(toOperation(operation), values, {
    server: "api",
    base: BASE,
    uploads,
    reservedHeaders: new Set(reserved),
  });
}

const list = ["blue", "black", "brown"];
const object = { R: 100, G: 200, B: 150 };

describe("a path parameter", () => {
  it.each<[string, RestParameter["style"], boolean, unknown]>([
    ["/blue", "simple", false, "blue"],
    ["/blue,black,brown", "simple", false, list],
    ["/R,100,G,200,B,150", "simple", false, object],
    ["/R=100,G=200,B=150", "simple", true, object],
    ["/.blue", "label", false, "blue"],
    ["/.blue,black,brown", "label", false, list],
    ["/.blue.black.brown", "label", true, list],
    ["/.R=100.G=200.B=150", "label", true, object],
    ["/;color=blue", "matrix", false, "blue"],
    ["/;color=blue,black,brown", "matrix", false, list],
    ["/;color=blue;color=black;color=brown", "matrix", true, list],
    ["/;R=100;G=200;B=150", "matrix", true, object],
    ["/a%2Fb%20%3F%23%25", "simple", false, "a/b ?#%"],
    ["/%E6%97%A5%C2%85", "simple", false, "日\u0085"],
    ["/7", "simple", false, 7],
    ["/true", "simple", false, true],
  ])("is serialized as %s", async (path, style, explode, value) => {
    const parameters = [parameter("path", "color", { style, explode })];
    expect((await build({ path: "/{color}", parameters }, { color: value })).url.pathname).toBe(`/v1${path}`);
  });

  it.each([
    ["..", "leads out"],
    ["../x", "leads out"],
    ["%2e%2e%2f", "leads out"],
    ["%252e%252e", "leads out"],
    ["..;/x", "leads out"],
    ["a/../b", "leads out"],
    ["..\\x", "leads out"],
    ["a\r\nb", "control character"],
    ["a\0", "control character"],
    ["a%00", "control character"],
    ["", "is empty"],
    [[], "is empty"],
    [["a", ""], "is empty"],
    [undefined, "is missing"],
    [null, "is missing"],
    ["\ud800", "unpaired surrogate"],
  ])("rejects %j and names the argument", async (value, what) => {
    const building = build(
      { path: "/{id}", parameters: [parameter("path", "id", { argument: "item_id" })] },
      { item_id: value },
    );
    await expect(building).rejects.toMatchObject({
      code: "TOOL_VALIDATION_ERROR",
      message: expect.stringMatching(new RegExp(`^The argument "item_id" .*${what}`)),
      facts: { argument: "item_id" },
    });
  });

  it("cannot form a dot-dot segment with adjacent text", async () => {
    const parameters = [parameter("path", "a"), parameter("path", "b")];
    await expect(build({ path: "/{a}{b}/x", parameters }, { a: ".x", b: "y" })).resolves.toBeDefined();
    await expect(build({ path: "/.{a}/x", parameters }, { a: "%2E" })).rejects.toMatchObject({ executed: "no" });
    await expect(build({ path: "/../{a}", parameters }, { a: "x" })).rejects.toMatchObject({
      message: "The operation of api cannot be sent: its path leads outside the base address.",
    });
  });
});

describe("a query parameter", () => {
  it.each<[string, Partial<RestParameter>, unknown]>([
    ["color=blue", {}, "blue"],
    ["color=", {}, ""],
    ["color=blue&color=black&color=brown", { explode: true }, list],
    ["color=blue,black,brown", { explode: false }, list],
    ["R=100&G=200&B=150", { explode: true }, object],
    ["color=R,100,G,200,B,150", { explode: false }, object],
    ["color=blue%20black%20brown", { style: "spaceDelimited", explode: false }, list],
    ["color=blue%7Cblack%7Cbrown", { style: "pipeDelimited", explode: false }, list],
    ["color=R%20100%20G%20200%20B%20150", { style: "spaceDelimited", explode: false }, object],
    ["color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150", { style: "deepObject" }, object],
    ["color%5Ba%5D%5Bb%5D=1&color%5Ba%5D%5Bc%5D%5B0%5D=x", { style: "deepObject" }, { a: { b: 1, c: ["x"] } }],
    ["color%5B0%5D=blue", { style: "deepObject" }, ["blue"]],
    ["color=%7B%22a%22%3A%5B1%5D%7D", { isJson: true }, { a: [1] }],
    ["color=a%2Cb,c%26d", { explode: false }, ["a,b", "c&d"]],
    ["color=a/b:c%26d%23%2B%25", { allowReserved: true }, "a/b:c&d#+%"],
    ["", {}, []],
    ["", {}, undefined],
    ["", {}, null],
  ])("is serialized as %s", async (query, extra, value) => {
    const { url } = await build({ parameters: [parameter("query", "color", extra)] }, { color: value });
    expect(url.search).toBe(query === "" ? "" : `?${query}`);
  });

  it("follows the query of the path and drops the fragment", async () => {
    const { url } = await build({ path: "/do?action=list#a", parameters: [parameter("query", "q")] }, { q: "x" });
    expect(url.href).toBe("https://api.example/v1/do?action=list&q=x");
  });
});

describe("a header", () => {
  it.each<[string, boolean, unknown]>([
    ["blue", false, "blue"],
    ["blue,black,brown", false, list],
    ["R,100,G,200,B,150", false, object],
    ["R=100,G=200,B=150", true, object],
    ["é", false, "é"],
  ])("is serialized as %s", async (text, explode, value) => {
    const { headers } = await build(
      { parameters: [parameter("header", "X-Color", { explode })] },
      { "X-Color": value },
    );
    expect(headers).toEqual({ "x-color": text });
  });

  it.each(["a\r\nb", "a\nb", "a\0", "日本", "\u007f"])("rejects the value %j", async (value) => {
    const building = build({ parameters: [parameter("header", "X-Color")] }, { "X-Color": value });
    await expect(building).rejects.toMatchObject({
      message: expect.stringContaining('"X-Color" contains a character'),
    });
  });

  it.each([
    "Host",
    "Authorization",
    "Cookie",
    "Content-Length",
    "Content-Type",
    "Transfer-Encoding",
    "Connection",
    "Proxy-Authorization",
    "X-Forwarded-For",
    "x-forwarded-host",
    "Forwarded",
    "X-HTTP-Method-Override",
    "Expect",
    "X-Mine",
    "Bad Name",
    "X:\r\nY",
  ])("rejects the name %s", async (name) => {
    const building = build({ parameters: [parameter("header", name, { argument: "h" })] }, { h: "x" }, ["x-mine"]);
    await expect(building).rejects.toMatchObject({
      message: expect.stringMatching(/"h" would set the header .* reserved/),
    });
  });
});

it("encodes cookies so that no value can end a cookie early", async () => {
  const parameters = [parameter("cookie", "a"), parameter("cookie", "b", { explode: false })];
  expect((await build({ parameters }, { a: "1; admin=true", b: ["x", "y"] })).cookies).toEqual([
    "a=1%3B%20admin%3Dtrue",
    "b=x,y",
  ]);
});

describe("a body", () => {
  const members = [
    { argument: "name", name: "name" },
    { argument: "body_id", name: "id" },
    { argument: "tags", name: "tags" },
  ];
  const given = { name: "a b&c", body_id: 7, tags: ["x", "y"] };

  it.each<[string, RestBody, JsonObject]>([
    ['{"name":"a b&c","id":7,"tags":["x","y"]}', { contentType: "application/json", kind: "json", members }, given],
    ["[1,2]", { contentType: "application/json", kind: "json", argument: "body" }, { body: [1, 2] }],
    ["null", { contentType: "application/json", kind: "json", argument: "body" }, { body: null }],
    ["{}", { contentType: "application/json", kind: "json", members, required: true }, {}],
    [
      "name=a+b%26c&id=7&tags=x&tags=y",
      { contentType: "application/x-www-form-urlencoded", kind: "form", members },
      given,
    ],
    [
      "a=1&b=%7B%22c%22%3A2%7D",
      { contentType: "application/x-www-form-urlencoded", kind: "form", argument: "body" },
      { body: { a: 1, b: { c: 2 } } },
    ],
    ["hé", { contentType: "text/plain", kind: "text", argument: "body" }, { body: "hé" }],
    [
      "\u0000\u0001",
      { contentType: "application/octet-stream", kind: "binary", argument: "body" },
      { body: "data:;base64,AAE=" },
    ],
  ])("is serialized as %s", async (text, body, values) => {
    const request = await build({ method: "POST", body }, values);
    expect(request.body?.toString()).toBe(text);
    expect(request.headers["content-type"]).toBe(body.contentType);
  });

  it("of a form follows each member's style", async () => {
    const styled = [
      { argument: "a", name: "a", style: "deepObject", explode: true },
      { argument: "b", name: "b", style: "form", explode: false },
      { argument: "c", name: "c", style: "pipeDelimited", explode: false },
    ] as const;
    const body: RestBody = { contentType: "application/x-www-form-urlencoded", kind: "form", members: styled };
    const request = await build({ method: "POST", body }, { a: { x: [{ y: 1 }] }, b: [1, 2], c: ["p", "q"] });
    expect([...new URLSearchParams(request.body?.toString())]).toEqual([
      ["a[x][0][y]", "1"],
      ["b", "1,2"],
      ["c", "p|q"],
    ]);
  });

  it("is omitted without arguments, unless it is required", async () => {
    const body: RestBody = { contentType: "application/json", kind: "json", argument: "body" };
    expect((await build({ method: "POST", body }, {})).body).toBe(undefined);
    const building = build({ method: "POST", body: { ...body, required: true } }, {});
    await expect(building).rejects.toMatchObject({ code: "TOOL_VALIDATION_ERROR" });
  });

  it("of type multipart keeps names, files and types apart, and no value can start a part", async () => {
    const parts = [
      { argument: "file", name: 'fi"le\r\nX: y', isFile: true, contentType: "image/png" },
      { argument: "meta", name: "meta" },
      { argument: "tags", name: "tags" },
    ] as const;
    const body: RestBody = { contentType: "multipart/form-data", kind: "multipart", members: parts };
    const values = { file: "data:image/gif;base64,R0lG", meta: { a: 1 }, tags: ["x\r\n--part\r\n", "y"] };
    const request = await build({ method: "POST", body }, values);
    const type = request.headers["content-type"] ?? "";
    const form = await new Response(request.body as Uint8Array<ArrayBuffer>, {
      headers: { "content-type": type },
    }).formData();
    const [file, meta] = [form.get('fi"le\r\nX: y') as File, form.get("meta")];
    expect([file.type, Buffer.from(await file.arrayBuffer()).toString()]).toEqual(["image/gif", "GIF"]);
    expect([meta, form.getAll("tags")]).toEqual(['{"a":1}', ["x\r\n--part\r\n", "y"]]);
  });
});

it("limits the files of one call to 50 MiB in total", async () => {
  const members = [
    { argument: "files", name: "files", isFile: true },
    { argument: "last", name: "last", isFile: true },
  ] as const;
  const body: RestBody = { contentType: "multipart/form-data", kind: "multipart", members };
  const file = `data:;base64,${Buffer.alloc(13 * 1024 * 1024).toString("base64")}`;
  const fits = { files: [file, file], last: file };
  expect((await build({ method: "POST", body }, fits)).body?.byteLength).toBeGreaterThan(39 * 1024 * 1024);
  const sending = build({ method: "POST", body }, { ...fits, files: [file, file, file] });
  // Compares the message only: a failed assertion would print the complete request.
  const ended = sending.then(
    () => "sent",
    (error: Error) => error.message,
  );
  expect(await ended).toBe('The argument "last" exceeds the limit of 50 MiB for the files of one call.');
});

it("rejects a method that is not an HTTP method", async () => {
  await expect(build({ method: "GET /x" }, {})).rejects.toMatchObject({ code: "TOOL_EXECUTION_ERROR", executed: "no" });
});
