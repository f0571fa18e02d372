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

it.each([
  ["a name", ["AWS_PROFILE"], ["AWS_PROFILE"]],
  ["a pattern", ["AWS_*"], ["AWS_PROFILE", "AWS_REGION"]],
  ["a pattern of single characters", ["AWS_REGIO?"], ["AWS_REGION"]],
  ["everything but what is the gateway's own", ["*"], ["AWS_PROFILE", "AWS_REGION", "EDITOR"]],
  ["no name that only contains the pattern", ["REGION"], []],
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

it("hands on how the network is reached", () => {
  const network = { https_proxy: "http://p:1", NO_PROXY: "a", SSL_CERT_FILE: "/ca.pem", NODE_EXTRA_CA_CERTS: "/x.pem" };
  expect(childEnvironment({ ...network, OTHER: "x" }, {})).toEqual(network);
});
