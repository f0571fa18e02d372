import { expect, it } from "vitest";
import { parseDockerRun } from "./docker-command.js";

it.each([
  ["docker run -i --rm -e KEY image", { isInteractive: true, variables: ["KEY"] }],
  ["docker run --rm -e KEY image -i", { isInteractive: false, variables: ["KEY"] }],
  ["docker run -it --env=KEY --env OTHER=1 image", { isInteractive: true, variables: ["KEY"] }],
  ["/usr/bin/podman run --interactive -v /i:/i image", { isInteractive: true, variables: [] }],
  ["docker container run --name -i image", { isInteractive: false, variables: [] }],
  ["docker compose run x", undefined],
  ["npx -y docker run", undefined],
])("reads %s", (words, expected) => {
  expect(parseDockerRun(words.split(" "))).toEqual(expected);
});
