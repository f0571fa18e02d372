import { findProjectConfigs } from "../../config/project-files.js";
import type { OpenOptions } from "../../gateway/engine-options.js";
import { environmentFor } from "../../gateway/find-configuration.js";
import type { UntrustedFile } from "../../sources/effects.js";

/** The configuration files of the project that the user has not trusted in their current content. */
export async function findUntrusted(options: OpenOptions): Promise<UntrustedFile[]> {
  const { trust, loadParts } = environmentFor(options);
  return (await findProjectConfigs(loadParts)).filter(({ file, content }) => !trust.isTrusted(file, content));
}

/** Trusts the files that `isAgreed` accepts. Returns whether it accepted any. */
export async function trustAgreed(
  files: readonly UntrustedFile[],
  options: OpenOptions,
  isAgreed: (file: UntrustedFile) => Promise<boolean>,
): Promise<boolean> {
  const { trust } = environmentFor(options);
  let isAnyTrusted = false;
  for (const one of files) {
    if (!(await isAgreed(one))) continue;
    await trust.record(one.file, one.content);
    isAnyTrusted = true;
  }
  return isAnyTrusted;
}
