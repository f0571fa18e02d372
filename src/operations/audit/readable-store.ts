// Lets a store be read that cannot be written: an archived copy, or one on a read-only disk. SQLite needs files of its
// own next to a database in WAL mode.
import { constants } from "node:fs";
import { access, chmod, copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";

export interface ReadableStore {
  readonly file: string;
  remove(): Promise<void>;
}

/** The store itself, or a private copy of it if the store or its folder is not writable. */
export async function toReadableStore(file: string): Promise<ReadableStore> {
  if ((await isMissing(file)) || ((await isWritable(file)) && (await isWritable(dirname(file))))) {
    return { file, remove: () => Promise.resolve() };
  }
  const folder = await mkdtemp(join(tmpdir(), "anygpt-audit-"));
  const remove = async (): Promise<void> => await rm(folder, { recursive: true, force: true });
  const copy = join(folder, basename(file));
  try {
    await copyFile(file, copy, constants.COPYFILE_FICLONE);
    await copyFile(`${file}-wal`, `${copy}-wal`, constants.COPYFILE_FICLONE).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
    });
    // The copies have the modes of the originals.
    for (const one of [copy, `${copy}-wal`]) await chmod(one, 0o600).catch(() => undefined);
    return { file: copy, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function isMissing(file: string): Promise<boolean> {
  return await access(file, constants.F_OK).then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code === "ENOENT",
  );
}

async function isWritable(path: string): Promise<boolean> {
  return await access(path, constants.W_OK).then(
    () => true,
    () => false,
  );
}
