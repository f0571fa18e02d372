// A tool and a prompt that are added and removed while the server runs.
export function createChanges() {
  const isThere = { tool: false, prompt: false };
  const followers = new Set();
  let notify;
  const put = (registered, is) => (is ? registered.enable() : registered.disable());
  const apply = (entries) => {
    for (const kind of Object.keys(isThere)) put(entries[kind], isThere[kind]);
  };
  const toggle = (kind) => {
    isThere[kind] = !isThere[kind];
    for (const entries of followers) put(entries[kind], isThere[kind]);
  };
  return {
    apply,
    /** For a server object that lives as long as its connection. Returns a function that stops it. */
    follow(entries) {
      followers.add(entries);
      return () => void followers.delete(entries);
    },
    /** For listeners that are not bound to one connection. */
    publishTo(notifier) {
      notify = notifier;
    },
    toggleTool() {
      toggle("tool");
      notify?.toolsChanged();
    },
    togglePrompt() {
      toggle("prompt");
      notify?.promptsChanged();
    },
  };
}
