import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

// No test may see the developer's home folder: every worker and every child inherits an empty one.
export default function isolateHome(): () => void {
  const home = mkdtempSync(join(tmpdir(), "anygpt-test-home-"));
  process.env["HOME"] = home;
  process.env["USERPROFILE"] = home;
  process.env["ANYGPT_HOME"] = join(home, ".anygpt");
  // A command of a test must not leave a background gateway behind.
  process.env["ANYGPT_DAEMON"] = "0";
  delete process.env["ANYGPT_CONFIG"];
  return () => rmSync(home, { recursive: true, force: true });
}
