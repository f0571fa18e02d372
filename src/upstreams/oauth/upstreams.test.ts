import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { failure } from "../../../test/support/failure.js";
import { openSignInPlace, type SignInPlace } from "../../../test/support/sign-in.js";
import { closeAll, type OpenUpstreams, openWatched, textOf, toCall } from "../../../test/support/upstreams.js";
import type { UpstreamTarget } from "../types.js";

let place: SignInPlace;
beforeEach(async () => {
  place = await openSignInPlace();
});
afterEach(async () => {
  await closeAll();
  await place.close();
});

const open = (): OpenUpstreams => openWatched({ concurrency: 64 }, { signIn: place.signIns() });
const target = (actor?: string): UpstreamTarget => ({
  name: "remote",
  connection: () => place.connection,
  ...(actor === undefined ? {} : { actor }),
});

describe("calls to a server that requires a sign-in", () => {
  it("name the sign-in command, and work immediately after the sign-in", async () => {
    const upstreams = open();
    for (let attempt = 0; attempt < 8; attempt++) {
      const error = await failure(upstreams.call(target(), toCall("whoami")));
      expect([error.code, error.hint]).toEqual([
        "UPSTREAM_UNAUTHORIZED",
        "Run `anygpt mcp auth login remote` in a terminal to sign in to remote.",
      ]);
    }
    expect(upstreams.state("remote")).toMatchObject({ kind: "failed" });
    await place.login();
    expect(textOf(await upstreams.call(target(), toCall("whoami")))).toBe("let in");
    expect((await upstreams.list(target())).tools.map(({ name }) => name)).toEqual(["whoami", "purge"]);
  });

  it("share one renewal when 50 of them are rejected at the same time on one connection", async () => {
    await place.login();
    const upstreams = open();
    await upstreams.call(target(), toCall("whoami"));
    place.authorization.endAccessTokens();
    place.server.holdRefusals(50);
    const answers = await Promise.all(Array.from({ length: 50 }, () => upstreams.call(target(), toCall("whoami"))));
    expect(answers.map(textOf)).toEqual(Array.from({ length: 50 }, () => "let in"));
    expect(place.authorization.refreshes()).toBe(1);
  });

  it("name the missing scope, and leave the connection open for others", async () => {
    await place.login();
    const upstreams = open();
    const error = await failure(upstreams.call(target(), toCall("purge")));
    expect([error.code, error.executed, error.hint]).toEqual([
      "UPSTREAM_UNAUTHORIZED",
      "no",
      "Run `anygpt mcp auth login remote --scope files:purge` in a terminal to sign in to remote.",
    ]);
    expect(textOf(await upstreams.call(target(), toCall("whoami")))).toBe("let in");
  });

  it("do not join a connection that is being opened for another actor", async () => {
    await place.login({ actor: "ann" });
    const upstreams = open();
    const [ann, bob] = await Promise.allSettled([
      upstreams.call(target("ann"), toCall("whoami")),
      upstreams.call(target("bob"), toCall("whoami")),
    ]);
    expect([ann.status, bob.status]).toEqual(["fulfilled", "rejected"]);
  });

  it("fail for one actor without a change of the server's shared state", async () => {
    await place.login();
    const upstreams = open();
    await upstreams.call(target(), toCall("whoami"));
    await upstreams.drop("remote");
    const error = await failure(upstreams.call(target("ann"), toCall("whoami")));
    expect(error.hint).toContain("--actor ann");
    expect(upstreams.state("remote")).toEqual({ kind: "closed" });
  });

  it("never use the connection of another actor", async () => {
    await place.login({ actor: "ann" });
    const upstreams = open();
    expect(textOf(await upstreams.call(target("ann"), toCall("whoami")))).toBe("let in");
    const before = place.server.received.length;
    await failure(upstreams.call(target("bob"), toCall("whoami")));
    const after = place.server.received.slice(before);
    expect(after.filter(({ authorization }) => authorization !== undefined)).toEqual([]);
  });
});
