import { expect, it } from "vitest";
import type { HttpSession } from "./session.js";
import { createSessions } from "./sessions.js";

interface Stand {
  readonly id: string;
  readonly owner: string;
  readonly actorId: string;
  idleSince: number | undefined;
  closed: boolean;
}

const stand = (id: string, owner: string, idleSince: number | undefined): Stand => ({
  id,
  owner,
  actorId: owner,
  idleSince,
  closed: false,
});
const toSession = (one: Stand): HttpSession =>
  Object.assign(one, { close: () => Promise.resolve(void (one.closed = true)) }) as unknown as HttpSession;

function createWith(stands: readonly Stand[], most = 3, now = () => 1000) {
  const sessions = createSessions({ most, idleMs: 100, now });
  for (const one of stands) sessions.add(toSession(one));
  return sessions;
}

it("finds a session for its owner alone", () => {
  const sessions = createWith([stand("a", "ann", 1000)]);
  expect(sessions.find("a", "ann")).toBeDefined();
  expect(sessions.find("a", "bob")).toBeUndefined();
  expect(sessions.find("b", "ann")).toBeUndefined();
});

it("ends what was idle too long, and nothing that is in use", () => {
  const [old, young, used] = [stand("a", "x", 900), stand("b", "x", 901), stand("c", "x", undefined)];
  const sessions = createWith([old, young, used]);
  sessions.sweep();
  expect([old, young, used].map(({ closed }) => closed)).toEqual([true, false, false]);
  expect(sessions.all()).toHaveLength(2);
});

it("makes room by ending the one that lay idle longest, of who has the most", () => {
  const stands = [stand("a", "ann", 950), stand("b", "bob", 970), stand("c", "bob", 960)];
  const sessions = createWith(stands);
  expect(sessions.hasRoom("ann")).toBe(true);
  expect(stands.map(({ closed }) => closed)).toEqual([false, false, true]);
});

it("makes room at another's cost when who has the most uses them all, and none when all are used", () => {
  const stands = [stand("a", "ann", 950), stand("b", "bob", undefined), stand("c", "bob", undefined)];
  const sessions = createWith(stands);
  expect(sessions.hasRoom("ann")).toBe(true);
  expect(stands[0]?.closed).toBe(true);
  sessions.add(toSession(stand("d", "ann", undefined)));
  expect(sessions.hasRoom("ann")).toBe(false);
});

it("leaves a quarter to others, however many one actor uses at whatever endpoints", () => {
  const stands = Array.from({ length: 6 }, (_, index) => ({
    ...stand(String(index), `bob at ${index % 2}`, undefined),
    actorId: "bob",
  }));
  const ann = stand("ann", "ann", 950);
  const sessions = createWith([...stands, ann], 8);
  expect(sessions.hasRoom("bob")).toBe(false);
  expect(sessions.hasRoom("cid")).toBe(true);
  stands[3]!.idleSince = 990;
  expect(sessions.hasRoom("bob")).toBe(true);
  expect([stands[3]?.closed, ann.closed]).toEqual([true, false]);
});

it("keeps no more than it may of thirty thousand that are left behind", () => {
  let now = 0;
  const sessions = createSessions({ most: 100, idleMs: 50, now: () => now });
  for (let count = 0; count < 30_000; count += 1) {
    now = Math.floor(count / 10);
    expect(sessions.hasRoom("ann")).toBe(true);
    sessions.add(toSession(stand(String(count), String(count % 7), now)));
  }
  expect(sessions.all().length).toBeLessThanOrEqual(100);
  now += 1000;
  sessions.sweep();
  expect(sessions.all()).toEqual([]);
});
