// The part of a library that the tests use; its own declarations cannot be imported.
declare module "postman-collection" {
  interface Entry {
    readonly key?: unknown;
    readonly value?: unknown;
    readonly disabled?: boolean;
  }

  interface List<Member> {
    all(): Member[];
    toObject(excludeDisabled: boolean, caseSensitive: boolean): Record<string, string>;
  }

  export class VariableScope {
    constructor(definition: { values: readonly unknown[] }, layers?: readonly List<Entry>[]);
    readonly values: List<Entry>;
    replaceIn(value: unknown): unknown;
  }

  export class Request {
    constructor(definition: unknown);
    readonly method: string;
    readonly url: {
      readonly query: List<Entry>;
      readonly variables: List<Entry>;
      toString(): string;
    };
    readonly headers: List<Entry>;
    readonly body?: { toJSON(): Record<string, unknown> };
    toJSON(): unknown;
  }

  export interface Item {
    readonly name: string;
    readonly request: Request;
    getAuth(): { readonly type: string } | undefined;
  }

  export class Collection {
    constructor(definition: unknown);
    forEachItem(each: (item: Item) => void): void;
  }
}
