// The commands of the gateway that a user would run.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { json } from "node:stream/consumers";

/** Makes the gateway list the tools of the server. Returns the error, or undefined. */
export async function listTools([command, ...args], home) {
  const child = spawn(command, args, { env: home.env, cwd: home.folder, stdio: ["ignore", "pipe", "inherit"] });
  const [answer] = await Promise.all([json(child.stdout), once(child, "exit")]);
  return answer.error;
}

/**
 * Signs in as a user would: opens the URL that the command prints and follows the redirect back.
 * Returns the reason of a failure, or undefined.
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

/** The simulated browser: the authorization server redirects it at once, with the answer in the URL. */
async function open(address) {
  const answer = await fetch(address, { redirect: "manual" });
  const back = answer.headers.get("location");
  if (back === null) throw new Error(`The authorization server answered with ${answer.status}.`);
  await (await fetch(back)).text();
}
