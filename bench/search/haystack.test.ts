import { describe, expect, it } from "vitest";
import { addDistractors } from "./haystack.js";

const tool = (server: string, name: string) => ({ server, tags: [], definition: { name, inputSchema: {} } });
const ids = (tools: ReturnType<typeof tool>[], distractors: ReturnType<typeof tool>[]) =>
  addDistractors(tools, distractors).map(({ server, definition: { name } }) => `${server}:${name}`);

describe("addDistractors", () => {
  it("omits tools that the set has, and renames servers with the name of a server of the set", () => {
    const own = [tool("github", "create_issue"), tool("files", "read")];
    const others = [tool("github", "create_issue"), tool("github", "fork"), tool("slack", "post")];
    expect(ids(own, others)).toEqual(["github:create_issue", "files:read", "github-2:fork", "slack:post"]);
  });

  it("renames a server to an unused name", () => {
    const own = [tool("a", "x"), tool("a-2", "x")];
    expect(ids(own, [tool("a", "y"), tool("a-3", "y"), tool("a-2", "z")])).toEqual([
      "a:x",
      "a-2:x",
      "a-4:y",
      "a-3:y",
      "a-2-2:z",
    ]);
  });
});
