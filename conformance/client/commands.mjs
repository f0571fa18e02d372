// The commands of the gateway that a person would run.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { json } from "node:stream/consumers";

/** Has the gateway learn the tools of the server. Gives the error; undefined when there was none. */
export async function askForTools([command, ...args], home) {
  const child = spawn(command, args, { env: home.env, cwd: home.folder, stdio: ["ignore", "pipe", "inherit"] });
  const [answer] = await Promise.all([json(child.stdout), once(child, "exit")]);
  return answer.error;
}

/**
 * Signs in as a person would: opens the address that the command prints, and is sent back from there.
 * Gives why it failed; undefined when it did not.
 */
export async function signIn([command, ...args], home) {
  const child = spawn(command, args, { env: home.env, cwd: home.folder, stdio: ["pipe", "ignore", "pipe"] });
  const said = [];
  let opening = Promise.resolve();
  let isOpened = false;
  createInterface({ input: child.stderr }).on("line", (line) => {
    said.push(line);
    const address = /^\s+(https?:\S+)$/.exec(line)?.[1];
    if (address === undefined || isOpened) return;
    isOpened = true;
    opening = open(address).catch((error) => void said.push(String(error)));
  });
  const [code] = await once(child, "exit");
  await opening;
  return code === 0 ? undefined : said.join("\n");
}

/** The browser: the authorization server sends it back at once, with the answer in the address. */
async function open(address) {
  const answer = await fetch(address, { redirect: "manual" });
  const back = answer.headers.get("location");
  if (back === null) throw new Error(`The authorization server answered with ${answer.status}.`);
  await (await fetch(back)).text();
}
