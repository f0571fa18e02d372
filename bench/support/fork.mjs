import { fork } from "node:child_process";

/** Runs a program of children/ in a new process with `--expose-gc` and returns the message that it sends. */
export function runFork(file, input) {
  const child = fork(file, { execArgv: ["--expose-gc"], serialization: "json" });
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  return new Promise((resolve, reject) => {
    let answer;
    child.on("message", (message) => (answer = message));
    child.once("error", reject);
    child.once("exit", (code) => {
      process.off("exit", kill);
      if (code === 0 && answer !== undefined) resolve(answer);
      else reject(new Error(`${file} ended with code ${code}.`));
    });
    child.send(input);
  });
}
