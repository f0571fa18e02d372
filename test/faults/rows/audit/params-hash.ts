// Guessable arguments: a PIN and a telephone number. A reader of the audit log without the hash key cannot recover them.
import { createHash, createHmac, hkdfSync } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { auditFiles } from "../../../../src/audit/files.js";
import { storeFile } from "../../../../src/store/create-store.js";
import { readAudit } from "../../support/audit.js";
import { runCommand } from "../../support/command.js";
import { openGateway } from "../../support/gateway.js";
import { type FaultHome, inHome } from "../../support/home.js";
import { createRandom } from "../../support/random.js";
import type { RowOptions, RowResult } from "../../support/row.js";

const TURN = 20_000;
const KEY_BYTES = 32;

/** `count`: the number of candidates. */
export async function paramsHash({ count, seed, dist, onProgress }: RowOptions): Promise<RowResult> {
  return await inHome(async (home) => {
    home.configure({ one: home.stdio("one") });
    const random = createRandom(seed);
    const pin = random.between(0, count);
    const gateway = await openGateway(home, { dist });
    await gateway.execute({ server: "one", tool: "effect", arguments: toArguments(pin) });
    await gateway.execute({ server: "one", tool: "effect", arguments: toArguments(pin) });
    await gateway.execute({ server: "one", tool: "effect", arguments: toArguments(pin + 1) });
    await gateway.close();
    const audit = await readAudit(home, dist);
    const outcomes = audit.records.filter(({ kind, tool_id: id }) => kind === "outcome" && id === "one:effect");
    const [hash = "", again, other] = outcomes.map((record) => String(record["params_hash"]));
    const keyId = String(outcomes[0]?.["key_id"]);
    const from = performance.now();
    const cracked = await attack({ count, hash, keyId, ...(onProgress ? { onProgress } : {}) });
    const seconds = (performance.now() - from) / 1000;
    const violations = [
      ...audit.violations,
      ...(cracked === undefined ? [] : [`the attack found the arguments ${JSON.stringify(toArguments(cracked))}`]),
      ...(hash === again && hash !== other
        ? []
        : ["equal arguments have different hashes, or different arguments have equal hashes"]),
      ...(outcomes.every((record) => typeof record["key_id"] === "string") ? [] : ["a hash without the id of its key"]),
      ...(isConfirmedWithKey(home, hash, pin)
        ? []
        : ["the holder of the key cannot confirm the arguments either: the attack would find nothing"]),
      ...findRaw(home, pin),
      ...((await runCommand(home, { dist }, ["audit", "--json"])).stdout.includes(phoneOf(pin))
        ? ["the command prints the arguments"]
        : []),
    ];
    return {
      title: "guessing the arguments of a call from their hash",
      n: outcomes.length,
      injected: 1,
      violations,
      figures: {
        "candidates for one hash": count,
        cracked: cracked === undefined ? 0 : 1,
        "candidates per second": Math.round(count / seconds),
      },
    };
  });
}

const phoneOf = (candidate: number): string => `+49170${String(candidate).padStart(7, "0")}`;
const toArguments = (candidate: number) => ({
  id: `pin ${String(candidate).padStart(6, "0")}`,
  to: phoneOf(candidate),
});

interface Attack {
  readonly count: number;
  readonly hash: string;
  readonly keyId: string;
  readonly onProgress?: (text: string) => void;
}

/** Every way to compute the hash from the audit log alone. */
async function attack({ count, hash, keyId, onProgress }: Attack): Promise<number | undefined> {
  const wanted = hash.replace(/^[a-z0-9-]+:/, "");
  for (let candidate = 0; candidate < count; candidate += 1) {
    const text = JSON.stringify(toArguments(candidate));
    const plain = createHash("sha256").update(text).digest();
    const keyed = createHmac("sha256", keyId).update(text).digest();
    if ([plain, keyed].some((digest) => digest.toString("hex") === wanted || digest.toString("base64url") === wanted))
      return candidate;
    if (candidate % TURN === 0) {
      onProgress?.(`${candidate} of ${count} candidates`);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  return undefined;
}

/** The holder of the key file next to the store can confirm a guess: HMAC-SHA-256 with a key derived for this purpose. */
function isConfirmedWithKey(home: FaultHome, hash: string, pin: number): boolean {
  const { keyFile } = auditFiles(home.state, storeFile(home.state));
  const written = readFileSync(keyFile);
  const text = written.toString("utf8").trim();
  const text64 = Buffer.from(text, "base64");
  return [written, Buffer.from(text, "hex"), text64].some((key) => {
    const derived = Buffer.from(hkdfSync("sha256", key, "", "params", KEY_BYTES));
    return (
      createHmac("sha256", derived)
        .update(JSON.stringify(toArguments(pin)))
        .digest("hex") === hash
    );
  });
}

function findRaw(home: FaultHome, pin: number): string[] {
  const files = readdirSync(home.state, { recursive: true, encoding: "utf8" }).map((name) => join(home.state, name));
  const texts = [phoneOf(pin), toArguments(pin).id];
  return files
    .filter((file) => statSync(file).isFile())
    .filter((file) => texts.some((text) => readFileSync(file).includes(text)))
    .map((file) => `${file} contains the arguments in plain text`);
}
