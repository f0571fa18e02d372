import { describe, expect, it } from "vitest";
import { createFindProxy, proxySecrets } from "./proxy.js";

const find = (env: Record<string, string>, url: string) => {
  const proxy = createFindProxy(env)(new URL(url));
  return proxy && `${proxy.variable} ${proxy.url.href}${proxy.authorization ? ` ${proxy.authorization}` : ""}`;
};

function failureOf(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

describe("createFindProxy", () => {
  it.each([
    [{ HTTPS_PROXY: "http://p:1" }, "https://a.example/", "HTTPS_PROXY http://p:1/"],
    [{ HTTPS_PROXY: "http://p:1" }, "http://a.example/", undefined],
    [{ HTTP_PROXY: "http://p:1" }, "http://a.example/", "HTTP_PROXY http://p:1/"],
    [{ HTTP_PROXY: "http://p:1" }, "https://a.example/", undefined],
    [{ ALL_PROXY: "http://p:1" }, "https://a.example/", "ALL_PROXY http://p:1/"],
    [{ ALL_PROXY: "http://p:1", https_proxy: "http://q:2" }, "https://a.example/", "https_proxy http://q:2/"],
    [{ HTTPS_PROXY: "http://p:1", https_proxy: "http://q:2" }, "https://a.example/", "https_proxy http://q:2/"],
    [{ HTTPS_PROXY: "http://p:1", https_proxy: "" }, "https://a.example/", "HTTPS_PROXY http://p:1/"],
    [{ HTTPS_PROXY: "proxy.example:3128" }, "https://a.example/", "HTTPS_PROXY http://proxy.example:3128/"],
    [{ HTTPS_PROXY: "https://p:1" }, "https://a.example/", "HTTPS_PROXY https://p:1/"],
    [{ HTTPS_PROXY: "http://p:1", NO_PROXY: "a.example" }, "https://a.example/", undefined],
    [{ HTTPS_PROXY: "http://p:1", no_proxy: "a.example", NO_PROXY: "b" }, "https://a.example/", undefined],
    [{ HTTPS_PROXY: "http://p:1" }, "https://localhost/", undefined],
    [
      { HTTPS_PROXY: "http://me:p%40ss@p:1" },
      "https://a.example/",
      `HTTPS_PROXY http://p:1/ Basic ${Buffer.from("me:p@ss").toString("base64")}`,
    ],
  ])("of %j for %s is %s", (env, url, expected) => {
    expect(find(env, url)).toBe(expected);
  });

  it.each([
    ["http://", "is not the address of a proxy"],
    ["http://me:canary@", "is not the address of a proxy"],
    ["socks5://me:canary@p:1", "names a socks5 proxy, which is not supported"],
  ])("rejects %s with the name of the variable and without its value", (value, reason) => {
    const error = failureOf(() => find({ ALL_PROXY: value }, "https://a.example/"));
    expect(error).toMatchObject({
      code: "CONFIGURATION_ERROR",
      message: `The environment variable ALL_PROXY ${reason}.`,
    });
    expect(JSON.stringify(error)).not.toContain("canary");
  });
});

it("lists the secrets in the proxy variables", () => {
  expect(proxySecrets({ https_proxy: "http://me:p%40ss@p:1", HTTP_PROXY: "http://p:1", ALL_PROXY: "x:y@p" })).toEqual([
    "me:p%40ss",
    "p%40ss",
    "p@ss",
    Buffer.from("me:p@ss").toString("base64"),
    "x:y",
    "y",
    "y",
    Buffer.from("x:y").toString("base64"),
  ]);
});

it("lists the complete password if it contains an @", () => {
  expect(proxySecrets({ HTTPS_PROXY: "http://alice:hunter@tail99@127.0.0.1:8" })).toEqual([
    "alice:hunter@tail99",
    "hunter@tail99",
    "hunter@tail99",
    Buffer.from("alice:hunter@tail99").toString("base64"),
  ]);
});
