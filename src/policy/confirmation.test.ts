import { describe, expect, it } from "vitest";
import { APPROVAL_ID_BYTES, bindCall, type BoundCall, toApprovalId } from "./confirmation.js";

const KEY = Buffer.alloc(32, 7);
const CALL: BoundCall = {
  actorId: "local",
  toolId: "bank:pay",
  definitionHash: "h1",
  arguments: { to: "alice", all: false },
};
const BINDING = bindCall(CALL, KEY);

describe("bindCall", () => {
  it.each<[string, Partial<BoundCall>]>([
    ["another actor", { actorId: "mallory" }],
    ["another tool", { toolId: "bank:pay_all" }],
    ["another definition", { definitionHash: "h2" }],
    ["other arguments", { arguments: { to: "bob", all: false } }],
    ["one argument flipped", { arguments: { to: "alice", all: true } }],
    ["one argument more", { arguments: { to: "alice", all: false, note: "" } }],
  ])("differs for %s", (_, change) => {
    expect(bindCall({ ...CALL, ...change }, KEY)).not.toBe(BINDING);
  });

  it("differs with another key, but not with another order of arguments", () => {
    expect(bindCall(CALL, Buffer.alloc(32, 8))).not.toBe(BINDING);
    expect(bindCall({ ...CALL, arguments: { all: false, to: "alice" } }, KEY)).toBe(BINDING);
  });

  it("differs when text moves from one field of the call to the next", () => {
    const one = bindCall({ ...CALL, actorId: "a", toolId: 'b","c' }, KEY);
    expect(bindCall({ ...CALL, actorId: 'a","b', toolId: "c" }, KEY)).not.toBe(one);
  });
});

describe("toApprovalId", () => {
  it("encodes 130 random bits as letters and digits", () => {
    expect(toApprovalId(Buffer.from(Array.from({ length: 26 }, (_, index) => index + 230)))).toBe(
      "ap_6789abcdefghjkmnpqrstvwxyz",
    );
    expect(toApprovalId(Buffer.alloc(26, 255))).toMatch(/^ap_[0-9a-z]{26}$/);
  });

  it("rejects fewer bytes", () => {
    expect(() => toApprovalId(Buffer.alloc(APPROVAL_ID_BYTES - 1))).toThrow(RangeError);
  });
});
