import { describe, expect, it } from "vitest";
import { createBypass } from "./no-proxy.js";

describe("NO_PROXY", () => {
  it.each([
    ["*", "https://anything.example/", true],
    ["", "https://api.example/", false],
    ["example.com", "https://example.com/", true],
    ["example.com", "https://api.example.com/", true],
    ["example.com", "https://notexample.com/", false],
    [".example.com", "https://example.com/", true],
    [".example.com", "https://api.example.com/", true],
    ["*.example.com", "https://api.example.com/", true],
    ["EXAMPLE.com.", "https://Api.Example.COM/", true],
    ["a.example, b.example", "https://b.example/", true],
    ["a.example b.example", "https://b.example/", true],
    ["api.example:8443", "https://api.example:8443/", true],
    ["api.example:8443", "https://api.example/", false],
    ["api.example:443", "https://api.example/", true],
    ["api.example:80", "http://api.example/", true],
    ["10.0.0.0/8", "http://10.1.2.3/", true],
    ["10.0.0.0/8", "http://11.1.2.3/", false],
    ["10.0.0.0/33", "http://10.1.2.3/", false],
    ["192.168.1.4", "http://192.168.1.4/", true],
    ["1.4", "http://192.168.1.4/", false],
    ["2001:db8::1", "http://[2001:db8::1]/", true],
    ["[2001:db8::1]:8080", "http://[2001:db8::1]:8080/", true],
    ["[2001:db8::1]:8080", "http://[2001:db8::1]/", false],
    ["fd00::/8", "http://[fd12::1]/", true],
    ["fd00::/8", "http://10.0.0.1/", false],
  ])("%j and %s: %s", (noProxy, url, expected) => {
    expect(createBypass(noProxy)(new URL(url))).toBe(expected);
  });

  it.each(["http://localhost:3000/", "http://a.localhost/", "http://127.0.0.2/", "http://[::1]/"])(
    "never uses a proxy for %s",
    (url) => {
      expect(createBypass("")(new URL(url))).toBe(true);
    },
  );
});
