// Tool files without a valid signature of a trusted key, each of which would start a program: the gateway uses none of
// them, starts nothing, and quarantines a tool whose server reports a different definition than its signed file.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { keyFolder } from "../../../../src/gateway/tool-files.js";
import { openKeys } from "../../../../src/toolfiles/keys/open-keys.js";
import { signToolFile } from "../../../../src/toolfiles/signing/sign.js";
import { createTestKey, hashed, sampleFile, signed } from "../../../support/signed-files.js";
import { type Gateway, openGateway } from "../../support/gateway.js";
import { type FaultHome, inHome } from "../../support/home.js";
import { quickServer, readQuickLog } from "../../support/quick-servers.js";
import { createRandom, type Random } from "../../support/random.js";
import { describe } from "../../support/replay.js";
import type { RowOptions, RowResult } from "../../support/row.js";

type ToolFile = ReturnType<typeof sampleFile>;
type Signer = Parameters<typeof signed>[1];

interface Forger {
  readonly random: Random;
  readonly now: number;
  readonly trusted: Signer;
  readonly revoked: Signer;
  readonly expired: Signer;
  readonly stranger: Signer;
  /** Another file, with the signature of a trusted key. */
  readonly other: Buffer;
}

type Forgery = (file: ToolFile, forger: Forger) => Buffer;

const asText = (change: (lines: string[], forger: Forger) => string[]): Forgery => {
  return (file, forger) => {
    const text = signed(file, forger.trusted, forger.now).toString("utf8");
    return Buffer.from(change(text.split("\n"), forger).join("\n"));
  };
};
const onSeal = (change: (seal: string) => string): Forgery =>
  asText(([stamp = "", seal = "", ...body]) => [stamp, change(seal), ...body]);
const inBody = (change: (line: string, random: Random) => string): Forgery =>
  asText(([stamp = "", seal = "", ...body], { random }) => {
    const at = random.between(0, body.length - 1);
    return [stamp, seal, ...body.map((line, index) => (index === at ? change(line, random) : line))];
  });

const FORGERIES: Readonly<Record<string, Forgery>> = {
  unsigned: asText(([, , ...body]) => body),
  "only a hash": (file, { now }) => hashed(file, now),
  "a stranger's key": (file, { stranger, now }) => signed(file, stranger, now),
  "a revoked key": (file, { revoked, now }) => signed(file, revoked, now),
  "a key that has expired": (file, { expired, now }) => signed(file, expired, now),
  "a truncated signature": onSeal((seal) => seal.slice(0, -7)),
  "an empty signature": onSeal((seal) => seal.replace(/[^:]*$/, "")),
  "another algorithm": onSeal((seal) => seal.replace("ed25519", "none")),
  "a signature of zeros": onSeal((seal) => seal.replace(/[^:]*$/, "A".repeat(86))),
  "the lines of another file": asText(([, , ...body], { other }) => [
    ...other.toString("utf8").split("\n").slice(0, 2),
    ...body,
  ]),
  "another file under its name": (_, { other }) => other,
  "a flipped bit": (file, { random, trusted, now }) => {
    const bytes = Buffer.from(signed(file, trusted, now));
    bytes[random.between(0, bytes.length)]! ^= 1 << random.between(0, 8);
    return bytes;
  },
  "an additional comment": inBody((line) => `${line} # seen`),
  "an additional space": inBody((line) => `${line} `),
  "an anchor": inBody((line) => line.replace(/: (?=\S)/, ": &a ")),
  "an empty line": inBody((line) => `${line}\n`),
  "from the future": (file, { trusted, now }) => signed(file, trusted, now + 3_600_000),
};

/** `count`: how many files are forged. */
export async function forgedFiles({ count, seed, dist }: RowOptions): Promise<RowResult> {
  return await inHome(async (home) => {
    const folder = home.path("files");
    mkdirSync(folder);
    const forger = await createForger(home, createRandom(seed));
    const put = (file: ToolFile, bytes: Buffer): void => writeFileSync(join(folder, `${file.toolId}.yaml`), bytes);
    const good = toFile(home, "good");
    put(good, signed(good, forger.trusted, forger.now));
    const kinds = Object.entries(FORGERIES);
    const forged = Array.from({ length: count }, (_, number) => {
      const [kind, forge] = kinds[number % kinds.length]!;
      const file = toFile(home, `bad${number}`);
      const bytes = forge(file, forger);
      put(file, bytes);
      // A random change can leave the line as it was.
      const isForged = !bytes.equals(signed(file, forger.trusted, forger.now));
      return { kind, name: file.server, isForged };
    }).filter(({ isForged }) => isForged);
    const lives = putLiars(home, forger, put);
    home.configure(Object.fromEntries(lives.map((name) => [name, quickServer(home, name)])), {
      toolFiles: { folders: [folder] },
    });
    const gateway = await openGateway(home, { dist });
    const violations = await judge(home, gateway, { forged, lives });
    await gateway.close();
    return {
      title: "tool files without a trusted signature",
      n: forged.length + lives.length,
      injected: forged.length + lives.length,
      violations,
      figures: {
        forged: forged.length,
        kinds: kinds.length,
        "servers whose tools differ from their files": lives.length,
      },
    };
  });
}

async function createForger(home: FaultHome, random: Random): Promise<Forger> {
  const now = Date.now();
  const keys = openKeys(keyFolder(home.state), () => now);
  const [revoked, expired, trusted, stranger] = ["rae", "eve", "ann", "mal"].map(createTestKey);
  const offer = ({ known }: ReturnType<typeof createTestKey>, notAfter?: string) =>
    keys.trust({
      keyId: known.keyId,
      publicKey: known.publicKey,
      name: known.name,
      ...(notAfter === undefined ? {} : { notAfter }),
    });
  await offer(trusted!);
  await offer(revoked!);
  await keys.revoke(revoked!.known.keyId);
  await offer(expired!, new Date(now - 3_600_000).toISOString());
  return {
    random,
    now,
    trusted: trusted!.signing,
    revoked: revoked!.signing,
    expired: expired!.signing,
    stranger: stranger!.signing,
    other: signed(toFile(home, "other"), trusted!.signing, now),
  };
}

/** A file of a tool whose server writes a line as soon as it is started. */
function toFile(home: FaultHome, server: string, more: Partial<ToolFile> = {}): ToolFile {
  const tool = {
    name: "who",
    description: "Says who answers.",
    inputSchema: { type: "object" },
    annotations: { readOnlyHint: true },
  };
  const connection = { kind: "stdio" as const, ...quickServer(home, server), env: {} };
  return sampleFile({ toolId: `${server}_who`, server, tool, connection, ...more });
}

/** Signed files of configured servers with different definitions; the digest in the file is right, wrong or missing. */
function putLiars(home: FaultHome, { trusted, now }: Forger, put: (file: ToolFile, bytes: Buffer) => void): string[] {
  const lie = (name: string, change: (text: string) => string, more: Partial<ToolFile> = {}): string => {
    const file = toFile(home, name);
    const reported = { ...file, tool: { ...file.tool, description: "Says something that was reviewed." }, ...more };
    put(reported, resign(change, signed(reported, trusted, now), trusted, now));
    return name;
  };
  const withoutDigest = (text: string): string => text.replace(/^ *definition_hash:.*\n/m, "");
  return [
    lie("live0", (text) => text),
    lie("live1", (text) => text, { definitionHash: "0".repeat(64) }),
    lie("live2", withoutDigest),
  ];
}

/** The file with a changed body and a new signature. */
function resign(change: (text: string) => string, bytes: Buffer, key: Signer, now: number): Buffer {
  const body = bytes.toString("utf8").split("\n").slice(2).join("\n");
  return signToolFile(Buffer.from(change(body)), key, now);
}

interface Judged {
  readonly forged: readonly { kind: string; name: string }[];
  readonly lives: readonly string[];
}

async function judge(home: FaultHome, gateway: Gateway, { forged, lives }: Judged): Promise<string[]> {
  const violations: string[] = [];
  const call = (server: string, tool = "who") => gateway.execute({ server, tool, arguments: {} });
  const good = await call("good");
  if (good.kind !== "answer") violations.push(`the validly signed file ended in ${describe(good)}`);
  for (const { kind, name } of forged) {
    const outcome = await call(name);
    if (outcome.kind !== "error" || outcome.code !== "SERVER_NOT_FOUND")
      violations.push(`${kind}: ${describe(outcome)}`);
  }
  for (const name of lives) {
    const outcome = await call(name);
    if (outcome.kind !== "error" || outcome.code !== "TOOL_QUARANTINED")
      violations.push(`${name}: ${describe(outcome)}`);
  }
  const log = readQuickLog(home);
  const started = log.filter(({ kind, name }) => kind === "start" && (name.startsWith("bad") || name === "other"));
  violations.push(...started.map(({ name }) => `${name} was started`));
  const called = log.filter(({ kind, name }) => kind === "call" && lives.includes(name));
  violations.push(...called.map(({ name }) => `${name} was called`));
  return violations;
}
