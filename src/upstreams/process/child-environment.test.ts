import { expect, it } from "vitest";
import { childEnvironment } from "./child-environment.js";

it("passes on the safe variables and those of the entry, and nothing else", () => {
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
  ["uses the entry's value instead of the gateway's", { PATH: "/bin" }, { PATH: "/own" }, { PATH: "/own" }],
  ["accepts a name in the letter case of Windows", { Path: "C:\\" }, {}, { Path: "C:\\" }],
  [
    "sets the depth, even if the server's entry has another value",
    { ANYGPT_DEPTH: "2" },
    { anygpt_depth: "0" },
    { ANYGPT_DEPTH: "2" },
  ],
  ["does not pass on shell functions", { TERM: "() { :; }" }, {}, {}],
])("%s", (_name, gateway, own, expected) => {
  expect(childEnvironment(gateway, own)).toEqual(expected);
});

it.each([
  ["a name", ["AWS_PROFILE"], ["AWS_PROFILE"]],
  ["a pattern", ["AWS_*"], ["AWS_PROFILE", "AWS_REGION"]],
  ["variables that match single-character wildcards", ["AWS_REGIO?"], ["AWS_REGION"]],
  ["every variable except the gateway's", ["*"], ["AWS_PROFILE", "AWS_REGION", "EDITOR"]],
  ["no variable whose name only contains the pattern", ["REGION"], []],
])("lets a child inherit %s", (_name, inheritEnv, expected) => {
  const gateway = {
    AWS_PROFILE: "p",
    AWS_REGION: "r",
    EDITOR: "vi",
    ANYGPT_TOKEN: "canary",
    BASH_FUNC: "() { :; }",
  };
  expect(Object.keys(childEnvironment(gateway, {}, inheritEnv))).toEqual(expected);
});

it("passes on proxy and certificate settings", () => {
  const network = {
    https_proxy: "http://p:1",
    NO_PROXY: "a",
    SSL_CERT_FILE: "/ca.pem",
    NODE_EXTRA_CA_CERTS: "/x.pem",
  };
  expect(childEnvironment({ ...network, OTHER: "x" }, {})).toEqual(network);
});
