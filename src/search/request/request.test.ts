import { describe, expect, it } from "vitest";
import { interpretRequest } from "./request.js";

describe("interpretRequest", () => {
  it.each<[string, readonly string[]]>([
    ["create an issue", ["create"]],
    ["Can you please delete the branch?", ["delete"]],
    ["show me all comments of the post", ["read"]],
    ["post a message to the channel", ["create"]],
    ["what is the weather like in Hanoi?", ["read"]],
    ["lösche den Branch", ["delete"]],
    ["convert 100 dollars to euros", ["compute"]],
    ["the message of the day", []],
    ["which build failed on our site last night", ["read"]],
    ["netlify: who is in our team and what may they do", ["read"]],
    ["how many downloads are left", ["read"]],
    ["how do I create a branch", ["create"]],
    ["refund the order", ["create"]],
    ["please refund order 42", ["create"]],
    ["refund policy", []],
    ["list the refunds", ["list"]],
    ["take a backup of the database", ["create"]],
    ["take the blue mug out of our catalogue", ["delete"]],
    ["set up a webhook", ["create"]],
    ["set the title", ["update"]],
    ["suspend the user", ["update"]],
  ])("reads the action of %j", (query, actions) => {
    expect([...interpretRequest(query).actions]).toEqual(actions);
  });

  it.each<[string, boolean]>([
    ["take a backup of the database", false],
    ["list the snapshots", false],
    ["get rid of the old records", true],
    ["we don't need this phone number any more, give it back", true],
    ["take the blue mug out of our catalogue", true],
    ["cancel my subscription", true],
    ["deleting old branches", true],
    ["show the deleted items", true],
  ])("reads whether %j asks for a deletion: %j", (query, isDestructive) => {
    expect(interpretRequest(query).isDestructive).toBe(isDestructive);
  });

  it.each<[string, readonly string[]]>([
    ["Send a WhatsApp message to Jo", ["whatsapp"]],
    ["add a comment to a Jira issue", ["jira"]],
    ["find a route with google maps", ["google maps"]],
    ["send a message", []],
  ])("finds the known products in %j", (query, products) => {
    expect(interpretRequest(query).products).toEqual(products);
  });

  it("splits a request into its steps", () => {
    const { steps } = interpretRequest("Read the PDF report and comment on the ticket in Jira");
    expect(steps).toEqual(["Read the PDF report", "comment on the ticket in Jira"]);
    expect(interpretRequest("read the report").steps).toEqual([]);
  });

  it.each([
    ["Find the latest news about climate change", true],
    ["Find information about quantum computing", true],
    ["Find the best restaurants in New York", true],
    ["Who wrote the Odyssey?", true],
    ["What storage accounts do I have?", false],
    ["List my invoices", false],
  ])("tells whether a web search can serve %j: %j", (query, isOpenQuestion) => {
    expect(interpretRequest(query).isOpenQuestion).toBe(isOpenQuestion);
  });

  it("recognizes URLs and identifiers", () => {
    expect(interpretRequest("summarize https://example.com/a").hasUrl).toBe(true);
    expect(interpretRequest("get the role with the ID 'role456'").hasIdentifier).toBe(true);
    expect(interpretRequest("get issue ABC-12").hasIdentifier).toBe(true);
    expect(interpretRequest("movies similar to Breaking Bad").hasIdentifier).toBe(false);
  });
});
