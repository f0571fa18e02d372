import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isJsonObject } from "../model/json.js";
import { sha256 } from "../util/sha256.js";
import { writePrivateFile } from "../util/private-files.js";
import type { ServerRecord } from "./record.js";

/** The catalog's copy on disk: one file a server, replaced in one step, so that many gateways can share the folder. */
export interface CatalogDisk {
  read(server: string, fingerprint: string): Promise<ServerRecord | undefined>;
  write(record: ServerRecord): Promise<void>;
}

const FORMAT = 1;

export function createCatalogDisk(folder: string, log: (message: string) => void): CatalogDisk {
  const fileOf = (server: string, fingerprint: string): string => {
    const readable = server.replace(/[^A-Za-z0-9_-]+/g, "-").slice(0, 40);
    return join(folder, `${readable}-${sha256(`${server}\n${fingerprint}`).slice(0, 12)}.json`);
  };

  return {
    async read(server, fingerprint) {
      const file = fileOf(server, fingerprint);
      const text = await readFile(file, "utf8").catch(() => undefined);
      if (text === undefined) return undefined;
      const record = parseRecord(text);
      if (record?.server === server && record.fingerprint === fingerprint) return record;
      log(`${file} is not a readable catalog file; ${server} will be asked again.`);
      return undefined;
    },

    async write(record) {
      const text = JSON.stringify({ format: FORMAT, record });
      await writePrivateFile(fileOf(record.server, record.fingerprint), text);
    },
  };
}

function parseRecord(text: string): ServerRecord | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isJsonObject(value) || value["format"] !== FORMAT || !isJsonObject(value["record"])) return undefined;
    const record = value["record"];
    const isWhole =
      typeof record["server"] === "string" &&
      typeof record["fingerprint"] === "string" &&
      typeof record["listedAt"] === "number" &&
      Array.isArray(record["tools"]) &&
      Array.isArray(record["changes"]) &&
      Array.isArray(record["dropped"]) &&
      (record["unapproved"] === undefined || Array.isArray(record["unapproved"]));
    return isWhole ? (record as unknown as ServerRecord) : undefined;
  } catch {
    return undefined;
  }
}
