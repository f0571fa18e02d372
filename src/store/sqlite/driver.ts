import { createRequire } from "node:module";

export type SqlValue = null | number | bigint | string | Uint8Array;
export type SqlRow = Record<string, SqlValue>;
export type SqlParameters = Record<string, SqlValue>;

export interface SqlStatement {
  run(parameters?: SqlParameters): { readonly changes: number | bigint };
  get(parameters?: SqlParameters): SqlRow | undefined;
  all(parameters?: SqlParameters): SqlRow[];
}

/** The part of `node:sqlite` that the store uses; `@photostructure/sqlite` has the same interface for Node 20. */
export interface Database {
  readonly isTransaction: boolean;
  exec(sql: string): void;
  prepare(sql: string): SqlStatement;
  close(): void;
}

export interface Driver {
  readonly DatabaseSync: new (file: string) => Database;
}

/**
 * Rejects parameters with a NUL character: SQLite returns text only up to the first one, so a user could be shown less
 * than what was stored.
 */
export function rejectNul(database: Database): Database {
  const check = (parameters: SqlParameters = {}): SqlParameters => {
    for (const value of Object.values(parameters)) {
      if (typeof value === "string" && value.includes("\0"))
        throw new Error("text with a NUL character cannot be stored");
    }
    return parameters;
  };
  return {
    get isTransaction() {
      return database.isTransaction;
    },
    exec: (sql) => database.exec(sql),
    close: () => database.close(),
    prepare(sql) {
      const statement = database.prepare(sql);
      return {
        run: (parameters) => statement.run(check(parameters)),
        get: (parameters) => statement.get(check(parameters)),
        all: (parameters) => statement.all(check(parameters)),
      };
    },
  };
}

/**
 * The minimum version of SQLite. In earlier versions, a process that writes while another one runs a checkpoint can
 * lose committed changes ("WAL-reset bug").
 */
const MIN_VERSION = [3, 51, 3] as const;

const SOURCES = ["@photostructure/sqlite", "node:sqlite"] as const;

let loaded: Driver | undefined;

export function driver(): Driver {
  loaded ??= loadDriver();
  return loaded;
}

/**
 * Loads the package `@photostructure/sqlite`, which has binaries for the common platforms. If it cannot be loaded or
 * its SQLite is too old, loads `node:sqlite`.
 */
export function loadDriver(load: (name: string) => unknown = createRequire(import.meta.url)): Driver {
  const reasons: string[] = [];
  for (const name of SOURCES) {
    try {
      const driver = load(name) as Driver;
      const version = versionOf(driver);
      if (isAtLeast(version, MIN_VERSION)) return driver;
      reasons.push(`${name} has SQLite ${version}`);
    } catch (error) {
      reasons.push(`${name}: ${error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error)}`);
    }
  }
  throw new MissingDriverError(
    `no database driver works on this platform (Node ${process.versions.node}, ${process.platform} ${process.arch}; ${reasons.join("; ")})`,
  );
}

export class MissingDriverError extends Error {
  override readonly name = "MissingDriverError";
}

function versionOf(driver: Driver): string {
  const database = new driver.DatabaseSync(":memory:");
  try {
    return String(database.prepare("SELECT sqlite_version() AS version").get()?.["version"]);
  } finally {
    database.close();
  }
}

function isAtLeast(version: string, minVersion: readonly number[]): boolean {
  const parts = version.split(".").map(Number);
  for (const [index, min] of minVersion.entries()) {
    const part = parts[index] ?? 0;
    if (part !== min) return part > min;
  }
  return true;
}
