import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/**
 * The path of a built program of this package that runs in its own thread or process. Bundled code finds it next to
 * itself in `dist/`; code run from `src/` (in tests) uses the file in `dist/`.
 */
export function builtFile(name: string): string {
  const candidates = [`./${name}`, `../${name}`, `../../dist/${name}`].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  );
  return candidates.find((file) => existsSync(file)) ?? candidates[0] ?? name;
}
