import { expect, it } from "vitest";
import type { HttpSession } from "./session.js";
import { createSessions } from "./sessions.js";

interface FakeSession {
  readonly id: string;
  readonly owner: string;
  readonly actorId: string;
  idleSince: number | undefined;
  closed: boolean;
}

const fake = (id: string, owner: string, idleSince: number | undefined): FakeSession => ({
  id,
  owner,
  actorId: owner,
  idleSince,
  closed: false,
});
const toSession = (one: FakeSession): HttpSession =>
  Object.assign(one, { close: () => Promise.resolve(void (one.closed = true)) }) as unknown as HttpSession;

function createWith(fakes: readonly FakeSession[], most = 3, now = () => 1000) {
  const sessions = createSessions({ most, idleMs: 100, now });
  for (const one of fakes) sessions.add(toSession(one));
  return sessions;
}

it("finds a session only for its owner", () => {
  const sessions = createWith([fake("a", "ann", 1000)]);
  expect(sessions.find("a", "ann")).toBeDefined();
  expect(sessions.find("a", "bob")).toBeUndefined();
  expect(sessions.find("b", "ann")).toBeUndefined();
});

it("ends sessions that are idle for too long, but none that is in use", () => {
  const [old, young, used] = [fake("a", "x", 900), fake("b", "x", 901), fake("c", "x", undefined)];
  const sessions = createWith([old, young, used]);
  sessions.sweep();
  expect([old, young, used].map(({ closed }) => closed)).toEqual([true, false, false]);
  expect(sessions.all()).toHaveLength(2);
});

it("makes room by ending the longest idle session of the actor with the most sessions", () => {
  const fakes = [fake("a", "ann", 950), fake("b", "bob", 970), fake("c", "bob", 960)];
  const sessions = createWith(fakes);
  expect(sessions.hasRoom("ann")).toBe(true);
  expect(fakes.map(({ closed }) => closed)).toEqual([false, false, true]);
});

it("ends an idle session of another actor if those of the first are in use, and has no room if all are in use", () => {
  const fakes = [fake("a", "ann", 950), fake("b", "bob", undefined), fake("c", "bob", undefined)];
  const sessions = createWith(fakes);
  expect(sessions.hasRoom("ann")).toBe(true);
  expect(fakes[0]?.closed).toBe(true);
  sessions.add(toSession(fake("d", "ann", undefined)));
  expect(sessions.hasRoom("ann")).toBe(false);
});

it("reserves a quarter of the sessions for other actors, across all endpoints", () => {
  const fakes = Array.from({ length: 6 }, (_, index) => ({
    ...fake(String(index), `bob at ${index % 2}`, undefined),
    actorId: "bob",
  }));
  const ann = fake("ann", "ann", 950);
  const sessions = createWith([...fakes, ann], 8);
  expect(sessions.hasRoom("bob")).toBe(false);
  expect(sessions.hasRoom("cid")).toBe(true);
  fakes[3]!.idleSince = 990;
  expect(sessions.hasRoom("bob")).toBe(true);
  expect([fakes[3]?.closed, ann.closed]).toEqual([true, false]);
});

it("does not exceed the maximum with 30,000 abandoned sessions", () => {
  let now = 0;
  const sessions = createSessions({ most: 100, idleMs: 50, now: () => now });
  for (let count = 0; count < 30_000; count += 1) {
    now = Math.floor(count / 10);
    expect(sessions.hasRoom("ann")).toBe(true);
    sessions.add(toSession(fake(String(count), String(count % 7), now)));
  }
  expect(sessions.all().length).toBeLessThanOrEqual(100);
  now += 1000;
  sessions.sweep();
  expect(sessions.all()).toEqual([]);
});
