import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createTestKey, hashed, NOW, sampleFile, signed, stdioFile } from "../../../test/support/signed-files.js";
import { toToolFileText } from "../format/to-text.js";
import { type KnownKey, SKEW_MS } from "../keys/known-key.js";
import { bodyOf, decodeEnvelope, encodeSeal, encodeStamp, bodyHash, toMessage } from "./envelope.js";
import { createSigningKeyring } from "./keyring.js";
import type { RefusalReason } from "./refusal.js";
import { signToolFile } from "./sign.js";
import { type Signatures, type SignatureVerdict, verifyToolFile } from "./verify.js";

const ann = createTestKey("ann");
const bob = createTestKey("bob");
const file = signed(sampleFile(), ann.signing);
const [line1 = "", line2 = "", ...rest] = file.toString("utf8").split("\n");
const body = rest.join("\n");
const join = (...lines: string[]) => Buffer.from([...lines, body].join("\n"));

interface Given {
  keys?: readonly KnownKey[];
  now?: number;
  signatures?: Signatures;
}

function check(
  bytes: Buffer,
  { keys = [ann.known, bob.known], now = NOW, signatures = "required" }: Given = {},
): SignatureVerdict {
  return verifyToolFile(bytes, {
    file: "/f/lib_find.yaml",
    keys: createSigningKeyring({ keys, problems: [] }),
    signatures,
    now,
  });
}

function reasonOf(verdict: SignatureVerdict): RefusalReason | "intact" {
  return verdict.kind === "intact" ? "intact" : verdict.refusal.reason;
}

/** The same sequence in every run. */
function createNumbers(seed: string): (below: number) => number {
  let count = 0;
  return (below) => {
    count += 1;
    return createHash("sha256").update(`${seed}:${count}`).digest().readUInt32BE() % below;
  };
}

describe("a signed file", () => {
  it("is intact, and its body is a slice of the verified buffer", () => {
    const verdict = check(file);
    if (verdict.kind !== "intact") throw new Error("refused");
    expect(verdict.trust).toEqual({ kind: "signed", keyId: ann.known.keyId, keyName: "ann" });
    expect(verdict.validatedAt).toBe("2026-03-01T12:00:00Z");
    expect(verdict.body.buffer).toBe(file.buffer);
    expect(verdict.body.byteOffset).toBe(file.byteOffset + line1.length + line2.length + 2);
    expect(verdict.body.toString("utf8")).toBe(toToolFileText(sampleFile()));
  });

  it("has the two lines of the format", () => {
    expect(line1).toBe(`# kiwi-mcp:validated:2026-03-01T12:00:00Z:${bodyHash(Buffer.from(body))}`);
    expect(line2).toMatch(new RegExp(`^# anygpt:ed25519:${ann.known.keyId}:[A-Za-z0-9_-]{86}$`));
  });

  it("is signed again with one signature", () => {
    const again = signToolFile(file, bob.signing, NOW + 1000);
    expect(bodyOf(again).toString("utf8")).toBe(body);
    expect(check(again)).toMatchObject({ kind: "intact", trust: { keyName: "bob" } });
    const stacked = Buffer.from(`${"# anygpt:\n".repeat(40_000)}x`);
    expect(bodyOf(stacked).toString("utf8")).toBe("x");
  });

  it.each(["required", "hash"] as const)("is rejected for each of 10,000 flipped bits (%s)", (signatures) => {
    const files = [
      file,
      signed(stdioFile(), ann.signing),
      signed(sampleFile({ description: "x".repeat(50) }), bob.signing),
    ];
    const next = createNumbers("flips");
    const accepted: string[] = [];
    for (let n = 0; n < 10_000; n += 1) {
      const flipped = Buffer.from(files[n % files.length]!);
      const lines = line1.length + line2.length + 2;
      // Half of the flipped bits are in the two signature lines, which are the smaller part.
      const at = next(n % 2 === 0 ? flipped.length : lines);
      flipped[at]! ^= 1 << next(8);
      if (check(flipped, { signatures }).kind === "intact") accepted.push(`byte ${at} of ${n % files.length}`);
    }
    expect(accepted).toEqual([]);
  });

  it.each(["required", "hash"] as const)(
    "is rejected after each of 10,000 edits that hardly change its meaning (%s)",
    (signatures) => {
      const edits: readonly ((line: string) => string)[] = [
        (line) => `${line} `,
        (line) => ` ${line}`,
        (line) => `${line}\t`,
        (line) => `${line} # as it was`,
        (line) => `# as it was\n${line}`,
        (line) => `${line}\n`,
        (line) => `${line}\r`,
        (line) => line.replace(/: (?=\S)/, ": &a "),
        (line) => line.replace(/: (?=\S)/, ":  "),
        (line) => line.replace(/: (\w+)$/, ": '$1'"),
        (line) => line.replace(/^(\s*)(\w+):/, '$1"$2":'),
        (line) => line.toUpperCase(),
        () => "",
      ];
      const next = createNumbers("edits");
      const accepted: string[] = [];
      let edited = 0;
      while (edited < 10_000) {
        const lines = file.toString("utf8").split("\n");
        const at = next(lines.length);
        const before = lines[at]!;
        lines[at] = edits[next(edits.length)]!(before);
        if (lines[at] === before) continue;
        edited += 1;
        if (check(Buffer.from(lines.join("\n")), { signatures }).kind === "intact")
          accepted.push(`line ${at}: ${lines[at]}`);
      }
      expect(accepted).toEqual([]);
    },
  );

  it("is rejected at every truncated length", () => {
    const cut = Array.from({ length: file.length }, (_, length) => file.subarray(0, length));
    expect(cut.filter((bytes) => check(bytes, { signatures: "hash" }).kind === "intact")).toEqual([]);
  });
});

const other = signed(sampleFile({ description: "Another." }), ann.signing);
const otherLines = other.toString("utf8").split("\n");
const bobs = signed(sampleFile(), bob.signing).toString("utf8").split("\n");
const stamp = { validatedAt: "2026-03-01T12:00:00Z", hash: bodyHash(Buffer.from(body)) };
const signature = line2.slice(-86);
/** The last of the 86 characters has four unused bits. */
const lastOf = (text: string) =>
  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"[
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".indexOf(text.at(-1)!) + 1
  ]!;
const swapped = body.replace(/(version: .*)\n(tool_type: .*)\n/, "$2\n$1\n");
const withSeal = (seal: string) => join(line1, seal);
const overMessage = (message: Buffer) => withSeal(encodeSeal(ann.known.keyId, ann.signing.sign(message)));
const text = Buffer.from(body);

const REFUSED: readonly [string, Buffer, RefusalReason][] = [
  ["without any line", Buffer.from(body), "unsigned"],
  ["that is empty", Buffer.alloc(0), "unsigned"],
  ["with only the hash", hashed(sampleFile()), "hash-only"],
  ["with reordered keys", Buffer.from([line1, line2, swapped].join("\n")), "tampered"],
  ["with an additional comment", Buffer.from([line1, line2, "# note", body].join("\n")), "tampered"],
  ["with a space at its end", Buffer.concat([file, Buffer.from(" ")]), "tampered"],
  ["with the signature of another file", join(line1, otherLines[1]!), "bad-signature"],
  ["with both lines of another file", join(otherLines[0]!, otherLines[1]!), "tampered"],
  [
    "with another key's signature under this key's id",
    withSeal(`# anygpt:ed25519:${ann.known.keyId}:${bobs[1]!.slice(-86)}`),
    "bad-signature",
  ],
  [
    "with this key's signature under another key's id",
    withSeal(`# anygpt:ed25519:${bob.known.keyId}:${signature}`),
    "bad-signature",
  ],
  ["with another time", join(encodeStamp({ ...stamp, validatedAt: "2026-03-01T12:00:01Z" }), line2), "bad-signature"],
  ["with a signature over the body alone", overMessage(text), "bad-signature"],
  [
    "with a signature without its purpose",
    overMessage(toMessage(stamp, ann.known.keyId, text).subarray(20)),
    "bad-signature",
  ],
  ["with a signature over a message without the key id", overMessage(toMessage(stamp, "", text)), "bad-signature"],
  ["with a signature of zeros", withSeal(encodeSeal(ann.known.keyId, Buffer.alloc(64))), "bad-signature"],
  ["with an empty signature", withSeal(`# anygpt:ed25519:${ann.known.keyId}:`), "malformed"],
  ["with a shorter signature", withSeal(line2.slice(0, -1)), "malformed"],
  ["with its lines swapped", join(line2, line1), "malformed"],
  ["with only its second line", join(line2), "malformed"],
  ["with two first lines", join(line1, line1, line2), "malformed"],
  ["with two signature lines", join(line1, line2, line2), "malformed"],
  ["with an empty line between", join(line1, "", line2), "tampered"],
  ["with another algorithm", withSeal(line2.replace("ed25519", "hs256")), "malformed"],
  ["with no algorithm", withSeal(line2.replace("ed25519", "none")), "malformed"],
  ["with its algorithm in capitals", withSeal(line2.replace("ed25519", "Ed25519")), "malformed"],
  [
    "with a key id in capitals",
    withSeal(line2.replace(ann.known.keyId, ann.known.keyId.toUpperCase().replaceAll(/\d/g, "A"))),
    "malformed",
  ],
  ["with a padded signature", withSeal(`${line2}==`), "malformed"],
  ["with unused bits set in its signature", withSeal(line2.slice(0, -1) + lastOf(line2)), "malformed"],
  ["with a hash in capitals", join(line1.slice(0, -64) + line1.slice(-64).toUpperCase(), line2), "malformed"],
  ["with a space after its first line", join(`${line1} `, line2), "malformed"],
  ["with a space after its second line", join(line1, `${line2} `), "malformed"],
  ["with a tab before its second line", join(line1, `\t${line2}`), "malformed"],
  ["with two spaces after the number sign", join(line1, line2.replace("# ", "#  ")), "malformed"],
  ["with CR LF everywhere", Buffer.from(file.toString("utf8").replaceAll("\n", "\r\n")), "malformed"],
  ["with CR LF after its second line", join(line1, `${line2}\r`), "malformed"],
  ["with a byte order mark", Buffer.concat([Buffer.from("\uFEFF"), file]), "malformed"],
  ["as UTF-16", Buffer.from(file.toString("utf8"), "utf16le"), "unsigned"],
  ["with a date that does not exist", join(line1.replace("2026-03-01", "2026-02-30"), line2), "malformed"],
  ["with a fraction of a second", join(line1.replace("00Z", "00.000Z"), line2), "malformed"],
  ["with a time zone", join(line1.replace("00Z", "00+00:00"), line2), "malformed"],
];

describe("a file", () => {
  it.each(REFUSED)("%s is rejected with the right reason", (_, bytes, reason) => {
    expect(reasonOf(check(bytes))).toBe(reason);
  });

  it.each(REFUSED.filter(([, , reason]) => reason !== "hash-only"))(
    "%s is rejected even if a hash is enough",
    (_, bytes, reason) => {
      expect(reasonOf(check(bytes, { signatures: "hash" }))).toBe(reason);
    },
  );

  it("with a malformed signature line does not count as a file with a hash", () => {
    const broken = Buffer.from([line2.slice(0, -1), body].join("\n"));
    const forged = Buffer.concat([Buffer.from(`${encodeStamp({ ...stamp, hash: bodyHash(broken) })}\n`), broken]);
    expect(reasonOf(check(forged, { signatures: "hash" }))).toBe("malformed");
  });

  it("with only a hash is accepted with signatures: hash", () => {
    const bytes = hashed(sampleFile());
    expect(check(bytes, { signatures: "hash" })).toMatchObject({ kind: "intact", trust: { kind: "hash" } });
    expect(decodeEnvelope(bytes)).toMatchObject({ kind: "hash", stamp });
    const changed = Buffer.from(bytes.toString("utf8").replace("Finds", "Found"));
    expect(reasonOf(check(changed, { signatures: "hash" }))).toBe("tampered");
    expect(reasonOf(check(hashed(sampleFile(), NOW + SKEW_MS + 1000), { signatures: "hash" }))).toBe("future");
  });

  it("that is rejected has a message, a hint and the key id", () => {
    const verdict = check(file, { keys: [bob.known] });
    if (verdict.kind !== "refused") throw new Error("accepted");
    expect(verdict.refusal.error).toMatchObject({
      code: "SIGNATURE_INVALID",
      message: `/f/lib_find.yaml is signed with the key ${ann.known.keyId}, which is not trusted here.`,
      hint: expect.stringContaining("anygpt mcp keys trust"),
      facts: { file: "/f/lib_find.yaml", reason: "unknown-key", keyId: ann.known.keyId },
    });
  });

  it("whose key cannot be used reports why", () => {
    const problems = [{ file: "/k", reason: "other users can write to it" }];
    const keys = createSigningKeyring({ keys: [], problems });
    const verdict = verifyToolFile(file, { file: "f", keys, signatures: "required", now: NOW });
    expect(verdict).toMatchObject({
      refusal: {
        reason: "unknown-key",
        error: { message: expect.stringContaining("/k: other users can write to it") },
      },
    });
  });
});

const at = (ms: number) => new Date(NOW + ms).toISOString();

describe("a key", () => {
  it.each<[string, Partial<KnownKey>, number, RefusalReason | "intact"]>([
    ["without an expiry", {}, 0, "intact"],
    ["before its expiry", { notAfter: at(1000) }, 0, "intact"],
    ["five minutes after its expiry", { notAfter: at(0) }, SKEW_MS, "intact"],
    ["more than five minutes after its expiry", { notAfter: at(0) }, SKEW_MS + 1, "expired-key"],
    ["that was revoked", { revokedAt: at(0) }, 0, "revoked-key"],
    ["that was revoked later than the file was signed", { revokedAt: at(9000) }, 0, "revoked-key"],
    ["that was revoked and has an expiry", { revokedAt: at(0), notAfter: at(9000) }, 0, "revoked-key"],
  ])("%s verifies as expected", (_, changes, later, expected) => {
    expect(reasonOf(check(file, { keys: [{ ...ann.known, ...changes }], now: NOW + later }))).toBe(expected);
  });

  it.each([
    [-SKEW_MS, "intact"],
    [-SKEW_MS - 1, "future"],
    [SKEW_MS, "intact"],
    [10 * 365 * 86_400_000, "intact"],
  ] as const)("verified by a clock that is %i ms off: %s", (later, expected) => {
    expect(reasonOf(check(file, { now: NOW + later }))).toBe(expected);
  });
});
