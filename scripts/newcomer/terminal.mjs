// A real terminal (tmux) that types commands and reads the screen, for recordings.
import { execFileSync } from "node:child_process";

const POLL_MS = 50;
const PROMPT = "$ ";

/** Opens a shell in a new terminal. `env` is the complete environment of the shell. */
export function openTerminal({ cwd, env, columns, name }) {
  const tmux = (...words) => execFileSync("tmux", ["-L", name, ...words], { encoding: "utf8" });
  const variables = Object.entries(env).map(([key, value]) => `${key}=${value}`);
  const shell = ["env", "-i", ...variables, `PS1=${PROMPT}`, "bash", "--norc", "--noprofile"];
  tmux("-f", "/dev/null", "new-session", "-d", "-x", String(columns), "-y", "200", "-c", cwd, ...shell);

  const screen = () =>
    tmux("capture-pane", "-p", "-J")
      .split("\n")
      .map((line) => line.trimEnd())
      .filter((line, index, lines) => line !== "" || lines.slice(index).some((later) => later !== ""));
  const isIdle = () => screen().at(-1) === PROMPT.trimEnd();

  return {
    /** Types the command and waits for the next prompt. Returns the screen content and the time. */
    async run(command, limitMs = 180_000) {
      await until(isIdle, limitMs, "the shell is not ready");
      tmux("send-keys", "clear", "Enter");
      await until(() => isIdle() && screen().length === 1, limitMs, "the screen was not cleared");
      tmux("send-keys", "-l", command);
      const began = performance.now();
      tmux("send-keys", "Enter");
      await until(() => screen().length > 1 && isIdle(), limitMs, `the command did not finish: ${command}`);
      return { command, seconds: (performance.now() - began) / 1000, lines: screen().slice(0, -1) };
    },
    close: () => tmux("kill-server"),
  };
}

async function until(isTrue, limitMs, otherwise) {
  const deadline = performance.now() + limitMs;
  while (!isTrue()) {
    if (performance.now() > deadline) throw new Error(`After ${limitMs / 1000} s: ${otherwise}.`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
