import { expect, it } from "vitest";
import { DiscoveryError } from "../../errors.js";
import { createSecrets } from "../../util/secrets.js";
import { toProblem } from "./problem.js";
import { httpRefusal } from "./refusal.js";

const parts = { requestId: "r-1", secrets: createSecrets() };

it("states what happened, the next step and how long to wait", () => {
  const error = new DiscoveryError("RATE_LIMITED", "Too many calls.", {
    hint: [{ action: "retry", afterSeconds: 7 }, { action: "search" }],
    facts: { retry_after_seconds: 7 },
    server: "bank",
  });
  expect(toProblem(error, parts)).toEqual({
    status: 429,
    contentType: "application/problem+json",
    headers: { "retry-after": "7" },
    closes: false,
    body: {
      type: "urn:anygpt:error:RATE_LIMITED",
      title: "The rate limit for these tools is exceeded; nothing was sent.",
      status: 429,
      detail: "Too many calls.",
      code: "RATE_LIMITED",
      hint: "Send the request again after 7 s. Send GET /api/search?q=QUERY to find tools by what they do.",
      request_id: "r-1",
      retryable: true,
      executed: "no",
      server: "bank",
      retry_after_seconds: 7,
    },
  });
});

it.each([
  [{ retryAfterMs: 1 }, "1"],
  [{ retryAfterMs: 1001 }, "2"],
  [{ retry_after_seconds: 0 }, "1"],
])("rounds Retry-After of %j up to whole seconds", (facts, seconds) => {
  const { headers } = toProblem(new DiscoveryError("SERVER_CONNECTION_ERROR", "No.", { facts }), parts);
  expect(headers).toEqual({ "retry-after": seconds });
});

it("keeps the request id of the audit log, and adds the HTTP status of the server", () => {
  const facts = { status: 418, request_id: "audited", type: "theirs", title: "theirs" };
  const { status, body } = toProblem(new DiscoveryError("UPSTREAM_UNAUTHORIZED", "No.", { facts }), parts);
  expect(status).toBe(502);
  expect(body).toMatchObject({ status: 502, server_status: 418, request_id: "audited" });
  expect(body["type"]).toBe("urn:anygpt:error:UPSTREAM_UNAUTHORIZED");
  expect(body["title"]).toBe("The server rejected the gateway's credentials.");
});

it("marks the stored error of an earlier call with a header", () => {
  const error = new DiscoveryError("TOOL_EXECUTION_ERROR", "No.", { facts: { replayed: true } });
  expect(toProblem(error, parts).headers).toEqual({ "idempotent-replayed": "true" });
});

it("redacts secrets, and hides the message of a foreign error", () => {
  const secrets = createSecrets();
  secrets.note("hunter2-hunter2");
  const error = new DiscoveryError("TOOL_EXECUTION_ERROR", "It said hunter2-hunter2.", {
    facts: { a: "hunter2-hunter2" },
  });
  expect(JSON.stringify(toProblem(error, { ...parts, secrets }))).not.toContain("hunter2");
  const { status, body } = toProblem(new TypeError("at /home/x/y.ts:3"), parts);
  expect([status, body["code"], body["executed"]]).toEqual([500, "INTERNAL_ERROR", "unknown"]);
  expect(JSON.stringify(body)).not.toContain("y.ts");
});

it("uses the status as the problem type if the code has another status", () => {
  const { body, closes } = toProblem(httpRefusal(413, ["Too large.", "Less."], { closes: true }), parts);
  expect(body).toMatchObject({ type: "about:blank", title: "Payload Too Large", status: 413, code: "INVALID_REQUEST" });
  expect(closes).toBe(true);
});
