import { describe, expect, it } from "vitest";
import { driver } from "./driver.js";
import { migrate, MIGRATIONS } from "./schema.js";

const FIRST = "CREATE TABLE a (x INTEGER) STRICT; INSERT INTO a VALUES (1)";
const SECOND = "ALTER TABLE a ADD COLUMN y TEXT; UPDATE a SET y = 'from ' || x";

function open() {
  const database = new (driver().DatabaseSync)(":memory:");
  const version = () => database.prepare("PRAGMA user_version").get()?.["user_version"];
  const run = (migrations?: readonly string[]) => migrate(database, migrations);
  return { database, version, run };
}

describe("migrate", () => {
  it("brings an empty database to the last version, once", () => {
    const { run, version } = open();
    run();
    run();
    expect(version()).toBe(MIGRATIONS.length);
  });

  it("continues from the stored version and keeps the data", () => {
    const { database, run, version } = open();
    run([FIRST]);
    run([FIRST, SECOND]);
    expect(version()).toBe(2);
    expect(database.prepare("SELECT x, y FROM a").all()).toEqual([{ x: 1, y: "from 1" }]);
  });

  it("adds stored results to a database without them, and counts them per actor", () => {
    const { database, run, version } = open();
    const before = MIGRATIONS.findIndex((script) => script.includes("CREATE TABLE results"));
    run(MIGRATIONS.slice(0, before));
    database.exec("INSERT INTO server_failures VALUES ('s', 'f', 1, 'x')");
    run();
    expect(version()).toBe(MIGRATIONS.length);
    expect(database.prepare("SELECT text FROM server_failures").all()).toEqual([{ text: "x" }]);
    const insert = (id: string, actor: string, bytes: number) =>
      database.exec(`
        INSERT INTO results (id, actor, server, tool, created_at, expires_at, bytes, sha256, payload_bytes, payload)
        VALUES ('${id}', '${actor}', 's', 't', 1, 2, 9, '', ${bytes}, x'00')`);
    insert("a", "ann", 5);
    insert("b", "ann", 7);
    insert("c", "bob", 1);
    database.exec("DELETE FROM results WHERE id IN ('a', 'c')");
    expect(database.prepare("SELECT * FROM result_totals").all()).toEqual([{ actor: "ann", results: 1, bytes: 7 }]);
  });

  it("counts the keys that a database already has, and their answers", () => {
    const { database, run } = open();
    run(
      MIGRATIONS.slice(
        0,
        MIGRATIONS.findIndex((script) => script.includes("CREATE TABLE key_totals")),
      ),
    );
    const insert = (key: string, actor: string, answer: string) =>
      database.exec(`
        INSERT INTO keys (tenant, actor, tool, key, fingerprint, state, request_id, owner, reserved_at, changed_at,
          expires_at, answer)
        VALUES ('', '${actor}', 't', '${key}', 'f', 'completed', 'r', 'o', 1, 1, 2, ${answer})`);
    insert("a", "ann", "x'0001'");
    insert("b", "ann", "NULL");
    run();
    insert("c", "bob", "x'01'");
    database.exec("UPDATE keys SET answer = x'010203' WHERE key = 'b'; DELETE FROM keys WHERE key = 'c'");
    expect(database.prepare("SELECT * FROM key_totals").all()).toEqual([{ actor: "ann", keys: 2, bytes: 5 }]);
  });

  it("changes nothing when one script fails", () => {
    const { database, run, version } = open();
    run([FIRST]);
    expect(() => run([FIRST, SECOND, "INSERT INTO nowhere VALUES (1)"])).toThrow("nowhere");
    expect(version()).toBe(1);
    expect(database.prepare("SELECT * FROM a").all()).toEqual([{ x: 1 }]);
    expect(database.isTransaction).toBe(false);
  });

  it("rejects a version that is newer than the last script", () => {
    const { run } = open();
    run([FIRST, SECOND]);
    expect(() => run([FIRST])).toThrow("the file has format 2, and this version supports formats up to 1");
  });

  it("rejects a database of another program", () => {
    const { database, run } = open();
    database.exec("CREATE TABLE theirs (x)");
    expect(() => run()).toThrow("a database of another program");
  });
});
