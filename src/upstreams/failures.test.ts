import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from "@modelcontextprotocol/client";
import { describe, expect, it } from "vitest";
import { DiscoveryError } from "../errors.js";
import { connectError, networkError, requestError } from "./failures.js";

const fetchFailed = (code: string): Error =>
  new TypeError("fetch failed", { cause: Object.assign(new Error("inner"), { code }) });
const status = (code: number): Error =>
  new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, "POST", { status: code });

describe("network failures", () => {
  it.each([
    ["ECONNREFUSED", "github cannot be reached: nothing listens at its address (ECONNREFUSED)."],
    ["ENOTFOUND", "github cannot be reached: its host name is not known (ENOTFOUND)."],
    ["CERT_HAS_EXPIRED", "github cannot be reached: its TLS certificate has expired (CERT_HAS_EXPIRED)."],
    [
      "ERR_TLS_CERT_ALTNAME_INVALID",
      "github cannot be reached: its TLS certificate belongs to another host (ERR_TLS_CERT_ALTNAME_INVALID).",
    ],
    [
      "ERR_SSL_SOMETHING_NEW",
      "github cannot be reached: its TLS certificate was not accepted (ERR_SSL_SOMETHING_NEW).",
    ],
  ])("maps %s to an error that reports nothing as sent", (code, message) => {
    expect(networkError("github", fetchFailed(code))).toMatchObject({
      code: "SERVER_CONNECTION_ERROR",
      message,
      executed: "no",
    });
  });

  it("reports a port that fetch blocks", async () => {
    const error: unknown = await fetch("http://127.0.0.1:6000/").catch((thrown: unknown) => thrown);
    expect(networkError("github", error)).toMatchObject({
      code: "SERVER_CONNECTION_ERROR",
      executed: "no",
      message: "github cannot be reached: its port is blocked for HTTP clients (ERR_BLOCKED_PORT).",
    });
  });

  it("finds the code in an AggregateError of several addresses", () => {
    const both = new AggregateError([Object.assign(new Error("v6"), { code: "ECONNREFUSED" })]);
    expect(networkError("github", new TypeError("fetch failed", { cause: both })).facts).toEqual({
      error: "ECONNREFUSED",
    });
  });

  it.each<[string, string, string]>([
    ["connect", "SERVER_CONNECTION_ERROR", "no"],
    ["read", "TOOL_EXECUTION_ERROR", "unknown"],
  ])("maps EHOSTUNREACH during %s to %s, executed: %s", (syscall, expected, executed) => {
    const cause = Object.assign(new Error("inner"), { code: "EHOSTUNREACH", syscall });
    const error = networkError("github", new TypeError("fetch failed", { cause }));
    expect(error).toMatchObject({ code: expected, executed });
  });

  it.each(["ECONNRESET", "UND_ERR_SOCKET"])("%s leaves it unknown whether the call was executed", (code) => {
    expect(networkError("github", fetchFailed(code))).toMatchObject({
      code: "TOOL_EXECUTION_ERROR",
      executed: "unknown",
    });
  });
});

describe("HTTP status codes", () => {
  it.each([
    [200, "TOOL_EXECUTION_ERROR", "unknown"],
    [302, "SERVER_CONNECTION_ERROR", "unknown"],
    [303, "SERVER_CONNECTION_ERROR", "unknown"],
    [307, "SERVER_CONNECTION_ERROR", "no"],
    [308, "SERVER_CONNECTION_ERROR", "no"],
    [400, "TOOL_EXECUTION_ERROR", "unknown"],
    [401, "UPSTREAM_UNAUTHORIZED", "no"],
    [403, "UPSTREAM_UNAUTHORIZED", "unknown"],
    [404, "SERVER_CONNECTION_ERROR", "no"],
    [405, "TOOL_EXECUTION_ERROR", "no"],
    [406, "TOOL_EXECUTION_ERROR", "unknown"],
    [407, "TOOL_EXECUTION_ERROR", "no"],
    [408, "TOOL_EXECUTION_ERROR", "unknown"],
    [409, "TOOL_EXECUTION_ERROR", "unknown"],
    [411, "TOOL_EXECUTION_ERROR", "no"],
    [413, "TOOL_EXECUTION_ERROR", "no"],
    [415, "TOOL_EXECUTION_ERROR", "no"],
    [421, "TOOL_EXECUTION_ERROR", "no"],
    [422, "TOOL_EXECUTION_ERROR", "unknown"],
    [425, "TOOL_EXECUTION_ERROR", "no"],
    [426, "TOOL_EXECUTION_ERROR", "no"],
    [429, "SERVER_CONNECTION_ERROR", "no"],
    [431, "TOOL_EXECUTION_ERROR", "no"],
    [499, "TOOL_EXECUTION_ERROR", "unknown"],
    [500, "TOOL_EXECUTION_ERROR", "unknown"],
    [502, "TOOL_EXECUTION_ERROR", "unknown"],
    [503, "SERVER_CONNECTION_ERROR", "unknown"],
  ])("maps %i to %s, executed: %s", (code, expected, executed) => {
    expect(requestError("github", status(code))).toMatchObject({ code: expected, executed, facts: { status: code } });
  });
});

describe("connection failures", () => {
  it.each<[string, unknown, string, string]>([
    [
      "a DiscoveryError inside another error",
      new SdkError(
        SdkErrorCode.EraNegotiationFailed,
        "probe",
        {},
        { cause: new DiscoveryError("UPSTREAM_UNAUTHORIZED", "No.") },
      ),
      "UPSTREAM_UNAUTHORIZED",
      "No.",
    ],
    [
      "a JSON-RPC error",
      new ProtocolError(-32_022, "unsupported"),
      "SERVER_CONNECTION_ERROR",
      "github rejected the handshake (JSON-RPC -32022).",
    ],
    [
      "a timeout",
      new SdkError(SdkErrorCode.RequestTimeout, "timeout"),
      "SERVER_CONNECTION_ERROR",
      "github did not answer the handshake in time.",
    ],
    ["rejected credentials", status(403), "UPSTREAM_UNAUTHORIZED", "github rejected the credentials (HTTP 403)."],
    ["an HTTP status", status(500), "SERVER_CONNECTION_ERROR", "github failed (HTTP 500)."],
    [
      "a refused connection",
      fetchFailed("ECONNREFUSED"),
      "SERVER_CONNECTION_ERROR",
      "github cannot be reached: nothing listens at its address (ECONNREFUSED).",
    ],
    [
      "anything else",
      new Error("Server's protocol version is not supported: 1999-01-01"),
      "SERVER_CONNECTION_ERROR",
      "The handshake with github failed: Server's protocol version is not supported: 1999-01-01.",
    ],
  ])("converts %s", (_name, error, code, message) => {
    expect(connectError("github", error)).toMatchObject({ code, message, executed: "no" });
  });
});
