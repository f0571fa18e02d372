// Plans the installation of a bundle of tool files: which files it would change and which keys it would trust, or all
// reasons against it. Writes nothing.
import { join } from "node:path";
import { DiscoveryError } from "../../errors.js";
import { realPath } from "../../util/inside.js";
import type { ToolFile } from "../format/tool-file.js";
import type { KeyList, KnownKey } from "../keys/known-key.js";
import { parseVerified } from "../parse-verified.js";
import { readBytes } from "../read-bytes.js";
import { createSigningKeyring, type SigningKeyring } from "../signing/keyring.js";
import { verifyToolFile } from "../signing/verify.js";
import { rankOf, type RecordedVersion, type VersionHistory } from "../version-history.js";
import { type Bundle, type BundledFile, type BundledKey, MAX_MEMBER_BYTES, notABundle } from "./bundle.js";

export interface InstallPlanParts {
  readonly bundle: Bundle;
  /** The name of the bundle, for messages. */
  readonly origin: string;
  /** The folder into which the files would be installed. */
  readonly folder: string;
  readonly keys: KeyList;
  readonly versions: VersionHistory;
  readonly now: number;
}

export interface InstallPlan {
  readonly folder: string;
  readonly files: readonly InstallFile[];
  /** Signing keys in the bundle that are not trusted yet. */
  readonly newKeys: readonly BundledNewKey[];
}

export interface BundledNewKey extends BundledKey {
  /** The id of another known key with the same name, which the user could confuse with this one. */
  readonly namesake?: string;
}

export interface InstallFile {
  readonly file: ToolFile;
  readonly bytes: Buffer;
  readonly keyId: string;
  readonly keyName: string;
  readonly kind: "new" | "same" | "replaced";
  /** The existing file with this tool id, which would be replaced. */
  readonly before?: { readonly bytes: Buffer; readonly version?: string };
}

/** The reason why one file cannot be installed. */
export interface InstallProblem {
  readonly toolId: string;
  readonly reason: string;
  readonly message: string;
}

type Planned =
  | { readonly kind: "planned"; readonly planned: InstallFile }
  | { readonly kind: "problem"; readonly problem: InstallProblem };

interface PlanContext extends Pick<InstallPlanParts, "folder" | "now"> {
  readonly keyring: SigningKeyring;
  readonly seen: ReadonlyMap<string, RecordedVersion>;
}

/** Returns a plan for all files. If one cannot be installed, throws SIGNATURE_INVALID with a list of all such files. */
export async function planInstall(parts: InstallPlanParts): Promise<InstallPlan> {
  const { bundle, folder, keys, versions, now, origin } = parts;
  const known = new Set(keys.keys.map(({ keyId }) => keyId));
  const offered = bundle.keys.filter(({ keyId }) => !known.has(keyId));
  const keyring = createSigningKeyring({ ...keys, keys: [...keys.keys, ...offered.map((key) => toKnown(key, now))] });
  const seen = new Map((await versions.list(realPath(folder))).map((each) => [each.toolId, each]));
  const results = await Promise.all(bundle.files.map((one) => planFile(one, { folder, now, keyring, seen })));
  const problems = results.flatMap((result) => (result.kind === "problem" ? [result.problem] : []));
  if (problems.length > 0) throw refuseAll(origin, bundle, problems);
  const files = results.flatMap((result) => (result.kind === "planned" ? [result.planned] : []));
  const signers = new Set(files.map(({ keyId }) => keyId));
  const unused = bundle.keys.find(({ keyId }) => !signers.has(keyId));
  if (unused !== undefined) throw notABundle(origin, `none of its files is signed with its key ${unused.keyId}`);
  return { folder, files, newKeys: offered.map((key) => toNewKey(key, keys.keys)) };
}

async function planFile({ toolId, bytes }: BundledFile, context: PlanContext): Promise<Planned> {
  const { folder, now, keyring, seen } = context;
  const name = `${toolId}.yaml`;
  const problem = (reason: string, message: string): Planned => ({
    kind: "problem",
    problem: { toolId, reason, message },
  });
  const verdict = verifyToolFile(bytes, { file: name, keys: keyring, signatures: "required", now });
  if (verdict.kind === "refused") return problem(verdict.refusal.reason, verdict.refusal.error.message);
  const parsed = parseVerified(name, verdict);
  if (parsed.kind === "refused") return problem(parsed.refusal.reason, parsed.refusal.error.message);
  const { file } = parsed;
  const newer = seen.get(toolId);
  if (newer !== undefined && newer.rank > rankOf(file.version, verdict.validatedAt)) {
    const what = `version ${file.version} of ${verdict.validatedAt}`;
    return problem(
      "rolled-back",
      `${name} is ${what}, but version ${newer.version} of ${newer.validatedAt} was installed before.`,
    );
  }
  if (verdict.trust.kind !== "signed") return problem("hash-only", `${name} is not signed.`);
  const planned = { file, bytes, keyId: verdict.trust.keyId, keyName: verdict.trust.keyName };
  const there = await readBytes(join(folder, name), MAX_MEMBER_BYTES);
  if (there.kind === "gone") return { kind: "planned", planned: { ...planned, kind: "new" } };
  if (there.kind !== "bytes") return problem("in-the-way", `${join(folder, name)} exists and is not a readable file.`);
  if (there.bytes.equals(bytes)) {
    return { kind: "planned", planned: { ...planned, kind: "same", before: { bytes: there.bytes } } };
  }
  return planReplacement(there.bytes, planned, context);
}

/**
 * Plans to replace an existing file. Local edits are not overwritten: a file without a valid signature, or one signed
 * with the user's own key.
 */
function planReplacement(
  there: Buffer,
  planned: Omit<InstallFile, "kind">,
  { folder, keyring, now }: PlanContext,
): Planned {
  const { toolId } = planned.file;
  const path = join(folder, `${toolId}.yaml`);
  const edited = (message: string): Planned => ({
    kind: "problem",
    problem: {
      toolId,
      reason: "edited",
      message: `${message.replace(/\.$/, "")}, and the installation would overwrite it.`,
    },
  });
  const verdict = verifyToolFile(there, { file: path, keys: keyring, signatures: "required", now });
  if (verdict.kind === "refused") return edited(verdict.refusal.error.message);
  const parsed = parseVerified(path, verdict);
  if (parsed.kind === "refused") return edited(parsed.refusal.error.message);
  const signer = verdict.trust.kind === "signed" ? keyring.find(verdict.trust.keyId) : undefined;
  if (signer?.isOwn === true && signer.keyId !== planned.keyId) {
    return edited(`${path} is signed with your own key`);
  }
  const before = { bytes: there, version: parsed.file.version };
  return { kind: "planned", planned: { ...planned, kind: "replaced", before } };
}

function toNewKey(key: BundledKey, known: readonly KnownKey[]): BundledNewKey {
  const namesake = known.find(({ name }) => name === key.name)?.keyId;
  return { ...key, ...(namesake === undefined ? {} : { namesake }) };
}

function toKnown({ keyId, publicKey, name }: BundledKey, now: number): KnownKey {
  return { keyId, publicKey, name, trustedAt: new Date(now).toISOString(), isOwn: false, canSign: false };
}

const MAX_SHOWN = 5;

function refuseAll(origin: string, { files }: Bundle, problems: readonly InstallProblem[]): DiscoveryError {
  const shown = problems.slice(0, MAX_SHOWN).map(({ message }) => message);
  const more = problems.length - shown.length;
  const rest = more > 0 ? ` And ${more} more.` : "";
  const isOurs = problems.every(({ reason }) => reason === "edited" || reason === "in-the-way");
  return new DiscoveryError(
    isOurs ? "INVALID_REQUEST" : "SIGNATURE_INVALID",
    `${problems.length} of ${files.length} tool files of ${origin} cannot be installed, so none was installed: ${shown.join(" ")}${rest}`,
    {
      hint: isOurs
        ? "Move these files to another place, or install into another folder with --folder."
        : "Ask the author for a new set, signed with a key that is not revoked.",
      facts: { refused: problems.map(({ toolId, ...rest }) => ({ tool_id: toolId, ...rest })) },
    },
  );
}
