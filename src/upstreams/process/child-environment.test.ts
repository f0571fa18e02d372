import { expect, it } from "vitest";
import { childEnvironment } from "./child-environment.js";

it("gives a child the safe variables and its own, and nothing else", () => {
  const gateway = {
    PATH: "/bin",
    HOME: "/home/a",
    LC_ALL: "C",
    XDG_CONFIG_HOME: "/c",
    AWS_SECRET_ACCESS_KEY: "canary",
    NODE_OPTIONS: "--inspect",
    LD_PRELOAD: "x.so",
    ANYGPT_HOME: "/s",
    TERM: undefined,
  };
  expect(childEnvironment(gateway, { TOKEN: "t" })).toEqual({
    PATH: "/bin",
    HOME: "/home/a",
    LC_ALL: "C",
    XDG_CONFIG_HOME: "/c",
    TOKEN: "t",
  });
});

it.each([
  ["lets the server's own value win", { PATH: "/bin" }, { PATH: "/own" }, { PATH: "/own" }],
  ["knows a name in the case of Windows", { Path: "C:\\" }, {}, { Path: "C:\\" }],
  [
    "tells how deep it is, whatever the server's entry says",
    { ANYGPT_DEPTH: "2" },
    { anygpt_depth: "0" },
    { ANYGPT_DEPTH: "2" },
  ],
  ["leaves out shell functions", { TERM: "() { :; }" }, {}, {}],
])("%s", (_name, gateway, own, expected) => {
  expect(childEnvironment(gateway, own)).toEqual(expected);
});
