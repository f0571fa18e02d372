import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { testServer } from "../support/gateway.js";
import { createProject, type LiveGateway, type Project } from "../support/live-gateway.js";

describe("a call of a tool that its server does not know", () => {
  let project: Project;

  async function open(style: string): Promise<LiveGateway> {
    const tools = project.write("tools.txt", "read_note\nwrite_note\ntrace\nquote\n");
    const servers = { notes: testServer("changing.mjs", tools, style) };
    const gateway = await project.open("--config", project.write("gateway.json", { servers }));
    await gateway.call("list_tools", { server: "notes" });
    return gateway;
  }

  beforeEach(() => void (project = createProject()));
  afterEach(() => project.close());

  it.each(["rpc", "result"])("fails with similar names if the tool has gone (%s)", async (style) => {
    const gateway = await open(style);
    expect(await gateway.execute("notes", "read_note")).toEqual({ text: "ran read_note", isError: false });
    project.write("tools.txt", "read_notes\nwrite_note\n");
    expect(JSON.parse((await gateway.execute("notes", "read_note")).text)).toEqual({
      success: false,
      error: {
        code: "TOOL_NOT_FOUND",
        message: 'notes no longer has the tool "read_note".',
        hint: "Did you mean read_notes?",
      },
    });
    const listed = await gateway.call("list_tools", { server: "notes" });
    expect(listed.text).toContain("read_notes");
    expect(await gateway.execute("notes", "read_notes")).toEqual({ text: "ran read_notes", isError: false });
  });

  it("says that the call can be repeated if the server still lists the tool", async () => {
    const gateway = await open("forgetful");
    expect(JSON.parse((await gateway.execute("notes", "read_note")).text)).toEqual({
      success: false,
      error: {
        code: "TOOL_EXECUTION_ERROR",
        message: 'notes answered that the tool "read_note" is unknown, but its current list contains the tool.',
        hint: "Call again.",
        retryable: true,
      },
    });
  });

  it("leaves the idempotency key free", async () => {
    const gateway = await open("rpc");
    project.write("tools.txt", "write_note\n");
    const call = { server: "notes", tool: "read_note", options: { idempotency_key: "k-1" } };
    expect((await gateway.call("execute_tool", call)).error).toMatchObject({ code: "TOOL_NOT_FOUND" });
    project.write("tools.txt", "read_note\n");
    await gateway.call("list_tools", { server: "notes" });
    expect((await gateway.call("execute_tool", { ...call, tool: "write_note" })).error).toMatchObject({
      code: "TOOL_NOT_FOUND",
    });
    expect(await gateway.call("execute_tool", call)).toEqual({ text: "ran read_note", isError: false });
  });

  it("passes on the result of a tool that failed because of another tool", async () => {
    const gateway = await open("rpc");
    expect(await gateway.execute("notes", "quote")).toEqual({ text: "Tool other not found", isError: true });
  });

  it("passes on an error of a tool without its stack frames", async () => {
    const gateway = await open("rpc");
    expect(await gateway.execute("notes", "trace")).toEqual({ text: "TypeError: x is not a function", isError: true });
  });
});
