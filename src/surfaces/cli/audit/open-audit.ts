import { type AuditFiles, auditFiles } from "../../../audit/files.js";
import { loadConfig, type LoadParts } from "../../../config/load.js";
import { placeFor } from "../../../open-engine.js";
import { toDiscoveryError } from "../../../errors.js";
import type { AuditRecords } from "../../../store/audit-records.js";
import { createStore, storeFile } from "../../../store/create-store.js";
import type { Context } from "../context.js";
import { optionsOf, settleTrust } from "../trust-files.js";

export interface OpenAudit {
  readonly audit: AuditRecords;
  readonly files: AuditFiles;
  readonly now: number;
  readonly home: string;
  close(): Promise<void>;
}

/** The record of the store that is in force here. */
export async function openAudit(context: Context): Promise<OpenAudit> {
  await settleTrust(context);
  const { stateFolder, home, now, loadParts } = placeFor(optionsOf(context));
  const file = (await configuredStore(loadParts, context)) ?? storeFile(stateFolder);
  const store = createStore({ file, inline: true });
  return { audit: store.audit, files: auditFiles(stateFolder, file), now: now(), home, close: () => store.close() };
}

/** Who has broken the configuration wants to see what happened all the more. */
async function configuredStore(parts: LoadParts, context: Context): Promise<string | undefined> {
  try {
    return (await loadConfig(parts)).config.store;
  } catch (error) {
    // A file that was named and is not there is no reason to show another record than the one that was meant.
    if (context.configPath !== undefined) throw error;
    context.warn(`${toDiscoveryError(error).message} This is the record of the usual store.`);
    return undefined;
  }
}
