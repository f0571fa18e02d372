import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { testServer } from "../support/gateway.js";
import { createProject, type LiveGateway, type Project } from "../support/live-gateway.js";

describe("execute_tool with input that is not exactly as published", () => {
  let project: Project;
  let gateway: LiveGateway;

  beforeAll(async () => {
    project = createProject();
    const servers = { calc: testServer("echo.mjs"), library: testServer("library.mjs") };
    gateway = await project.open("--config", project.write("gateway.json", { servers }));
    await gateway.call("list_tools", { server: "calc" });
    await gateway.call("list_tools", { server: "library" });
  });
  afterAll(() => project.close());

  it.each<[string, object]>([
    ["args for arguments", { server: "calc", tool: "echo", args: { text: "hi" } }],
    ["params for arguments", { server: "calc", tool: "echo", params: { text: "hi" } }],
    ["a JSON string for arguments", { server: "calc", tool: "echo", arguments: '{"text":"hi"}' }],
    ["no server", { tool: "echo", arguments: { text: "hi" } }],
    ["the id of the tool and no server", { tool: "calc:echo", arguments: { text: "hi" } }],
    ["the id of the tool and its server", { server: "calc", tool: "calc:echo", arguments: { text: "hi" } }],
    ["options in texts", { tool: "echo", arguments: { text: "hi" }, options: { timeout: "30" } }],
  ])("runs the tool for %s", async (_, args) => {
    expect(await gateway.call("execute_tool", args)).toEqual({ text: "hi", isError: false });
  });

  it("converts a number in a text, because the tool takes a number", async () => {
    const { text } = await gateway.call("execute_tool", { server: "calc", tool: "add", args: { a: "1", b: 2 } });
    expect(text).toContain("3");
  });

  it("rejects arguments under two names", async () => {
    const both = { server: "calc", tool: "echo", arguments: { text: "a" }, args: { text: "b" } };
    expect((await gateway.call("execute_tool", both)).error).toMatchObject({ code: "INVALID_REQUEST" });
  });

  it("names the candidates if several servers have the tool", async () => {
    expect((await gateway.call("execute_tool", { tool: "add", arguments: { a: 1, b: 2 } })).error).toMatchObject({
      code: "INVALID_REQUEST",
      message: '2 servers have a tool named "add": calc:add, library:add.',
      hint: 'Name the server, for example: Call execute_tool({"server":"calc","tool":"add"}) to run a tool.',
    });
  });

  it("names similar tools if no server has the tool", async () => {
    expect((await gateway.call("execute_tool", { tool: "ecko" })).error).toMatchObject({
      code: "TOOL_NOT_FOUND",
      hint: "Did you mean calc:echo?",
    });
  });
});
