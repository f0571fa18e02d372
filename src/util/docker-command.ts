// Parses the `docker run` command line of a stdio server.
export interface DockerRun {
  /** Whether the container's standard input is kept open (`-i`). */
  readonly isInteractive: boolean;
  /** Variables that the container takes from the environment of docker: `-e NAME` without a value. */
  readonly variables: readonly string[];
}

/** Options of `docker run` that take a value, which may be the next argument. */
const VALUED =
  /^(?:-[evpuwlmch]|--(?:env|env-file|volume|mount|publish|user|workdir|label|memory|cpus|name|network|net|platform|entrypoint|add-host|hostname|pull|gpus|tmpfs|security-opt|cap-add|cap-drop|ulimit|restart|runtime|shm-size|ip|dns|device|expose|link|log-driver|log-opt|volumes-from|group-add|ipc|pid|cidfile))$/;

/** Parses a command line. Undefined if it is not a `docker run` or `podman run` command. */
export function parseDockerRun([program = "", ...words]: readonly string[]): DockerRun | undefined {
  if (!/(?:^|[\\/])(?:docker|podman)(?:\.exe)?$/.test(program)) return undefined;
  const [verb, ...rest] = words[0] === "container" ? words.slice(1) : words;
  if (verb !== "run") return undefined;
  const variables: string[] = [];
  let isInteractive = false;
  for (let index = 0; index < rest.length; index += 1) {
    const word = rest[index] ?? "";
    if (!word.startsWith("-")) break;
    if (/^-[a-zA-Z]*i/.test(word) || /^--interactive(?:=true)?$/.test(word)) isInteractive = true;
    const [, inline] = /^(?:-e|--env)=(.*)$/.exec(word) ?? [];
    const value = VALUED.test(word) ? (rest[(index += 1)] ?? "") : inline;
    const isVariable = /^(?:-e|--env)(?:=|$)/.test(word) && value !== undefined && /^[A-Za-z_]\w*$/.test(value);
    if (isVariable) variables.push(value);
  }
  return { isInteractive, variables };
}
