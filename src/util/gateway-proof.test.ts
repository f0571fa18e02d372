import type { Socket } from "node:net";
import { expect, it } from "vitest";
import { createChallenge, isSameProof, proofOfToken, reachedEndpoint, servedEndpoint } from "./gateway-proof.js";

const CHALLENGE = "A".repeat(43);

it("creates challenges of 43 characters that differ", () => {
  const [one, other] = [createChallenge(), createChallenge()];
  expect([one.length, one === other]).toEqual([43, false]);
});

it("depends on the token, the challenge and the endpoint", () => {
  const proof = proofOfToken("token", CHALLENGE, "127.0.0.1 80");
  expect(isSameProof(proof, proofOfToken("token", CHALLENGE, "127.0.0.1 80"))).toBe(true);
  for (const other of [
    proofOfToken("tokem", CHALLENGE, "127.0.0.1 80"),
    proofOfToken("token", "B".repeat(43), "127.0.0.1 80"),
    proofOfToken("token", CHALLENGE, "127.0.0.1 81"),
    proofOfToken("token", CHALLENGE, "127.0.0.2 80"),
  ]) {
    expect(isSameProof(proof, other)).toBe(false);
  }
});

it("answers nothing that is not a challenge, and accepts no missing proof", () => {
  for (const wrong of [undefined, "", "A".repeat(42), "A".repeat(44), `${"A".repeat(42)}\n`, ["A".repeat(43)]]) {
    expect(proofOfToken("token", wrong, "x 1")).toBeUndefined();
  }
  expect([isSameProof(undefined, undefined), isSameProof("", undefined), isSameProof(["a"], "a")]).toEqual([
    false,
    false,
    false,
  ]);
});

it("names both ends of a connection alike, also if IPv4 is mapped to IPv6", () => {
  const server = { localAddress: "::ffff:127.0.0.1", localPort: 7332 } as Socket;
  const client = { remoteAddress: "127.0.0.1", remotePort: 7332 } as Socket;
  expect(servedEndpoint(server)).toBe(reachedEndpoint(client));
});
