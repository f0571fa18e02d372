import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../model/json.js";
import type { Tool } from "../../model/tool.js";
import { interpretRequest } from "../../search/request/request.js";
import { contradictsRequest, isUnaskedDestruction, readStatedValues } from "./stated-values.js";

function tool(name: string, properties: JsonObject = {}, required: readonly string[] = []): Tool {
  const definition = { name, inputSchema: { type: "object", properties, required: [...required] } };
  return { id: `s:${name}`, server: "s", name, definition, hash: "", enabled: true, tags: [] };
}
const text = { type: "string" };

describe("readStatedValues", () => {
  it.each<[string, JsonObject, JsonObject]>([
    ["refund jo@example.com, please", { email: text, reason: text }, { email: "jo@example.com" }],
    [
      "call https://example.com/hook each time",
      { url: { type: "string", format: "uri" } },
      { url: "https://example.com/hook" },
    ],
    ["show page 3 of the list", { page: { type: "integer" }, limit: { type: "integer" } }, { page: 3 }],
    ["set the amount to 12.5", { amount: { type: "integer" } }, {}],
    ["set the amount to 12.5", { amount: { type: "number" } }, { amount: 12.5 }],
    ["list the open issues", { state: { type: "string", enum: ["open", "closed"] } }, { state: "open" }],
    ["open or closed issues", { state: { type: "string", enum: ["open", "closed"] } }, {}],
    ["get the role with role_id role456.", { role_id: text }, { role_id: "role456" }],
    ["post 'Hi all' with the title 'News, today'", { title: text, body: text }, { title: "News, today" }],
    ["list everything", { page: { type: "integer" } }, {}],
  ])("reads from %j the parameters of %j", (query, properties, values) => {
    expect(readStatedValues(query, tool("x", properties))).toEqual(values);
  });

  it("takes the only quoted text for the only required text, and nothing if there are two", () => {
    const title = { title: text, body: text };
    expect(readStatedValues('create an issue "It is broken"', tool("x", title, ["title"]))).toEqual({
      title: "It is broken",
    });
    expect(readStatedValues('create an issue "It is broken"', tool("x", title, ["title", "body"]))).toEqual({});
  });
});

it("recognizes a deletion that the query does not ask for", () => {
  expect(isUnaskedDestruction("take a backup", tool("delete_backup"), "medium")).toBe(true);
  expect(isUnaskedDestruction("delete the backup", tool("delete_backup"), "medium")).toBe(false);
  expect(isUnaskedDestruction("take a backup", tool("create_backup"), "medium")).toBe(false);
});

it.each<[string, boolean]>([
  ["money", true],
  ["list the payments", true],
  ["refund the payment", false],
  ["give the customer the money back", false],
])("recognizes whether %j asks for a destructive tool: unasked %s", (query, isUnasked) => {
  expect(isUnaskedDestruction(query, tool("create_refund"), "destructive")).toBe(isUnasked);
  expect(isUnaskedDestruction(query, tool("create_refund"), "high")).toBe(false);
});

it.each<[string, string, boolean]>([
  ["who is in our team", "POST_sites", true],
  ["who is in our team", "GET_members", false],
  ["create a site", "GET_sites", true],
  ["create a site", "POST_sites", false],
  ["sites", "POST_sites", false],
  ["who is in our team", "create_site", false],
])("recognizes whether %j and the operation %s contradict each other: %s", (query, name, isOther) => {
  expect(contradictsRequest(interpretRequest(query), tool(name))).toBe(isOther);
});
