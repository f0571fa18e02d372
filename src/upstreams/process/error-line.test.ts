import { expect, it } from "vitest";
import { findErrorLine } from "./error-line.js";

it.each<[string, string[], string]>([
  [
    "npm with a missing package",
    [
      "npm error code E404",
      "npm error 404 Not Found - GET http://registry/x - Not found",
      "npm error 404",
      "npm error 404  'x@*' is not in this registry.",
      "npm error A complete log of this run can be found in: /c/_logs/1-debug-0.log",
    ],
    "npm error 404 Not Found - GET http://registry/x - Not found",
  ],
  [
    "npm without a network",
    [
      "npm error code ENOTFOUND",
      "npm error syscall getaddrinfo",
      "npm error errno ENOTFOUND",
      "npm error network request to http://registry/x failed, reason: getaddrinfo ENOTFOUND registry",
      "npm error network This is a problem related to network connectivity.",
      "npm error A complete log of this run can be found in: /c/_logs/1-debug-0.log",
    ],
    "npm error network request to http://registry/x failed, reason: getaddrinfo ENOTFOUND registry",
  ],
  [
    "Node with a missing package",
    [
      "node:internal/modules/esm/resolve:873",
      "  throw new ERR_MODULE_NOT_FOUND(packageName, fileURLToPath(base), null);",
      "        ^",
      "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'zod' imported from /x/index.js",
      "    at packageResolve (node:internal/modules/esm/resolve:873:9)",
      "  code: 'ERR_MODULE_NOT_FOUND'",
      "}",
      "Node.js v20.20.2",
    ],
    "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'zod' imported from /x/index.js",
  ],
  [
    "a Python traceback",
    [
      "Traceback (most recent call last):",
      '  File "server.py", line 1, in <module>',
      "ModuleNotFoundError: No module named 'mcp'",
    ],
    "ModuleNotFoundError: No module named 'mcp'",
  ],
  [
    "uv",
    [
      "  × No solution found when resolving tool dependencies:",
      "  ╰─▶ Because x was not found in the package registry",
      "      hint: check the name",
    ],
    "× No solution found when resolving tool dependencies:",
  ],
  [
    "docker",
    [
      "Unable to find image 'x:latest' locally",
      "docker: Error response from daemon: pull access denied for x.",
      "Run 'docker run --help' for more information",
    ],
    "docker: Error response from daemon: pull access denied for x.",
  ],
  [
    "go",
    ["go: host/mod@latest: module host/mod: not found", "exit status 1"],
    "go: host/mod@latest: module host/mod: not found",
  ],
  [
    "a program that marks its error",
    ["starting", "✗ The file is not valid.", "  Correct it, then start again."],
    "✗ The file is not valid.",
  ],
  ["an unknown format", ["starting", "no token set"], "no token set"],
  ["noise only", ["Node.js v20.20.2"], "Node.js v20.20.2"],
])("finds the line that explains the failure: %s", (_name, lines, expected) => {
  expect(findErrorLine(lines)).toBe(expected);
});

it("returns undefined without lines", () => {
  expect(findErrorLine([])).toBeUndefined();
});
